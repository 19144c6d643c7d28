# SPDX-License-Identifier: Apache-2.0
"""The public C++ headers: each one alone, and users' calls, compile without a warning; a dropped result is a warning.

Every g++ and clang++ on PATH compiles them, in each standard from C++17 to C++23 that it has. `.ci/long compilers` runs
this test with g++ 9 to 14 and clang 13 to 19.
"""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INCLUDES = [ROOT / "linker/include", ROOT / "graph/include", ROOT / "compat/include"]
PROGRAMS = [ROOT / "tests/linker/usage.cc", ROOT / "tests/graph/form/initialisers.cc"]
FLAGS = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", *(f"-I{include}" for include in INCLUDES)]
STANDARDS = ("c++17", "c++20", "c++2b")
COMPILER = re.compile(r"(c|g|clang)\+\+(-\d+)?")


def compilers() -> list[str]:
    """One path for each compiler: c++ and g++-12 are mostly the same file."""
    found: dict[str, str] = {}
    for folder in os.get_exec_path():
        for path in sorted(Path(folder).glob("*++*")):
            if COMPILER.fullmatch(path.name) and os.access(path, os.X_OK):
                found.setdefault(os.path.realpath(path), str(path))
    return list(found.values())


def compile_file(source: Path, compiler: str, standard: str) -> subprocess.CompletedProcess:
    return subprocess.run([compiler, f"-std={standard}", *FLAGS, source], capture_output=True, text=True, check=False)


def standards_of(compiler: str) -> list[str]:
    """g++ 9 has no C++20 by this name, g++ 10 no C++23."""
    return [standard for standard in STANDARDS
            if subprocess.run([compiler, f"-std={standard}", "-fsyntax-only", "-xc++", os.devnull], capture_output=True,
                              check=False).returncode == 0]


class PublicHeaders(unittest.TestCase):
    def setUp(self):
        self.compilers = compilers()
        if not self.compilers:
            self.skipTest("no C++ compiler: neither g++ nor clang++ is on PATH")

    def test_users_calls(self):
        for compiler in self.compilers:
            standards = standards_of(compiler)
            self.assertIn("c++17", standards, compiler)
            for standard in standards:
                for program in PROGRAMS:
                    with self.subTest(f"{compiler} {standard} {program.name}"):
                        done = compile_file(program, compiler, standard)
                        self.assertEqual(done.returncode, 0, done.stderr)

    def test_each_header_alone(self):
        headers = [(include, header) for include in INCLUDES for header in sorted(include.rglob("*.h"))]
        self.assertGreater(len(headers), 30)
        for compiler in self.compilers:
            for include, header in headers:
                with self.subTest(f"{compiler} {header.name}"), tempfile.TemporaryDirectory() as folder:
                    source = Path(folder) / "alone.cc"
                    source.write_text(f"#include <{header.relative_to(include)}>\n", encoding="utf-8")
                    done = compile_file(source, compiler, "c++17")
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_dropped_results(self):
        for call in ("linker.link()", "linker.link(cache)", "program.compile(Output::ptx)",
                     "program.compile(Output::ptx, cache)", "which_backend({})", "choose({})",
                     "parse_options({})", "to_text(Options())", "anycuda::Library::load(Input::file(\"a\"))",
                     "anycuda::Kernel().function()", "anycuda::graph::add_empty(graph, {}, nullptr)", "graph.clone()"):
            with self.subTest(call), tempfile.TemporaryDirectory() as folder:
                source = Path(folder) / "drops.cc"
                source.write_text("#include <anycuda/graph/graph.h>\n#include <anycuda/linker/library.h>\n"
                                  "#include <anycuda/linker/linker.h>\n"
                                  "#include <anycuda/linker/option_text.h>\n"
                                  "using namespace anycuda::linker;\n"
                                  "void drop(anycuda::Linker& linker, anycuda::Program& program,\n"
                                  "          anycuda::graph::Graph& graph, CodeCache& cache) {\n"
                                  f"  (void)linker, (void)program, (void)graph, (void)cache;\n  {call};\n}}\n",
                                  encoding="utf-8")
                self.assertIn("nodiscard", compile_file(source, self.compilers[0], "c++17").stderr)


if __name__ == "__main__":
    unittest.main()
