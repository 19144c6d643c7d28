"""What becomes of each call: (symbol, caller's major, runtime's major) -> one cell.

    direct     same name, same ABI
    renamed    another name that means the same (renames.txt, by review), same ABI
    absent     the runtime's major has no such function
    rejected   it is there, but nobody has shown that calling it is safe
(adapted and emulated are made elsewhere, from code.) A caller may be any release of its major, and
so may the runtime: a cell is direct or renamed only if that holds for every pair of harvested
releases.
"""

import re
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from . import ctype, facts, rule
from .model import Database, Function

KINDS = ("direct", "renamed", "adapted", "emulated", "absent", "rejected")


@dataclass(frozen=True)
class Cell:
    """`target` is the name to look for in the runtime, "" where there is none to call; `fallbacks`
    are further names of the same function, for runtimes that lack the first. `since` is the first
    harvested release of the runtime's major that has the target."""

    symbol: str
    caller: str
    runtime: str
    kind: str
    target: str = ""
    reason: str = ""
    since: str = ""
    fallbacks: tuple[str, ...] = ()


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
class Reject:
    """`12>13 cudaGetDriverEntryPoint  reason`; `*` for any major, and in the name."""

    caller: str
    runtime: str
    pattern: str
    reason: str

    def matches(self, symbol: str, caller: str, runtime: str) -> bool:
        return (
            self.caller in ("*", caller)
            and self.runtime in ("*", runtime)
            and fnmatchcase(split_suffix(symbol)[0], self.pattern)
        )


def split_suffix(symbol: str) -> tuple[str, str]:
    """cudaMemcpy_ptds into cudaMemcpy and _ptds."""
    match = re.fullmatch(r"(.*?)(_ptsz|_ptds)?", symbol)
    return match[1], match[2] or ""


def load_renames(path: Path) -> list[Rename]:
    result = []
    for number, line in facts.read_lines(path):
        match = re.fullmatch(r"([\d,]+) (\S+) = (\d+) (\S+)  +(\S.*)", line)
        if not match:
            raise facts.FormatError(
                f"{path}:{number}: expected `12 name = 13 name  reason`, " f"found {line!r}"
            )
        result.append(
            Rename(frozenset(match[1].split(",")), match[2], match[3], match[4], match[5])
        )
    return result


def load_rejects(path: Path) -> list[Reject]:
    result = []
    for number, line in facts.read_lines(path):
        match = re.fullmatch(r"(\*|\d+)>(\*|\d+) (\S+)  +(\S.*)", line)
        if not match:
            raise facts.FormatError(
                f"{path}:{number}: expected `12>13 name  reason`, found {line!r}"
            )
        result.append(Reject(*match.groups()))
    return result


