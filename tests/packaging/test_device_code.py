# SPDX-License-Identifier: Apache-2.0
"""The device code in files: real ones as cuobjdump lists them, and damaged ones."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import stat
import struct
import subprocess
import sys
import tempfile
import unittest
from dataclasses import replace
from pathlib import Path
from unittest import mock

from anycuda.analysis import device_code
from anycuda.analysis.device_code import Code, CodeKind, DeviceCode
from anycuda.repair import waiting
from build_folder import BUILD, artifact, build_file, with_real_libraries
from doctor_support import ROOT, library_file

PROGRAM = build_file("lib/anycuda-device-code")

CORPUS = ROOT / "tests/fuzz/corpus/device_code"


def load_compare():
    spec = importlib.util.spec_from_file_location("compare", ROOT / "tools/device_code/compare.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # its dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


compare = load_compare()


@with_real_libraries
class RealFiles(unittest.TestCase):
    """The same entries as cuobjdump's; docs/releases/0.2.0.md has more files."""

    def check(self, *files: Path) -> None:
        programs = {"13.5": artifact("cuobjdump") / "bin/cuobjdump", "11.8": artifact("nvcc-11.8") / "bin/cuobjdump"}
        for file in files:
            with self.subTest(file=file.name):
                theirs = compare.of_cuobjdump(programs, file).entries
                self.assertTrue(theirs)
                self.assertEqual(compare.differences(compare.of_anycuda(PROGRAM, file).entries, theirs), [])

    def test_libraries_with_plain_lz4_and_zstd_entries(self):
        self.check(*(library_file("nvjpeg", release) for release in ("11.8", "12.9", "13.5")))

    def test_objects_libraries_and_fatbins_of_nvcc(self):
        kernels = BUILD / "tests/integration/kernels"
        found = [file for file in sorted(kernels.glob("*")) if file.suffix in (".o", ".so", ".fatbin")]
        self.assertTrue(found)
        self.check(*found)

    def test_a_static_archive(self):
        self.check(next(artifact("nvcc-13.0").rglob("libcudadevrt.a")))

    def test_the_toolkit_of_each_cubin_is_known(self):
        for release, made_by in ("11.8", {11}), ("12.9", {12}), ("13.5", {13}):
            read = device_code.of_file(library_file("nvjpeg", release), PROGRAM)
            self.assertEqual({code.toolkit and code.toolkit[0] for code in read.of_kind(CodeKind.CUBIN)}, made_by)

    def test_concatenated_entries_of_nvcc(self):
        """Made by nvcc 13.5 --concat, with zstd and LZ4."""
        for name in "concatenated_zstd", "concatenated_lz4":
            file = CORPUS / name
            self.check(file)
            codes = device_code.of_file(file, PROGRAM).codes
            self.assertEqual({code.toolkit for code in codes if code.kind is CodeKind.CUBIN}, {(13, 5)})
            self.assertEqual({code.name for code in codes if code.concatenated},
                             {"sm_80", "sm_90", "sm_90a", "compute_80", "compute_90a", "sm_100f", "sm_120a"})

    def test_a_library_without_device_code(self):
        self.assertEqual(device_code.of_file(library_file("cudart", "12.9"), PROGRAM), DeviceCode())


class Comparison(unittest.TestCase):
    def test_cuobjdumps_output_is_understood(self):
        output = ("\nFatbin elf code:\n================\narch = sm_90a\ncode version = [1,7]\nhost = linux\n"
                  "compile_size = 64bit\ncompressed\n\nFatbin nvvm code:\n=================\narch = sm_80\n"
                  "code version = [1,61]\nhost = linux\ncompile_size = 64bit\nnvvmOptions = -ftz=0 \n")
        self.assertEqual(compare.entries_in(output), {(2, 90, "a", (1, 7), True): 1, (8, 80, "", (1, 61), False): 1})

    def test_a_difference_is_a_sentence(self):
        one = compare.Counter({(2, 90, "a", (1, 7), True): 2})
        self.assertEqual(compare.differences(one, compare.Counter()),
                         ["2/90a/(1, 7)/packed: 2 here, 0 by cuobjdump"])


