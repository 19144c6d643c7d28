# SPDX-License-Identifier: Apache-2.0
"""The table by which several copies of a stub in one process act as one, and the variable in which their common list
begins (loader/stub_copies.h, docs/copies.md)."""

from .plan import Plan

PROTOCOL = 2
TABLE = f"anycudaCopy{PROTOCOL}"
PROCESS = f"anycudaProcess{PROTOCOL}"
_PROCESS_SIZE = 64
_FUNCTIONS = ("serve", "take_slots", "get_error", "peek_error", "set_error", "restore_error", "any_error")


def assembly(plan: Plan, static: bool = False) -> str:
    """Each function as its distance from its own entry, so that it needs no relocation. The variable is unique: the
    dynamic linker gives every file of the process the same one (the symbol binding STB_GNU_UNIQUE), and never unloads
    the file that it is in. A static library has neither: what it is linked into may be unloaded."""
    functions = [f"anycuda_copy_{function}" for function in _FUNCTIONS] + list(plan.descriptor.copy_functions)
    if plan.default_major:  # it has the functions of one major
        functions[0] = ""
    size = 24 + 4 * len(functions)
    lines = [] if static else [
        "    .bss", "    .p2align 6", f"    .globl {PROCESS}", f"    .type {PROCESS}, %gnu_unique_object",
        f"{PROCESS}: .zero {_PROCESS_SIZE}", f"    .size {PROCESS}, {_PROCESS_SIZE}"]
    lines += ["    .section .rodata.anycuda_copy, \"a\"", f'anycuda_copy_library: .asciz "{plan.descriptor.name}"',
              "    .p2align 2", "    .globl anycuda_is_static", "    .hidden anycuda_is_static",
              f"anycuda_is_static: .long {int(static)}",
              "    .section .data.rel.ro.anycuda_copy, \"aw\"", "    .p2align 3",
              "    .globl anycuda_copy", "    .hidden anycuda_copy", "    .type anycuda_copy, %object"]
    if not static:
        lines += ["    .globl anycuda_exported_copy", "    .type anycuda_exported_copy, %object",
                  f"    .symver anycuda_exported_copy, {TABLE}@@{plan.symbol_versions[0]}, remove",
                  "anycuda_exported_copy:"]
    lines += ["anycuda_copy:", f"    .long {size}, {PROTOCOL}, ANYCUDA_VERSION_NUMBER, anycuda_copy_library - .",
              f"    .quad {0 if static else PROCESS}"]
    for function in functions:
        lines += [f"    .hidden {function}", f"    .long {function} - ."] if function else ["    .long 0"]
    lines += [f"    .size anycuda_copy, {size}"]
    if not static:
        lines += [f"    .size anycuda_exported_copy, {size}"]
    return "\n".join(lines) + "\n"
