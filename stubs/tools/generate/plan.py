# SPDX-License-Identifier: Apache-2.0
"""What a stub consists of: which names it exports under which symbol version, with which facts.

A plan is the last thing that knows the database; entries.py and tables.py only write it down."""

from dataclasses import dataclass, field, replace

from . import dispositions as disposition_rules
from . import failing_results, out_params
from .cpu import Cpu
from .descriptor import ALL, Descriptor
from .dispositions import Dispositions
from .model import Database, Function
from .out_params import Output

NATIVE_VERSION = "ANYCUDA_NATIVE"


@dataclass(frozen=True)
class Slot:
    """One exported name under one symbol version: 0 is the native one, n the descriptor's majors[n-1]. In a library
    without a symbol version for each major, 0 is also each of the function's own (symbol_versions.txt).
    dispositions: what each runtime major gives it. outputs: (argument location, size) pairs."""
    symbol: int
    symbol_version: int
    version_name: str
    default: bool
    dispositions: tuple["PlannedDisposition", ...]
    outputs: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class PlannedDisposition:
    """targets: names to look for in the library, in that order; empty where there is nothing.
    function: our adapter, which needs all of `needs`; with targets it is for libraries without them."""
    kind: str
    targets: tuple[str, ...]
    reason: str
    function: str = ""
    needs: tuple[str, ...] = ()


@dataclass
class Plan:
    descriptor: Descriptor
    database: Database
    soname: str
    symbols: list[Function]
    default_major: int  # whose symbol version holds the default versions; 0: the native one
    slots: list[Slot] = field(default_factory=list)
    symbol_versions: list[str] = field(default_factory=list)
    # Variables that the library exports (the driver's, for debuggers, which look into the driver's
    # own file). The stub has them, of the same size and zero, so that every name is there.
    variables: list[Function] = field(default_factory=list)
    failing: dict[str, failing_results.FailingResult] = field(default_factory=dict)  # of each symbol, in their order


@dataclass
class Facts:
    """What all stubs of one library are planned from. Computed once: dispositions take seconds."""
    descriptor: Descriptor
    database: Database
    dispositions: Dispositions
    outputs: dict[tuple[str, str], list[Output]]


def gather(descriptor: Descriptor, database: Database) -> Facts:
    _check(descriptor, database)
    dispositions = disposition_rules.dispositions(database) if descriptor.has_symbol_versions else {}
    return Facts(descriptor, database, dispositions, out_params.all_outputs(database))


def make(facts: Facts, cpu: Cpu, dropin: int = 0) -> Plan:
    """The plan of the stub for a CPU, or of the drop-in library of one major."""
    descriptor, database = facts.descriptor, facts.database
    exported = [f for _, f in sorted(database.functions.items(), key=lambda i: i[0].encode())]
    symbols = [f for f in exported if not f.data_size]
    if descriptor.callers:
        symbols = [f for f in symbols if descriptor.callers.built_for in f.majors]
    if dropin:
        major = next(descriptor.asked_for(m) for m in descriptor.majors if m.number == dropin)
        soname, wanted = major.soname, [major.number if major.symbol_version else 0]
    else:
        soname, wanted = descriptor.stub, [0]
        wanted += [m.number for m in descriptor.majors if m.symbol_version]
    plan = Plan(descriptor, database, soname, symbols, wanted[0])
    plan.variables = [f for f in exported if f.data_size]
    plan.failing = failing_results.of_all(descriptor, database, symbols)
    # The native version comes first in every file: it marks a stub as ours, and a caller without
    # version information takes the first version that defines a name.
    plan.symbol_versions = [NATIVE_VERSION] + [_symbol_version(descriptor, n) for n in wanted if n]
    for index, function in enumerate(symbols):
        for number in wanted:
            if number and descriptor.caller_of(number) not in function.majors:
                continue
            plan.slots.append(_slot(plan, facts, cpu, index, function, number))
    if not descriptor.has_symbol_versions:
        _add_own_versions(plan, bool(dropin))
    return plan


