# SPDX-License-Identifier: Apache-2.0
"""The ELF reader, on files that the test makes with the compiler, and on damaged ones."""

from __future__ import annotations

import contextlib
import os
import sys
import unittest
from unittest import mock

from elf_support import Workspace, headers, layout, mutations, number, place, read, slot, with_bytes
from anycuda.elf import ElfError, NotElf, symbols


class Reader(Workspace):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        for style in ("gnu", "sysv"):
            cls.versioned(f"lib-{style}.so", f"-Wl,--hash-style={style}", "-Wl,-rpath,$ORIGIN/x",
                          "-Wl,--enable-new-dtags")
        cls.good = (cls.folder / "lib-gnu.so").read_bytes()

    def refused(self, data: bytes, reason: str):
        with self.assertRaisesRegex(ElfError, reason) as raised:
            read.read(self.written(data))
        self.assertIn("made.so: ", str(raised.exception))

    def with_value(self, tag: int, value: int) -> bytes:
        return with_bytes(self.good, slot(self.good, tag) + 8, number(value, 8))

    def test_names_versions_and_needs(self):
        for style in ("gnu", "sysv"):
            library = read.read(self.folder / f"lib-{style}.so")
            self.assertEqual(library.machine, {"arm64": "aarch64"}.get(os.uname().machine, os.uname().machine))
            self.assertEqual((library.kind, library.soname), ("shared", "liba.so.2"))
            self.assertEqual((library.rpath, library.runpath), (None, "$ORIGIN/x"))
            self.assertEqual(library.versions_defined, ["lib.so.1", "lib.so.2"])
            self.assertEqual(
                {(s.name, s.version, s.default) for s in library.exports()},
                {("both", "lib.so.1", False), ("both", "lib.so.2", True), ("data", "lib.so.2", True)},
                style,
            )
            self.assertEqual({s.name: s.function for s in library.exports()}, {"both": True, "data": False})
            self.assertEqual([(s.name, s.version, s.file) for s in library.undefined()], [("other", "", "")])
            self.assertIn(".dynsym", library.sections)

    def test_what_a_file_needs_of_others(self):
        file = self.library("user.so", "extern int both(void); int use(void) { return both(); }",
                            self.folder / "lib-gnu.so", "-Wl,-rpath,/a:/b", "-Wl,--disable-new-dtags")
        image = read.read(file)
        self.assertEqual(image.needed[0], "liba.so.2")
        self.assertEqual((image.rpath, image.runpath), ("/a:/b", None))
        self.assertEqual(image.versions_needed["liba.so.2"], ["lib.so.2"])
        both = next(s for s in image.undefined() if s.name == "both")
        self.assertEqual((both.version, both.file, both.weak), ("lib.so.2", "liba.so.2", False))

    def test_programs(self):
        for name, flags in (("pie", ["-pie", "-fPIE"]), ("fixed", ["-no-pie"])):
            # It exports nothing, so its GNU hash table does not tell how many symbols there are.
            file = self.compile(name, "#include <stdio.h>\nint main(void) { return puts(\"x\") < 0; }",
                                "-Wl,--hash-style=gnu", *flags)
            image = read.read(file)
            self.assertEqual((image.kind, image.soname), ("executable", ""))
            self.assertIn("puts", {s.name for s in image.undefined()})
            stripped = with_bytes(file.read_bytes(), 40, bytes(8))  # without section headers
            image = read.read(self.written(stripped))
            self.assertIn("puts", {s.name for s in image.undefined()})
            self.assertEqual(image.sections, [])

    def test_a_truncated_file_is_an_error_with_a_reason(self):
        for size in (4, 63, 100, 600, len(self.good) // 2):
            self.refused(self.good[:size], "truncated")
        with self.assertRaisesRegex(NotElf, "an empty file"):
            read.read(self.written(b""))

    def test_what_is_no_library_is_an_error(self):
        with self.assertRaisesRegex(NotElf, "not an ELF file"):
            read.read(self.written(b"INPUT(liba.so.2) " * 10))
        self.refused(with_bytes(self.good, 4, b"\x01"), "32-bit")
        self.refused(with_bytes(self.good, 5, b"\x02"), "big-endian")
        self.refused(with_bytes(self.good, 16, b"\x01"), "an object file")
        self.refused(with_bytes(self.good, 16, b"\x04"), "a core dump")
        self.refused(with_bytes(self.good, 16, b"\x07"), "its ELF type 7 is unknown")
        self.refused(self.compile("static", "int main(void) { return 0; }", "-static", "-nostdlib", "-Wl,-e,main")
                     .read_bytes(), "a statically linked program")

    def test_what_cannot_be_opened_is_an_error(self):
        for path, reason in ((self.folder / "missing.so", "No such file"), (self.folder, "not a regular file"),
                             ("/dev/zero", "not a regular file"), ("a\0b", "null")):
            with self.assertRaisesRegex(ElfError, reason):
                read.read(path)

    def test_counts_that_no_file_can_have(self):
        self.refused(with_bytes(self.good, 56, b"\xff\xff"), "65535 program headers")
        self.refused(with_bytes(self.good, 54, b"\x10\x00"), "of 16 bytes")
        self.refused(with_bytes(self.good, 32, number(-8, 8)), "program headers ends at byte")
        at = place(self.good, layout.DT_GNU_HASH)
        self.refused(with_bytes(self.good, at, number(-1, 4)), "hash table")
        self.refused(with_bytes(self.good, at + 8, number(-1, 4)), "hash table")
        buckets = at + 16 + 8 * int.from_bytes(self.good[at + 8: at + 12], "little")
        self.refused(with_bytes(self.good, buckets, number(-2, 4)), "4294967294 symbols")
        old = (self.folder / "lib-sysv.so").read_bytes()
        self.refused(with_bytes(old, place(old, layout.DT_HASH) + 4, number(-1, 4)), "symbols")

    def test_addresses_that_are_nowhere(self):
        for tag in (layout.DT_STRTAB, layout.DT_SYMTAB, layout.DT_VERSYM, layout.DT_VERDEF, layout.DT_GNU_HASH):
            for value in (1 << 40, (1 << 64) - 1, len(self.good) * 16):
                self.refused(self.with_value(tag, value), "in no segment")
        self.refused(self.with_value(layout.DT_STRSZ, 1 << 63), "string table")
        self.refused(self.with_value(layout.DT_SONAME, 1 << 40), "does not end in the table")

    def test_a_name_without_an_end(self):
        size = headers(self.good).value(layout.DT_STRSZ)
        end = place(self.good, layout.DT_STRTAB) + size
        last = with_bytes(self.good, end - 1, b"x")
        at = slot(last, layout.DT_SONAME) + 8
        self.refused(with_bytes(last, at, number(size - 2, 8)), "does not end in the table")

    def test_chains_in_circles_end(self):
        at = place(self.good, layout.DT_VERDEF)
        for step in (-1, 1, 4):
            self.refused(with_bytes(self.good, at + 16, number(step, 4)), "damaged")
        user = self.library("chain.so", "extern int both(void); int use(void) { return both(); }",
                            self.folder / "lib-gnu.so").read_bytes()
        at = place(user, layout.DT_VERNEED)
        for place_, value in ((at + 12, number(-1, 4)), (at + 2, b"\xff\xff"), (at + 8, number(-1, 4))):
            with contextlib.suppress(ElfError):
                self.assertLess(len(read.read(self.written(with_bytes(user, place_, value))).versions_needed), 5)

    def test_chains_without_end(self):
        """40,000 records, each good: more than there are numbers for versions."""
        for tag, shape in ((layout.DT_VERDEF, ".short 1, 0, 2, 1; .long 0, 0, 20"),
                           (layout.DT_VERNEED, ".short 1, 0; .long 1, 0, 16")):
            source = f'__asm__(".data; .globl chain; .balign 16; chain: .rept 40000; {shape}; .endr; .text");' \
                     "extern int both(void); int use(void) { return both(); }"
            file = self.library("endless.so", source, self.folder / "lib-gnu.so")
            data = file.read_bytes()
            chain = next(s.value for s in read.read(file).symbols if s.name == "chain")
            at = slot(data, layout.DT_VERNEED)  # every file has that one; `tag` takes its place
            self.refused(with_bytes(data, at, number(tag, 8) + number(chain, 8)), "does not end")

    def test_a_hash_table_without_end(self):
        source = '__asm__(".data; .globl table; .balign 16; table: .long 1, 1, 1, 0; .quad 0; .long 1;' \
                 ' .fill 200, 4, 0; .text"); extern int both(void); int use(void) { return both(); }'
        file = self.library("endless.so", source, self.folder / "lib-gnu.so", "-Wl,--hash-style=gnu")
        data = file.read_bytes()
        table = next(s.value for s in read.read(file).symbols if s.name == "table")
        with mock.patch.object(symbols, "_MOST", 100):
            self.refused(with_bytes(data, slot(data, layout.DT_GNU_HASH) + 8, number(table, 8)),
                         "damaged: its hash table does not end")

    def test_segments_that_overlap_in_the_file(self):
        found, size = headers(self.good), len(self.good)
        broken = self.good
        for index, segment in enumerate(found.segments):
            if segment.kind == layout.PT_LOAD:
                at = found.segments_at + 56 * index
                broken = with_bytes(with_bytes(broken, at + 8, bytes(8)), at + 32, number(size, 8) * 2)
        self.refused(broken, "damaged: its segments overlap in the file")

    def test_damage_never_raises_anything_else(self):
        read_well = 0
        for broken in mutations(self.good, 400, seed=6):
            try:
                read.read(self.written(broken))
                read_well += 1
            except ElfError as error:
                self.assertTrue(str(error).startswith(str(self.folder)), error)
        self.assertGreater(read_well, 20)
        self.assertLess(read_well, 380)

    def test_this_interpreter(self):
        image = read.read(sys.executable)
        self.assertEqual(image.kind, "executable")
        self.assertIn("libc.so.6", image.needed)


if __name__ == "__main__":
    unittest.main()
