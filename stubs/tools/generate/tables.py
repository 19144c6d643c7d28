# SPDX-License-Identifier: Apache-2.0
"""Writes a plan's tables as C++ constants (loader/tables.h)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Optional

from .descriptor import Descriptor, Major
from .model import Database, Function
from .plan import Plan, Slot

MINORS = 32  # of a major (kMinors in compat/descriptor/library.h)
MOST_PLACES = 126  # in seven bits, with one for "never"


@dataclass
class Pool:
    """Strings, each once, one behind the other."""
    text: list[str] = field(default_factory=lambda: [""])
    offsets: dict[str, int] = field(default_factory=lambda: {"": 0})
    size: int = 1

    def add(self, text: str) -> int:
        if text not in self.offsets:
            self.offsets[text] = self.size
            self.text.append(text)
            self.size += len(text.encode()) + 1
        return self.offsets[text]


@dataclass
class Rows:
    """Distinct rows of a table, by their place in it."""
    rows: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def add(self, row: tuple[Any, ...]) -> int:
        return self.rows.setdefault(row, len(self.rows))


def gnu_hash(name: str) -> int:
    """As DT_GNU_HASH has it (compat/base/gnu_hash.h)."""
    value = 5381
    for byte in name.encode():
        value = (value * 33 + byte) & 0xffffffff
    return value


def cplusplus(plan: Plan, driver: Descriptor, peer: Optional[Descriptor] = None,
              others: Iterable[Descriptor] = ()) -> str:
    relatives = plan.descriptor.relatives(list(others))
    pool = Pool()
    targets, reasons, dispositions, outputs = _Lists(), Rows(), Rows(), _Outputs()
    adapters = _Adapters()
    reasons.add((pool.add("the library does not have this function"),))
    slots = []
    for slot in plan.slots:
        row = _dispositions_row(slot, plan, pool, targets, reasons, adapters)
        # A native slot has no dispositions: an empty row would shift all that follow.
        slots.append((slot.symbol, slot.symbol_version, dispositions.add(row) if row else 0,
                      outputs.add(slot.outputs)))
    builtins = list(dict.fromkeys(plan.descriptor.builtin.values()))
    symbols = [_symbol(plan, function, builtins) for function in plan.symbols]
    errors = [(value, _majors_of_error(plan, value), pool.add(name), pool.add(message))
              for value, name, message in plan.database.errors]
    functions = [function.name for function in plan.symbols]
    releases = releases_of(plan.descriptor, plan.database)
    names = [pool.add(name) for name in functions]
    words = [(functions.index(name), word.offset, f"FailingForm::{word.form}", word.value)
             for name, result in plan.failing.items() for word in result.words]
    flat = [disposition for row in dispositions.rows for disposition in row]
    parts = [
        '#include "loader/tables.h"\n',
        "// Generated from the ABI database; see stubs/tools/generate.",
        *[f'extern "C" __attribute__((visibility("hidden"))) void {name}();' for name in builtins],
        *adapters.declarations(),
        _before_first_call(plan.descriptor),
        "namespace anycuda {\nnamespace {",
        pool_data(pool),
        array("std::uint32_t", "kNames", names),
        array("std::uint32_t", "kHashes", [gnu_hash(name) for name in functions]),
        array("ReleaseNames", "kReleases", releases),
        array("SymbolRow", "kSymbols", symbols),
        array("Availability", "kAvailability", availabilities(plan, plan.symbols)),
        array("SlotRow", "kSlots", slots),
        array("std::uint16_t", "kDispositions", [disposition for disposition, _ in flat]),
        array("std::uint16_t", "kReasons", [reason for _, reason in flat]),
        array("std::uint32_t", "kTargets", targets.values),
        array("AdapterRow", "kAdapters", [(needs, preferred) for _, needs, preferred in adapters.rows]),
        adapters.lookup(),
        array("std::uint32_t", "kReasonText", [row[0] for row in reasons.rows]),
        array("std::uint8_t", "kOutputs", outputs.bytes),
        array("ErrorRow", "kErrors", errors),
        array("FailingWord", "kFailingWords", words),
        "void* const kBuiltins[] = {"
        + ", ".join(f"reinterpret_cast<void*>(&{name})" for name in builtins) + ("nullptr" if not builtins else "")
        + "};",
        descriptor_data(plan.descriptor, "Library"),
        descriptor_data(driver, "Driver"),
        *([descriptor_data(peer, "Peer"), descriptor_rows(peer, "Peer")] if peer else []),
        *(part for relative, _ in relatives
          for part in (descriptor_data(relative, title_of(relative)), descriptor_rows(relative, title_of(relative)))),
        relatives_data(plan.descriptor, "Library", [(title_of(relative), bond) for relative, bond in relatives]),
        "}  // namespace",
        descriptor_rows(plan.descriptor, "Library", "&kPeer" if peer else "nullptr", len(relatives)),
        descriptor_rows(driver, "Driver"),
        _tables(plan, len(symbols), len(releases), len(slots), len(errors), len(words)),
        "}  // namespace anycuda",
    ]
    return "\n".join(part for part in parts if part) + "\n"


def _before_first_call(descriptor: Descriptor) -> str:
    if not descriptor.before_first_call:
        return ""
    return ('extern "C" __attribute__((visibility("hidden"))) bool '
            f"{descriptor.before_first_call}();")


class _Lists:
    """Lists of numbers in one array, each ended by 0 and kept once."""

    def __init__(self) -> None:
        self.values: list[int] = []
        self.places: dict[tuple[Any, ...], int] = {}

    def add(self, numbers: tuple[int, ...]) -> int:
        if numbers not in self.places:
            self.places[numbers] = len(self.values)
            self.values += [*numbers, 0]
        return self.places[numbers]


class _Outputs:
    """Lists of (location, size) pairs in one array of bytes; 0 is the empty list. A size has seven bits in each byte,
    the lowest first; all bytes but its last have the highest bit."""

    def __init__(self) -> None:
        self.bytes: list[int] = [0]
        self.places: dict[tuple[Any, ...], int] = {(): 0}

    def add(self, pairs: tuple[tuple[int, int], ...]) -> int:
        if pairs not in self.places:
            self.places[pairs] = len(self.bytes)
            self.bytes.append(len(pairs))
            for location, size in pairs:
                self.bytes += [location, *self._in_sevens(size)]
        return self.places[pairs]

    @staticmethod
    def _in_sevens(number: int) -> list[int]:
        sevens = [number & 0x7f]
        while number := number >> 7:
            sevens[-1] |= 0x80
            sevens.append(number & 0x7f)
        return sevens


class _Adapters:
    """Adapters with what they need and what goes before them, each once: its place is its number."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, int, int], int] = {}

    def add(self, function: str, needs: int, preferred: int) -> int:
        return self.rows.setdefault((function, needs, preferred), len(self.rows))

    def declarations(self) -> list[str]:
        return [f'extern "C" __attribute__((visibility("hidden"))) void adapt_{function}();'
                for function in dict.fromkeys(row[0] for row in self.rows)]

    def lookup(self) -> str:
        """Distances, each from its own place: addresses in data are relocations at every start."""
        if not self.rows:
            return "void* adapter(unsigned) { return nullptr; }"
        lines = [f'    ".long adapt_{function} - .\\n"' for function, _, _ in self.rows]
        return "\n".join([
            'extern "C" const std::int32_t anycuda_adapters[];',
            'asm(".section .rodata.anycuda_adapters, \\"a\\"\\n.p2align 2\\nanycuda_adapters:\\n"', *lines,
            '    ".previous\\n");',
            "void* adapter(unsigned number) {",
            f"  if (number >= {len(self.rows)}) return nullptr;",
            "  const std::int32_t* place = anycuda_adapters + number;",
            "  return reinterpret_cast<void*>(reinterpret_cast<std::intptr_t>(place) + *place);",
            "}"])


