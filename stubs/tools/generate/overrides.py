# SPDX-License-Identifier: Apache-2.0
"""The lines about single dispositions that are kept by hand: renames, rejects, absents, adapters.

Each states a fact that a rule over layouts cannot find: two names mean the same, a function may not be
called although it could, a dropped function has no substitute, an adapter serves the call.
"""

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from . import abi_text

_DIRECTION = r"([\d,]+|\*)>([\d,]+|\*)"
_ADAPTER = re.compile(
    _DIRECTION + r" (\S+) (adapted|emulated) (\w+(?:\([^)]*\))?)( fallback)?(?: needs (\S+))?  +(\S.*)"
)
UNDECLARED = "(undeclared)"
_COPY = re.compile(r"copy(?:\((.*)\))?")


@dataclass(frozen=True)
class Direction:
    """`11,12>13`: from which callers' majors to which runtimes' majors; `*` is any."""

    callers: str
    runtimes: str

    def matches(self, caller: str, runtime: str) -> bool:
        return _among(caller, self.callers) and _among(runtime, self.runtimes)


def _among(major: str, majors: str) -> bool:
    return majors == "*" or major in majors.split(",")


@dataclass(frozen=True)
class Rename:
    """`12 cudaThreadExit = 13 cudaDeviceReset  reason`. One `*` on the left may stand for a part of
    the name that the `*` on the right repeats; a `#` stands for a number."""

    callers: frozenset[str]
    pattern: str
    runtime: str
    target: str
    reason: str

    def apply(self, symbol: str) -> str:
        """The target for a symbol; "" if the line is not about it. The forms for per-thread default
        streams follow their base name."""
        base, suffix = split_suffix(symbol)
        expression = re.escape(self.pattern).replace(r"\*", "(.+?)").replace(r"\#", r"\d+")
        match = re.fullmatch(expression, base)
        if not match:
            return ""
        part = match[1] if match.groups() else ""
        return self.target.replace("*", part) + suffix


@dataclass(frozen=True)
class Verdict:
    """`12>13 cudaGetExportTable  reason`, a line of rejects.txt or absents.txt; the name may hold `*`. In place of a
    name, `(undeclared)` is every function without a prototype in headers and internals.txt."""

    direction: Direction
    pattern: str
    reason: str

    def matches(self, symbol: str, caller: str, runtime: str, declared: bool = True) -> bool:
        named = not declared if self.pattern == UNDECLARED else fnmatchcase(split_suffix(symbol)[0], self.pattern)
        return named and self.direction.matches(caller, runtime)


@dataclass(frozen=True)
class Adapter:
    """`11,12>13 cudaMemAdvise adapted mem_advise_by_device needs cudaMemAdvise  reason`.

    `function` is the name of an adapter without its prefix; "" stands for a copy adapter, which is
    generated: `copy(out attributes, as cudaOther)`. The function that `copy(result NAME)` names converts its
    result; such a line, which may be a pattern, is for functions that would be rejected without it.
    `needs`: names without which the call is absent,
    in the runtime, or in the driver if they begin with cu and a capital. A `fallback` is for releases of
    the runtime's major that lack the target of the disposition without it."""

    direction: Direction
    symbol: str
    kind: str
    function: str
    needs: tuple[str, ...]
    reason: str
    outputs: frozenset[str] = frozenset()
    both_ways: frozenset[str] = frozenset()
    target: str = ""
    fallback: bool = False
    result: str = ""

    def matches(self, symbol: str, caller: str, runtime: str) -> bool:
        """The name may hold `*`. The forms for per-thread default streams follow their base name."""
        return self.direction.matches(caller, runtime) and fnmatchcase(
            split_suffix(symbol)[0], self.symbol
        )


def is_driver_name(name: str) -> bool:
    """cuMemAdvise is the driver's, cudaMemAdvise the runtime's."""
    return re.match(r"cu[A-Z]", name) is not None


def split_suffix(symbol: str) -> tuple[str, str]:
    """cudaMemcpy_ptds into cudaMemcpy and _ptds."""
    suffix = next((end for end in ("_ptsz", "_ptds") if symbol.endswith(end)), "")
    return symbol.removesuffix(suffix), suffix


def load_renames(path: Path) -> list[Rename]:
    result = []
    for number, line in abi_text.read_lines(path):
        match = re.fullmatch(r"([\d,]+) (\S+) = (\d+) (\S+)  +(\S.*)", line)
        if not match:
            raise abi_text.FormatError(
                f"{path}:{number}: expected `12 name = 13 name  reason`, found {line!r}"
            )
        callers = frozenset(match[1].split(","))
        result.append(Rename(callers, match[2], match[3], match[4], match[5]))
    return result


def load_verdicts(path: Path) -> list[Verdict]:
    result = []
    for number, line in abi_text.read_lines(path):
        match = re.fullmatch(_DIRECTION + r" (\S+)  +(\S.*)", line)
        if not match:
            raise abi_text.FormatError(
                f"{path}:{number}: expected `12>13 name  reason`, found {line!r}"
            )
        result.append(Verdict(Direction(match[1], match[2]), match[3], match[4]))
    return result


def load_adapters(folder: Path) -> list[Adapter]:
    """Of all files of the folder: one per topic."""
    return [line for path in sorted(folder.glob("*.txt")) for line in _load_adapters(path)]


def _load_adapters(path: Path) -> list[Adapter]:
    result = []
    for number, line in abi_text.read_lines(path):
        match = _ADAPTER.fullmatch(line)
        if not match:
            raise abi_text.FormatError(
                f"{path}:{number}: expected `12>13 name adapted function [needs a,b]  reason`, "
                f"found {line!r}"
            )
        callers, runtimes, symbol, kind, function, fallback, needs, reason = match.groups()
        copy = _COPY.fullmatch(function)
        options = _copy_options(copy[1] or "", path, number) if copy else {}
        result.append(
            Adapter(
                Direction(callers, runtimes),
                symbol,
                kind,
                "" if copy else function,
                tuple(needs.split(",")) if needs else (),
                reason,
                frozenset(options.get("out", ())),
                frozenset(options.get("inout", ())),
                next(iter(options.get("as", ())), "" if "*" in symbol else symbol),
                bool(fallback),
                next(iter(options.get("result", ())), ""),
            )
        )
    return result


def _copy_options(text: str, path: Path, number: int) -> dict[str, list[str]]:
    options: dict[str, list[str]] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        how, _, name = part.partition(" ")
        if how not in ("out", "inout", "as", "result") or not name:
            raise abi_text.FormatError(
                f"{path}:{number}: copy takes `out NAME`, `inout NAME`, `as NAME` and `result NAME`, found {part!r}"
            )
        options.setdefault(how, []).append(name)
    return options
