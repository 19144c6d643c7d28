# SPDX-License-Identifier: Apache-2.0
"""The table by which several copies of a stub in one process act as one (loader/stub_copies.h, docs/copies.md)."""

from .plan import Plan

PROTOCOL = 1
_FUNCTIONS = ("chosen", "offer", "join", "take_slots", "get_error", "peek_error", "set_error", "restore_error",
              "any_error")


def symbol(library: str) -> str:
    return f"anycudaCopy{PROTOCOL}_{library}"


def assembly(plan: Plan, static: bool = False) -> str:
    """Each function as its distance from its own entry, so that nothing needs a relocation. A static library does not
    export its table: copies of it join others, and lead none."""
    name = symbol(plan.descriptor.name)
    functions = [f"anycuda_copy_{function}" for function in _FUNCTIONS]
    functions += plan.descriptor.copy_functions
    lines = ["    .section .rodata.anycuda_copy, \"a\"", "    .p2align 3",
             "    .globl anycuda_copy", "    .hidden anycuda_copy", "    .type anycuda_copy, %object"]
    if not static:
        lines += ["    .globl anycuda_exported_copy", "    .type anycuda_exported_copy, %object",
                  f"    .symver anycuda_exported_copy, {name}@@{plan.symbol_versions[0]}, remove",
                  "anycuda_exported_copy:"]
    size = 8 + 4 * len(functions)
    lines += ["anycuda_copy:", f"    .long {size}, {PROTOCOL}"]
    for function in functions:
        lines += [f"    .hidden {function}", f"    .long {function} - ."]
    lines += [f"    .size anycuda_copy, {size}"]
    if not static:
        lines += [f"    .size anycuda_exported_copy, {size}"]
    lines += ["    .globl anycuda_copy_name", "    .hidden anycuda_copy_name", f'anycuda_copy_name: .asciz "{name}"']
    return "\n".join(lines) + "\n"
