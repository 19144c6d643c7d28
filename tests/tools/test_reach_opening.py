# SPDX-License-Identifier: Apache-2.0
"""The libraries that are opened before another one, and the output of an ending process."""

import os
import unittest
from pathlib import Path

from anycuda.elf.read import Image
from anycuda.elf.symbols import Symbol
from wheelreach import dlopen_errors, open_each, opening


def image(path: str, *exports: str) -> Image:
    symbols = [Symbol(name, "", "", True, True, 0, 0, 1, False, True) for name in exports]
    return Image(Path(path), "x86_64", "shared", symbols=symbols)


def missing(name: str) -> str:
    return f"{name}: cannot open shared object file: No such file or directory"


class Machine:
    """Opens a library if what it lacks was opened before it."""

    def __init__(self, lacks: dict[str, list[tuple[str, str]]]):
        self.lacks = lacks  # name -> (path to open before, message without)

    def run(self, tasks: list[dict]) -> dict[str, str]:
        return {task["name"]: next((message for path, message in self.lacks.get(task["name"], [])
                                    if path not in task["first"]), "") for task in tasks}


class InOrder(unittest.TestCase):
    def in_order(self, images: dict[str, Image], helpers: dict[str, Image], **lacks) -> tuple[dict, dict]:
        first: dict[str, list[str]] = {name: [] for name in images}
        return opening.in_order(images, first, Machine(lacks).run, helpers), first

    def test_library_of_a_package_beside_the_wheel_is_opened_first(self):
        helpers = {"b": image("/b/libb.so"), "c": image("/c/libc1.so", "one")}
        results, first = self.in_order({"a": image("/a/a.so")}, helpers,
                                       a=[("/b/libb.so", missing("libb.so")),
                                          ("/c/libc1.so", "/b/libb.so: undefined symbol: one")])
        self.assertEqual(results, {"a": ""})
        self.assertEqual(first, {"a": ["/c/libc1.so", "/b/libb.so"]})

    def test_only_libraries_of_the_wheel_are_results(self):
        results, _ = self.in_order({"a": image("/a/a.so")}, {"b": image("/b/libb.so")})
        self.assertEqual(results, {"a": ""})

    def test_the_wheels_own_library_is_preferred(self):
        images = {"a": image("/a/a.so"), "x": image("/a/libx.so", "one")}
        helpers = {"y": image("/b/libx.so", "one")}
        for message in (missing("libx.so"), "/a/a.so: undefined symbol: one"):
            with self.subTest(message=message):
                results, first = self.in_order(images, helpers, a=[("/a/libx.so", message)])
                self.assertEqual((results["a"], first["a"]), ("", ["/a/libx.so"]))

    def test_what_no_package_has_stays_missing(self):
        results, _ = self.in_order({"a": image("/a/a.so")}, {}, a=[("/b/libb.so", missing("libb.so"))])
        self.assertEqual(results, {"a": missing("libb.so")})


class Bound(unittest.TestCase):
    def test_functions_of_python_are_in_its_program(self):
        self.assertTrue(opening.is_bound("\tlibc.so.6 => /lib/libc.so.6 (0x1)\n"
                                         "undefined symbol: PyLong_FromLong\t(/a/x.so)\n"
                                         "undefined symbol: _Py_NoneStruct\t(/a/x.so)\n"))

    def test_everything_else_must_be_found(self):
        for line in ("\tlibb.so => not found", "undefined symbol: cudaMalloc, version libcudart.so.12\t(/a/x.so)",
                     "undefined symbol: Pylon\t(/a/x.so)",
                     "symbol cudaNew, version libcudart.so.12 not defined in file y.so with link time reference"):
            with self.subTest(line=line):
                self.assertFalse(opening.is_bound(f"undefined symbol: PyLong_FromLong\t(/a/x.so)\n{line}\n"))


class Ended(unittest.TestCase):
    def test_abort_names_the_file_that_called_it(self):
        message = open_each.in_a_process({}, lambda _: os.abort())
        self.assertRegex(message, "^ended with -6 in \\S*python")
        self.assertEqual(dlopen_errors.parse(message).kind, "crash")

    def test_answer_is_what_the_work_says(self):
        self.assertEqual(open_each.in_a_process({"name": "x"}, lambda task: task["name"]), "x")


if __name__ == "__main__":
    unittest.main()
