"""Which names of CUDA libraries in a wheel's program texts `anycuda repair` takes for names that are opened."""

import unittest
import warnings
from unittest import mock

from analysis_support import built

from anycuda.analysis import libraries
from anycuda.matrix import data
from anycuda.analysis import named
from anycuda.analysis.named import Named


class Names(unittest.TestCase):
    def setUp(self) -> None:
        libraries.table.cache_clear()
        self.addCleanup(libraries.table.cache_clear)
        self.enterContext(mock.patch.object(data, "find", return_value=built()))

    def names(self, text: str, name: str = "thing/x.py", block: int = 1 << 20) -> tuple[str, ...]:
        content = text.encode()
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
                            ('"libnvinfer_plugin.so.10"', "libnvinfer_plugin.so.10"), ('"libcufile"', "libcufile"),
                            ('b"/a/libcutensorMg.so.2"', "libcutensorMg.so.2")):
            with self.subTest(text=text):
                self.assertEqual(self.names(f"x = {text}"), (found,))
        self.assertEqual(self.names('x = "libnvinference.so", "libcuptix.so.1", "libcupti_static.a"'), ())

    def test_what_becomes_of_a_name(self):
        without = ("libcupti.so.12", "libnppc.so.{}", "libcufile", "libcudnn_ops.so.9", "libnpps-{}.so.12")
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

    def test_file_that_does_not_parse_counts_as_text(self):
        for text in ('print "x"  # libcudart.so.12', "x = (  # libcudart.so.12", "# libcudart.so.12\0\nx = 1\n\0"):
            with self.subTest(text=text):
                self.assertEqual(self.names(text), ("libcudart.so.12",))
        with mock.patch.object(named.ast, "parse", side_effect=RecursionError):
            self.assertEqual(self.names("# libcudart.so.12"), ("libcudart.so.12",))

    def test_large_file_counts_as_text(self):
        with mock.patch.object(named, "_LARGEST_PARSED", 16):
            self.assertEqual(self.names("# libcudart.so.12"), ("libcudart.so.12",))

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
