# SPDX-License-Identifier: Apache-2.0
"""When may a caller built for one version call a function of another version as it is?

Pure functions over prototypes and layouts. A verdict is a reason: "" means compatible, anything
else names the first difference found. What the rule cannot see through counts as a difference.

    result, parameter count, variadic     equal
    passed by value                       same size, same classes (integer, vector, memory)
    enumeration                           a name that both have stands for the same value
    struct or union                       same size and alignment; a field that both have is at
                                          the same place with a compatible type; a field that only
                                          one side has is in the other side's reserved fields
                                          or padding, or is a further member of the same union
    pointer                               its target is compatible; opaque types by name

`const` does not belong to an ABI, and NVIDIA adds it to functions that never wrote: it is not compared.
The same size is required in every case because a runtime with a larger struct writes all of it:
growth is harmless only inside memory that the caller has reserved.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from . import ctype
from .ctype import CType
from .flatten import fits, flatten, place
from .layout import Record, Resolved, TypeTable

_SENTINEL = re.compile(r"(?i)(max|count|max_enum|force_int|forceint)$")


@dataclass
class Comparison:
    """The caller's types against the runtime's; what it found out is kept for the next question."""

    caller: TypeTable
    runtime: TypeTable
    known: dict[tuple[str, str], str] = field(default_factory=dict)
    running: dict[tuple[str, str], str] = field(default_factory=dict)

    def types(self, mine: CType, theirs: CType, where: str) -> str:
        """A value of type `mine`, read or written by code that takes it for `theirs`."""
        if mine is theirs and self.caller is self.runtime:
            return ""
        a, b = self.caller.resolve(mine), self.runtime.resolve(theirs)
        if a.kind != b.kind:
            return f"{where}: {a.kind} for the caller, {b.kind} in the runtime"
        if a.kind == "pointer":
            return self.pointers(a.type, b.type, where)
        if a.kind == "function":
            return self.functions(a.type, b.type, where)
        if a.size != b.size:
            name = a.tag or where
            return f"{name}: {a.size} bytes for the caller, {b.size} in the runtime"
        if a.kind == "integer":
            return self.enumerations(a.tag, b.tag, where)
        if a.kind == "struct":
            return self.records(a.tag, b.tag, where)
        if a.kind == "array":
            if a.type.count != b.type.count:
                return _counts(where, "elements", a.type.count, b.type.count)
            return self.types(a.type.target, b.type.target, where)
        return ""

    def pointers(self, mine: CType, theirs: CType, where: str) -> str:
        a, b = self.caller.resolve(mine.target), self.runtime.resolve(theirs.target)
        if "void" in (a.kind, b.kind):
            if a.kind == b.kind:
                return ""
            return f"{where}: points to {_spelled(a)} for the caller, {_spelled(b)} in the runtime"
        if a.kind == b.kind == "struct":
            return self.records(a.tag, b.tag, where)
        return self.types(mine.target, theirs.target, where)

    def functions(self, mine: CType, theirs: CType, where: str) -> str:
        if len(mine.args) != len(theirs.args) or mine.variadic != theirs.variadic:
            return _counts(where, "arguments", len(mine.args), len(theirs.args))
        reason = self.values(mine.target, theirs.target, f"{where}, result")
        for number, (a, b) in enumerate(zip(mine.args, theirs.args), 1):
            reason = reason or self.values(a, b, f"{where}, argument {number}")
        return reason

    def values(self, mine: CType, theirs: CType, where: str) -> str:
        """Something passed by value: it must also travel in the same registers."""
        a, b = self.caller.resolve(mine), self.runtime.resolve(theirs)
        reason = self.types(mine, theirs, where)
        if not reason and self.caller.passing(a) != self.runtime.passing(b):
            return f"{where}: is passed in other registers"
        return reason

    def enumerations(self, mine: str, theirs: str, where: str) -> str:
        """An integer of equal size; where both are enumerations their names must agree in value. A
        header may keep the name of an enumerator that it replaced as a macro of the same value."""
        if not mine or not theirs:
            return ""
        key = (mine, theirs)
        if key not in self.known:
            self.known[key] = self._enumerations(mine, theirs)
        reason = self.known[key]
        return f"{where}: {reason}" if reason else ""

    def _enumerations(self, mine: str, theirs: str) -> str:
        if mine == theirs and mine in self.caller.opaque:
            return self._signs(mine)
        ours = self.caller.enumerators.get(mine, {})
        others = self.runtime.enumerators.get(theirs, {})
        common = {name for name in ours if name in others}
        for name in common:
            if ours[name] != others[name] and not (
                _is_sentinel(name, ours) and _is_sentinel(name, others)
            ):
                return f"{name} is {ours[name]} for the caller, {others[name]} in the runtime"
        common |= {name for name, value in ours.items() if self.runtime.macros.get(name) == value}
        common |= {name for name, value in others.items() if self.caller.macros.get(name) == value}
        if ours and others and not common:
            return f"{mine} for the caller, {theirs} in the runtime"
        return _changed_meaning(ours, others, common)

    def _signs(self, name: str) -> str:
        """Of an enumeration that opaque.txt names: what is zero, negative or positive must stay so."""
        ours, others = self.caller.enumerators.get(name, {}), self.runtime.enumerators.get(name, {})
        for key in ours.keys() & others.keys():
            mine, theirs = ours[key], others[key]
            if (mine > 0) != (theirs > 0) or (mine < 0) != (theirs < 0):
                return f"{key} is {mine} for the caller, {theirs} in the runtime"
        return ""

    def records(self, mine: str, theirs: str, where: str) -> str:
        """Layouts behind a pointer. While a pair is being compared it counts as compatible, so that
        types which point to each other come to an end; what was concluded from that is kept only if
        the outermost pair turns out compatible."""
        key = (mine, theirs)
        if key in self.known:
            return self.known[key]
        if key in self.running:
            return self.running[key]
        outermost = not self.running
        self.running[key] = ""
        reason = self.running[key] = self._records(mine, theirs, where)
        if outermost:
            self.known.update(self.running if not reason else {key: reason})
            self.running.clear()
        return reason

    def _records(self, mine: str, theirs: str, where: str) -> str:
        a, b = self.caller.record(mine), self.runtime.record(theirs)
        if a.opaque or b.opaque:
            if mine != theirs:
                return f"{where}: points to {mine} for the caller, {theirs} in the runtime"
            if a.opaque and b.opaque:
                return ""
            return f"{mine}: its layout is unknown {'for the caller' if a.opaque else 'in the runtime'}"
        if a.size != b.size:
            return f"{mine}: {a.size} bytes for the caller, {b.size} in the runtime"
        if a.align != b.align:
            return f"{mine}: aligned to {a.align} for the caller, to {b.align} in the runtime"
        return self._leaves(a, b)

    def _leaves(self, a: Record, b: Record) -> str:
        """Field by field, through the records inside. A record inside may grow: what counts is
        where its fields lie in the whole, and the size of the whole."""
        mine = {leaf.path: leaf for leaf in flatten(a, self.caller)}
        theirs = {leaf.path: leaf for leaf in flatten(b, self.runtime)}
        for path, leaf in mine.items():
            other = theirs.get(path)
            if leaf.reserved:
                continue
            if other is None:
                if not fits(leaf, mine, theirs):
                    return f"{a.key}: the runtime has no field {path}"
            elif (leaf.start, leaf.end - leaf.start) != (other.start, other.end - other.start):
                return (
                    f"{a.key}.{path}: {place(leaf)} for the caller, {place(other)} in the runtime"
                )
            else:
                reason = self.types(leaf.type, other.type, f"{a.key}.{path}")
                if reason:
                    return reason
        for path, leaf in theirs.items():
            if path not in mine and not leaf.reserved and not fits(leaf, theirs, mine):
                return f"{a.key}: the caller has no field {path}"
        return ""


def _counts(where: str, what: str, mine: int, theirs: int) -> str:
    return f"{where}: {mine} {what} for the caller, {theirs} in the runtime"


def _spelled(resolved: Resolved) -> str:
    return resolved.tag or (resolved.type.name if resolved.type.shape == "base" else resolved.kind)


def _is_sentinel(name: str, values: Mapping[str, int]) -> bool:
    """A name that only counts the others: it moves when an enumerator is added."""
    return bool(_SENTINEL.search(name)) and values[name] >= max(values.values())


def _meanings(values: Mapping[str, int]) -> dict[int, set[str]]:
    """Value -> the names that say what it means."""
    highest = max(values.values(), default=0)
    result: dict[int, set[str]] = {}
    for name, value in values.items():
        if (
            "eserved" in name
            or "RESERVED" in name
            or (value == highest and _is_sentinel(name, values))
        ):
            continue
        result.setdefault(value, set()).add(name)
    return result


def _changed_meaning(ours: Mapping[str, int], others: Mapping[str, int], common: set[str]) -> str:
    """A value that has lost all its names and now has another meaning. A name for a reserved value
    does not count as a meaning."""
    mine, theirs = _meanings(ours), _meanings(others)
    for value, names in mine.items():
        now = theirs.get(value)
        if now and not (names | now) & common:
            return f"{value} means {min(names)} for the caller, {min(now)} in the runtime"
    return ""


def prototypes(
    caller_text: str,
    caller: TypeTable,
    runtime_text: str,
    runtime: TypeTable,
    comparison: Comparison | None = None,
) -> str:
    """May a call made through the caller's prototype reach a function of the runtime's prototype?
    A comparison that is passed in must be of these two tables; it makes many questions cheaper."""
    result, params, variadic = ctype.parse_prototype(caller_text)
    their_result, their_params, their_variadic = ctype.parse_prototype(runtime_text)
    if len(params) != len(their_params) or variadic != their_variadic:
        return f"{len(params)} parameters for the caller, {len(their_params)} in the runtime"
    comparison = comparison or Comparison(caller, runtime)
    reason = comparison.values(ctype.parse(result), ctype.parse(their_result), "result")
    for mine, theirs in zip(params, their_params):
        if reason:
            break
        reason = comparison.values(
            ctype.parse(mine.type), ctype.parse(theirs.type), f"parameter {mine.name}"
        )
    return reason
