# SPDX-License-Identifier: Apache-2.0
"""Repaired wheels that were built for different CUDAs, in one process: they share one set of libraries, and where the
process has loaded one, as PyTorch does at its import, they use that."""

import json
import platform
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import small_library
from build_folder import BUILD, with_drop_ins
from wheel_support import make_wheel, repaired, unpack

LIBRARIES = ("cublas", "cublaslt", "cusparse")
# A wheel's library: calls a function of each, and says what came.
SOURCE = """\
int cublasCreate_v2(void*), cublasLtCreate(void*), cusparseCreate(void*);
void work(int* results) {
  results[0] = cublasCreate_v2(0), results[1] = cublasLtCreate(0), results[2] = cusparseCreate(0);
}
"""
CALLS = ("cublasCreate_v2", "cublasLtCreate", "cusparseCreate")
# Opens files in the order of the words; of those that begin with + it calls `work`.
PROCESS = """\
import ctypes, json, os, sys
results = {}
for word in sys.argv[2:]:
    library = ctypes.CDLL(word.lstrip("+"))
    if word[0] == "+":
        numbers = (ctypes.c_int * 3)()
        library.work(numbers)
        results[os.path.basename(word)] = list(numbers)
with open("/proc/self/maps") as maps:
    files = {line.split(maxsplit=5)[-1].strip() for line in maps if sys.argv[1] in line}
print(json.dumps([results, sorted(os.path.relpath(file, sys.argv[1]) for file in files)]))
"""


@with_drop_ins
class WheelsTogether(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="wheels-")
        cls.addClassCleanup(temporary.cleanup)
        cls.top = Path(temporary.name).resolve()
        cls.libraries = {major: cls.repaired_library(major) for major in ("11", "12", "13")}

    @classmethod
    def repaired_library(cls, major: str) -> Path:
        """A library that was linked with NVIDIA's names and versions of that major, as the repaired wheel has it."""
        folder = cls.top / f"for-{major}"
        folder.mkdir()
        (folder / "work.c").write_text(SOURCE, encoding="utf-8")
        linked = [BUILD / "lib" / "dropin" / small_library.major_of(one, f"{major}.0").soname for one in LIBRARIES]
        built = folder / f"libwork{major}.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-o", built, folder / "work.c", *linked], check=True)
        wheel = make_wheel(folder, {f"work{major}/{built.name}": built.read_bytes()},
                           f"work{major}-1.0-py3-none-linux_x86_64.whl")
        return unpack(repaired(wheel, folder / "out"), folder / "site") / f"work{major}" / built.name

    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="wheels-root-")
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name).resolve()

    def cuda(self, release: str) -> Path:
        """A CUDA in the process's root; its folder of libraries."""
        folder = self.root / "usr/local" / f"cuda-{release}"
        major, minor = release.split(".")
        (folder / "include").mkdir(parents=True)
        (folder / "include/cuda.h").write_text(f"#define CUDA_VERSION {int(major) * 1000 + int(minor) * 10}\n")
        for library in LIBRARIES:
            small_library.make(library, release, folder / "lib64", platform.machine())
        return folder / "lib64"

    def run_it(self, *arguments: str | Path) -> tuple[dict, list[str], str]:
        """What each wheel's library got, the CUDA libraries of the process, and the messages."""
        done = subprocess.run([sys.executable, "-c", PROCESS, self.root, *map(str, arguments)], check=True, text=True,
                              env={"ANYCUDA_SYSTEM_ROOT": str(self.root), "LD_BIND_NOW": "1"}, capture_output=True)
        results, files = json.loads(done.stdout)
        return results, [file.removeprefix("usr/local/") for file in files], done.stderr

    def of(self, *majors: str) -> list[str]:
        return [f"+{self.libraries[major]}" for major in majors]

    def right(self) -> list[int]:
        return [small_library.number(one, call) for one, call in zip(LIBRARIES, CALLS)]

    def files(self, release: str) -> list[str]:
        return sorted(f"cuda-{release}/lib64/{small_library.major_of(one, release).soname}" for one in LIBRARIES)

    def test_they_share_one_set(self):
        for releases, used in ((("12.9",), "12.9"), (("13.5",), "13.5"), (("11.8", "12.9", "13.5"), "13.5")):
            with self.subTest(releases=releases):
                self.setUp()
                for release in releases:
                    self.cuda(release)
                results, files, messages = self.run_it(*self.of("13", "11", "12"))
                self.assertEqual(files, self.files(used), messages)
                self.assertEqual(results, {f"libwork{major}.so": self.right() for major in ("11", "12", "13")})

    def test_what_the_process_has_loaded_serves_them(self):
        """Whatever is newer, and whichever comes first: PyTorch opens its libraries by their paths."""
        theirs = self.cuda("12.9")
        self.cuda("13.5")
        loaded = [theirs / small_library.major_of(one, "12.9").soname for one in LIBRARIES]
        results, files, messages = self.run_it(*loaded, *self.of("13", "12"))
        self.assertEqual(files, self.files("12.9"), messages)
        self.assertEqual(results, {f"libwork{major}.so": self.right() for major in ("12", "13")})

    def test_one_loaded_member_decides_for_the_rest(self):
        theirs = self.cuda("12.9")
        self.cuda("13.5")
        _, files, messages = self.run_it(theirs / "libcublas.so.12", *self.of("13"))
        self.assertEqual(files, self.files("12.9"), messages)

    def test_without_cuda_each_gets_its_status(self):
        results, files, _ = self.run_it(*self.of("13", "12"))
        self.assertEqual((results, files), ({f"libwork{major}.so": [1, 1, 1] for major in ("12", "13")}, []))


if __name__ == "__main__":
    unittest.main()
