# SPDX-License-Identifier: Apache-2.0
"""Wheels whose stubs are marked quiet: they write messages only if ANYCUDA_LOG is set."""

import json
import sys
import unittest
from pathlib import Path

from anycuda.elf import ElfError, mark, read
from build_folder import with_real_libraries
from doctor_support import Machine, library_file
from test_repair import RepairCase, compiled
from wheel_support import STUBS, anycuda, needed, problems, repaired, stub_in, unpack

SOURCE = "int cudaMalloc(void**, unsigned long); int allocate(void) { void* p; return cudaMalloc(&p, 1); }"
CALL = "import ctypes, sys; print(ctypes.CDLL(sys.argv[1]).allocate())"


@with_real_libraries
class Quiet(RepairCase):
    def setUp(self):
        super().setUp()
        self.path = self.wheel({"thing/a.so": compiled(
            SOURCE, self.top / "a.so", "-x", "none", library_file("cudart", "12.9"))})

    def repaired(self, *arguments) -> Path:
        out = self.top / "-".join(["out", *arguments])
        return unpack(repaired(self.path, out, *arguments), out / "unpacked")

    def stderr_of(self, folder: Path, **variables: str) -> str:
        machine = Machine(self).env(**variables)
        done = machine.run([machine.python, "-c", CALL, folder / "thing/a.so"])
        self.assertEqual((done.returncode, done.stdout), (0, "35\n"), done.stderr)
        return done.stderr

    def test_a_quiet_wheel_writes_only_for_the_variable(self):
        quiet, other = self.repaired("--quiet-stubs"), self.repaired()
        failed = "anycuda: cudaMalloc failed: no usable CUDA runtime was found.\n"
        self.assertTrue(self.stderr_of(other).startswith(failed))
        self.assertEqual(self.stderr_of(quiet), "")
        for level in ("error", "warn", "debug"):
            self.assertIn(failed, self.stderr_of(quiet, ANYCUDA_LOG=level))
        log = self.top / "log"
        self.assertEqual(self.stderr_of(quiet, ANYCUDA_LOG=str(log)), "")
        self.assertIn(failed, log.read_text())

    def test_quiet_stub_has_a_different_name(self):
        quiet, other = stub_in(self.repaired("--quiet-stubs"), "cudart"), stub_in(self.repaired(), "cudart")
        self.assertNotEqual(quiet.name, other.name)
        self.assertEqual((mark.is_quiet(quiet), mark.is_quiet(other)), (True, False))
        self.assertEqual(read.read(quiet).soname, quiet.name)
        self.assertIn(quiet.name, needed(quiet.parent.parent / "thing/a.so"))
        self.assertEqual(problems(self.top / "out---quiet-stubs" / self.path.name), [])

    def test_check_tells_it(self):
        for arguments, quiet in (("--quiet-stubs",), True), ((), False):
            folder = self.repaired(*arguments)
            wheel = folder.parent / self.path.name
            with self.subTest(quiet=quiet):
                files = json.loads(anycuda("check", "--json", wheel).stdout)["inputs"][0]["files"]
                self.assertEqual({file["name"].split("/")[-1][:6]: file["quiet"] for file in files},
                                 {"a.so": False, "libany": quiet})
                text = " ".join(anycuda("check", wheel).stdout.split())
                self.assertEqual("is quiet: it writes messages only if ANYCUDA_LOG is set" in text, quiet)

    def test_the_doctor_tells_it(self):
        """Of a stub in a place where a runtime is searched for."""
        stub = stub_in(self.repaired("--quiet-stubs"), "cudart")
        machine = Machine(self)
        place = machine.root / "place" / "libcudart.so.12"
        place.parent.mkdir()
        place.write_bytes(stub.read_bytes())
        machine.env(LD_LIBRARY_PATH=str(place.parent))
        self.assertIn("a quiet stub", machine.doctor().stdout)

    def test_stubs_without_a_mark_cannot_be_quiet(self):
        older = self.top / "older"
        older.mkdir()
        stub = (STUBS / "libcudart_stub.so").read_bytes()
        (older / "libcudart_stub.so").write_bytes(stub.replace(b"\1\0\0\0anycuda\0", b"\1\0\0\0other__\0"))
        done = anycuda("repair", "--quiet-stubs", "--stubs", older, "-w", self.top / "none", self.path)
        self.assertEqual((done.returncode, list(self.top.glob("none/*"))), (2, []))
        self.assertIn("libcudart_stub.so cannot be made quiet, since it belongs to an older anycuda", done.stderr)


class Mark(unittest.TestCase):
    def test_every_stub_and_drop_in_has_an_unset_mark(self):
        files = [*STUBS.glob("lib*_stub.so"), *STUBS.glob("dropin/*.so.*")]
        self.assertGreaterEqual(len(files), 13)
        for file in files:
            data = file.read_bytes()
            quieted = mark.quieted(data, file)
            changed = [at for at, (old, new) in enumerate(zip(data, quieted)) if old != new]
            self.assertEqual((len(changed), len(data)), (1, len(quieted)), file)
            self.assertFalse(mark.is_quiet(file), file)
            self.assertEqual(mark.quieted(quieted, file), quieted)

    def test_a_file_without_notes_or_that_is_damaged(self):
        with self.assertRaises(ElfError):
            mark.quieted(b"\x7fELF", Path("broken"))
        self.assertFalse(mark.is_quiet(Path(sys.executable).resolve()))


if __name__ == "__main__":
    unittest.main()
