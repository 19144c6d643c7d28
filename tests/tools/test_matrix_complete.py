# SPDX-License-Identifier: Apache-2.0
"""No disposition is unknown, and none lets a struct or an argument of another layout through: a function that
a new release adds, drops or changes fails here until it is classified."""

import unittest

from abi_support import SmallDatabase, real
from generate import dispositions
from matrix_check import complaints, moved, places
from matrix_support import LIBRARIES, dispositions_of


class Complete(unittest.TestCase):
    def test_every_disposition_is_classified(self):
        for library in LIBRARIES:
            with self.subTest(library):
                found = complaints(real(library), dispositions_of(library))
                if found:
                    self.fail(f"{len(found)} unclassified dispositions of {library} "
                              "(stubs/abi.md, Files kept by hand):\n" + "\n".join(found))

    def test_the_driver_has_no_dispositions(self):
        self.assertEqual(real("cuda").majors, ["NATIVE"])


class Additions(unittest.TestCase):
    """What a new release could bring, in a database of two releases: each must be noticed."""

    STRUCT = "struct S\n  12.0  size 8 align 4\n      0  int  a\n      4  int  b\n"

    def found(self, functions: str, types: str = "", **files: str) -> list[str]:
        with SmallDatabase(versions="12.0  x\n13.0  x\n", functions=functions,
                           types=types or "\n", **files) as database:
            return complaints(database, dispositions.dispositions(database))

    def test_a_function_that_stays_as_it_is(self):
        self.assertEqual(self.found("f\n  12.0-13.0  int (int a)\n"), [])

    def test_a_changed_signature(self):
        text = "f\n  12.0  int (int a)\n  13.0  int (int a, int b)\n"
        found = self.found(text)
        self.assertEqual(len(found), 2)
        self.assertRegex(found[0], "^f, built for 12 on 13: rejected only by the rule: 1 param")
        self.assertEqual(self.found(text, rejects="*>* f  nobody can tell\n"), [])

    def test_a_changed_struct(self):
        types = self.STRUCT + "  13.0  size 12 align 4\n      0  int  a\n      8  int  b\n"
        found = self.found("f\n  12.0-13.0  int (struct S * s)\n", types)
        self.assertRegex(found[0], "rejected only by the rule: struct S: 8 bytes")

    def test_a_function_that_went_and_one_that_came(self):
        text = "old\n  12.0  int ()\nnew\n  13.0  int ()\n"
        (found,) = self.found(text)
        self.assertRegex(found, "^old, built for 12 on 13: no longer .* absents.txt does not say why")
        self.assertEqual(self.found(text, absents="12>13 old  of no use any more\n"), [])

    def test_a_function_without_a_prototype(self):
        found = self.found("f\n  12.0-13.0  ?\n")
        self.assertRegex(found[0], "rejected only by the rule: its prototype is unknown")

    def test_missing_adapter(self):
        text = "f\n  12.0  int (int a)\n  13.0  int (int a, int b)\n"
        found = self.found(text, adapters="*>* f adapted not_there needs f  why\n")
        self.assertEqual(found[0], "f, built for 12 on 13: no source defines adapt_not_there")
        self.assertEqual(self.found(text, adapters="*>* f adapted get_kernel needs f  why\n"), [])

    def test_dispositions_that_are_wrong(self):
        types = self.STRUCT + "  13.0  size 8 align 4\n      0  int  b\n      4  int  a\n"
        with SmallDatabase(versions="12.0  x\n13.0  x\n", types=types,
                           functions="f\n  12.0-13.0  int (struct S * s)\n") as database:
            good = dispositions.dispositions(database)
            for kind, changes, why in (
                ("direct", {"target": "f"}, "direct as f, but built for 12.0, on 13.0: struct S.a"),
                ("renamed", {"target": "g"}, "renamed, but no 13 has g"),
                ("ignored", {}, "unknown kind 'ignored'"),
                ("adapted", {"function": "get_kernel"}, "needs nothing"),
                ("adapted", {"function": "get_kernel", "needs": ("g",)}, "needs g, which no 13 has"),
                ("emulated", {"function": "x", "needs": ("cuNone",)}, "needs cuNone, which no driver"),
            ):
                wrong = dispositions.Disposition("f", "12", "13", kind, **changes)
                found = complaints(database, {**good, ("f", "12", "13"): wrong})
                self.assertTrue(any(why in line for line in found), (kind, found))
            without = {key: disposition for key, disposition in good.items() if key[1:] != ("12", "12")}
            self.assertIn("f, built for 12 on 12: no disposition", complaints(database, without))

    def test_second_check_finds_the_gaps_of_a_broken_rule(self):
        types = self.STRUCT + "  13.0  size 8 align 4\n      0  int  b\n      4  int  a\n"
        with SmallDatabase(versions="12.0  x\n13.0  x\n", types=types, functions="f\n  12.0  int ()\n") as d:
            text = "int (struct S * s)"
            a, b = (places(text, d.type_table(version)) for version in ("12.0", "13.0"))
            self.assertIn("for the caller", moved(a, b))
            self.assertEqual(moved(a, a), "")
            self.assertIn("parameters", moved(a, places("int ()", d.type_table("13.0"))))


if __name__ == "__main__":
    unittest.main()
