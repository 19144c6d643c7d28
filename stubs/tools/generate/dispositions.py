# SPDX-License-Identifier: Apache-2.0
"""The outcome of each call: (symbol, caller's major, runtime's major) -> one disposition.

    direct     same name, same ABI
    renamed    another name that means the same (renames.txt, by review), same ABI
    adapted    an adapter between two layouts or signatures (adapters/)
    emulated   an adapter made from other calls (adapters/)
    absent     the runtime's major lacks the function (absents.txt may have the reason for lack of a substitute)
    rejected   it exists, but may not be called (rejects.txt), or it was not shown to be safe
A caller may be any release of its major, and so may the runtime: a disposition is direct or renamed
only if that holds for every pair of harvested releases.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Optional

from . import abi_text, ctype, layout_compat
from .model import Database, Function
from .overrides import (
    Adapter,
    Rename,
    Verdict,
    is_driver_name,
    load_adapters,
    load_renames,
    load_verdicts,
    split_suffix,
)

KINDS = ("direct", "renamed", "adapted", "emulated", "absent", "rejected")


@dataclass(frozen=True)
class Disposition:
    """`target` is the name to look for in the runtime, "" without a function to call; `fallbacks`
    are further names of the same function, for runtimes that lack the first. `since` is the first
    harvested release of the runtime's major that has the target, or all names that an adapter needs.
    `function` is the adapter, `needs` the names without which it is absent; `adapter` is its line.
    `fallback` is the disposition of releases that lack the target and its fallbacks."""

    symbol: str
    caller: str
    runtime: str
    kind: str
    target: str = ""
    reason: str = ""
    since: str = ""
    fallbacks: tuple[str, ...] = ()
    function: str = ""
    needs: tuple[str, ...] = ()
    adapter: Optional[Adapter] = None
    fallback: Optional["Disposition"] = None

    @property
    def conversion(self) -> Adapter:
        """The line of the adapter that this is."""
        if self.adapter is None:
            raise TypeError(f"{self.symbol} of {self.caller} on {self.runtime} has no adapter")
        return self.adapter


class AbiComparer:
    """Answers "same ABI?" for a pair of functions over all releases of two majors."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self.comparisons: dict[tuple[str, str], layout_compat.Comparison] = {}
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
            return "its prototype is unknown"
        for shape, old in ours.items():
            for other, new in others.items():
                if shape == other:
                    continue
                reason = layout_compat.prototypes(
                    mine.texts[old],
                    self.database.type_table(old),
                    theirs.texts[new],
                    self.database.type_table(new),
                    self._comparison(old, new),
                )
                if reason:
                    return f"{reason} (built for {old}, on {new})"
        return ""

    def shapes(self, function: Function, major: str) -> dict[tuple[Any, ...], str] | None:
        """The distinct ABIs of a function within a major, each with one release that has it."""
        result: dict[tuple[Any, ...], str] = {}
        for version in function.versions_of(major):
            text = function.texts[version]
            if text == "?":
                return None
            raw_result, params, variadic = ctype.parse_prototype(text)
            types = (raw_result, *(param.type for param in params))
            table = self.database.type_table(version)
            shape = (types, variadic, tuple(table.fingerprint(word) for word in types))
            result.setdefault(shape, version)
        return result

    def _comparison(self, old: str, new: str) -> layout_compat.Comparison:
        if (old, new) not in self.comparisons:
            self.comparisons[(old, new)] = layout_compat.Comparison(
                self.database.type_table(old), self.database.type_table(new)
            )
        return self.comparisons[(old, new)]


@dataclass(frozen=True)
class Overrides:
    """What people have said about the dispositions of a library."""

    renames: list[Rename]
    rejects: list[Verdict]
    absents: list[Verdict]
    adapters: list[Adapter]
    driver_names: frozenset[str]


def _driver_names(folder: Path) -> frozenset[str]:
    """What drivers export and cuda.h declares: the first words of both files."""
    files = [path for path in (folder / "functions.txt", folder / "exports.txt") if path.exists()]
    lines = [line for path in files for line in path.read_text().splitlines()]
    return frozenset(line.split()[0] for line in lines if line and line[0] not in "# ")


def load_overrides(database: Database) -> Overrides:
    folder = database.path
    adapters = load_adapters(folder / "adapters")
    return Overrides(
        load_renames(folder / "renames.txt"),
        load_verdicts(folder / "rejects.txt"),
        load_verdicts(folder / "absents.txt"),
        adapters,
        _driver_names(folder.parents[1] / "cuda" / "abi") if adapters else frozenset(),
    )


Dispositions = dict[tuple[str, str, str], Disposition]  # (function, caller's major, major of CUDA) -> it


def dispositions(database: Database) -> Dispositions:
    """Every disposition of a library, by (symbol, caller's major, runtime's major)."""
    overrides = load_overrides(database)
    comparer = AbiComparer(database)
    result = {}
    for name, function in database.functions.items():
        for caller in function.majors:
            for runtime in database.majors:
                result[(name, caller, runtime)] = _disposition(
                    database, comparer, overrides, function, caller, runtime
                )
    return result