def _dispositions_row(slot: Slot, plan: Plan, pool: Pool, targets: _Lists, reasons: Rows,
                      adapters: _Adapters) -> tuple[Any, ...]:
    name = plan.symbols[slot.symbol].name
    row = []
    for disposition in slot.dispositions:
        # Which pair of releases showed the difference is for readers of the matrix, not of a message.
        why = re.sub(r" \(built for [^)]*\)$", "", disposition.reason)
        reason = reasons.add((pool.add(why),)) if why else 0
        if disposition.kind == "absent":
            row.append(("kAbsent", reason))
        elif disposition.kind == "rejected":
            row.append(("kRejected", reason))
        elif disposition.function:
            needs = targets.add(tuple(pool.add(target) for target in disposition.needs))
            # A copy's target is what it calls, and no name to take in its place.
            preferred = disposition.targets if disposition.kind in ("direct", "renamed") else ()
            first = targets.add(tuple(pool.add(target) for target in preferred))
            row.append((f"kFirstAdapter + {adapters.add(disposition.function, needs, first)}", 0))
        elif disposition.kind not in ("direct", "renamed"):
            raise ValueError(f"{name}: a disposition of kind {disposition.kind} without a function")
        elif disposition.targets == (name,):
            row.append(("kDirect", 0))
        else:
            names = targets.add(tuple(pool.add(target) for target in disposition.targets))
            row.append((f"kFirstTarget + {names}", 0))
    return tuple(row)


