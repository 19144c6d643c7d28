# SPDX-License-Identifier: Apache-2.0
"""The lines that people keep by hand: how they are read, and the messages about wrong ones."""

import tempfile
import unittest
from pathlib import Path

from abi_support import facts  # puts the generator on the path
from generate import abi_text, overrides


def lines(load, text: str):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.txt"
        path.write_text(text)
        return load(path if load is not overrides.load_adapters else Path(folder))


class Adapters(unittest.TestCase):
    def one(self, text: str) -> overrides.Adapter:
        return lines(overrides.load_adapters, text)[0]

    def test_a_line(self):
        found = self.one("11,12>13 f adapted g needs a,cuB  why so\n")
        self.assertEqual((found.symbol, found.kind, found.function), ("f", "adapted", "g"))
        self.assertEqual((found.needs, found.reason), (("a", "cuB"), "why so"))
        self.assertTrue(found.matches("f", "11", "13") and found.matches("f_ptsz", "12", "13"))
        self.assertFalse(found.matches("f", "13", "11") or found.matches("fg", "11", "13"))

    def test_a_copy(self):
        found = self.one("12>13 f adapted copy(out a, inout b, as f_v2)  why\n")
        self.assertEqual((found.function, found.target), ("", "f_v2"))
        self.assertEqual((found.outputs, found.both_ways), ({"a"}, {"b"}))
        plain = self.one("12>13 f adapted copy  why\n")
        self.assertEqual((plain.function, plain.target, plain.outputs), ("", "f", frozenset()))

    def test_wrong_lines_are_named(self):
        for text in ("12>13 f changed g  why\n", "12 f adapted g  why\n", "12>13 f adapted g\n",
                     "12>13 f adapted copy(to a)  why\n", "12>13 f adapted g needs  why\n"):
            with self.assertRaisesRegex(abi_text.FormatError, "lines.txt:1: "):
                self.one(text)

    def test_all_files_of_the_folder_count(self):
        found = {line.symbol for line in overrides.load_adapters(facts("cudart") / "adapters")}
        self.assertLessEqual({"cudaPointerGetAttributes", "__cudaLaunchKernel"}, found)

    def test_driver_names(self):
        self.assertTrue(overrides.is_driver_name("cuMemAdvise_v2"))
        self.assertFalse(overrides.is_driver_name("cudaMemAdvise"))


class Verdicts(unittest.TestCase):
    def test_directions_and_patterns(self):
        found = lines(overrides.load_verdicts, "11,12>13 cudaBind*  why\n*>* g  why not\n")
        self.assertTrue(found[0].matches("cudaBindTexture", "11", "13"))
        self.assertFalse(found[0].matches("cudaBindTexture", "13", "11"))
        self.assertTrue(found[1].matches("g_ptsz", "13", "11"))

    def test_a_wrong_line_is_named(self):
        with self.assertRaisesRegex(abi_text.FormatError, "lines.txt:2: expected `12>13 name"):
            lines(overrides.load_verdicts, "# comment\n12 name  why\n")


if __name__ == "__main__":
    unittest.main()
