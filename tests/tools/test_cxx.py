# SPDX-License-Identifier: Apache-2.0
"""The database's types as C++ and the copies between them."""

import unittest

from abi_support import table
from generate import convert, cxx
from generate.layout_compat import Comparison


def two(old: dict[str, str], new: dict[str, str], **enums):
    """The same library in two majors: the writer and its two spaces."""
    writer = cxx.Writer()
    return writer, writer.add("v1", table(old, **enums)), writer.add("v2", table(new, **enums))


class Spelling(unittest.TestCase):
    def spell(self, text: str, types: dict[str, str] | None = None) -> str:
        writer = cxx.Writer()
        return writer.spell(writer.add("v1", table(types)), text)

    def test_words(self):
        types = {"struct S": "opaque", "typedef S_t": "struct S *", "enum E": "size 4 unsigned int"}
        self.assertEqual(self.spell("const char * *", types), "const char**")
        self.assertEqual(self.spell("S_t *", types), "opaque::S**")
        self.assertEqual(self.spell("enum E", types), "unsigned int")
        self.assertEqual(self.spell("int [4]"), "Array<int, 4>")
        self.assertEqual(self.spell("void (int, char *) *"), "Function<void, int, char*>*")

    def test_a_struct_that_another_major_defines(self):
        self.assertEqual(self.spell("struct S@11.8 *"), "v11::S*")


class Records(unittest.TestCase):
    SMALL = {"struct S": "size 4 align 4 | 0  int  a"}
    LARGE = {"struct S": "size 8 align 4 | 0  int  a | 4  int  b"}

    def test_a_record_that_is_alike_is_defined_once(self):
        writer, one, other = two(self.SMALL, self.SMALL)
        self.assertTrue(writer.record_is_shared(one, other, "struct S"))
        self.assertIn("using S = v1::S;", writer.definitions(other))

    def test_struct_with_a_differing_member_is_two_types(self):
        for holder in ("struct S", "struct S *"):
            size = {"struct S": 4}.get(holder, 8)
            outer = {"struct T": f"size {size} align {min(size, 8)} | 0  {holder}  s"}
            larger = {"struct T": f"size 8 align {min(size, 8)} | 0  {holder}  s"}
            writer, one, other = two({**self.SMALL, **outer}, {**self.LARGE, **larger})
            self.assertFalse(writer.record_is_shared(one, other, "struct T"), holder)

    def test_the_compiler_checks_what_was_derived(self):
        writer, one, _ = two(self.LARGE, self.LARGE)
        text = writer.definitions(one)
        self.assertIn("static_assert(sizeof(S) == 8 && alignof(S) == 4);", text)
        self.assertIn("static_assert(__builtin_offsetof(S, b) == 4);", text)

    def test_extra_alignment_is_written(self):
        writer, one, _ = two({"struct S": "size 16 align 16 | 0  int  a"}, {})
        self.assertIn("struct alignas(16) S {", writer.definitions(one))

    def test_members_without_a_name_stay_without(self):
        types = {"struct S": "size 4 align 4 | 0  union S.-0  -",
                 "union S.-0": "size 4 align 4 | 0  int  a | 0  float  b"}
        writer, one, _ = two(types, {})
        self.assertIn("struct S {\nunion {\nint a;\nfloat b;\n};\n};", writer.definitions(one))


class Copies(unittest.TestCase):
    def plan(self, old: dict[str, str], new: dict[str, str], **enums):
        _, one, other = two(old, new, **enums)
        return convert.plan(one, other, "struct S", Comparison(one.types, other.types))

    def test_fields_go_to_where_the_other_side_has_them(self):
        old = {"struct S": "size 12 align 4 | 0  int  a | 4  int  b | 8  int  gone"}
        new = {"struct S": "size 12 align 4 | 0  int  fresh | 4  int  b | 8  int  a"}
        self.assertEqual(self.plan(old, new), ([(0, 8, 4), (4, 4, 4)], ""))

    def test_neighbours_are_copied_together(self):
        old = {"struct S": "size 8 align 4 | 0  int  a | 4  int  b"}
        new = {"struct S": "size 12 align 4 | 0  int  x | 4  int  a | 8  int  b"}
        self.assertEqual(self.plan(old, new), ([(0, 4, 8)], ""))

    def test_reserved_fields_stay_behind(self):
        old = {"struct S": "size 8 align 4 | 0  int  a | 4  int  reserved"}
        new = {"struct S": "size 12 align 4 | 0  int  a | 4  int [2]  reserved"}
        self.assertEqual(self.plan(old, new), ([(0, 0, 4)], ""))

    def test_what_must_be_written_by_hand(self):
        a = "size 8 align 4 | 0  int  a | 4  int  b"
        for other, words in (
            ("size 16 align 8 | 0  long  a | 8  int  b", "a has another size"),
            ("size 8 align 4 | 0  float  a | 4  int  b", "a: integer for the caller, float"),
        ):
            self.assertIn(words, self.plan({"struct S": a}, {"struct S": other})[1])

    def test_enumerator_with_another_value_is_not_copied(self):
        body = {"struct S": "size 4 align 4 | 0  enum E  e"}
        grown = {"struct S": "size 8 align 4 | 0  enum E  e | 4  int  more"}
        writer = cxx.Writer()
        one = writer.add("v1", table(body, {"enum E": {"x": 1}}))
        other = writer.add("v2", table(grown, {"enum E": {"x": 2}}))
        self.assertIn("x is 1", convert.plan(one, other, "struct S",
                                             Comparison(one.types, other.types))[1])

    def test_members_of_a_union_must_move_together(self):
        def body(second: int) -> dict[str, str]:
            return {"struct S": "size 16 align 4 | 0  union U  u",
                    "union U": f"size 16 align 4 | 0  int [2]  a | {second}  int [2]  b"}
        self.assertEqual(self.plan(body(4), body(4))[1], "")
        self.assertIn("move apart", self.plan(body(4), body(8))[1])


if __name__ == "__main__":
    unittest.main()
