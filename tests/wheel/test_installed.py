# SPDX-License-Identifier: Apache-2.0
"""The wheel for PyPI, installed by pip into an empty environment, without a network and without a CUDA."""

import json
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from built import ROOT, WHEEL
from doctor_support import Machine, artifact, library_file, taken
from wheel_support import load, problems, real_wheel, stub_in, unpack

VERSIONS = {(): "35 0 0", ("12.9",): "0 12090 1", ("13.5",): "0 13050 1"}
PROGRAM = """
#include <stdio.h>
int cudaRuntimeGetVersion(int*);
int main() { int version = -1, status = cudaRuntimeGetVersion(&version); return !printf("%d %d", status, version); }
"""


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory(prefix="installed-")
        cls.addClassCleanup(folder.cleanup)
        cls.top = Path(folder.name).resolve()
        cls.venv = cls.top / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", cls.venv], check=True, timeout=120)
        cls.pip("install", "--no-index", "--no-deps", "--no-compile", WHEEL)

    @classmethod
    def pip(cls, *words) -> None:
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(cls.top), "PYTHONPATH": str(artifact("pip")),
                       "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "--python",
                               cls.venv, *words], capture_output=True, text=True, env=environment, timeout=120)
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)

    def run_it(self, *words, status: int = 0, machine: Machine | None = None) -> str:
        machine = (machine or Machine(self)).env(PYTHONDONTWRITEBYTECODE="1")
        done = machine.run([self.venv / "bin/anycuda", *words])
        self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
        return done.stdout

    def test_tells_its_version(self):
        version = (ROOT / "CMakeLists.txt").read_text().split("project(anycuda VERSION ")[1].split()[0]
        self.assertEqual(self.run_it("--version"), f"anycuda {version}\n")

    def test_checks_a_wheel_and_its_device_code(self):
        self.assertIn("\nverdict: free\n", self.run_it("check", real_wheel("torch_memory_saver")))
        self.run_it("check", real_wheel("torchvision"), "--gpu", "sm_80", "--driver", "525")
        self.run_it("check", real_wheel("torchvision"), "--gpu", "sm_80", "--driver", "520", status=1)

    def test_reads_compressed_device_code(self):
        """The libraries that unpack it are linked in: without them the CUDA of a compressed cubin is unknown."""
        found = json.loads(self.run_it("check", "--json", library_file("nvjpeg", "13.5")))
        (codes,) = (file["codes"] for file in found["inputs"][0]["device_code"]["files"])
        self.assertEqual({tuple(code["toolkit"]) for code in codes if (code["kind"], code["compression"]) == (
            "cubin", "zstd")}, {(13, 4)})

    def test_repairs_a_wheel_of_the_same_platform(self):
        """Without --any-glibc: these stubs need no newer glibc than the tag manylinux2014 of the wheel grants."""
        wheel = real_wheel("torch_memory_saver")
        self.run_it("repair", "--quiet", "--wheel-dir", self.top / "wheelhouse", wheel)
        result = self.top / "wheelhouse" / wheel.name
        self.assertEqual(problems(result), [])
        tree = unpack(result, self.top / "repaired")
        for releases, expected in VERSIONS.items():
            machine = Machine(self)
            for release in releases:
                machine.wheel("cudart", release)
            with self.subTest(releases):
                self.assertEqual(load(machine, stub_in(tree, "cuda"), stub_in(tree, "cudart")), expected)

    def test_links_a_program(self):
        flags = shlex.split(self.run_it("config", "--cflags", "--libs", "--rpath", "12"))
        subprocess.run(["cc", "-x", "c", "-", "-o", self.top / "program", *flags], input=PROGRAM, text=True, check=True,
                       timeout=120)
        machine = Machine(self).wheel("cudart", "13.5")
        self.assertEqual(machine.run([self.top / "program"]).stdout, "0 13050")

    def test_its_doctor_finds_the_runtime(self):
        machine = Machine(self).env(LD_LIBRARY_PATH=str(library_file("cudart", "13.5").parent))
        for words in ((), ("--native",)):
            report = json.loads(self.run_it("doctor", "--json", *words, status=1, machine=machine))
            self.assertEqual(taken(report)["12"], "libcudart.so.13", words)


if __name__ == "__main__":
    unittest.main()
