# SPDX-License-Identifier: Apache-2.0
"""Rules for every library that is shipped. Each rule is a function of one file that returns a sentence on the problem,
or ""."""

from __future__ import annotations

import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))

from anycuda.elf import layout, read  # noqa: E402
from anycuda.elf.headers import Headers  # noqa: E402
from anycuda.elf.source import Source  # noqa: E402

DT_TEXTREL, DT_FLAGS = 22, 30
DF_TEXTREL, DF_BIND_NOW, DF_1_NOW = 0x4, 0x8, 0x1
# The property that records the branch protection of code, by CPU, with the required bits.
PROTECTION = {
    "x86_64": (0xC0000002, {1: "indirect-branch tracking (IBT)", 2: "shadow stacks (SHSTK)"}),
    "aarch64": (0xC0000000, {1: "branch target identification (BTI)", 2: "pointer authentication (PAC)"}),
}
# glibc 2.17 and its files.
FLOOR = (2, 17)
GLIBC = re.compile(r"(libc\.so\.6|libdl\.so\.2|libpthread\.so\.0|ld-linux-x86-64\.so\.2|ld-linux-aarch64\.so\.1)\Z")


@dataclass(frozen=True)
class Note:
    owner: str
    kind: int
    content: bytes


class File:
    """An ELF file with the facts that the rules need."""

    def __init__(self, path: Path):
        self.path = Path(path)
        self.image = read.read(path)
        self.bytes = self.path.read_bytes()
        with read.opened(path) as file:
            self.headers = Headers(Source(file, str(path)))
            self.segments = list(self.headers.segments)
            self.flags = self.headers.value(DT_FLAGS) or 0
            self.flags_1 = self.headers.value(layout.DT_FLAGS_1) or 0
            self.text_relocations = self.headers.value(DT_TEXTREL) is not None or bool(self.flags & DF_TEXTREL)

    def notes(self) -> Iterator[Note]:
        for segment in self.segments:
            if segment.kind == layout.PT_NOTE:
                content = self.bytes[segment.offset:segment.offset + segment.in_file]
                yield from notes(content, 8 if segment.align == 8 else 4)


def notes(content: bytes, align: int) -> Iterator[Note]:
    at = 0
    while at + 12 <= len(content):
        owner_size, size, kind = struct.unpack_from("<III", content, at)
        owner = content[at + 12:at + 12 + owner_size].rstrip(b"\0").decode("ascii", "replace")
        start = _up(at + 12 + owner_size, align)
        yield Note(owner, kind, content[start:start + size])
        at = _up(start + size, align)


def _up(value: int, to: int) -> int:
    return (value + to - 1) // to * to


def relro(file: File) -> str:
    found = any(segment.kind == layout.PT_GNU_RELRO for segment in file.segments)
    return "" if found else "nothing is read-only after relocation (no PT_GNU_RELRO: link with -z relro)"


def bind_now(file: File) -> str:
    found = file.flags & DF_BIND_NOW or file.flags_1 & DF_1_NOW
    return "" if found else "functions are bound lazily, so their table stays writable (link with -z now)"


def stack(file: File) -> str:
    found = [segment for segment in file.segments if segment.kind == layout.PT_GNU_STACK]
    if not found:
        return "it does not declare a non-executable stack (no PT_GNU_STACK: link with -z noexecstack)"
    return "it requires an executable stack (link with -z noexecstack)" if found[0].flags & layout.PF_X else ""


def write_or_execute(file: File) -> str:
    both = layout.PF_X | layout.PF_W
    wrong = [segment for segment in file.segments if segment.kind == layout.PT_LOAD and segment.flags & both == both]
    return f"a segment is writable and executable (at {wrong[0].address:#x})" if wrong else ""


def text_relocations(file: File) -> str:
    return "code is relocated when it is loaded (DT_TEXTREL: compile with -fPIC)" if file.text_relocations else ""


def branch_protection(file: File) -> str:
    wanted, names = PROTECTION[file.image.machine]
    bits = 0
    for note in file.notes():
        if (note.owner, note.kind) == ("GNU", 5):
            bits |= _property(note.content, wanted)
    missing = [name for bit, name in names.items() if not bits & bit]
    return f"it lacks {' and '.join(missing)}: an object in it was compiled without" if missing else ""


def _property(content: bytes, wanted: int) -> int:
    at = 0
    while at + 8 <= len(content):
        kind, size = struct.unpack_from("<II", content, at)
        if kind == wanted and size == 4:
            return struct.unpack_from("<I", content, at + 8)[0]
        at = _up(at + 8 + size, 8)
    return 0


def only_libc(file: File, allowed: tuple[str, ...] = ()) -> str:
    others = [name for name in file.image.needed if not GLIBC.match(name) and name not in allowed]
    return f"it needs {', '.join(others)}, which not every machine has" if others else ""


def symbol_floor(file: File) -> str:
    late = []
    for name, versions in sorted(file.image.versions_needed.items()):
        for version in versions:
            number = re.fullmatch(r"GLIBC_(\d+(?:\.\d+)+)", version)
            if GLIBC.match(name) and (number is None or tuple(map(int, number[1].split("."))) > FLOOR):
                late.append(f"{version} of {name}")
    return f"it needs {', '.join(late)}, but must work with glibc {'.'.join(map(str, FLOOR))}" if late else ""


def search_path(file: File, allowed: tuple[str, ...] = ()) -> str:
    for path in (file.image.rpath, file.image.runpath):
        if path and path not in allowed:
            return f"it searches for libraries in {path}"
    return ""


def build_paths(content: bytes, folders: tuple[str, ...]) -> str:
    found = [folder for folder in folders if folder.encode() in content]
    return f"it contains {', '.join(found)}, a folder of the machine where it was built" if found else ""


def position(file: File) -> str:
    return "" if file.headers.type == layout.ET_DYN else "it is always loaded at the same address (link with -pie)"


HARDENED = (relro, bind_now, stack, write_or_execute, text_relocations, position)


def findings(path: Path, folders: tuple[str, ...] = (), floor: bool = True,
             needed: tuple[str, ...] = ()) -> list[str]:
    """All problems of a stub, a drop-in, or a library or program of the command, which may need the files `needed`."""
    file = File(path)
    tool = file.image.kind == "executable"
    sentences = [rule(file) for rule in HARDENED]
    # A program contains start-up objects of the C library, and this library objects of the C++ library, which do not
    # record branch protection.
    sentences.append("" if tool or path.name == "libanycuda_find.so" else branch_protection(file))
    sentences += [only_libc(file, (*needed, "libanycuda_doctor.so") if tool else needed),
                  symbol_floor(file) if floor else "",
                  search_path(file, ("$ORIGIN",) if tool else ()),
                  build_paths(file.bytes, folders)]
    return [sentence for sentence in sentences if sentence]
