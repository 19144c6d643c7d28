# SPDX-License-Identifier: Apache-2.0
"""The results of one wheel, and the verdict on them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from .wheel_list import Entry

FREE, BUT, NOT, NOTHING, UNKNOWN = "free", "free but for", "not free", "nothing to repair", "not measured"
VERDICTS = (FREE, BUT, NOT, NOTHING, UNKNOWN)
_NAMED = re.compile(r"\S+\.py names (.+): if the file opens this name, .*")
_WITH_MAJOR = re.compile(r"lib\w+\.so\.\d+(\.0)?")


@dataclass
class Failure:
    """A library that does not open. `owner`: of what it lacks (dlopen_errors.owner). `tied`, `untied`: NVIDIA's
    libraries without a stub that it goes on needing, of one CUDA and of every CUDA. `lost`: references to CUDA's
    functions that the stubs do not have. `references`: how many of CUDA's functions it uses."""

    file: str
    kind: str
    what: str
    owner: str
    tied: list[str] = field(default_factory=list)
    untied: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    references: int = 0


@dataclass
class Opening:
    total: int
    failures: list[Failure] = field(default_factory=list)

    @property
    def opened(self) -> int:
        return self.total - len(self.failures)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Opening:
        """Of what dataclasses.asdict gives."""
        return cls(data["total"], [Failure(**failure) for failure in data["failures"]])


@dataclass
class Result:
    """`failed`: why the result is missing. `beside`: the packages installed beside the wheel. `after`: their libraries
    that were opened first, by their path in site-packages. `by_name`: libraries of one CUDA that the repaired wheel's
    libraries open by name. `drop_ins`: those of such names that the repair has put into the wheel. `static`: how many
    have a CUDA runtime linked into them. `refusal`: of the repair without --partly; `beside_refused`: package -> the
    refusal of its repair. `absent`: release -> how many functions that the wheel uses do not run there.
    `runtimes`: situation -> the file that the stub of the runtime opened, where that is not the situation's.
    `python`: the version of the Python that opened the libraries."""

    requirement: str
    failed: str = ""
    beside: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    beside_refused: dict[str, str] = field(default_factory=dict)
    built_for: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    by_name: list[str] = field(default_factory=list)
    drop_ins: list[str] = field(default_factory=list)
    static: int = 0
    refusal: str = ""
    notes: list[str] = field(default_factory=list)
    native: Opening | None = None
    situations: dict[str, Opening] = field(default_factory=dict)
    runtimes: dict[str, str] = field(default_factory=dict)
    absent: dict[str, int] = field(default_factory=dict)
    python: str = ""

    @property
    def uses_cuda(self) -> bool:
        return bool(self.needs or self.by_name or self.drop_ins or self.static or self.built_for)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        """Of what dataclasses.asdict gives."""
        native = data["native"]
        return cls(**{**data, "native": native and Opening.from_json(native),
                      "situations": {name: Opening.from_json(opening) for name, opening in data["situations"].items()}})

    def is_current(self, entry: Entry, python: str) -> bool:
        """Was the wheel measured beside the packages that the list names now, and by this version of Python?"""
        return not self.failed and (self.beside, self.after, self.python) == (
            [wheel.requirement for wheel in entry.beside], list(entry.after), python)


@dataclass(frozen=True)
class Verdict:
    """`but`: what a wheel that is free but for something is not free of."""

    kind: str
    but: list[str]
    why: list[str]


def evaluate(result: Result) -> Verdict:
    if result.failed:
        return Verdict(UNKNOWN, [], [result.failed])
    locks = _locks(result)
    why = locks + _others(result)
    but = unique(name for opening in result.situations.values() for failure in opening.failures
                 for name in failure.untied)
    if locks:
        return Verdict(NOT, [], why)
    if but or result.by_name:
        return Verdict(BUT, but + [name for name in result.by_name if name not in but], why)
    return Verdict(FREE if result.uses_cuda else NOTHING, [], why)


def _locks(result: Result) -> list[str]:
    """What ties the wheel to one CUDA."""
    failures = [failure for situation in result.situations.values() for failure in situation.failures]
    tied = unique(name for failure in failures for name in failure.tied)
    lost = unique(name for failure in failures for name in failure.lost)
    undefined = unique(failure.what for failure in failures
                       if failure.owner == "CUDA" and failure.what not in tied and
                       not any(name.partition("@")[0] == failure.what for name in lost))
    crashed = unique(f"{failure.file.rpartition('/')[2]} ({failure.what})" for failure in failures
                     if failure.kind == "crash" and not _is_as_before(failure, result))
    found = []
    if tied:
        found.append(f"needs {some(tied)}, without a stub")
    if lost:
        found.append(f"the stubs lack {some(lost)}")
    if undefined:
        found.append(f"CUDA's {some(undefined)} is not found")
    if crashed:
        found.append(f"opening ends the process: {some(crashed)}")
    found += _differences(result.situations)
    found += [f"in the situation {name} the stub of the runtime opens {file or 'nothing'}"
              for name, file in result.runtimes.items()]
    return found