class Judge:
    """Answers "same ABI?" for a pair of functions over all releases of two majors."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.comparisons: dict[tuple[str, str], rule.Comparison] = {}
        self.known: dict[tuple[str, str, str, str], str] = {}

    def difference(self, mine: Function, caller: str, theirs: Function, runtime: str) -> str:
        """ "" if every release of the caller's major may call every release of the runtime's."""
        key = (mine.name, caller, theirs.name, runtime)
        if key not in self.known:
            self.known[key] = self._difference(mine, caller, theirs, runtime)
        return self.known[key]

    def _difference(self, mine: Function, caller: str, theirs: Function, runtime: str) -> str:
        ours, others = self.shapes(mine, caller), self.shapes(theirs, runtime)
        if ours is None or others is None:
            return "no prototype known"
        for shape, old in ours.items():
            for other, new in others.items():
                if shape == other:
                    continue
                reason = rule.prototypes(
                    mine.texts[old],
                    self.database.type_table(old),
                    theirs.texts[new],
                    self.database.type_table(new),
                    self._comparison(old, new),
                )
                if reason:
                    return f"{reason} (built for {old}, on {new})"
        return ""

    def shapes(self, function: Function, major: str) -> dict[tuple, str] | None:
        """The distinct ABIs of a function within a major, each with one release that has it."""
        result: dict[tuple, str] = {}
        for version in function.versions_of(major):
            text = function.texts[version]
            if text == "?":
                return None
            raw_result, params, variadic = ctype.parse_prototype(text)
            words = (raw_result, *(param.type for param in params))
            table = self.database.type_table(version)
            shape = (words, variadic, tuple(table.fingerprint(word) for word in words))
            result.setdefault(shape, version)
        return result

    def _comparison(self, old: str, new: str) -> rule.Comparison:
        if (old, new) not in self.comparisons:
            self.comparisons[(old, new)] = rule.Comparison(
                self.database.type_table(old), self.database.type_table(new)
            )
        return self.comparisons[(old, new)]


def cells(database: Database) -> dict[tuple[str, str, str], Cell]:
    """Every cell of a library, by (symbol, caller's major, runtime's major)."""
    folder = database.path
    renames = load_renames(folder / "renames.txt")
    rejects = load_rejects(folder / "rejects.txt")
    judge = Judge(database)
    result = {}
    for name, function in database.functions.items():
        for caller in function.majors:
            for runtime in database.majors:
                result[(name, caller, runtime)] = _cell(
                    database, judge, renames, rejects, function, caller, runtime
                )
    return result


def _cell(
    database: Database,
    judge: Judge,
    renames: list[Rename],
    rejects: list[Reject],
    function: Function,
    caller: str,
    runtime: str,
) -> Cell:
    cell = Cell(function.name, caller, runtime, "rejected")
    targets = _renamed(database, renames, function.name, caller, runtime)
    if caller == runtime:
        names = tuple(
            name
            for name, _ in targets
            if not judge.difference(function, caller, database.functions[name], runtime)
        )
        return replace(
            cell,
            kind="direct",
            target=function.name,
            fallbacks=names,
            since=_since(function, runtime),
        )
    for entry in rejects:
        if entry.matches(function.name, caller, runtime):
            return replace(cell, reason=entry.reason)
    if targets:
        reasons = [
            judge.difference(function, caller, database.functions[name], runtime)
            for name, _ in targets
        ]
        good = [target for target, reason in zip(targets, reasons) if not reason]
        if not good:
            return replace(cell, reason=f"as {targets[0][0]}: {reasons[0]}")
        first, why = good[0]
        return replace(
            cell,
            kind="renamed",
            target=first,
            reason=why,
            since=_since(database.functions[first], runtime),
            fallbacks=tuple(name for name, _ in good[1:]),
        )
    if runtime not in function.majors:
        return replace(cell, kind="absent", reason=_why_absent(database, function, runtime))
    reason = judge.difference(function, caller, function, runtime)
    if reason:
        return replace(cell, reason=reason)
    return replace(cell, kind="direct", target=function.name, since=_since(function, runtime))


def _renamed(
    database: Database, renames: list[Rename], symbol: str, caller: str, runtime: str
) -> list[tuple[str, str]]:
    """(target, reason) of the lines about this cell whose target the runtime's major has."""
    found = []
    for line in renames:
        if caller in line.callers and runtime == line.runtime:
            target = line.apply(symbol)
            if (
                target
                and target != symbol
                and target in database.functions
                and runtime in database.functions[target].majors
            ):
                found.append((target, line.reason))
    return found


def _since(function: Function, major: str) -> str:
    return next(iter(function.versions_of(major)), "")


def _why_absent(database: Database, function: Function, runtime: str) -> str:
    newer = [v for v in function.versions if facts.version_key(v) > (int(runtime), 99)]
    older = [v for v in function.versions if facts.version_key(v) < (int(runtime),)]
    if older and not newer:
        return f"no longer in {runtime} (last in {older[-1]})"
    if newer and not older:
        return f"not yet in {runtime} (first in {newer[0]})"
    return f"not in {runtime} (in {', '.join(function.majors)})"