def _majors_of_error(plan: Plan, value: int) -> int:
    """A bit for each of the descriptor's majors."""
    majors = plan.descriptor.majors
    if not plan.descriptor.has_symbol_versions:
        return (1 << len(majors)) - 1
    return sum(1 << place for place, major in enumerate(majors)
               if any(row[0] == value for row in plan.database.errors_of(plan.descriptor.caller_of(major.number))))


def _symbol(plan: Plan, function: Function, builtins: list[str]) -> tuple[Any, ...]:
    result = plan.failing[function.name]
    special = plan.descriptor.special_functions.get(function.name, "plain")
    mine = plan.descriptor.builtin.get(function.name)
    question = str(plan.descriptor.asks(function.name)).lower()
    return (f"ResultKind::{result.kind}", result.size, f"SpecialFunction::{special}",
            builtins.index(mine) + 1 if mine else 0, question)


def availabilities(plan: Plan, functions: list[Function]) -> list[str]:
    """Of all functions in the first major, then of all in the next (LibrarySymbols::availability)."""
    by_major = zip(*(availability_of(plan, function) for function in functions))
    return [value for values in by_major for value in values]


def availability_of(plan: Plan, function: Function) -> list[str]:
    """In each major."""
    values = []
    for major in plan.descriptor.majors:
        required = " | kRequired" if function.name in plan.descriptor.required_symbols.get(major.number, ()) else ""
        if not plan.descriptor.has_symbol_versions:
            values.append(f"1{required}")  # the driver: names are only ever added
            continue
        versions = function.versions_of(str(major.number))
        if plan.descriptor.own_releases:
            values.append(f"1{required}")  # its releases tell nothing about CUDA's
            continue
        place = place_of(major, versions[0]) if versions else -1
        values.append(f"{place + 1}{required if versions else ''}")
    return values


def place_of(major: Major, version: str) -> int:
    """A release as a number in its SONAME's majors (MajorRow::place_of)."""
    number, minor = (int(part) for part in version.split(".")[:2])
    place = (number - major.number) * MINORS + minor
    if minor >= MINORS or not 0 <= place < MOST_PLACES:
        raise ValueError(f"{major.soname}: the tables cannot store the release {version}: they have {MOST_PLACES} "
                         f"places, {MINORS} for each major. Change MINORS and MOST_PLACES in generate/tables.py, and "
                         "kMinors in compat/descriptor/library.h")
    return place


def releases_of(descriptor: Descriptor, database: Database) -> list[tuple[str, int, int, int]]:
    """Rows of ReleaseNames (compat/descriptor/symbols.h), one for each set of names. None for the driver: its database
    has what headers declare, not what a driver exports; and none for releases that are not CUDA's."""
    found: dict[tuple[str, int], list[int]] = {}
    has_releases = descriptor.has_symbol_versions and not descriptor.own_releases
    for place, major in enumerate(descriptor.majors if has_releases else ()):
        for version in database.versions_of(str(major.number)):
            functions = [function for function in database.functions.values() if version in function.versions]
            # The linker exports a symbol version, too, as an absolute symbol.
            names = [*(function.name for function in functions), *filter(None, [database.node(version)])]
            checksum = sum((gnu_hash(name) | 1) ** 2 for name in names) & (2**64 - 1)
            newest = max((place_of(major, function.versions_of(str(major.number))[0]) for function in functions),
                         default=-1)
            row = found.setdefault((f"{checksum}u", place), [newest, 0])
            row[1] = int(version.split(".")[0])  # releases come in their order
    return [(total, place, newest, first) for (total, place), (newest, first) in found.items()]


def array(kind: str, name: str, rows: list[Any]) -> str:
    """An array; never empty, since C++ has no empty ones and nobody reads past the counts."""
    def text(row: object) -> str:
        return "{" + ", ".join(map(str, row)) + "}" if isinstance(row, tuple) else str(row)
    body = ",\n".join(map(text, rows)) if rows else "{}"
    return f"constexpr {kind} {name}[] = {{\n{body}}};"