def _differences(situations: dict[str, Opening]) -> list[str]:
    failing = {name: {failure.file for failure in opening.failures} for name, opening in situations.items()}
    everywhere = set.intersection(*failing.values()) if failing else set()
    found = []
    for name, files in failing.items():
        if files - everywhere:
            found.append(f"does not open in the situation {name} only: "
                         f"{some(sorted(file.rpartition('/')[2] for file in files - everywhere))}")
    return found


def _others(result: Result) -> list[str]:
    """What does not tie the wheel to one CUDA."""
    found = []
    opening = next(iter(result.situations.values()), Opening(0))
    crashed = [failure for failure in opening.failures if failure.kind == "crash" and _is_as_before(failure, result)]
    if crashed:
        found.append(f"opening {_files(len(crashed))} ends the process, as it comes too, {_crash(crashed)}")
    constructors = [failure for failure in opening.failures if failure.kind == "constructor"]
    if constructors:
        names = some([failure.file.rpartition("/")[2] for failure in constructors])
        found.append(f"every function of {_files(len(constructors))} is bound, then its own code ends the process "
                     f"({names})")
    groups: dict[str, list[Failure]] = {}
    for failure in opening.failures:
        if not (failure.tied or failure.lost or failure.kind in ("crash", "constructor") or failure.owner == "CUDA"):
            groups.setdefault(failure.owner, []).append(failure)
    for owner, failures in groups.items():
        lacks = unique(failure.what for failure in failures)
        found.append(f"{_files(len(failures))} {_lack(owner, len(failures))} ({some(lacks)})"
                     + (", every CUDA reference is in the stubs"
                        if any(failure.references for failure in failures) else ""))
    if result.by_name:
        found.append(f"opens {some(result.by_name)} by name")
    if result.drop_ins:
        found.append(f"opens {some(result.drop_ins)} by name, which the wheel's drop-ins serve")
    if in_python := _in_python(result.notes):
        found.append(f"its Python code names {some(in_python)}")
    if result.absent:
        counts = ", ".join(f"{count} on {release}" for release, count in result.absent.items())
        found.append(f"of the functions that it uses, some do not run: {counts}")
    if result.static:
        verb = "has" if result.static == 1 else "have"
        found.append(f"{_files(result.static)} {verb} a CUDA runtime linked in, which needs the driver only")
    if result.refusal:
        found.append(f"repaired with --partly, since: {result.refusal}")
    found += [f"beside it {package} is repaired with --partly, since: {refusal}"
              for package, refusal in result.beside_refused.items()]
    return found


def _crash(failures: list[Failure]) -> str:
    """What is known of files whose functions the dynamic linker has maybe not bound."""
    its, use = ("its", "it uses") if len(failures) == 1 else ("their", "they use")
    functions = f"whether all {its} functions are found is unknown"
    if any(failure.references for failure in failures):
        return f"{functions}, but every CUDA reference is in the stubs"
    return f"{functions}, but {use} none of CUDA's"


def _in_python(notes: list[str]) -> list[str]:
    """The libraries with a major that the repair's notes say Python files name."""
    listed = [found[1] for found in map(_NAMED.fullmatch, notes) if found]
    return unique(name for names in listed for name in names.split(", ") if _WITH_MAJOR.fullmatch(name))


def _is_as_before(failure: Failure, result: Result) -> bool:
    """Does the file fail in the same way as it comes?"""
    before = result.native.failures if result.native else []
    return (failure.file, failure.kind, failure.what) in [(other.file, other.kind, other.what) for other in before]


def _lack(owner: str, count: int) -> str:
    verb = "needs" if count == 1 else "need"
    return {"NVIDIA": f"{verb} NVIDIA's libraries without a stub, the same beside every CUDA",
            "Python": f"{verb} another Python",
            "system": f"{verb} a newer C or C++ library",
            "another package": f"{verb} other packages"}.get(owner, f"{verb} {owner}")


def _files(count: int) -> str:
    return f"{count} file" if count == 1 else f"{count} files"


def some(names: list[str], most: int = 4) -> str:
    """The first names, and how many more there are."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")


def unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
