# SPDX-License-Identifier: Apache-2.0
"""The note that tells packagers which libraries a stub opens when it runs: .note.dlopen, "dlopen() Metadata for ELF
Files" (https://systemd.io/ELF_DLOPEN_METADATA).

These libraries are not in NEEDED, so only this note names them. Each library has a separate note: the
library that the stub replaces, and the others that it looks for.
"""

import json
from dataclasses import dataclass

from .descriptor import Descriptor

OWNER, TYPE = "FDO", 0x407C0C0A
PRIORITIES = ("required", "recommended", "suggested")


@dataclass(frozen=True)
class Opened:
    """A library that may be opened: its SONAMEs, the one that is preferred first."""

    feature: str
    description: str
    priority: str
    sonames: tuple[str, ...]


def opened(library: Descriptor, driver: Descriptor) -> list[Opened]:
    """What the stub of `library` opens. Without the library itself its calls fail, and the program runs."""
    # By this sentence `anycuda check` knows a stub inside another library
    # (packaging/python/anycuda/analysis/contents.py).
    rows = [Opened(library.name, f"The {library.product} that calls are handed to", "recommended", _sonames(library))]
    if library.driver_bound:
        rows.append(Opened("driver", "The driver: its version says which library may serve", "recommended",
                           _sonames(driver)))
    return rows


def _sonames(library: Descriptor) -> tuple[str, ...]:
    sonames = [major.soname for major in sorted(library.majors, key=lambda m: -m.number)]
    return (*sonames, *([library.callers.soname] if library.callers else []))


def text(row: Opened) -> str:
    if row.priority not in PRIORITIES:
        raise ValueError(f"{row.feature}: a .note.dlopen has no priority {row.priority!r}, only {PRIORITIES}")
    return json.dumps([{"feature": row.feature, "description": row.description, "priority": row.priority,
                        "soname": list(row.sonames)}], separators=(",", ":"))


def assembly(rows: list[Opened]) -> str:
    """Kept by the linker although nothing refers to it: notes are."""
    lines = ['    .section .note.dlopen, "a", %note']
    for row in rows:
        quoted = text(row).replace("\\", "\\\\").replace('"', '\\"')
        lines += ["    .p2align 2",
                  f"    .long 2f - 1f, 4f - 3f, {TYPE:#x}",
                  f'1:  .asciz "{OWNER}"', "2:  .p2align 2",
                  f'3:  .asciz "{quoted}"', "4:  .p2align 2"]
    return "\n".join(lines) + "\n"