def _add_own_versions(plan: Plan, is_dropin: bool) -> None:
    """Programs that are linked with the library reference its functions by the functions' own symbol versions. They
    tell no major. In a drop-in they replace the native version."""
    slots = []
    for slot in plan.slots:
        own = plan.symbols[slot.symbol].symbol_versions
        if not (own and is_dropin):
            slots.append(slot)
        slots += [replace(slot, version_name=name, default=is_dropin and name == own[-1]) for name in own]
    plan.slots = slots
    names = {slot.version_name for slot in slots}.union(*(variable.symbol_versions for variable in plan.variables))
    plan.symbol_versions += sorted(names - {NATIVE_VERSION})


def _check(descriptor: Descriptor, database: Database) -> None:
    if descriptor.has_symbol_versions and any(function.symbol_versions for function in database.functions.values()):
        raise ValueError(f"{descriptor.name}: symbol_versions.txt lists symbol versions of the functions, "
                         "so in library.json the node of each major must be null")
    made_for = tuple(int(major) for major in database.own_releases_of)
    if made_for != (descriptor.majors[0].cuda_majors if descriptor.own_releases else ()):
        raise ValueError(f"{descriptor.name}: library.json and releases.txt of the database disagree about releases of "
                         "the library's own, or about the majors of CUDA that they are for")
    named = set(descriptor.builtin) | set(descriptor.special_functions)
    named |= set(descriptor.questions) - {ALL}
    named |= set().union(*descriptor.required_symbols.values())
    unknown = sorted(named - database.functions.keys())
    if unknown:
        raise ValueError(f"{descriptor.name}: library.json names {unknown}, which no version of the "
                         "library in the database exports")
    for number, names in descriptor.required_symbols.items() if descriptor.has_symbol_versions else ():
        releases = database.versions_of(descriptor.runtime_of(number))
        for name in sorted(names):
            having = database.functions[name].versions_of(descriptor.runtime_of(number))
            # A required symbol that came later would make every older library of its major unusable.
            if having and list(having) != releases:
                raise ValueError(f"{descriptor.name}: library.json lists {name} in required_symbols, which of the "
                                 f"CUDA {number} releases only {', '.join(having)} have")


def _symbol_version(descriptor: Descriptor, number: int) -> str:
    name = next(descriptor.asked_for(m).symbol_version for m in descriptor.majors if m.number == number)
    if name is None:
        raise ValueError(f"{descriptor.name}: the major {number} has no symbol version")
    return name


def _slot(plan: Plan, facts: Facts, cpu: Cpu, index: int, function: Function, number: int) -> Slot:
    descriptor = plan.descriptor
    symbol_version = 1 + [m.number for m in descriptor.majors].index(number) if number else 0
    dispositions: tuple[PlannedDisposition, ...] = ()
    if number:
        row = [facts.dispositions[function.name, descriptor.caller_of(number), descriptor.runtime_of(m.number)]
               for m in descriptor.majors]
        dispositions = tuple(
            PlannedDisposition(cell.kind, (cell.target, *cell.fallbacks) if cell.target else (), cell.reason,
                               (cell.fallback or cell).function, (cell.fallback or cell).needs)
            for cell in row)
    name = _symbol_version(descriptor, number) if number else NATIVE_VERSION
    return Slot(index, symbol_version, name, number == plan.default_major, dispositions,
                _outputs(facts, cpu, function, number))


def _outputs(facts: Facts, cpu: Cpu, function: Function, number: int) -> tuple[tuple[int, int], ...]:
    """Outputs to zero, by argument location. A native caller may be of any major: only what is an
    output in all of them is zeroed for it."""
    callers = facts.descriptor.callers
    majors = [facts.descriptor.caller_of(number)] if number or callers else list(function.majors)
    common = None
    for major in majors:
        located = set(_located_outputs(cpu, function, major, facts.outputs[function.name, major]))
        common = located if common is None else common & located
    return tuple(sorted(common or ()))


def _located_outputs(cpu: Cpu, function: Function, major: str, outputs: list[Output]) -> list[tuple[int, int]]:
    newest = out_params.newest_prototype(function, function.versions_of(major))
    if newest is None:
        return []
    locations = cpu.locate(newest[1])
    places = ((locations[output.index], output.size) for output in outputs)
    return [(place, size) for place, size in places if place is not None]
