# SPDX-License-Identifier: Apache-2.0
"""A library's descriptor (stubs/<library>/library.json), checked: a typing error in it must stop the
build with a sentence, not appear later as a stub that does something else."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Optional

SPECIAL_FUNCTIONS = ("error_name", "error_string", "get_last_error", "peek_last_error", "driver_version")
VERSION_FORMS = ("number", "major_minor")  # int f(int*), int f(int*, int*)
OUTPUTS = ("", "cubin", "ptx")  # device code that a library makes; one that makes PTX makes CUBIN too
MAX_MAJORS = 7
LAST = 1000  # in reports, behind the libraries whose descriptors have an order
PACKAGES = {"conda", "apt", "dnf", "zypper", "note"}
ALL = "*"  # `"questions": "all"`: nobody calls a function of the library for its result
_REQUIRED = {"name", "product", "stub", "variable", "file_prefix", "install_hint", "majors",
             "wheel_folders", "status", "required_symbols"}
_OPTIONAL = {"driver_bound": False, "one_per_process": False, "is_driver": False, "parts": "", "own_releases": False,
             "output": "", "lto_ir_to": "", "lto_ir_from": "",
             "failing_results": {}, "special_functions": {}, "builtin": {}, "questions": [], "before_first_call": "",
             "copy_functions": (), "group": "", "runtime": "",
             "version_function": {}, "callers": {}, "wheels": {}, "toolkit_extra": "",
             "companions": (), "opens": "", "packages": {}, "order": LAST}
# The keys' names in 0.1 and 0.2; deprecated.
_OLD_KEYS = {"advice": "install_hint", "core": "required_symbols", "own": "builtin", "roles": "special_functions",
             "no_library_status": "failing_results"}


@dataclass(frozen=True)
class Major:
    """One SONAME of the library, which it keeps for one or several majors of CUDA: libcusparse.so.12 is of CUDA 12 and
    13. `number`: the first of them, `last`: the last."""
    number: int
    last: int
    soname: str
    symbol_version: Optional[str]

    @property
    def cuda_majors(self) -> tuple[int, ...]:
        return tuple(range(self.number, self.last + 1))


@dataclass(frozen=True)
class Callers:
    """Programs that were built for an earlier major of the library's own, and are served by a later one: cuDNN 8 on
    cuDNN 9. `built_for` and `served_by` are those majors. `soname`, which is their symbol version too, is also the
    name of the library that serves them without adapters."""
    built_for: str
    served_by: str
    soname: str


@dataclass(frozen=True)
class Descriptor:
    name: str
    product: str
    stub: str
    variable: str
    file_prefix: str
    install_hint: str
    majors: tuple[Major, ...]
    wheel_folders: tuple[str, ...]
    driver_bound: bool
    one_per_process: bool
    is_driver: bool
    parts: str  # the prefix of its other files' names, which programs may need directly: "libcudnn_"
    own_releases: bool  # numbered apart from CUDA's (cuDNN 9.12, NCCL 2.28), each for several majors of CUDA
    output: str
    lto_ir_to: str  # the library that takes its LTO-IR, or
    lto_ir_from: str  # whose LTO-IR it takes
    status: dict[str, int]
    failing_results: dict[str, Any]  # of a type or function (failing_results.py)
    special_functions: dict[str, str]
    builtin: dict[str, str]
    questions: tuple[str, ...]  # functions that ask whether the library is there
    before_first_call: str
    copy_functions: tuple[str, ...]  # of the table for other copies of the stub (copy_table.py), behind those of all
    required_symbols: dict[int, frozenset[str]]
    group: str  # libraries of one group take each other's handles
    runtime: str  # the library whose CUDA goes before others: the CUDA runtime
    version_function: dict[str, str]  # that reports the library's version and starts nothing; empty: none
    callers: Optional[Callers]  # None: those of `majors`
    wheels: dict[str, str]  # major of CUDA -> the distribution on PyPI that brings the library
    toolkit_extra: str  # the extra of PyPI's cuda-toolkit that requires that distribution
    companions: tuple[str, ...]  # libraries without a stub in it, numbered as this one: "libnvblas"
    packages: dict[str, str]  # package manager -> package; {major} in it is CUDA's. note: what a reader must know
    order: int  # in reports
    numbers: "tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]"  # abi/numbers.txt: release, first, last
    opens: str  # the prefix of a file's name by which the library opens this file: "libnvrtc-builtins.so"

    @property
    def has_symbol_versions(self) -> bool:
        return any(major.symbol_version for major in self.majors)

    def caller_of(self, number: int) -> str:
        """The database's major of callers, by a number of `majors`."""
        return self.callers.built_for if self.callers else str(number)

    def runtime_of(self, number: int) -> str:
        """The database's major of libraries, by a number of `majors`."""
        return self.callers.served_by if self.callers else str(number)

    def asked_for(self, major: Major) -> Major:
        """What callers ask for where the library is of `major`: its SONAME and symbol version."""
        if not self.callers:
            return major
        return Major(major.number, major.last, self.callers.soname, self.callers.soname)

    def asks(self, function: str) -> bool:
        """Does a program call it to ask whether the library is there?"""
        return function in self.questions or ALL in self.questions

    def relatives(self, others: "list[Descriptor]") -> "list[tuple[Descriptor, str]]":
        """Libraries whose loaded copies tie its CUDA (compat/descriptor/library.h): its group, with itself, and the
        runtime. A library of earlier callers has the files of another, which is in the group."""
        group = [(other, "group") for other in others if self.group and other.group == self.group and not other.callers]
        return group + [(other, "runtime") for other in others if self.runtime and other.name == self.runtime]

    @property
    def peer(self) -> str:
        """The peer library of its LTO-IR; empty: it has none."""
        return self.lto_ir_to or self.lto_ir_from