def _disposition(
    database: Database,
    comparer: AbiComparer,
    overrides: Overrides,
    function: Function,
    caller: str,
    runtime: str,
) -> Disposition:
    name = function.name
    disposition = Disposition(name, caller, runtime, "rejected")
    targets = _renamed(database, overrides.renames, name, caller, runtime)
    if caller == runtime:
        names = tuple(
            other
            for other, _ in targets
            if not comparer.difference(function, caller, database.functions[other], runtime)
        )
        return replace(
            disposition, kind="direct", target=name, fallbacks=names, since=_since(function, runtime)
        )
    declared = function.source != "unknown"
    for entry in overrides.rejects:
        # What is undeclared and gone is absent, as any other.
        if entry.matches(name, caller, runtime, declared or runtime not in function.majors):
            return replace(disposition, reason=entry.reason)
    lines = [line for line in overrides.adapters if line.matches(name, caller, runtime)]
    for line in lines:
        if not line.fallback and not line.result:
            return _adapted(database, overrides, disposition, line)
    found = _as_it_is(database, comparer, overrides, function, disposition, targets)
    for line in lines:
        if line.result and found.kind == "rejected":
            return _adapted(database, overrides, disposition, line)
    lines = [line for line in lines if not line.result]
    if not lines:
        return found
    if found.kind not in ("direct", "renamed"):
        raise abi_text.FormatError(
            f"adapters: {name} for {caller} on {runtime} is {found.kind}: only a direct or renamed function can have a "
            "fallback"
        )
    return replace(found, fallback=_adapted(database, overrides, disposition, lines[0]))


def _as_it_is(
    database: Database,
    comparer: AbiComparer,
    overrides: Overrides,
    function: Function,
    disposition: Disposition,
    targets: list[tuple[str, str]],
) -> Disposition:
    """A disposition without an adapter."""
    name, caller, runtime = disposition.symbol, disposition.caller, disposition.runtime
    if targets:
        reasons = [
            comparer.difference(function, caller, database.functions[other], runtime)
            for other, _ in targets
        ]
        good = [target for target, reason in zip(targets, reasons) if not reason]
        if not good:
            return replace(disposition, reason=f"as {targets[0][0]}: {reasons[0]}")
        first, why = good[0]
        return replace(
            disposition,
            kind="renamed",
            target=first,
            reason=why,
            since=_since(database.functions[first], runtime),
            fallbacks=tuple(other for other, _ in good[1:]),
        )
    if runtime not in function.majors:
        declared = function.source != "unknown"
        why = next((line.reason for line in overrides.absents if line.matches(name, caller, runtime, declared)),
                   _why_absent(database, function, runtime))
        return replace(disposition, kind="absent", reason=why)
    reason = comparer.difference(function, caller, function, runtime)
    if reason:
        return replace(disposition, reason=reason)
    return replace(disposition, kind="direct", target=name, since=_since(function, runtime))


def _adapted(database: Database, overrides: Overrides, disposition: Disposition, line: Adapter) -> Disposition:
    """A disposition that is an adapter."""
    suffix = split_suffix(disposition.symbol)[1]

    def with_suffix(name: str) -> str:
        longer = name + suffix
        if is_driver_name(name):
            return longer if longer in overrides.driver_names else name
        other = database.functions.get(longer)
        return longer if other and disposition.runtime in other.majors else name

    target = with_suffix(line.target or split_suffix(disposition.symbol)[0])
    needs = tuple(map(with_suffix, line.needs or (split_suffix(target)[0],)))
    mine = []
    for name in needs:
        known = database.functions.get(name)
        if is_driver_name(name):
            if name not in overrides.driver_names:
                raise abi_text.FormatError(f"adapters: no driver has {name}, which {disposition.symbol} needs")
        elif known is None or disposition.runtime not in known.majors:
            raise abi_text.FormatError(
                f"adapters: {disposition.symbol} for {disposition.caller} on {disposition.runtime} needs {name}, "
                f"which no {disposition.runtime} has"
            )
        else:
            mine.append(_since(known, disposition.runtime))
    function = line.function + suffix if line.function else (
        f"copy_{disposition.caller}_{disposition.runtime}_{disposition.symbol}"
    )
    first = abi_text.sort_versions(mine)[-1:] or database.versions_of(disposition.runtime)[:1]
    return replace(disposition, kind=line.kind, target="" if line.function else target, reason=line.reason,
                   since=first[0], function=function, needs=needs, adapter=line)


def _renamed(
    database: Database, renames: list[Rename], symbol: str, caller: str, runtime: str
) -> list[tuple[str, str]]:
    """(target, reason) of the lines about this call whose target the runtime's major has."""
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
    there = [abi_text.version_key(version) for version in database.versions_of(runtime)]
    newer = [v for v in function.versions if abi_text.version_key(v) > there[-1]]
    older = [v for v in function.versions if abi_text.version_key(v) < there[0]]
    if older and not newer:
        return f"no longer in {runtime} (last in {older[-1]})"
    if newer and not older:
        return f"not yet in {runtime} (first in {newer[0]})"
    return f"not in {runtime} (in {', '.join(function.majors)})"
