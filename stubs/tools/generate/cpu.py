# SPDX-License-Identifier: Apache-2.0
"""What differs by CPU: where a call's arguments lie, and a few words of assembler. The entry points
themselves are templates/<name>.S.in, the registers of a call loader/frame_<name>.h."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from .model import Prototype

REGISTERS = 8  # locations below are integer registers, from here on eight-byte slots of the stack (loader/frame.h)


@dataclass(frozen=True)
class Cpu:
    """locate: a prototype -> where each argument lies, None for one that is in no single integer register
    or stack slot. trap: an instruction that ends a program which must never come there."""

    name: str
    locate: Callable[[Prototype], list[int | None]]
    trap: str


def _x86_64(prototype: Prototype) -> list[int | None]:
    """System V ABI, AMD64 supplement, 3.2.3: six integer and eight vector registers."""
    integers, vectors, stack = 0, 0, 0
    if prototype.result_kind == "struct" and "memory" in prototype.result_classes:
        integers = 1  # the hidden pointer to the result
    locations: list[int | None] = []
    for parameter in prototype.params:
        words = parameter.classes.count("integer")
        floats = parameter.classes.count("sse")
        fits = "memory" not in parameter.classes and integers + words <= 6 and vectors + floats <= 8
        if fits:
            locations.append(integers if words == 1 and not floats else None)
            integers += words
            vectors += floats
        else:
            if parameter.align > 8:
                stack += stack % 2
            locations.append(REGISTERS + stack if parameter.size <= 8 else None)
            stack += (parameter.size + 7) // 8
    return locations


def _aarch64(prototype: Prototype) -> list[int | None]:
    """AAPCS64, 6.8.2: eight registers of each kind. A pointer to a large result is in x8, which is not used
    for arguments; a structure of more than 16 bytes is passed as a pointer to a copy. A structure that does not fit
    into the remaining registers is on the stack as a whole, and so is everything after it. One of up to four
    floating-point numbers of one size has a vector register for each; other structures are passed like integers."""
    integers, vectors, stack = 0, 0, 0
    locations: list[int | None] = []
    for parameter in prototype.params:
        floats = 1 if parameter.kind == "float" else parameter.floats if parameter.floats <= 4 else 0
        if floats and vectors + floats <= 8:
            vectors += floats
            locations.append(None)
            continue
        if floats:
            vectors = 8
        large = parameter.kind == "struct" and parameter.size > 16 and not floats
        words = 1 if large else (parameter.size + 7) // 8
        aligned = parameter.align > 8 and not large
        if not floats:
            first = integers + integers % 2 if aligned else integers
            if first + words <= 8:
                locations.append(first if words == 1 and not large else None)
                integers = first + words
                continue
            integers = 8
        if aligned:
            stack += stack % 2
        locations.append(REGISTERS + stack if words == 1 and not large else None)
        stack += words
    return locations


_ALL = {
    cpu.name: cpu
    for cpu in (
        Cpu("x86_64", _x86_64, "ud2"),
        Cpu("aarch64", _aarch64, "brk #1"),
    )
}


def named(name: str) -> Cpu:
    if name not in _ALL:
        raise ValueError(f"the CPU {name!r} is not supported: entry points exist for {', '.join(_ALL)}")
    return _ALL[name]
