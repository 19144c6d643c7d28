# SPDX-License-Identifier: Apache-2.0
"""The Linker's headers: users' calls compile without a warning, and a dropped result is one."""

import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ROOT / "linker/include"
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", f"-I{HEADERS}", f"-I{ROOT}/compat/include"]


class LinkerHeaders(unittest.TestCase):
    def setUp(self):
        self.compilers = [compiler for compiler in ("c++", "clang++") if shutil.which(compiler)]
        if not self.compilers:
            self.skipTest("no C++ compiler: c++ is not on PATH")

    def compile(self, source: Path, compiler: str, standard: str) -> subprocess.CompletedProcess:
        return subprocess.run([compiler, f"-std={standard}", *FLAGS, source], capture_output=True, text=True,
                              check=False)

    def test_users_calls(self):
        for compiler in self.compilers:
            for standard in ("c++17", "c++20", "c++2b"):
                with self.subTest(f"{compiler} {standard}"):
                    done = self.compile(ROOT / "tests/linker/usage.cc", compiler, standard)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_header_alone(self):
        for header in sorted(HEADERS.rglob("*.h")):
            with self.subTest(header.name), tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "alone.cc"
                source.write_text(f"#include <{header.relative_to(HEADERS)}>\n", encoding="utf-8")
                done = self.compile(source, self.compilers[0], "c++17")
                self.assertEqual(done.returncode, 0, done.stderr)

    def test_dropped_results(self):
        for call in ("linker.link()", "program.compile(Output::ptx)", "which_backend({})", "choose({})"):
            with self.subTest(call), tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "drops.cc"
                source.write_text("#include <anycuda/linker/linker.h>\n#include <anycuda/linker/program.h>\n"
                                  "using namespace anycuda::linker;\n"
                                  f"void drop(anycuda::Linker& linker, anycuda::Program& program) {{\n"
                                  f"  (void)linker, (void)program;\n  {call};\n}}\n", encoding="utf-8")
                self.assertIn("nodiscard", self.compile(source, self.compilers[0], "c++17").stderr)


if __name__ == "__main__":
    unittest.main()
