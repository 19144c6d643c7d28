# SPDX-License-Identifier: Apache-2.0
"""The wheel for PyPI (packaging/wheel/build.py), as pip and auditwheel see it."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from anycuda.elf import layout
from anycuda.elf.headers import Headers
from anycuda.elf.read import read
from anycuda.elf.source import Source
from built import CPU, WHEEL, build
from doctor_support import artifact

OTHER = {"x86_64": "aarch64", "aarch64": "x86_64"}[CPU]


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="wheel-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.tree = cls.folder / "tree"
        with zipfile.ZipFile(WHEEL) as archive:
            archive.extractall(cls.tree)

    def test_is_for_manylinux2014(self):
        version = json.loads((self.tree / "anycuda" / "installation.json").read_text())["version"]
        about = next(self.tree.glob("*.dist-info"))
        tags = [line for line in (about / "WHEEL").read_text().splitlines() if line.startswith("Tag: ")]
        self.assertEqual(sorted(tags), [f"Tag: py3-none-manylinux2014_{CPU}", f"Tag: py3-none-manylinux_2_17_{CPU}"])
        output = (about / "METADATA").read_text(encoding="utf-8")
        for line in (f"Version: {version}", "Requires-Python: >=3.9", "License-Expression: Apache-2.0"):
            self.assertIn(line + "\n", output)
        self.assertIn("anycuda = anycuda.__main__:main", (about / "entry_points.txt").read_text())

    def test_the_same_sources_give_the_same_bytes(self):
        again = build(self.folder / "second")
        self.assertTrue(again.read_bytes() == WHEEL.read_bytes(), "the second wheel has other bytes")

    def test_its_command_knows_where_its_files_are(self):
        def output_of(*words: str) -> str:
            environment = {"PYTHONPATH": str(self.tree), "PYTHONDONTWRITEBYTECODE": "1"}
            result = subprocess.run([sys.executable, "-m", "anycuda", *words], env=environment, capture_output=True,
                                    text=True, cwd=self.folder)  # fmt: skip
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stdout

        self.assertRegex(output_of("matrix", "--symbol", "cudaMalloc"), r"cudaMalloc +11,12,13 +11\.7-[\d.]+ +direct")
        folder = Path(output_of("config", "--cmake-dir").strip())
        self.assertTrue((folder / "anycudaConfig.cmake").is_file(), folder)
        self.assertTrue((Path(output_of("config", "--stubs").strip()) / "libcudart_stub.so").is_file())

    def test_hardly_a_name_of_a_stub_is_there_twice(self):
        """What is left is less than a page, and the exports are those that the assembler was given."""
        for library in sorted(map(str, (self.tree / "anycuda/lib").glob("lib*_stub.so"))):
            with self.subTest(library):
                if CPU == "x86_64":  # segments of the other are aligned to 64 KB
                    self.assertLess(Path(library).stat().st_size, 450_000)
                with open(library, "rb") as file:
                    headers = Headers(Source(file, library))
                    names = headers.strings().table.decode().split("\0")
                self.assertLess(sum(len(name) + 1 for name in names) - sum(len(name) + 1 for name in set(names)),
                                layout.PAGES[headers.machine])
                entries = Path(os.environ["ANYCUDA_BUILD"], "stubs", Path(library).name[3:-8], "stub/entries.S")
                exports = re.findall(r"\.symver anycuda_entry_\d+, (\w+)@@?([\w.]+), remove", entries.read_text())
                found = {(symbol.name, symbol.version) for symbol in read(library).exports() if symbol.function}
                self.assertEqual(found, set(exports))

    def test_pip_installs_it_for_that_cpu_and_no_other(self):
        def install(platform: str) -> subprocess.CompletedProcess:
            return subprocess.run(
                [sys.executable, "-m", "pip", "--isolated", "--disable-pip-version-check", "install", "--no-deps",
                 "--no-index", "--only-binary=:all:", "--platform", platform, "--target", self.folder / platform,
                 WHEEL], capture_output=True, text=True,
                env={"PATH": os.environ["PATH"], "HOME": str(self.folder), "PYTHONPATH": str(artifact("pip"))},
            )  # fmt: skip

        right = install(f"manylinux2014_{CPU}")
        self.assertEqual(right.returncode, 0, right.stderr)
        self.assertTrue((self.folder / f"manylinux2014_{CPU}" / "anycuda" / "lib" / "libcudart_stub.so").is_file())
        wrong = install(f"manylinux2014_{OTHER}")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("not a supported wheel on this platform", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
