# SPDX-License-Identifier: Apache-2.0
"""What a call returns that a stub cannot pass on, where its result is not the library's status."""

import unittest

import generate_support as support
from generate import failing_results, tables
from generate.failing_results import FailingResult, Word

TYPES = """\
struct Error
  11.8-13.0  size 8 align 4
      0  enum operation  err
      4  int  driver
struct Pair
  11.8-13.0  size 16 align 8
      0  long  first
      8  int  second
struct Point
  11.8-13.0  size 16 align 8
      0  double  x
      8  int  y
struct Record
  11.8-13.0  size 24 align 8
      0  void *  handle
      8  int  status
      12  int [3]  others
struct Huge
  11.8-13.0  size 256 align 1
      0  char [256]  text
enum operation
  11.8-13.0  size 4 unsigned int
"""
RESULTS = {"reads": "long", "opens": "struct Error", "finds": "void *", "measures": "double", "names": "const char *",
           "pairs": "struct Pair", "places": "struct Point", "records": "struct Record", "text": "struct Huge",
           "starts": "void"}


def results(values: dict, *functions: str) -> dict[str, FailingResult]:
    """Of a library with these functions, and core(), which returns a status."""
    rows = {**{name: f"{RESULTS[name]} ()" for name in functions},
            **{f"core{number}": "enum operation ()" for number in range(3)}}
    text = "".join(f"{name}\n  11.8-13.0  {row}\n" for name, row in sorted(rows.items()))
    with support.database(functions=text, types=TYPES, renames="") as facts:
        library = support.load({"failing_results": values, "required_symbols": ["core0"]})
        return failing_results.of_all(library, facts, list(facts.functions.values()))


class Values(unittest.TestCase):
    def test_a_status_and_nothing_need_none(self):
        found = results({}, "starts")
        self.assertEqual(found["core0"], FailingResult("status"))
        self.assertEqual(found["starts"], FailingResult("zero"))

    def test_a_status_may_be_another_without_a_library(self):
        found = results({"core1": 100})
        self.assertEqual(found["core1"], FailingResult("status", 0, (Word(0, "constant", 100),)))
        self.assertEqual(found["core0"], FailingResult("status"))

    def test_are_of_a_type_or_of_a_function(self):
        self.assertEqual(results({"long": -1}, "reads")["reads"], FailingResult("word", 0, (Word(0, "constant", -1),)))
        self.assertEqual(results({"reads": "-status"}, "reads")["reads"],
                         FailingResult("word", 0, (Word(0, "negative_status", 0),)))

    def test_zero_is_also_a_null_pointer_and_a_floating_point_number(self):
        found = results({"void *": 0, "double": 0, "const char *": 0}, "finds", "measures", "names")
        self.assertEqual([found[name].kind for name in ("finds", "measures", "names")], ["zero", "zero", "string"])

    def test_a_pointer_may_be_a_number(self):
        self.assertEqual(results({"void *": -1}, "finds")["finds"],
                         FailingResult("word", 0, (Word(0, "constant", -1),)))

    def test_a_structure_has_one_for_each_field(self):
        found = results({"struct Error": {"err": "status", "driver": 0},
                         "struct Record": {"handle": 0, "status": "-status", "others": 0}}, "opens", "records")
        self.assertEqual(found["opens"], FailingResult("structure", 8, (Word(0, "status", 0),)))
        self.assertEqual(found["records"], FailingResult("structure", 24, (Word(8, "negative_status", 0),)))
        self.assertEqual(results({"struct Pair": 0}, "pairs")["pairs"], FailingResult("structure", 16))


class Errors(unittest.TestCase):
    def refuse(self, values: dict, function: str, *words: str):
        with self.assertRaises(ValueError) as caught:
            results(values, function)
        for word in ("small/library.json", "failing_results", *words):
            self.assertIn(word, str(caught.exception))

    def test_a_result_without_a_value(self):
        for name, result in RESULTS.items():
            if result != "void":
                self.refuse({}, name, result, name)

    def test_a_value_without_a_result(self):
        self.refuse({"long": -1, "short": 0}, "reads", "short")

    def test_a_value_of_another_kind(self):
        self.refuse({"long": "state"}, "reads", "state")
        self.refuse({"long": 2**31}, "reads", "2147483648")
        self.refuse({"long": True}, "reads", "True")
        self.refuse({"double": -1}, "measures", "only 0")
        self.refuse({"void *": "status"}, "finds", "status")
        self.refuse({"starts": 0}, "starts", "nothing")

    def test_a_structure_without_one_of_its_fields(self):
        self.refuse({"struct Error": {"err": "status"}}, "opens", "err, driver")
        self.refuse({"struct Error": "status"}, "opens", "err, driver")

    def test_a_field_that_a_stub_cannot_set(self):
        self.refuse({"struct Record": {"handle": 1, "status": 0, "others": 0}}, "records", "handle", "4 bytes")
        self.refuse({"struct Pair": {"first": 0, "second": 1}}, "pairs", "first integer register")
        self.refuse({"struct Point": {"x": 0, "y": 1}}, "places", "first integer register")
        self.refuse({"struct Huge": 0}, "text", "255 bytes")


class Rows(unittest.TestCase):
    def test_are_written_as_the_loader_reads_them(self):
        made = support.made({"failing_results": {"int": "status", "const char *": 0, "core": -3,
                                                 "struct Big": 0}})
        text = tables.cplusplus(made, support.load(base=support.DRIVER))
        place = [function.name for function in made.symbols].index("core")
        self.assertIn(f"{{{place}, 0, FailingForm::constant, -3}}", text)
        self.assertIn("ResultKind::structure, 20,", text)


if __name__ == "__main__":
    unittest.main()