def load(path: Path) -> Descriptor:
    text = {_OLD_KEYS.get(key, key): value for key, value in json.loads(Path(path).read_text(encoding="utf-8")).items()}
    missing = _REQUIRED - text.keys()
    unknown = text.keys() - _REQUIRED - _OPTIONAL.keys()
    if missing or unknown:
        raise ValueError(f"{path}: {wrong_keys(missing, unknown)}")
    values = {**_OPTIONAL, **text}
    wrong = set(values["special_functions"].values()) - set(SPECIAL_FUNCTIONS)
    if wrong:
        raise ValueError(f"{path}: unknown special_functions {sorted(wrong)}, known are {SPECIAL_FUNCTIONS}")
    if values["output"] not in OUTPUTS:
        raise ValueError(f"{path}: unknown output {values['output']!r}, known are {OUTPUTS}")
    if values["lto_ir_to"] and values["lto_ir_from"]:
        raise ValueError(f"{path}: lto_ir_to and lto_ir_from exclude each other")
    _check_version_function(path, values["version_function"])
    if values["opens"] and not (values["opens"].endswith(".so") and values["version_function"]):
        raise ValueError(f"{path}: opens must end with .so, and needs version_function: the opened file's name has the "
                         "library's version")
    if values["output"] and not values["driver_bound"]:
        raise ValueError(f"{path}: output needs driver_bound, since the output runs under a driver")
    if set(values["status"]) != {"no_library", "absent", "rejected"}:
        raise ValueError(f"{path}: status must name no_library, absent and rejected")
    for number, row in values["majors"].items():
        if not number.isdigit() or set(row) != {"soname", "node"}:
            raise ValueError(f"{path}: majors: {number!r} must be a number with soname and node")
        if not all(name is None or name.startswith(values["file_prefix"]) for name in row.values()):
            raise ValueError(f"{path}: majors: the names of {number!r} must begin with file_prefix, "
                             f"{values['file_prefix']!r}")
    if not 0 < len(values["majors"]) <= MAX_MAJORS:
        raise ValueError(f"{path}: {len(values['majors'])} majors; the loader has room for 1 to "
                         f"{MAX_MAJORS} (kMaxSymbolVersions in loader/open.cc)")
    if values["own_releases"] and len({row["soname"] for row in values["majors"].values()}) != 1:
        raise ValueError(f"{path}: own_releases: the majors of CUDA that its releases are for must have one SONAME")
    values["callers"] = _callers(path, values)
    if isinstance(values["wheel_folders"], str):
        raise ValueError(f"{path}: wheel_folders must be a list")
    _check_wheels(path, values)
    if values["questions"] == "all":
        values["questions"] = [ALL]
    _check_questions(path, values["questions"])
    majors = _merged(path, values["majors"])
    required = values["required_symbols"]
    by_major = ({int(number): frozenset(names) for number, names in required.items()}
                if isinstance(required, dict) else {m.number: frozenset(required) for m in majors})
    unknown_majors = sorted(by_major.keys() - {m.number for m in majors})
    if unknown_majors:
        raise ValueError(f"{path}: required_symbols names the majors {unknown_majors}, which majors does not have")
    values |= {"companions": tuple(values["companions"]), "majors": majors, "required_symbols": by_major,
               "wheel_folders": tuple(values["wheel_folders"]), "questions": tuple(values["questions"]),
               "numbers": _numbers(path.parent / "abi" / "numbers.txt")}
    return Descriptor(**values)


