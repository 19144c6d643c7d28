# SPDX-License-Identifier: Apache-2.0
"""The tool's mutants; it finds a decision without a test that holds it, and an outdated explanation."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import mutate
from mutations import Mutant, mutants_of
from trial import words_of_ninja

CXX = os.environ["ANYCUDA_CXX"]

DECISION = """\
// A release serves if it is old enough: release <= most.
bool serves(int release, int most) {
  if (release > most) return false;
  return release * 1 > 0;
}
"""
WEAK = """\
bool serves(int release, int most);
int main() { return serves(11, 13) && serves(1, 13) && !serves(14, 13) && !serves(0, 13) ? 0 : 1; }
"""
STRONG = """\
#include <cstdlib>
bool serves(int release, int most);
int main() {
  if (!serves(13, 13)) std::abort();
  return serves(11, 13) && serves(1, 13) && !serves(14, 13) && !serves(0, 13) ? 0 : 1;
}
"""
LINE = "if (release > most) return false;"
BOUNDARY = {"function": "serves", "line": LINE, "mutations": ["> to >="], "why": "the boundary is not promised"}


class Project:
    """A folder with a decision, its test and a build folder as CMake leaves it."""

    def __init__(self, folder: str, test: str, decision: str = DECISION):
        self.root = Path(folder) / "a project"
        build = self.root / "build"
        program = build / "tests/CMakeFiles/the_test.dir"
        program.mkdir(parents=True)
        self.write("decision.cc", decision)
        self.write("the_test.cc", test)
        self.write("decisions.json", json.dumps([{"file": "decision.cc", "tests": [["the_test"]]}]))
        self.explain([])
        compilation = f"'{CXX}' -O2 -o decision.o -c '{self.root / 'decision.cc'}'"
        self.write("build/compile_commands.json", json.dumps(
            [{"directory": str(build), "command": compilation, "file": str(self.root / "decision.cc")}]))
        (program / "link.txt").write_text(f"'{CXX}' the_test.o ../decision.o -o the_test\n", encoding="utf-8")
        subprocess.run([CXX, "-c", self.root / "the_test.cc", "-o", build / "tests/the_test.o"], check=True)

    def write(self, name: str, text: str) -> None:
        (self.root / name).write_text(text, encoding="utf-8")

    def explain(self, rows: list[dict]) -> None:
        self.write("survivors.json", json.dumps({"decision.cc": rows} if rows else {}))

    def mutate(self, *more: str) -> tuple[int, str]:
        out = io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            status = mutate.main([
                "--build", str(self.root / "build"), "--root", str(self.root),
                "--decisions", str(self.root / "decisions.json"),
                "--survivors", str(self.root / "survivors.json"), *more])
        return status, out.getvalue()


class Tool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_weak_test_leaves_a_survivor(self):
        status, text = Project(self.folder, WEAK).mutate()
        self.assertEqual(status, 1, text)
        self.assertIn(f"SURVIVED, unexplained, line 3: decision.cc, serves: {LINE}\n    > to >=\n", text)
        self.assertIn(" 1 survived, 0 of them explained", text)

    def test_a_strong_test_leaves_none(self):
        status, text = Project(self.folder, STRONG).mutate()
        self.assertEqual(status, 0, text)
        self.assertNotIn("survived", text)
        self.assertRegex(text, r" \d crashed, \d equivalent")  # release * 1 is release / 1

    def test_an_explained_survivor_is_known_wherever_it_stands(self):
        project = Project(self.folder, WEAK)
        project.explain([BOUNDARY])
        for text in (DECISION, "int other = 1;\n\n" + DECISION):
            project.write("decision.cc", text)
            project.write("decisions.json", json.dumps(
                [{"file": "decision.cc", "tests": [["the_test"]], "functions": ["serves"]}]))
            status, text = project.mutate()
            self.assertEqual(status, 0, text)
            self.assertIn(" 1 survived, 1 of them explained", text)

    def test_an_explanation_of_what_is_killed_is_stale(self):
        project = Project(self.folder, STRONG)
        project.explain([BOUNDARY])
        status, text = project.mutate()
        self.assertEqual(status, 1, text)
        self.assertRegex(text, "STALE explanation: .*\n.*> to >=: crashed")

    def test_an_explanation_of_what_is_gone_is_stale(self):
        project = Project(self.folder, STRONG)
        project.explain([{**BOUNDARY, "line": "if (release > 12) return false;"}])
        status, text = project.mutate()
        self.assertEqual(status, 1, text)
        self.assertIn("unknown mutant", text)

    def test_an_explanation_has_words(self):
        project = Project(self.folder, WEAK)
        project.explain([{**BOUNDARY, "why": " "}])
        self.assertEqual(project.mutate()[0], 2)

    def test_a_test_that_fails_anyway_shows_nothing(self):
        status, text = Project(self.folder, STRONG, DECISION.replace("release > most", "release >= most")).mutate()
        self.assertEqual(status, 2, text)
        self.assertIn("without a mutation of decision.cc", text)

    def test_a_function_that_is_gone_is_missed(self):
        project = Project(self.folder, STRONG)
        project.write("decisions.json", json.dumps(
            [{"file": "decision.cc", "tests": [["the_test"]], "functions": ["refuses"]}]))
        status, text = project.mutate()
        self.assertEqual(status, 2, text)
        self.assertIn("refuses", text)


def mutations(text: str) -> list[str]:
    """Of a function's body."""
    return [mutant.key.mutation for mutant in mutants_of("a.cc", f"int f() {{\n{text}\n}}\n")]


