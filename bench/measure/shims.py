# SPDX-License-Identifier: Apache-2.0
"""Shims made by the method of Implib.so, to be measured beside the stubs.

The method, re-created here from its description: every exported function is a trampoline that
compares its entry of a table with zero, and jumps through that entry when it is not; otherwise it
saves the argument registers, has the function looked up by its number, and jumps after all. The
library is opened at the first call. No search, no versions, and a missing function aborts.
"""

from __future__ import annotations

_HEAD = """\
    .section .note.GNU-stack,"",@progbits
    .text
    .p2align 4
    .type shim_first_call, @function
shim_first_call:
    # In: the function's number below the return address into the trampoline. The integer registers
    # that carry arguments, rax (the count of vector arguments) and the vector registers survive.
    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    pushq %rax
    pushq %rbp
    movq %rsp, %rbp
    movq 72(%rsp), %rdi
    subq $128, %rsp
    andq $-16, %rsp
"""

_TAIL = """\
    movq %rbp, %rsp
    popq %rbp
    popq %rax
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
    ret
    .size shim_first_call, .-shim_first_call
"""

_TRAMPOLINE = """\
    .globl {name}
    .p2align 4
    .type {name}, @function
{name}:
    cmpq $0, shim_table+{offset}(%rip)
    je 2f
1:  jmp *shim_table+{offset}(%rip)
2:  pushq ${index}
    call shim_first_call
    addq $8, %rsp
    jmp 1b
    .size {name}, .-{name}
"""


def assembler_text(functions: list[str]) -> str:
    """The trampolines, table and names of all `functions`, for x86_64."""
    vectors = range(8)
    save = "".join(f"    movups %xmm{i}, {16 * i}(%rsp)\n" for i in vectors)
    load = "".join(f"    movups {16 * i}(%rsp), %xmm{i}\n" for i in vectors)
    parts = [_HEAD, save, "    call shim_resolve\n", load, _TAIL]
    for index, name in enumerate(functions):
        parts.append(_TRAMPOLINE.format(name=name, offset=8 * index, index=index))
    parts.append("    .bss\n    .p2align 3\n    .globl shim_table\n    .hidden shim_table\n"
                 f"shim_table:\n    .zero {8 * len(functions)}\n")
    parts.append("    .section .rodata\n")
    parts += [f'shim_name_{i}: .asciz "{name}"\n' for i, name in enumerate(functions)]
    parts.append('    .section .data.rel.ro, "aw"\n    .p2align 3\n    .globl shim_names\n'
                 "    .hidden shim_names\nshim_names:\n")
    parts += [f"    .quad shim_name_{i}\n" for i in range(len(functions))]
    return "".join(parts)
