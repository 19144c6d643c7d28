# SPDX-License-Identifier: Apache-2.0
"""The names of CUDA libraries in a wheel's program texts that `anycuda repair` takes for opened names."""

import unittest
import warnings
from unittest import mock

from analysis_support import built

from anycuda.analysis import libraries
from anycuda.matrix import data
from anycuda.analysis import named, python_text
from anycuda.analysis.named import Named


class Names(unittest.TestCase):
    def setUp(self) -> None:
        libraries.table.cache_clear()
        self.addCleanup(libraries.table.cache_clear)
        self.enterContext(mock.patch.object(data, "find", return_value=built()))

    def names(self, text: str, name: str = "thing/x.py", block: int = 1 << 20) -> tuple[str, ...]:
        content = text.encode()
        python_text.values.cache_clear()
        found = Named(name, len(content))
        for at in range(0, len(content), block):
            found.add(content[at:at + block])
        return found.names()

    def test_string_constant_counts(self):
        for text in ('x = "libcudart.so.12"', "ctypes.CDLL(b'/a/libcudart.so.12')", "f(['libcudart'\n'.so.12'])",
                     'def f(name="libcudart.so.12"):\n    """Loads it."""', '"%s" % "libcudart.so.12"'):
            with self.subTest(text=text):
                self.assertEqual(self.names(text), ("libcudart.so.12",))

    def test_f_string_counts_with_its_gaps(self):
        self.assertEqual(self.names('open(f"/a/libcudart.so.{major}.{minor}")'), ("libcudart.so.{}.{}",))
        self.assertEqual(self.names('f"{x or \'libcudart.so.12\'}"'), ("libcudart.so.12",))

    def test_library_without_a_stub_counts(self):
        for text, found in (('"libcupti.so.12"', "libcupti.so.12"), ('f"libnppc.so.{v}"', "libnppc.so.{}"),
                            ('"libnvinfer_plugin.so.10"', "libnvinfer_plugin.so.10"),
                            ('"libcusparseLt"', "libcusparseLt"),
                            ('b"/a/libcutensorMg.so.2"', "libcutensorMg.so.2")):
            with self.subTest(text=text):
                self.assertEqual(self.names(f"x = {text}"), (found,))
        self.assertEqual(self.names('x = "libnvinference.so", "libcuptix.so.1", "libcupti_static.a"'), ())

    def test_what_becomes_of_a_name(self):
        without = ("libcupti.so.12", "libnppc.so.{}", "libcusparseLt", "libcudnn_ops.so.9", "libnpps-{}.so.12")
        names = ("libcudart.so.12", *without, "libcudnn.so.9")
        (stub, served), (other, unserved) = named.by_fate(names, libraries.table()).items()
        self.assertEqual((stub, served, unserved), (named.WHO_SERVES, ["libcudart.so.12", "libcudnn.so.9"],
                                                    list(without)))
        self.assertIn("no stub", other)

    def test_comment_and_docstring_do_not_count(self):
        texts = ("# libcudart.so.12", '"""Loads libcudart.so.12."""', 'def f():\n    """libcudart"""\n    return 1',
                 'async def f():\n    "libcudart"', 'class A:\n    """libcudart"""\n    x = 1\n    """libcufft"""',
                 "import libcudart", "libcudart.so = 1")
        for text in texts:
            with self.subTest(text=text):
                self.assertEqual(self.names(text), ())
        self.assertEqual(self.names('"""libcudart.so.12"""\nx = "libcufft.so.11"  # libcurand'), ("libcufft.so.11",))

    def test_docstring_behind_a_colon_or_in_brackets_does_not_count(self):
        for text in ("def f(): 'libcudart'", "class A: pass\nclass B: 'libcudart'; x = 1", "('libcudart'\n 'b')",
                     "if x:\n    'libcudart'", "'libcudart'; 'libcufft'", "x = 1 \\\n# libcudart"):
            with self.subTest(text=text):
                self.assertEqual(self.names(text), ())
        for text in ("def f(a='libcudart'): 1", "x = \\\n    'libcudart'", "x: 'libcudart' = 1", "f(\n'libcudart'\n)",
                     "x = lambda: 'libcudart'", "'libcudart', 1", "return 'libcudart' # y"):
            with self.subTest(text=text):
                self.assertEqual(self.names(text), ("libcudart",))

    def test_file_of_another_python_counts_by_its_strings(self):
        self.assertEqual(self.names('print "libcufft"  # libcudart'), ("libcufft",))
        self.assertEqual(self.names("x = (  # libcudart.so.12\0\n'libcufft'"), ("libcufft",))
        self.assertEqual(self.names('f(f"{x["a"]}", "libcufft")  # libcudart'), ("libcufft",))

    def test_string_that_does_not_parse_counts_as_text(self):
        self.assertEqual(self.names("x = b'\u00e9 libcudart'"), ("libcudart",))
        with mock.patch.object(python_text.ast, "parse", side_effect=RecursionError):
            self.assertEqual(self.names("x = 'a libcudart.so.13 b'"), ("libcudart.so.13",))

    def test_file_with_a_string_without_end_counts_as_text(self):
        for text in ("x = 'a\n# libcudart", "x = '''\n# libcudart", "x = 'libcudart", "x = '''a''\n# libcudart"):
            with self.subTest(text=text):
                self.assertEqual(self.names(text), ("libcudart",))

    def test_large_file_counts_as_text(self):
        with mock.patch.object(named, "LARGEST", 16):
            self.assertEqual(self.names("# libcudart.so.12"), ("libcudart.so.12",))

    def test_only_strings_are_parsed(self):
        """The tree of a whole file takes seconds for a megabyte."""
        parse = self.enterContext(mock.patch.object(python_text.ast, "parse", side_effect=python_text.ast.parse))
        self.assertEqual(self.names("x = 'libcudart'\n" + "y = 'b'\n" * 1000 + "f(['libcufft', 'libcudart'])"),
                         ("libcudart", "libcufft"))
        self.assertLessEqual(sum(len(call.args[0]) for call in parse.call_args_list), 60)
        self.assertEqual(self.names("x = 'libcudart.so" + "a" * (1 << 17) + "'"), ())
        self.assertLessEqual(max(len(call.args[0]) for call in parse.call_args_list), 1 << 16)

    def test_other_text_counts_whole(self):
        for name in ("a.pth", "a.sh", "a.json"):
            self.assertEqual(self.names("# libcudart.so.12", name), ("libcudart.so.12",))
        self.assertEqual(self.names("# libcudart.so.12", "a.txt"), ())

    def test_name_is_found_across_blocks(self):
        for block in (1, 7, 20):
            for name in ("a.py", "a.sh"):
                self.assertIn("libcudart.so.12", self.names("x = 'libcudart.so.12'", name, block))
        self.assertEqual(self.names("x = 'libcudart.so.12'", block=7), ("libcudart.so.12",))

    def test_warnings_about_the_file_stay_silent(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertEqual(self.names(r"x = 'libcudart.so.12\d'"), ("libcudart.so.12",))
        self.assertEqual(caught, [])


if __name__ == "__main__":
    unittest.main()
