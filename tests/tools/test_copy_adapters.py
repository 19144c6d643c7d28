# SPDX-License-Identifier: Apache-2.0
"""Generated adapters: their effects, and the lines about them that are refused."""

import unittest

from abi_support import SmallDatabase
from generate import abi_header, dispositions, copy_adapters, model

VERSIONS = "12.0  x\n13.0  x\n"
TYPES = """\
struct S
  12.0  size 4 align 4
      0  int  a
  13.0  size 8 align 4
      0  int  a
      4  int  b
struct T
  12.0  size 4 align 4
      0  int  a
  13.0  size 4 align 4
      0  float  a
enum result
  12.0-13.0  size 4 unsigned int
"""


def generated(functions: str, adapters: str, enums: str = "") -> str:
    with SmallDatabase(versions=VERSIONS, types=TYPES, functions=functions, enums=enums,
                       adapters=adapters) as database:
        with SmallDatabase("cuda", versions="13.0  x\n", functions="") as driver:
            header = abi_header.Header(database, driver)
        found = dispositions.dispositions(database)
        header.adapters(found)
        return copy_adapters.copy_adapters(header, found)


class Copies(unittest.TestCase):
    def test_an_input_is_converted_before_the_call(self):
        text = generated("f\n  12.0-13.0  enum result (const struct S * s, int n)\n",
                         "12>13 f adapted copy  why\n")
        self.assertIn("if (a0 != nullptr) convert(*a0, &copy0);", text)
        self.assertIn("return v13::f(a0 != nullptr ? &copy0 : nullptr, a1);", text)

    def test_an_output_is_converted_after_a_call_that_succeeded(self):
        text = generated("f\n  12.0-13.0  enum result (struct S * s)\n",
                         "12>13 f adapted copy(out s)  why\n")
        self.assertLess(text.index("if (status != 0) return status;"),
                        text.index("convert(copy0, a0)"))
        self.assertNotIn("convert(*a0", text)

    def test_result_goes_through_a_handwritten_function(self):
        """A pattern's, only where the call would be rejected."""
        enums = "result.BAD  12.0  1\nresult.BAD  13.0  1001\n"
        functions = "f\n  12.0-13.0  enum result (int n)\ng\n  12.0-13.0  int (int n)\nh\n  12.0  enum result (int n)\n"
        text = generated(functions, "12>13 * adapted copy(result result_of_12)  why\n", enums)
        self.assertIn("unsigned int result_of_12(unsigned int result);", text)
        self.assertIn("return result_of_12(v13::f(a0));", text)
        self.assertNotIn("v13::g", text)
        self.assertNotIn("v13::h", text)

    def test_what_has_such_a_result_elsewhere_too_is_refused(self):
        enums = "result.BAD  12.0  1\nresult.BAD  13.0  1001\n"
        for prototype in ("enum result (enum result * written)", "enum result (enum result taken)",
                          "enum result (struct S * s)"):
            with self.assertRaisesRegex(ValueError, "f of 12 on 13 cannot be copied"):
                generated(f"f\n  12.0-13.0  {prototype}\n", "12>13 f adapted copy(result result_of_12)  why\n", enums)

    def test_another_name_in_the_runtime(self):
        text = generated("f\n  12.0  enum result (const struct S * s)\n"
                         "f_v2\n  13.0  enum result (const struct S * s)\n",
                         "12>13 f adapted copy(as f_v2)  why\n")
        self.assertIn("return v13::f_v2(", text)

    def test_lines_that_cannot_be_are_refused(self):
        for prototype, how, words in (
            ("enum result (struct S * s)", "copy", "say whether s is out or inout"),
            ("enum result (struct S s)", "copy", "s is not a pointer"),
            ("enum result (const struct T * t)", "copy", "t: a: integer for the caller, float"),
            ("enum result (const struct S * s)", "copy(out other)", "no parameter other"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                generated(f"f\n  12.0-13.0  {prototype}\n", f"12>13 f adapted {how}  why\n")

    def test_other_parameters_need_a_hand(self):
        functions = ("f\n  12.0  enum result (const struct S * s)\n"
                     "  13.0  enum result (const struct S * s, int n)\n")
        with self.assertRaisesRegex(ValueError, "differ in the number of parameters"):
            generated(functions, "12>13 f adapted copy  why\n")


class Declarations(unittest.TestCase):
    def test_two_callers_with_other_prototypes_make_two_declarations(self):
        functions = "f\n  12.0  enum result (int a)\n  13.0  enum result (long a)\n"
        with SmallDatabase(versions=VERSIONS, types=TYPES, functions=functions,
                           adapters="12>13 f adapted g  why\n13>12 f adapted g  why\n") as database:
            with SmallDatabase("cuda", versions="13.0  x\n", functions="") as driver:
                text = abi_header.Header(database, driver).adapters(dispositions.dispositions(database))
        self.assertIn("adapt_g(int);", text)
        self.assertIn("adapt_g(long);", text)


class Model(unittest.TestCase):
    def test_the_newest_prototype_of_a_major_counts(self):
        functions = "f\n  12.0  enum result (int a)\n  13.0  ?\n"
        with SmallDatabase(versions=VERSIONS, types=TYPES, functions=functions) as database:
            self.assertIsInstance(database, model.Database)
            function = database.functions["f"]
            self.assertEqual(abi_header.newest_text(function, ["12.0"]), "enum result (int a)")
            self.assertEqual(abi_header.newest_text(function, ["13.0"]), "")


if __name__ == "__main__":
    unittest.main()
