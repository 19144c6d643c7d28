# SPDX-License-Identifier: Apache-2.0
"""The report of the preset coverage: how explanations are read and matched with lines."""
import unittest

import counts
import explanations

TEXT = """
# A comment.
loader/open.cc
  open | return nullptr;
  close | *
    The first half of the reason,
    and the second.
compat/rules.cc
  choose | return kNone;
    Another reason.
"""
OPEN = explanations.Key("loader/open.cc", "open", "return nullptr;")
CLOSE = explanations.Key("loader/open.cc", "close", "*")
CHOOSE = explanations.Key("compat/rules.cc", "choose", "return kNone;")
LINES = ["void open() {", "  return nullptr;", "}", "void close() {", "  unmap();", "}"]


def source(unreached, reached):
    functions = {(1, 3, "open"), (4, 6, "close")}
    return counts.Source({**dict.fromkeys(unreached, 0), **dict.fromkeys(reached, 7)}, functions)


def match(reasons, unreached, reached=()):
    return explanations.match(reasons, {"loader/open.cc": source(unreached, reached)}, lambda file: LINES)


class Parse(unittest.TestCase):
    def test_reasons(self):
        self.assertEqual(explanations.parse(TEXT), {
            OPEN: "The first half of the reason, and the second.",
            CLOSE: "The first half of the reason, and the second.", CHOOSE: "Another reason."})

    def test_without_a_reason(self):
        for text in ("a.cc\n  f | x;\n", "a.cc\n  f | x;\nb.cc\n  g | y;\n    Why.\n"):
            with self.subTest(text), self.assertRaisesRegex(ValueError, "expected a reason"):
                explanations.parse(text)

    def test_twice(self):
        with self.assertRaisesRegex(ValueError, "explained twice"):
            explanations.parse("a.cc\n  f | x;\n    Why.\n  f | x;\n    Why.\n")

    def test_without_a_function(self):
        with self.assertRaisesRegex(ValueError, "line 2: expected"):
            explanations.parse("a.cc\n  x;\n    Why.\n")


class Match(unittest.TestCase):
    def test_line(self):
        self.assertEqual(match({OPEN: "Why."}, unreached=[2], reached=[1]), ([], []))

    def test_unexplained_line(self):
        self.assertEqual(match({}, unreached=[2], reached=[1]), ([(OPEN, 2)], []))

    def test_line_of_another_function(self):
        other = explanations.Key(OPEN.file, "close", OPEN.text)
        self.assertEqual(match({other: "Why."}, unreached=[2]), ([(OPEN, 2)], [other]))

    def test_line_that_is_reached_now(self):
        self.assertEqual(match({OPEN: "Why."}, unreached=[], reached=[2]), ([], [OPEN]))

    def test_function_that_never_runs(self):
        self.assertEqual(match({CLOSE: "Why."}, unreached=[4, 5, 6], reached=[1, 2]), ([], []))

    def test_function_that_runs_now(self):
        key = explanations.Key(OPEN.file, "close", "unmap();")
        self.assertEqual(match({CLOSE: "Why."}, unreached=[5], reached=[4, 6]), ([(key, 5)], [CLOSE]))


class PlainName(unittest.TestCase):
    def test_names(self):
        for demangled, name in {
            "anycuda::(anonymous namespace)::find(char const*)": "find",
            "void anycuda::each<int, std::less<int> >(int)": "each",
            "anycuda::Machine::~Machine()": "~Machine",
            "anycuda::visit(int)::{lambda(int)#1}::operator()(int) const": "visit",
            "main": "main",
        }.items():
            self.assertEqual(counts.plain_name(demangled), name)


if __name__ == "__main__":
    unittest.main()
