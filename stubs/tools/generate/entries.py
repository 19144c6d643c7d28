# SPDX-License-Identifier: Apache-2.0
"""Writes the entry points (assembler, from the CPU's template) and the version script of a plan."""

from pathlib import Path

from . import copy_table
from .cpu import Cpu
from .plan import NATIVE_VERSION, Plan

TEMPLATES = Path(__file__).parent / "templates"
SLOTS = 1 << 16


def assembly(plan: Plan, cpu: Cpu, static: bool = False) -> str:
    """`static`: for the archive, which has no versions: the names are the linker's to find, and nobody else's."""
    if len(plan.slots) > SLOTS:
        raise ValueError(f"{plan.descriptor.name}: {len(plan.slots)} slots; a lazy entry has 16 bits for its number")
    template = (TEMPLATES / f"{cpu.name}.S.in").read_text(encoding="utf-8")
    entries, lazy = [], []
    for index, slot in enumerate(plan.slots):
        name = plan.symbols[slot.symbol].name
        at = "@@" if slot.default else "@"
        named = (f"    .globl {name}\n    .hidden {name}\n    .type {name}, %function\n"
                 f"    .set {name}, anycuda_entry_{index}" if static else
                 f"    .globl anycuda_entry_{index}\n"
                 f"    .symver anycuda_entry_{index}, {name}{at}{slot.version_name}, remove")
        if static and not slot.default:
            named = f"    # a symbol version of {name} that an archive does not have"
        entries.append(f"    ANYCUDA_ENTRY {index}\n{named}")
        lazy.append(f"    ANYCUDA_LAZY {index}")
    variables = [_variable(number, variable.name, variable.data_size, _versions(plan, variable.symbol_versions), static)
                 for number, variable in enumerate(plan.variables) if variable.drivers == () or not static]
    variables += _filled(plan, static)
    return (template.replace("@ENTRIES@", "\n".join(entries)).replace("@LAZY@", "\n".join(lazy))
            .replace("@COUNT@", str(len(plan.slots))).replace("@VARIABLES@", "\n".join(variables)))


def static_names(plan: Plan) -> str:
    """What the archive shows to the linker; all else in it is its own."""
    variables = [variable.name for variable in plan.variables if not variable.drivers]
    return "".join(f"{name}\n" for name in
                   [*(plan.symbols[slot.symbol].name for slot in plan.slots if slot.default), *variables])


def _versions(plan: Plan, own: tuple[str, ...]) -> list[str]:
    """The symbol versions of a variable, the default one first: those of a function (plan.py)."""
    native = plan.symbol_versions[0]
    if not own:
        return [native]
    return [*reversed(own)] if plan.soname != plan.descriptor.stub else [native, *own]


def _variable(number: int, name: str, size: int, versions: list[str], static: bool) -> str:
    """One object, under all versions. In the archive it has only its name."""
    lines = ["    .p2align 3"]
    for place, version in enumerate(versions):
        local = name if static else f"anycuda_variable_{number}_{place}"
        lines += [f"    .globl {local}", f"    .type {local}, %object"]
        lines += [f"    .hidden {local}"] if static else [
            f"    .symver {local}, {name}{'@' if place else '@@'}{version}, remove"]
        lines += [f"{local}:", f"    .size {local}, {size}"]
        if static:
            break
    return "\n".join([*lines, f"    .zero {size}"])


def _filled(plan: Plan, static: bool) -> list[str]:
    """The rows of VariableRow (loader/symbols/variables.h), without those of the driver's variables. Each version of a
    name has a row: a program that was linked with the library may have a copy of the variable, which takes the place of
    this one for its version."""
    rows, names = [], []
    for number, variable in enumerate(plan.variables):
        if variable.drivers:
            continue
        names.append(f"anycuda_variable_name_{number}:\n    .asciz \"{variable.name}\"")
        for place, _ in enumerate(_versions(plan, variable.symbol_versions)[:1 if static else None]):
            address = variable.name if static else f"anycuda_variable_{number}_{place}"
            rows.append(f"    .quad anycuda_variable_name_{number}, {address}, {variable.data_size}")
    return rows and ["\n".join(["    .section .rodata", *names, '    .section .data.rel.ro, "aw"', "    .p2align 3",
                                "    .globl anycuda_variables", "    .hidden anycuda_variables",
                                "anycuda_variables:", *rows, "    .quad 0, 0, 0"])]


def version_script(plan: Plan) -> str:
    """Every name but one comes from the assembler's .symver; the script gives the versions their order. Symbols that
    the linker adds stay local (`local: *` would hide the default names, too); as patterns, since lld
    refuses a plain name that is not defined."""
    first, *others = plan.symbol_versions
    lines = [f"{first} {{ global: {copy_table.PROCESS}; "
             "local: _ini[t]; _fin[i]; _edat[a]; _en[d]; __bss_star[t]; anycuda_*; };"]
    lines += [f"{version} {{ }};" for version in others]
    return "\n".join(lines) + "\n"


def link_assembly(plan: Plan, cpu: Cpu) -> str:
    """A library to link with and never to load: the names of one major, as that major's default
    versions. A program linked to it asks for libcudart_stub.so and records the major. It also has the
    stub's unversioned names as non-default versions, for code that asks for that version (api.py). With the
    plan of the stub itself it has only these, and so has a major whose library has no versions; there they
    are the defaults. (The linker takes only the first library of a SONAME.)"""
    lines = ["    .text", "anycuda_link_only:", f"    {cpu.trap}"]
    names = [(plan.symbols[slot.symbol].name, f"@@{slot.version_name}") for slot in plan.slots if slot.symbol_version]
    if not plan.default_major:
        names = []
    # nvFatbin of CUDA 12 has no versions, so the stub's own are what its programs record.
    at = "@" if plan.default_major or plan.soname == plan.descriptor.stub else "@@"
    names += [(function.name, f"{at}{NATIVE_VERSION}") for function in plan.symbols]
    for index, (name, version) in enumerate(names):
        local = f"anycuda_entry_{index}"
        lines += [f"    .globl {local}", f"    .type {local}, %function",
                  f"    .set {local}, anycuda_link_only",
                  f"    .symver {local}, {name}{version}, remove"]
    lines.append('    .section .note.GNU-stack, "", %progbits')
    return "\n".join(lines) + "\n"


def link_version_script(plan: Plan) -> str:
    versions = plan.symbol_versions if plan.default_major else plan.symbol_versions[:1]
    return "".join(f"{version} {{ local: anycuda_*; }};\n" for version in versions)