def _numbers(path: Path) -> tuple[tuple[str, tuple[int, ...], tuple[int, ...]], ...]:
    """The numbers of a library's files by the release of CUDA: empty if they are CUDA's."""
    rows = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        if not line or line[0] == "#":
            continue
        match = re.fullmatch(r"(\d+\.\d+) +(\d+\.\d+\.\d+) +(\d+\.\d+\.\d+)", line)
        if not match:
            raise ValueError(f"{path}: {line!r} is not `release first last`, the last two with three numbers each")
        first, last = (tuple(map(int, text.split("."))) for text in match.groups()[1:])
        if max(first + last) > 255 or first > last:
            raise ValueError(f"{path}: {line!r}: the numbers must be in order and at most 255")
        rows.append((match[1], first, last))
    return tuple(rows)


def wrong_keys(missing: Collection[str], unknown: Collection[str]) -> str:
    """Of an object of JSON: "missing keys: a, b; unknown keys: c"."""
    return "; ".join(f"{what} keys: {', '.join(sorted(names))}"
                     for what, names in (("missing", missing), ("unknown", unknown)) if names)


def _callers(path: Path, values: dict[str, Any]) -> Optional[Callers]:
    row = values["callers"]
    if not row:
        return None
    if set(row) != {"built_for", "served_by", "soname"} or not values["own_releases"]:
        raise ValueError(f"{path}: callers must have built_for, served_by and soname, and own_releases must be true")
    return Callers(**row)


def _check_wheels(path: Path, values: dict[str, Any]) -> None:
    """Names are normalised (PEP 503), since others are compared with them as they stand."""
    for major, name in values["wheels"].items():
        if major not in values["majors"]:
            raise ValueError(f"{path}: wheels names the major {major!r}, which majors does not have")
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
            raise ValueError(f"{path}: wheels: {name!r} is not the normalised name of a distribution")
    if isinstance(values["companions"], str):
        raise ValueError(f"{path}: companions must be a list")
    if not isinstance(values["packages"], dict) or values["packages"].keys() - PACKAGES:
        raise ValueError(f"{path}: packages must be an object with names for {', '.join(sorted(PACKAGES))}")
    if values["toolkit_extra"] and not values["wheels"]:
        raise ValueError(f"{path}: toolkit_extra needs wheels: the extra requires one of them")


def _merged(path: Path, rows: dict[str, Any]) -> tuple[Major, ...]:
    """CUDA's majors with the same SONAME are one."""
    merged: list[Major] = []
    for number, row in sorted(((int(number), row) for number, row in rows.items()), key=lambda pair: pair[0]):
        before = merged[-1] if merged else None
        if before and before.soname == row["soname"]:
            if before.last + 1 != number or before.symbol_version != row["node"]:
                raise ValueError(f"{path}: majors: {number} has the SONAME of {before.number}, but another node, or "
                                 "a major between them has another SONAME")
            merged[-1] = Major(before.number, number, before.soname, before.symbol_version)
        else:
            merged.append(Major(number, number, row["soname"], row["node"]))
    return tuple(merged)


def _check_questions(path: Path, questions: list[Any]) -> None:
    if not isinstance(questions, list):
        raise ValueError(f"{path}: questions must be a list")
    if questions != sorted(set(questions)):
        raise ValueError(f"{path}: questions must be sorted, each name once")


def _check_version_function(path: Path, function: dict[str, Any]) -> None:
    if not function:
        return
    if set(function) != {"name", "form", "since"}:
        raise ValueError(f"{path}: version_function must have name, form and since")
    if function["form"] not in VERSION_FORMS:
        raise ValueError(f"{path}: unknown form {function['form']!r} of version_function, known are {VERSION_FORMS}")
    if not re.fullmatch(r"\d+\.\d+", function["since"]):
        raise ValueError(f"{path}: version_function: since must be major.minor, not {function['since']!r}")


def check_peers(library: Descriptor, peer: Descriptor) -> None:
    """Both ends of the LTO-IR must say the same of it."""
    if (library.lto_ir_to, library.lto_ir_from) == ("", ""):
        return
    there = peer.lto_ir_from if library.lto_ir_to else peer.lto_ir_to
    if library.peer != peer.name or there != library.name:
        raise ValueError(f"{library.name}/library.json names {library.peer!r} as the other end of its "
                         f"LTO-IR, and {peer.name}/library.json names {peer.peer!r}")
