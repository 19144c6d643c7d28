# SPDX-License-Identifier: Apache-2.0
"""The common parts of the tests of the ELF reader and editor: files made with the compiler, and ways to damage them."""

from __future__ import annotations

import io
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from anycuda.elf import layout, read
from anycuda.elf.headers import Headers
from anycuda.elf.source import Source
from build_folder import artifact

ROOT = Path(__file__).resolve().parents[2]
COMPILER = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")

# One library with two versions of a function, a hidden function, and a need without a provider.
SOURCE = """
extern void other(void);
int data = 3;
int new_name(void) { return 1; }
int old_name(void) { other(); return 2; }
static int hidden(void) { return 3; }
int (*keep)(void) = hidden;
__asm__(".symver old_name,both@lib.so.1");
__asm__(".symver new_name,both@@lib.so.2");
"""
SCRIPT = "lib.so.1 { global: both; local: *; };\nlib.so.2 { global: both; data; } lib.so.1;\n"


class Workspace(unittest.TestCase):
    """A folder for one test class, and a compiler."""

    @classmethod
    def setUpClass(cls):
        if not COMPILER:
            raise unittest.SkipTest("no C compiler: cc and gcc were not found")
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)

    @classmethod
    def compile(cls, name: str, source: str, *flags: object) -> Path:
        """The file `name` of the class's folder, from C."""
        file = cls.folder / name
        text = cls.folder / f"{name}.c"
        text.write_text(source)
        subprocess.run([COMPILER, "-o", file, text, *map(str, flags)], check=True)
        return file

    @classmethod
    def library(cls, name: str, source: str, *flags: object) -> Path:
        return cls.compile(name, source, "-shared", "-fPIC", *flags)

    @classmethod
    def versioned(cls, name: str, *flags: object) -> Path:
        (cls.folder / "a.map").write_text(SCRIPT)
        return cls.library(name, SOURCE, "-nostdlib", "-Wl,-soname,liba.so.2",
                           f"-Wl,--version-script={cls.folder / 'a.map'}", *flags)

    def written(self, data: bytes, name: str = "made.so") -> Path:
        path = self.folder / name
        path.write_bytes(data)
        return path


def headers(data: bytes, name: str = "file") -> Headers:
    return Headers(Source(io.BytesIO(data), name))


def slot(data: bytes, tag: int) -> int:
    """Where in the file the dynamic entry is."""
    found = headers(data)
    number = next(i for i, (other, _) in enumerate(found.slots[: found.used]) if other == tag)
    return found.dynamic.offset + 16 * number


def place(data: bytes, tag: int) -> int:
    """Where in the file that lies, whose address the dynamic entry has."""
    found = headers(data)
    return found.offset(found.value(tag), 1, "test")


def with_bytes(data: bytes, at: int, new: bytes) -> bytes:
    return data[:at] + new + data[at + len(new):]


def number(value: int, size: int) -> bytes:
    return (value % (1 << 8 * size)).to_bytes(size, "little")


def mutations(data: bytes, count: int, seed: int):
    """Damaged copies: bytes, words and whole ranges of what the reader looks at, and cuts."""
    chance = random.Random(seed)
    found = headers(data)
    ranges = [(0, 64), (found.segments_at, 56 * len(found.segments)), (found.dynamic.offset, 16 * len(found.slots)),
              (found.sections_at, 64 * found.section_count)]
    for tag, size in ((layout.DT_SYMTAB, 600), (layout.DT_STRTAB, 600), (layout.DT_GNU_HASH, 64), (layout.DT_HASH, 64),
                      (layout.DT_VERNEED, 96), (layout.DT_VERDEF, 96), (layout.DT_VERSYM, 64)):
        if found.value(tag):
            ranges.append((place(data, tag), size))
    for _ in range(count):
        broken = bytearray(data)
        for _ in range(chance.choice((1, 1, 1, 2, 5))):
            start, length = chance.choice(ranges)
            size = chance.choice((1, 2, 4, 8))
            at = min(start + chance.randrange(max(length, 1)) // size * size, len(broken) - size)
            value = chance.choice((0, 1, -1, 1 << 31, 1 << 63, 0xFFFF, len(data), len(data) - 1, chance.getrandbits(64),
                                   chance.randrange(len(data)), int.from_bytes(broken[at: at + size], "little") + 1,
                                   int.from_bytes(broken[at: at + size], "little") ^ 1 << chance.randrange(8 * size)))
            broken[at: at + size] = number(value, size)
        if chance.random() < 0.1:
            del broken[chance.randrange(len(broken)):]
        yield bytes(broken)


def opened(path: Path) -> Headers:
    """Of a file that is small enough to be read whole, or has only holes in the middle."""
    with open(path, "rb") as file:
        start = file.read(1 << 20)
    return headers(start, str(path))


def run(*command: object) -> str:
    """What it prints, with every symbol bound when it starts; what it says on stderr if it fails."""
    done = subprocess.run(list(map(str, command)), text=True, capture_output=True,
                          env={**os.environ, "LD_BIND_NOW": "1", "LD_LIBRARY_PATH": ""})
    return done.stdout.strip() if done.returncode == 0 else f"status {done.returncode}: {done.stderr}"


def value_of(library: Path, function: str = "use") -> str:
    """The result of a library's function, called in a separate process."""
    ask = "import ctypes, sys; print(getattr(ctypes.CDLL(sys.argv[1]), sys.argv[2])())"
    return run(sys.executable, "-c", ask, library.resolve(), function)


def linkers(*names: str) -> tuple[str, ...]:
    """Linkers for -fuse-ld, of which all but bfd are fetched; without one of them the test is skipped."""
    for name, holder in (("gold", "gcc-12"), ("lld", "zig"), ("mold", "mold")):
        if name in names:
            artifact(holder)
    return names


__all__ = ["COMPILER", "ROOT", "Workspace", "headers", "layout", "linkers", "mutations", "number", "opened",
           "place", "read", "run", "slot", "value_of", "with_bytes"]