def changed(mutant: Mutant) -> str:
    return mutant.text.splitlines()[mutant.number - 1].strip()


class Mutations(unittest.TestCase):
    def texts(self, line: str) -> list[str]:
        return [changed(mutant) for mutant in mutants_of("a.cc", f"int f() {{\n  {line}\n}}\n")]

    def test_relations(self):
        self.assertEqual(self.texts("bool b = x < y;"), ["bool b = x <= y;", "bool b = x >= y;"])
        self.assertEqual(mutations("bool b = x == y;"), ["== to !="])

    def test_logic(self):
        self.assertEqual(self.texts("bool b = x && !y;"), ["bool b = x || !y;", "bool b = x && y;"])
        self.assertEqual(mutations("bool b = true;"), ["true to false"])

    def test_arithmetic(self):
        self.assertEqual(self.texts("int b = x + y % z;"), ["int b = x - y % z;", "int b = x + y * z;"])
        self.assertEqual(mutations("int b = *x, *y = -z;"), [])

    def test_constants(self):
        self.assertEqual(self.texts("auto b = f(0, 1u, 0x10, 1'000);"), [
            "auto b = f(1, 1u, 0x10, 1'000);", "auto b = f(0, 0u, 0x10, 1'000);", "auto b = f(0, 2u, 0x10, 1'000);",
            "auto b = f(0, 1u, 17, 1'000);", "auto b = f(0, 1u, 0x10, 1001);"])

    def test_conditions(self):
        self.assertEqual(self.texts("if (x || y(1, {2})) z(3);")[0], "if (!(x || y(1, {2}))) z(3);")
        self.assertEqual(self.texts("return f(x) ? y : z;"), [";", "return !(f(x)) ? y : z;"])
        self.assertEqual(self.texts("return x;"), [";", "return !(x);"])
        self.assertEqual(self.texts("return Verdict::x;"), [";"])

    def test_statements(self):
        self.assertEqual(self.texts("if (x == y) return;"), ["if (x != y) return;", "if (x == y) ;"])
        self.assertEqual(self.texts("for (;;) { x = f([](int i) { g(i); }); }"),
                         ["for (;;) { ; }", "for (;;) { x = f([](int i) { ; }); }"])
        self.assertEqual(mutations("switch (x) {\n  case y:\n    break;\n}"), ["statement removed"])

    def test_nothing_in_comments_texts_directives_and_templates(self):
        self.assertEqual(mutations('// x < 1\n/* x < 1\n */ auto b = "x < 1" R"(x < ")" \'1\' L"\\" < 1";'), [])
        self.assertEqual(mutations("#define x 1 < \\\n 2\nstd::vector<int> b;\nauto c = std::max<long>(x, y);"),
                         ["statement removed"])

    def test_a_mutant_is_named_by_function_line_and_turn(self):
        text = "namespace n {\nclass A {\n  bool g(int x) const { return x < 1 || x < 2; }\n};\nint h[] = {3};\n}\n"
        keys = [mutant.key for mutant in mutants_of("a.cc", text)]
        self.assertEqual({key.function for key in keys}, {"g", ""})
        self.assertEqual([key.mutation for key in keys if "<=" in key.mutation], ["< to <=", "< to <= (2)"])
        self.assertEqual(keys[-1].line, "int h[] = {3};")
        self.assertEqual(len(set(keys)), len(keys))


class Ninja(unittest.TestCase):
    def test_words_of_a_link(self) -> None:
        line = ": && c++ -O2 'a b.o' -o program -lc && :"
        self.assertEqual(words_of_ninja(line), ["c++", "-O2", "a b.o", "-o", "program", "-lc"])


if __name__ == "__main__":
    unittest.main()
