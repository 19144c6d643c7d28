# SPDX-License-Identifier: Apache-2.0
"""The results of all wheels beside each PyTorch -> docs/wheels_torch.md."""

from __future__ import annotations

from collections import Counter

from . import torch_verdict
from .page import line
from .torch_verdict import Result, Side

_INTRO = """# Wheels that need PyTorch, beside PyTorch of each CUDA

Does a wheel whose libraries need PyTorch use the CUDA of whichever torch is installed, once it is repaired? Each is
opened beside PyPI's torch of CUDA 12.8 and of CUDA 13.0. Made on {date} with the stubs of commit {commit} by this
command, which downloads everything:

    python3 tools/reach/torch_beside.py --anycuda BUILD/bin/anycuda --cache FOLDER \\
        --list tools/reach/torch_wheels.txt --out docs/wheels_torch.md

Every shared library of a wheel is opened twice: once as it comes, once repaired. Each time a new process imports torch
and opens the library (`dlopen` with `LD_BIND_NOW=1`, which binds every function at once). The only installed CUDA is
the one that torch requires. No driver is installed, so a library that needs `libcuda.so.1` does not open as it comes.
No kernel runs: [gpu.md](gpu.md) lists what ran on a GPU.

If a library opens, the mapped files of its process show which CUDA is in use, and the test asks each stub for its
library's version (`cudaRuntimeGetVersion`, `cublasGetProperty`, ...) under the symbol version of the CUDA that the
wheel was built for. The answer must be that of torch's own file. If no library of a wheel opens, the test asks its
stubs directly. torchvision also runs `torchvision.ops.nms` on the CPU.

- **opens**: every library opens. Each CUDA library that torch brings is in the process once, as torch's file, and the
  stubs answer with it.
- **other torch**: the same, but the libraries that do not open were built for another release of torch and lack
  functions of this one. The dynamic linker lists all missing functions, and none of them is CUDA's. A repair does not
  change that: torch's C++ functions differ between releases.
- **other package**: the same, but some libraries need another package.
- **fails**: once it is repaired, a library lacks a library or a function of CUDA, a process has two files of one CUDA
  library, or a stub's answer is not that of torch's file.

A repaired wheel may have fewer libraries than the original: its copy of cudart is left out. An original wheel can
open completely and still be wrong: its copy of cudart is a second CUDA runtime in the process.

torchvision goes on using its own copy of nvJPEG, which torch does not bring. That copy has a CUDA runtime linked into
it: it runs with whatever CUDA is installed, on a driver that is new enough for that runtime.
"""
_HEAD = ("wheel", "built for CUDA", "asks for torch", "as it comes: opens", "as it comes: what is wrong",
         "repaired: opens", "answers of the stubs", "verdict", "why")


def make(results: list[Result], date: str, commit: str) -> str:
    parts = [_INTRO.format(date=date, commit=commit)]
    for torch, cuda in sorted({(one.torch, one.cuda) for one in results}, key=lambda one: (one[1], one[0])):
        rows = [_row(one) for one in results if one.torch == torch]
        parts += [f"## torch {torch}, CUDA {cuda}", "",
                  "\n".join(line(row) for row in (_HEAD, ("---",) * len(_HEAD), *rows)), ""]
    counts = Counter(torch_verdict.of(one).kind for one in results)
    text = ", ".join(f"{counts[kind]} {kind}" for kind in torch_verdict.VERDICTS if counts[kind])
    return "\n".join([*parts, "## Counts", "", f"{len(results)} pairs of a wheel and a torch: {text}.", "",
                      *_across(results)])


def _across(results: list[Result]) -> list[str]:
    """Those beside a torch of another CUDA than the wheel's."""
    across = [one for one in results if one.built_for and one.cuda.partition(".")[0] not in one.built_for]
    whole = [f"{one.requirement} beside torch {one.torch}" for one in across
             if torch_verdict.of(one).kind == torch_verdict.OPENS]
    repaired = [one.repaired for one in across if one.repaired]
    native = [one.native for one in across if one.repaired and one.native]
    if not repaired:
        return []
    return [f"In {len(across)} pairs torch is of another CUDA than the wheel was built for. There "
            f"{sum(one.opened for one in native)} of {sum(one.total for one in native)} libraries open as the wheels "
            f"come and {sum(one.opened for one in repaired)} of {sum(one.total for one in repaired)} when they "
            f"are repaired, which leaves copies of cudart out; wholly: {', '.join(whole) or 'none'}.", ""]


def _row(result: Result) -> tuple[str, ...]:
    verdict = torch_verdict.of(result)
    native, repaired = result.native, result.repaired
    return (result.requirement, ", ".join(result.built_for) or "-", result.asks or "-",
            _opened(native), native and _why_not(native) or "-", _opened(repaired),
            repaired and _answers(repaired) or "-", f"**{verdict.kind}**", "; ".join(verdict.why) or "-")


def _opened(side: Side | None) -> str:
    return f"{side.opened} of {side.total}" if side else "-"


def _why_not(side: Side) -> str:
    """The libraries of CUDA that are not found, and those that are in a process twice."""
    lacks = sorted({name for one in side.failures for name in one.cuda if ".so" in name})
    found = [f"lacks {', '.join(lacks)}"] if lacks else []
    if any(one.owner == "PyTorch" for one in side.failures):
        found.append("built for another torch")
    found += [f"{len(files)} files of {stem} in a process ({_names(files)})"
              for stem, files in side.files.items() if len(files) > 1]
    return "; ".join(found)


def _answers(side: Side) -> str:
    return ", ".join(f"{family} {'.'.join(map(str, torch_verdict.values(by_stub)))}"
                     for family, (by_stub, _) in sorted(side.answers.items()))


def _names(files: list[str]) -> str:
    return ", ".join(one.rpartition("/")[2] for one in files)
