# SPDX-License-Identifier: Apache-2.0
"""The results of a wheel's libraries beside PyTorch -> verdict and reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from anycuda.analysis.libraries import Table

from . import dlopen_errors

OPENS, ABI, OTHER, FAILS, UNKNOWN = "opens", "other torch", "other package", "fails", "not measured"
VERDICTS = (OPENS, ABI, OTHER, FAILS, UNKNOWN)
_SERVED = "libanycuda_"


@dataclass
class Failure:
    """A library that does not open. `owner`: of what the dynamic linker names first (dlopen_errors.owner). `cuda`:
    every library and function of CUDA that it lacks; `torch`: how many functions of PyTorch."""

    file: str
    what: str
    owner: str
    cuda: list[str] = field(default_factory=list)
    torch: int = 0


@dataclass
class Side:
    """A wheel as it comes, or repaired. `files`: library of CUDA -> its files that were in a process at once, the most
    that any process had: "torch:PATH", "wheel:PATH" or a path elsewhere. `answers`: family -> the version by the stub
    and by PyTorch's library. `program`: the message of the wheel's program, "" where it ran, None where it has none."""

    total: int
    failures: list[Failure] = field(default_factory=list)
    files: dict[str, list[str]] = field(default_factory=dict)
    answers: dict[str, list[Any]] = field(default_factory=dict)
    program: str | None = None

    @property
    def opened(self) -> int:
        return self.total - len(self.failures)


@dataclass
class Result:
    """`asks`: the version of torch that the wheel requires."""

    torch: str
    cuda: str
    requirement: str
    failed: str = ""
    asks: str = ""
    built_for: list[str] = field(default_factory=list)
    native: Side | None = None
    repaired: Side | None = None


@dataclass(frozen=True)
class Verdict:
    kind: str
    why: list[str]


def evaluate(result: Result) -> Verdict:
    """FAILS is for CUDA's reasons: what a repaired wheel must not have."""
    side = result.repaired
    if result.failed or side is None:
        return Verdict(UNKNOWN, [result.failed])
    cuda = cuda_reasons(side)
    if result.built_for and not side.answers:
        cuda.append("no stub was asked")
    others = [failure for failure in side.failures if not is_cudas(failure)]
    torch = [other for other in others if other.owner == "PyTorch"]
    rest = [failure for failure in others if failure.owner != "PyTorch"]
    why = list(cuda)
    if torch:
        most = max(failure.torch for failure in torch)
        why.append(f"{_files(torch)} built for another torch, of which up to {most} functions are missing (such as "
                   f"{torch[0].what})")
    why += [f"{failure.file.rpartition('/')[2]}: {failure.owner}: {failure.what}" for failure in rest]
    copies = [file.rpartition("/")[2] for files in side.files.values() for file in files if file.startswith("wheel:")]
    if copies:
        why.append(f"goes on using the wheel's copy {', '.join(copies)}")
    if side.program and not torch:
        why.append(f"its program: {side.program}")
    if cuda or side.program and not side.failures:
        return Verdict(FAILS, why)
    return Verdict(ABI if torch else OTHER if rest else OPENS, why)


def is_cudas(failure: Failure) -> bool:
    return bool(failure.cuda) or failure.owner in ("CUDA", "NVIDIA")


def cuda_reasons(side: Side) -> list[str]:
    """Why the wheel does not work beside this CUDA."""
    found = []
    failures = [failure for failure in side.failures if is_cudas(failure)]
    if failures:
        lacks = list(dict.fromkeys(name for failure in failures for name in failure.cuda or [failure.what]))
        found.append(f"{_files(failures)}: {', '.join(lacks[:4])}"
                     + (f" and {len(lacks) - 4} more" if len(lacks) > 4 else ""))
    found += [f"{len(files)} files of {stem}" for stem, files in side.files.items() if len(files) > 1]
    alien = [file for files in side.files.values() for file in files if not file.startswith(("torch:", "wheel:"))]
    if alien:
        found.append(f"neither PyTorch's nor the wheel's: {', '.join(file.rpartition('/')[2] for file in alien)}")
    found += [f"the stub of {family} answers {by_stub}, PyTorch's library {real}"
              for family, (by_stub, real) in side.answers.items() if real and not (by_stub == real and _is_ok(by_stub))]
    return found


def values(answer: list[int]) -> list[int]:
    """The version of [status, numbers ...] or of three pairs (status, number)."""
    return answer[1::2] if len(answer) == 6 else answer[1:]


def _is_ok(answer: list[int]) -> bool:
    return not any(answer[0::2] if len(answer) == 6 else answer[:1])


def cuda_files(paths: list[str], torch: str, wheel: str, table: Table) -> dict[str, list[str]]:
    """The files of CUDA among the mapped ones, without stubs: "libcublas" -> "torch:nvidia/cublas/lib/libcublas.so.12".
    A copy with a hash in its name counts as that library."""
    found: dict[str, list[str]] = {}
    for path in paths:
        name = path.rpartition("/")[2]
        if name.startswith(_SERVED) or not table.is_of_cuda(name):
            continue
        named = table.named(name)
        stem = named.library.stem if named else name.partition(".so")[0]
        place = (f"torch:{path[len(torch):].lstrip('/')}" if path.startswith(f"{torch}/") else
                 f"wheel:{path[len(wheel):].lstrip('/')}" if path.startswith(f"{wheel}/") else path)
        found.setdefault(stem, []).append(place)
    return found


def most(maps: list[dict[str, list[str]]]) -> dict[str, list[str]]:
    """Per library the files of the process that had most, or had one that is not PyTorch's."""
    found: dict[str, list[str]] = {}
    for files_by_stem in maps:
        for stem, files in files_by_stem.items():
            if _rank(files) > _rank(found.get(stem, [])):
                found[stem] = files
    return dict(sorted(found.items()))


def failure(file: str, message: str, libraries: list[str], symbols: list[tuple[str, str]], table: Table) -> Failure:
    """`libraries`, `symbols`: everything that the dynamic linker does not find for the file."""
    lack = dlopen_errors.parse(message)
    lacks = [dlopen_errors.Lack("library", name) for name in libraries]
    lacks += [dlopen_errors.Lack("symbol", *symbol) for symbol in symbols]
    owners = [dlopen_errors.owner(lack, table) for lack in lacks]
    cuda = [lack.what for lack, owner in zip(lacks, owners) if owner in ("CUDA", "NVIDIA")]
    torch = sum(lack.kind == "symbol" and owner == "PyTorch" for lack, owner in zip(lacks, owners))
    return Failure(file, lack.what, dlopen_errors.owner(lack, table), cuda, torch)


def _rank(files: list[str]) -> tuple[int, int]:
    return len(files), sum(not file.startswith("torch:") for file in files)


def _files(failures: list[Failure]) -> str:
    count = len(failures)
    return f"{count} file" if count == 1 else f"{count} files"
