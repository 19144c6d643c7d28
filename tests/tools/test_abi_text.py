# SPDX-License-Identifier: Apache-2.0
"""The text format of the database: written text is read back the same, and nothing is guessed."""

import tempfile
import unittest
from pathlib import Path

import abi_support  # noqa: F401  (puts stubs/ on the path)
from generate import abi_text, ctype

VERSIONS = ["11.8", "12.0", "12.9", "12.10", "13.0"]


class Ranges(unittest.TestCase):
    def test_versions_sort_by_number(self):
        self.assertEqual(abi_text.sort_versions(["13.0", "12.10", "12.9", "11.8", "12.0"]), VERSIONS)

    def test_a_range_has_no_gap(self):
        self.assertEqual(
            abi_text.format_ranges(["11.8", "12.0", "12.10"], VERSIONS), "11.8-12.0,12.10"
        )

    def test_every_choice_is_read_back(self):
        for mask in range(1, 1 << len(VERSIONS)):
            chosen = [v for bit, v in enumerate(VERSIONS) if mask >> bit & 1]
            text = abi_text.format_ranges(chosen, VERSIONS)
            self.assertEqual(abi_text.parse_ranges(text, VERSIONS, {}), chosen, text)

    def test_an_unknown_version_is_an_error(self):
        with self.assertRaisesRegex(abi_text.FormatError, "12.7"):
            abi_text.parse_ranges("12.0-12.7", VERSIONS, {})


class Tables(unittest.TestCase):
    TABLE = {
        "struct S": {"11.8": ("size 4 align 4", "0  int  a"), "12.0": ("opaque",)},
        "typedef T": dict.fromkeys(VERSIONS, ("unsigned long",)),
    }

    def round_trip(self, text: str, read) -> dict:
        with tempfile.TemporaryDirectory() as temporary:
            path = Path(temporary) / "t.txt"
            path.write_text(text)
            return read(path, VERSIONS)

    def test_block(self):
        text = abi_text.write_block(self.TABLE, VERSIONS, "About.")
        self.assertEqual(self.round_trip(text, abi_text.read_block), self.TABLE)

    def test_flat(self):
        table = {"A": {"11.8": ("1",), "12.0": ("2",)}, "B.c": {"13.0": ("-1 a message",)}}
        text = abi_text.write_flat(table, VERSIONS, "About.", sorted(table))
        self.assertEqual(self.round_trip(text, abi_text.read_flat), table)

    def test_release_that_agrees_changes_only_ranges(self):
        before = abi_text.write_block(self.TABLE, VERSIONS, "").splitlines()
        more = {key: dict(by) for key, by in self.TABLE.items()}
        more["typedef T"]["13.1"] = ("unsigned long",)
        after = abi_text.write_block(more, [*VERSIONS, "13.1"], "").splitlines()
        self.assertEqual(
            [(a, b) for a, b in zip(before, after) if a != b],
            [("  11.8-13.0  unsigned long", "  11.8-13.1  unsigned long")],
        )

    def test_override_holds_only_for_its_majors(self):
        with tempfile.TemporaryDirectory() as temporary:
            path = Path(temporary) / "internals.txt"
            path.write_text("# why\nf\n  11,12  void ()\n  13  int ()\ng\n  *  char ()\n")
            entries = abi_text.read_internals(path)
        self.assertEqual(abi_text.internal_body(entries["f"], "12"), "void ()")
        self.assertEqual(abi_text.internal_body(entries["f"], "13"), "int ()")
        self.assertEqual(abi_text.internal_body(entries["f"], "14"), "")
        self.assertEqual(abi_text.internal_body(entries["g"], "14"), "char ()")


class Types(unittest.TestCase):
    def test_a_pointer_to_function(self):
        node = ctype.parse("void (int, const char *) * *")
        self.assertEqual(
            (node.shape, node.inner.shape, node.inner.inner.shape),
            ("pointer", "pointer", "function"),
        )
        self.assertEqual(len(node.inner.inner.args), 2)
        self.assertTrue(node.inner.inner.args[1].inner.const)

    def test_an_array_of_pointers(self):
        node = ctype.parse("void * [8]")
        self.assertEqual((node.shape, node.count, node.inner.shape), ("array", 8, "pointer"))

    def test_const_pointer_is_not_pointer_to_const(self):
        node = ctype.parse("char * const *")
        self.assertTrue(node.inner.const)
        self.assertFalse(node.const or node.inner.inner.const)

    def test_a_prototype_with_a_callback(self):
        result, params, variadic = ctype.parse_prototype(
            "cudaError_t (out cudaStream_t * s, void (int, void *) * fn, ...)"
        )
        self.assertEqual(result, "cudaError_t")
        self.assertEqual(
            [(p.name, p.type, p.out) for p in params],
            [("s", "cudaStream_t *", True), ("fn", "void (int, void *) *", False)],
        )
        self.assertTrue(variadic)

    def test_a_prototype_without_parameters(self):
        self.assertEqual(ctype.parse_prototype("void * * ()"), ("void * *", (), False))


if __name__ == "__main__":
    unittest.main()