class FileCase(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-device-code-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def file(self, content: bytes, name: str = "file") -> Path:
        path = self.folder / name
        path.write_bytes(content)
        return path

    def program(self, script: str) -> Path:
        path = self.file(f"#!/bin/sh\n{script}\n".encode(), "program")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path


class Faults(FileCase):
    def test_what_cannot_be_read_has_a_reason(self):
        os.mkfifo(self.folder / "pipe")
        for path, reason in ((self.folder / "missing", "No such file or directory"),
                             (self.folder, "it is not a regular file"),
                             (self.folder / "pipe", "it is not a regular file"), (Path("a\0b"), "cannot run")):
            with self.subTest(path=path):
                self.assertIn(reason, device_code.of_file(path, PROGRAM).unread)

    def test_an_empty_file_has_no_device_code(self):
        self.assertEqual(device_code.of_file(self.file(b""), PROGRAM), DeviceCode())

    @with_real_libraries
    def test_damage_is_reported_beside_the_readable_part(self):
        kernels = BUILD / "tests/integration/kernels/lto-plain-12.4.fatbin"
        read = device_code.of_file(self.file(kernels.read_bytes() * 2 + kernels.read_bytes()[:-9]), PROGRAM)
        self.assertEqual(sum(code.entries for code in read.codes), 2)
        self.assertEqual(len(read.problems), 1)
        self.assertRegex(read.problems[0], r"^at byte \d+: a fatbin is damaged or truncated$")

    def test_names_of_odd_bytes_and_of_options(self):
        for name in (b"\xff\xfe.so", b"--json", b'quote".so', b"line\n.so"):
            path = os.fsencode(self.folder) + b"/" + name
            with open(path, "wb") as file:
                file.write(b".version 8.4\n.target sm_90\n")
            for shown in Path(os.fsdecode(path)), Path(os.fsdecode(name)):
                with contextlib.chdir(self.folder):
                    read = device_code.of_file(shown, PROGRAM)
                self.assertEqual(read.codes, (Code(CodeKind.PTX, 90, "", (8, 4), size=27),), name)

    def test_a_file_of_very_many_kinds_of_entries_is_cut(self):
        entry = struct.Struct("<HHIQIIHHIIIQQQ")
        content = b"".join(entry.pack(1, 0x101, 64, 0, 0, 0, 0, 8, number, 0, 0, 0x11, 0, 0)
                           for number in range(100_000))
        header = struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(content))
        read = device_code.of_file(self.file(header + content), PROGRAM)
        self.assertEqual(len(read.codes), 16384)
        self.assertIn("the list ends here, since it is too long", read.problems[0])

    def test_the_programs_exit_status_and_usage(self):
        good, bad = self.file(b".version 8.4\n.target sm_90\n"), self.folder / "missing"
        for arguments, status, expected in (((good,), 0, "PTX 8.4"), ((good, bad), 1, "cannot be read"),
                                            ((), 2, "no file given"), (("--help",), 0, "usage:"),
                                            (("--wrong", good), 2, "unknown option --wrong")):
            done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True)
            self.assertEqual(done.returncode, status, arguments)
            self.assertIn(expected, done.stdout + done.stderr)

    def test_an_output_that_cannot_be_written_is_an_error(self):
        with open("/dev/full", "w") as full:
            done = subprocess.run([PROGRAM, self.file(b"")], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn("the output cannot be written", done.stderr)

    def test_a_program_that_fails_is_a_reason(self):
        for script, reason in (("kill -SEGV $$", "Segmentation fault"), ("exit 0", "the last line is missing"),
                               ("echo no JSON", "its output cannot be read"), ("echo '[]'", "cannot be read"),
                               ("echo '{\"code\": 2}'", "cannot be read")):
            with self.subTest(script=script):
                self.assertIn(reason, device_code.of_file(self.file(b""), self.program(script)).unread)

    def test_a_program_that_does_not_end_is_a_reason(self):
        with mock.patch.object(device_code, "_LIMIT", 0.1):
            self.assertIn("did not finish", device_code.of_file(self.file(b""), self.program("exec sleep 60")).unread)

    def test_an_installation_without_the_program_says_so(self):
        with mock.patch.object(device_code.installation, "find") as find:
            find.return_value.folder.return_value = self.folder
            self.assertRegex(device_code.of_file(self.file(b"")).unread, r"anycuda-device-code is missing: .*install")


class SeveralFiles(FileCase):
    """One run of the program for many files."""

    def paths(self, *names: str) -> list[Path]:
        return [self.file(b".version 8.4\n.target sm_90\n", name) for name in names]

    def printing(self, before: str) -> Path:
        """A program that notes its runs, and does `before` for each file $f."""
        return self.program(f"""echo >> {self.folder}/runs; shift 2
for f; do {before}
echo '{{"file": "x"}}'; echo '{{"kind": "ptx"}}'; done""")

    def runs(self) -> int:
        return len((self.folder / "runs").read_text())

    @with_real_libraries
    def test_answers_are_those_of_each_file(self):
        paths = [*self.paths("a", "b"), library_file("nvjpeg", "12.9"), self.file(b"", "empty"), self.folder,
                 self.folder / "missing", *self.paths("line\n{\"file\": .so")]
        one_by_one = [device_code.of_file(path, PROGRAM) for path in paths]
        with mock.patch.object(device_code, "of_file", side_effect=AssertionError("a run for one file")):
            self.assertEqual(list(device_code.of_files(paths, PROGRAM)), one_by_one)
        self.assertEqual(len(set(one_by_one)), 5)

    def test_starts(self):
        program = self.printing("")
        for count, runs in ((0, 0), (1, 1), (32, 1), (33, 2), (70, 3)):
            (self.folder / "runs").write_text("")
            found = list(device_code.of_files([Path(str(number)) for number in range(count)], program))
            self.assertEqual((found, self.runs()), ([DeviceCode()] * count, runs))

    def test_file_over_which_the_program_fails(self):
        for fault, reason in (("kill -SEGV $$", "Segmentation fault"), ("exit 0", "the last line is missing"),
                              ("echo no JSON; continue", "its output cannot be read")):
            program = self.printing(f"case $f in */bad) {fault};; esac")
            found = list(device_code.of_files(self.paths("a", "bad", "b"), program))
            with self.subTest(fault=fault):
                self.assertEqual([one.unread for one in (found[0], found[2])], ["", ""])
                self.assertIn(reason, found[1].unread)

    def test_program_that_does_not_end_for_one_file(self):
        program = self.printing("case $f in */bad) exec sleep 60;; esac")
        with mock.patch.object(device_code, "_LIMIT", 0.5):
            found = list(device_code.of_files(self.paths("a", "bad"), program))
        self.assertEqual(found[0], DeviceCode())
        self.assertIn("did not finish", found[1].unread)

    def test_program_that_is_missing(self):
        found = list(device_code.of_files(self.paths("a", "b"), self.folder / "none"))
        self.assertEqual([("cannot run" in one.unread) for one in found], [True, True])


class Waiting(FileCase):
    """A wheel's files, until their device code is read."""

    def setUp(self) -> None:
        super().setUp()
        self.waiting = waiting.Waiting(self.folder)
        self.runs: list[list[str]] = []
        patched = mock.patch.object(device_code, "of_files", side_effect=self.read)
        patched.start()
        self.addCleanup(patched.stop)

    def read(self, paths: list[Path]) -> list[DeviceCode]:
        self.runs.append([path.name for path in paths])
        self.assertTrue(all(path.exists() for path in paths))
        return [DeviceCode((Code(CodeKind.CUBIN, int(path.name)),)) for path in paths]

    def add(self, name: str, size: int, is_kept: bool = False) -> None:
        self.waiting.reserve(size)
        self.waiting.add(f"{name}.so", self.file(b"x" * size, name), is_kept)

    def test_files_that_are_not_kept_wait_while_there_is_room(self):
        with mock.patch.object(device_code, "_MOST_BYTES", 10):
            self.waiting = waiting.Waiting(self.folder)
        for name, size in ("80", 5), ("90", 5), ("75", 1), ("100", 30), ("120", 1):
            self.add(name, size)
        self.waiting.read()
        self.assertEqual(self.runs, [["80", "90"], ["75"], ["100"], ["120"]])
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertEqual([codes[0].name for codes in self.waiting.kernels.files.values()],
                         ["sm_80", "sm_90", "sm_75", "sm_100", "sm_120"])

    def test_files_that_are_kept_stay(self):
        with mock.patch.object(device_code, "_MOST_BYTES", 10):
            self.waiting = waiting.Waiting(self.folder)
        for name, is_kept in ("80", True), ("90", True), ("75", False):
            self.add(name, 8, is_kept)
        self.waiting.read()
        self.assertEqual(self.runs, [["80", "90", "75"]])
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"80", "90"})


class Groups(unittest.TestCase):
    def test_alike_entries_of_several_files_are_one(self):
        one, text = Code(CodeKind.CUBIN, 80, toolkit=(12, 4), entries=2, size=10), Code(CodeKind.PTX, 80, ptx=(8, 4))
        self.assertEqual(device_code.joined([one, text, replace(one, entries=3, size=5)]),
                         (replace(one, entries=5, size=15), text))

    def test_kinds_without_a_name_have_their_number(self):
        line = {"code": 512, "architecture": 100, "compression": "none", "plain_data": False, "entries": 1, "stored": 1}
        read = device_code.parse(json.dumps(line).encode() + b'\n{"kind": "fatbin"}')
        self.assertEqual(read.codes[0].kind, "kind 512")

    def test_cubins_that_the_program_cannot_decompress(self):
        line = {"code": 2, "architecture": 80, "compression": "lz4", "plain_data": False, "entries": 1, "stored": 1}
        for added in {}, {"undecompressed": True}:
            read = device_code.parse(json.dumps(line | added).encode() + b'\n{"kind": "fatbin"}')
            self.assertIs(read.codes[0].undecompressed, bool(added))


if __name__ == "__main__":
    unittest.main()
