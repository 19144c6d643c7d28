# SPDX-License-Identifier: Apache-2.0
"""A nearer runtime that cannot serve: truncated, on a file system without execution, or a part of one that the process
has loaded."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from build_folder import build_file
from case import MachineCase
from parts import compiled, patchelf, python

SITE, APP = "/opt/site", "/opt/app"
_PROCESS = """
import ctypes, sys
stub, *loaded = sys.argv[1:]
for path in loaded:
    ctypes.CDLL(path)
version = ctypes.c_int()
print(ctypes.CDLL(stub).cudaRuntimeGetVersion(ctypes.byref(version)), version.value)
ctypes.CDLL(stub).cudaDeviceReset()
"""
_WITHOUT_EXECUTION = 'mount -t tmpfs -o noexec none "$1" && cp "$2" "$1" && shift 2 && exec "$@"'


class DamagedCase(MachineCase):
    def setUp(self) -> None:
        super().setUp()
        self.machine.wheel(SITE, "12.9").local_toolkits("13.0").env(PYTHONPATH=SITE, ANYCUDA_LOG="warn")
        self.file = self.machine.at(f"{SITE}/nvidia/cuda_runtime/lib/libcudart.so.12")

    def ask(self, *loaded: Path, before: tuple[str, ...] = ()) -> tuple[str, list[str]]:
        """What the runtime's version is, and the lines of the messages."""
        command = [*before, python(), "-c", _PROCESS, build_file("lib/libcudart_stub.so"), *loaded]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.machine.at("~"),
                              env=self.machine.variables, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip(), done.stderr.splitlines()

    def own_copy(self) -> None:
        """The machine's file is a second name of the artifact's."""
        copy = Path(shutil.copy(self.file, self.file.with_name("copy")))
        copy.replace(self.file)


class Damaged(DamagedCase):
    def passed_over(self, why: str, before: tuple[str, ...] = ()) -> None:
        version, lines = self.ask(before=before)
        self.assertEqual(version, "0 13000")
        self.assertEqual(len(lines), 1, lines)
        self.assertIn(f"cudart: passed over {self.file}: {why}", lines[0])

    def test_whole_one_has_no_message(self) -> None:
        self.assertEqual(self.ask(), ("0 12090", []))

    def test_truncated_one_is_named(self) -> None:
        self.own_copy()
        with self.file.open("r+b") as file:
            file.truncate(4096)
        self.passed_over("truncated")

    def test_empty_one_is_named(self) -> None:
        self.own_copy()
        self.file.write_bytes(b"")
        self.passed_over("not an ELF")

    def test_one_that_does_not_load_is_named(self) -> None:
        self.own_copy()
        patchelf("--add-needed", "libabsent.so.1", self.file)
        self.passed_over("the dynamic linker refused it: libabsent.so.1")

    def test_one_on_a_file_system_without_execution_is_named(self) -> None:
        # In a chroot, no one may make a user namespace; root needs none.
        options = "-m" if os.getuid() == 0 else "-rm"
        shell = ("unshare", options, "/bin/sh", "-c", _WITHOUT_EXECUTION, "sh", self.file.parent,
                 shutil.copy(self.file, self.machine.at("/tmp/libcudart.so.12")))
        if subprocess.run([*shell, "true"], capture_output=True).returncode != 0:
            self.skipTest("only root may mount a file system here")
        self.passed_over("the dynamic linker refused it: ", before=shell)


class Partial(DamagedCase):
    def setUp(self) -> None:
        super().setUp()
        self.machine.file("/tmp/map", "libcudart.so.12 { global: *; };\n").variables.pop("ANYCUDA_LOG")
        built = compiled("partial_runtime.c", "-shared", "-fPIC", "-Wl,-soname,libcudart.so.12",
                         f"-Wl,--version-script={self.machine.at('/tmp/map')}")
        self.partial = self.machine.at(f"{APP}/libcudart.so.12")
        self.partial.parent.mkdir(parents=True)
        shutil.copy(built, self.partial)

    def messages(self) -> list[str]:
        version, lines = self.ask(self.partial)
        self.assertEqual(version, "35 0")
        return lines

    def test_loaded_one_is_named_with_what_it_lacks(self) -> None:
        _, _, file, hint, _ = self.messages()
        self.assertIn(f"{self.partial}: this program has loaded it, but it is incomplete: it lacks ", file)
        self.assertEqual(hint.strip(), f"what to do: remove {self.partial} or replace it by a complete CUDA runtime, "
                                       "and start the program again.")

    def test_second_whole_one_is_a_matter_of_the_variable(self) -> None:
        self.machine.env(ANYCUDA_CUDART="/usr/local/cuda-13.0/lib64/libcudart.so.13")
        _, lines = self.ask(self.file)
        self.assertIn("what to do: unset ANYCUDA_CUDART: the process has already loaded another CUDA runtime.",
                      "\n".join(lines))
