# SPDX-License-Identifier: Apache-2.0
"""What a call returns that a stub cannot pass on, where its result is not the library's status.

The key failing_results of library.json has a value for each such result type, as functions.txt writes the type, or
for a function: a number; "status" or "-status", for the status of the failure or its negative; for a structure, an
object with such a value for each of its fields, or 0 for all of them. A program takes a result that nobody declared
for one of a call that worked (a count of bytes, an open handle), so it is an error.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from .descriptor import Descriptor
from .layout import Resolved, TypeTable
from .model import Database, Function, Prototype

FORMS = {"status": "status", "-status": "negative_status"}  # of a value -> FailingForm in loader/tables.h
_TEXTS = ("error_name", "error_string")  # the loader has the texts of all statuses
_WORD = 4  # bytes
_LARGEST = 255  # bytes of a structure (SymbolRow::result_size)


@dataclass(frozen=True)
class Word:
    """Four bytes of a failing call's result; the others are zero."""
    offset: int
    form: str
    value: int  # of the form "constant"


@dataclass(frozen=True)
class FailingResult:
    """kind: ResultKind of loader/tables.h; size: of a structure."""
    kind: str
    size: int = 0
    words: tuple[Word, ...] = ()


def of_all(descriptor: Descriptor, database: Database, functions: list[Function]) -> dict[str, FailingResult]:
    """Of each function, by its name."""
    found: dict[str, FailingResult] = {}
    undeclared: dict[str, list[str]] = defaultdict(list)
    used: set[str] = set()
    for function in functions:
        version = next((release for release in reversed(database.versions) if function.prototype(release)), "")
        prototype = function.prototype(version) if version else None
        key = function.name if function.name in descriptor.failing_results else prototype.result if prototype else ""
        if key in descriptor.failing_results:
            used.add(key)
        if _needs_none(descriptor, function, prototype) and key != function.name:
            found[function.name] = FailingResult(_kind_of(prototype))
        elif key in descriptor.failing_results:
            where = f"{descriptor.name}/library.json: failing_results: {key}"
            found[function.name] = _declared(descriptor.failing_results[key], prototype, version, database, where)
        elif prototype:
            undeclared[prototype.result].append(function.name)
    if undeclared:
        raise ValueError(f"{descriptor.name}/library.json: failing_results has no value for " + "; ".join(
            f"{result} ({_some(names)})" for result, names in sorted(undeclared.items())) +
            ". Add what these functions return when they fail")
    unused = sorted(descriptor.failing_results.keys() - used)
    if unused:
        raise ValueError(f"{descriptor.name}/library.json: failing_results names {', '.join(unused)}, which is neither "
                         "a function of the library nor the result of one")
    return found


def _needs_none(descriptor: Descriptor, function: Function, prototype: Prototype | None) -> bool:
    """A function whose prototype nobody knows is taken for one that returns a status, as most do."""
    return (prototype is None or prototype.result_kind in ("status", "void") or function.name in descriptor.builtin
            or descriptor.special_functions.get(function.name) in _TEXTS)


def _kind_of(prototype: Prototype | None) -> str:
    kinds = {"void": "zero", "string": "string"}
    return kinds.get(prototype.result_kind, "status") if prototype else "status"


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")


def _declared(value: object, prototype: Prototype | None, version: str, database: Database,
              where: str) -> FailingResult:
    if prototype is None or prototype.result_kind == "status":
        return FailingResult("status", 0, (Word(0, "constant", _number(value, where)),))
    if prototype.result_kind == "void":
        raise ValueError(f"{where}: the function returns nothing")
    types = database.type_table(version)
    resolved = types.resolve_text(prototype.result)
    if resolved.kind == "struct":
        return _structure(value, resolved, types, where)
    if resolved.kind == "float":
        if value != 0:
            raise ValueError(f"{where}: a stub can return only 0 in the type {prototype.result}, not {value!r}")
        return FailingResult("zero")
    if isinstance(value, str) and value in FORMS and resolved.kind == "integer":
        return FailingResult("word", 0, (Word(0, FORMS[value], 0),))
    number = _number(value, where)
    if prototype.result_kind == "string" and number == 0:
        return FailingResult("string")
    return FailingResult("word", 0, (Word(0, "constant", number),)) if number else FailingResult("zero")


def _structure(value: object, resolved: Resolved, types: TypeTable, where: str) -> FailingResult:
    fields = {field.name: field for field in types.record(resolved.tag).fields}
    if resolved.size > _LARGEST:
        raise ValueError(f"{where}: a stub can return structures of up to {_LARGEST} bytes, not of {resolved.size}")
    if value == 0:
        return FailingResult("structure", resolved.size)
    if not isinstance(value, Mapping) or value.keys() != fields.keys():
        raise ValueError(f"{where}: expected 0, or an object with the fields {', '.join(fields)}, not {value!r}")
    words = []
    for name, item in value.items():
        if item == 0:
            continue
        field = fields[name]
        if types.resolve_text(field.type).size != _WORD or field.bits:
            raise ValueError(f"{where}: {name} is not an integer of {_WORD} bytes: a stub can only set it to 0")
        form = FORMS.get(item, "constant") if isinstance(item, str) else "constant"
        words.append(Word(field.offset, form, 0 if form != "constant" else _number(item, where)))
    in_registers = resolved.size <= 16
    if in_registers and ("sse" in types.passing(resolved) or any(word.offset >= 8 for word in words)):
        raise ValueError(f"{where}: a stub can set only fields in the first integer register of a result")
    return FailingResult("structure", resolved.size, tuple(words))


def _number(value: object, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not -2**31 <= value < 2**31:
        raise ValueError(f"{where}: expected a number of 32 bits, not {value!r}")
    return value
