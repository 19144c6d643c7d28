# SPDX-License-Identifier: Apache-2.0
"""The common parts of the tests of the analysis, check and run: real programs of the build, libraries of the cache,
small ones made with the C compiler, and the table of names as the build makes it."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from build_folder import BUILD, artifact, build_file, with_real_libraries
from doctor_support import library_file
from matrix_support import anycuda  # puts the command on the path

from anycuda.analysis import device_code, file_use, libraries
from anycuda.elf import read
from anycuda.matrix import data

REAL = BUILD / "tests" / "integration"


def built() -> Path:
    """The build's matrix.json."""
    return build_file("share/anycuda/matrix.json")


def reader() -> Path:
    """The build's program that reads device code; the source tree, in which tests run the command, has none."""
    return build_file(f"lib/{device_code.PROGRAM}")


def table() -> libraries.Table:
    return libraries.table(built())


def use_of(path: Path) -> file_use.FileUse:
    return file_use.analyse(read.read(path), table())


def wheel(name: str) -> Path:
    """A real wheel of the artifacts, whole."""
    return next(artifact(f"wheel-{name}").glob("*.whl"))


class Folder(unittest.TestCase):
    """A test with a temporary folder."""

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-test-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name).resolve()

    def compile(self, name: str, source: str, *options: str) -> Path:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            self.skipTest("no C compiler")
        path = self.folder / name
        kind = [] if "-static" in options or "int main" in source else ["-shared", "-fPIC"]
        subprocess.run([compiler, *kind, "-x", "c", "-", "-x", "none", "-o", path, *map(str, options)],
                       input=source, text=True, check=True)
        return path

    def call(self, name: str, functions: str, *options: str) -> Path:
        """A library that uses these functions, without naming whose they are."""
        declared = "".join(f"int {one}(void);" for one in functions.split())
        calls = "".join(f"{one}();" for one in functions.split())
        return self.compile(name, f"{declared} void f(void) {{ {calls} }}", *options)

    def check(self, *arguments: object) -> tuple[int, str, str]:
        """(exit status, stdout, stderr) of `anycuda check words...`"""
        with mock.patch.object(data, "find", return_value=built()), \
                mock.patch.object(device_code, "find", side_effect=lambda: reader()):
            libraries.table.cache_clear()
            status, out, err = anycuda("check", *map(str, arguments))
            libraries.table.cache_clear()
        # The progress of a long check is not an error.
        return status, out, re.sub(r"anycuda check: \d+ of \d+ MB\n", "", err)


__all__ = ["Folder", "anycuda", "built", "library_file", "with_real_libraries", "artifact", "table", "use_of", "reader",
           "wheel",
           "REAL", "BUILD"]