def pool_data(pool: Pool) -> str:
    lines = "\n".join(quote(text)[:-1] + '\\0"' for text in pool.text)
    return f"constexpr char kPool[] =\n{lines};"


def quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def descriptor_data(descriptor: Descriptor, name: str) -> str:
    majors = ",\n".join(
        f"{{{m.number}, {m.last}, {quote(m.soname)}, {quote(m.symbol_version) if m.symbol_version else 'nullptr'}}}"
        for m in descriptor.majors)
    folders = "".join(quote(folder) + ", " for folder in descriptor.wheel_folders)
    numbers = [(_release_number(release), "{" + ", ".join(map(str, first)) + "}", "{" + ", ".join(map(str, last)) + "}")
               for release, first, last in descriptor.numbers]
    return (f"constexpr MajorRow k{name}Majors[] = {{\n{majors}}};\n"
            f"const char* const k{name}Folders[] = {{{folders}nullptr}};"
            + ("\n" + array("NumberRow", f"k{name}Numbers", numbers) if numbers else ""))


def _release_number(release: str) -> int:
    """As ReleaseRange in compat/search/version/release_range.h."""
    major, minor = map(int, release.split("."))
    return 100 * major + minor


def title_of(descriptor: Descriptor) -> str:
    return descriptor.name.capitalize()


def relatives_data(descriptor: Descriptor, name: str, relatives: list[tuple[str, str]]) -> str:
    if not relatives:
        return ""
    return array("Relative", f"k{name}Relatives", [(f"&k{title}", f"Bond::{bond}") for title, bond in relatives])


def descriptor_rows(descriptor: Descriptor, name: str, peer: str = "nullptr", relatives: int = 0) -> str:
    newest = max(m.last for m in descriptor.majors)
    lto_ir = "makes" if descriptor.lto_ir_to else "takes" if descriptor.lto_ir_from else "none"
    rules = [str(newest), str(descriptor.driver_bound).lower(), str(descriptor.one_per_process).lower(),
             f"Output::{descriptor.output or 'none'}", f"LtoIr::{lto_ir}"]
    fields = [quote(descriptor.name), quote(descriptor.product), quote(descriptor.variable),
              quote(descriptor.file_prefix), quote(descriptor.install_hint), f"k{name}Majors",
              str(len(descriptor.majors)), f"k{name}Folders", str(descriptor.is_driver).lower(),
              "{" + ", ".join(rules) + "}", peer, _version_function(descriptor.version_function)]
    rest = [(f"k{name}Relatives" if relatives else "nullptr", "nullptr"), (str(relatives), "0"),
            (str(descriptor.own_releases).lower(), "false"),
            (quote(descriptor.callers.soname) if descriptor.callers else "nullptr", "nullptr"),
            (quote(descriptor.opens) if descriptor.opens else "nullptr", "nullptr"),
            (quote(descriptor.parts) if descriptor.parts else "nullptr", "nullptr"),
            (f"k{name}Numbers" if descriptor.numbers else "nullptr", "nullptr"), (str(len(descriptor.numbers)), "0")]
    while rest and rest[-1][0] == rest[-1][1]:  # what the struct has by default
        rest.pop()
    fields += [value for value, _ in rest]
    return f"const LibraryDescriptor k{name} = {{\n" + ",\n".join(fields) + "};"


def _version_function(function: dict[str, str]) -> str:
    if not function:
        return "{}"
    since = function["since"].replace(".", ", ")
    return f"{{{quote(function['name'])}, VersionForm::{function['form']}, {{{since}}}}}"


def _tables(plan: Plan, symbols: int, releases: int, slots: int, errors: int, words: int) -> str:
    status = plan.descriptor.status
    fields = [f"{{kPool, kNames, kHashes, {symbols}, kAvailability, kReleases, {releases}}}",
              "kSymbols", "kSlots", slots, "kDispositions", "kTargets", "kReasons", "kReasonText",
              "kOutputs", "kErrors", errors, status["no_library"], status["absent"], status["rejected"],
              "kFailingWords", words, "kBuiltins", "kAdapters", "&adapter",
              f"&{plan.descriptor.before_first_call}" if plan.descriptor.before_first_call else "nullptr"]
    return "const Tables kTables = {\n" + ",\n".join(map(str, fields)) + "};"
