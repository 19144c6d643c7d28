# SPDX-License-Identifier: Apache-2.0
"""The compatibility rule on layouts behind pointers, and on NVIDIA's releases."""

import unittest

from abi_support import SmallDatabase, real, table
from generate import flatten, layout, layout_compat
from test_layout_compat import compare


class Layouts(unittest.TestCase):
    CALL = "int (struct S * s)"

    def verdict(self, old: str, new: str, **more: str) -> tuple[str, str]:
        """Both directions: old caller on new runtime, new caller on old runtime."""
        extra = {key.replace("_", " "): text for key, text in more.items()}
        mine, theirs = table({"struct S": old, **extra}), table({"struct S": new, **extra})
        return (
            compare(self.CALL, self.CALL, mine, theirs),
            compare(self.CALL, self.CALL, theirs, mine),
        )

    def assert_fine(self, old: str, new: str, **more: str) -> None:
        self.assertEqual(self.verdict(old, new, **more), ("", ""))

    def test_a_larger_struct_is_never_compatible(self):
        first, second = self.verdict(
            "size 4 align 4 | 0  int  a", "size 8 align 4 | 0  int  a | 4  int  b"
        )
        self.assertEqual(first, "struct S: 4 bytes for the caller, 8 in the runtime")
        self.assertEqual(second, "struct S: 8 bytes for the caller, 4 in the runtime")

    def test_growth_into_a_reserved_field(self):
        self.assert_fine(
            "size 12 align 4 | 0  int  a | 4  int [2]  reserved",
            "size 12 align 4 | 0  int  a | 4  int  b | 8  int [1]  reserved",
        )

    def test_reserved_is_what_a_name_says_as_a_whole(self):
        for name in (
            "reserved",
            "reserved0",
            "__cudaReserved",
            "pad",
            "padding1",
            "_internal_padding",
        ):
            self.assertTrue(flatten.is_reserved(name), name)
        for name in (
            "reservedSharedMemPerBlock",
            "paddingMode",
            "launchpad",
            "padded",
            "unusedBytes",
        ):
            self.assertFalse(flatten.is_reserved(name), name)

    def test_growth_into_padding(self):
        self.assert_fine("size 8 align 8 | 0  int  a", "size 8 align 8 | 0  int  a | 4  int  b")

    def test_growth_over_a_field_that_counts(self):
        for reason in self.verdict(
            "size 8 align 4 | 0  int  a | 4  int  b", "size 8 align 4 | 0  int  a | 4  int  c"
        ):
            self.assertIn("has no field", reason)

    def test_a_field_of_the_runtime_over_one_that_both_have(self):
        first, second = self.verdict(
            "size 4 align 4 | 0  int  a", "size 4 align 4 | 0  int  a | 2  short  sneaky"
        )
        self.assertEqual(first, "struct S: the caller has no field sneaky")
        self.assertEqual(second, "struct S: the runtime has no field sneaky")

    def test_a_moved_field(self):
        first, _ = self.verdict(
            "size 8 align 4 | 0  int  a | 4  int  b", "size 8 align 4 | 0  int  b | 4  int  a"
        )
        self.assertIn("struct S.a: byte 0, 4 bytes for the caller, byte 4", first)

    def test_a_field_of_another_type_of_the_same_size(self):
        first, _ = self.verdict("size 4 align 4 | 0  int  a", "size 4 align 4 | 0  float  a")
        self.assertIn("struct S.a", first)

    def test_another_alignment(self):
        first, _ = self.verdict("size 8 align 4 | 0  int  a", "size 8 align 8 | 0  int  a")
        self.assertEqual(first, "struct S: aligned to 4 for the caller, to 8 in the runtime")

    def test_a_layout_that_only_one_side_has(self):
        self.assertEqual(self.verdict("opaque", "size 8 align 8 | 0  long  a"),
                         ("struct S: its layout is unknown for the caller",
                          "struct S: its layout is unknown in the runtime"))

    def test_types_that_are_missing_or_damaged_are_named(self):
        with SmallDatabase("nvrtc", versions="12.9  x\n", functions="",
                           types="struct S\n  12.9  size 4 align 4\n      int a\n") as database:
            damaged = database.type_table("12.9")
        with self.assertRaisesRegex(layout.UnknownType, "nvrtc/types.txt has no type 'struct T' in version 12.9"):
            damaged.resolve_text("struct T")
        for read in (damaged.resolve_text, damaged.reached):
            with self.assertRaisesRegex(ValueError, "^nvrtc/types.txt: cannot read the field 'int a' of struct S"):
                read("struct S")

    def test_a_further_member_of_a_union(self):
        old = "size 16 align 8 | 0  int  kind | 8  union U  of"
        mine = table({"struct S": old, "union U": "size 8 align 8 | 0  long  a"})
        theirs = table({"struct S": old, "union U": "size 8 align 8 | 0  long  a | 0  double  b"})
        self.assertEqual(compare(self.CALL, self.CALL, mine, theirs), "")
        self.assertEqual(compare(self.CALL, self.CALL, theirs, mine), "")

    def test_a_field_may_become_a_member_of_a_union(self):
        mine = table({"struct S": "size 8 align 4 | 0  int  type | 4  int  id"})
        theirs = table(
            {
                "struct S": "size 8 align 4 | 0  int  type | 4  union S.-4  -",
                "union S.-4": "size 4 align 4 | 0  int  id | 0  short  other",
            }
        )
        self.assertEqual(compare(self.CALL, self.CALL, mine, theirs), "")
        self.assertEqual(compare(self.CALL, self.CALL, theirs, mine), "")

    def test_struct_may_grow_within_its_union(self):
        outer = "size 32 align 8 | 0  long  type | 8  union U  of"
        union = "size 24 align 8 | 0  char [24]  reserved | 0  struct K  kernel"
        mine = table(
            {"struct S": outer, "union U": union, "struct K": "size 8 align 8 | 0  long  a"}
        )
        theirs = table(
            {
                "struct S": outer,
                "union U": union,
                "struct K": "size 16 align 8 | 0  long  a | 8  long  b",
            }
        )
        self.assertEqual(compare(self.CALL, self.CALL, mine, theirs), "")

    def test_a_struct_inside_may_not_push_what_follows(self):
        mine = table(
            {
                "struct S": "size 16 align 8 | 0  struct K  k | 8  long  after",
                "struct K": "size 8 align 8 | 0  long  a",
            }
        )
        theirs = table(
            {
                "struct S": "size 16 align 8 | 0  struct K  k",
                "struct K": "size 16 align 8 | 0  long  a | 8  long  b",
            }
        )
        self.assertNotEqual(compare(self.CALL, self.CALL, mine, theirs), "")

    def test_bit_fields_are_compared_by_bit(self):
        first, _ = self.verdict(
            "size 4 align 4 | 0:0  int :3  a", "size 4 align 4 | 0:0  int :4  a"
        )
        self.assertIn("byte 0, 3 bits for the caller, byte 0, 4 bits", first)

    def test_what_a_field_points_to_is_followed(self):
        outer = "size 8 align 8 | 0  struct T *  t"
        mine = table({"struct S": outer, "struct T": "size 4 align 4 | 0  int  a"})
        theirs = table({"struct S": outer, "struct T": "size 8 align 4 | 0  int  a | 4  int  b"})
        self.assertIn("struct T: 4 bytes", compare(self.CALL, self.CALL, mine, theirs))

    def test_a_list_that_points_to_itself_comes_to_an_end(self):
        node = "size 16 align 8 | 0  struct S *  next | 8  long  value"
        self.assert_fine(node, node)
        first, _ = self.verdict(node, "size 16 align 8 | 0  struct S *  next | 8  double  value")
        self.assertIn("value", first)

    def test_nothing_concluded_inside_a_failed_circle_is_kept(self):
        """T is fine only if S is; S turns out different, so a question about T must fail too."""
        mine = table(
            {
                "struct S": "size 16 align 8 | 0  struct T *  t | 8  long  v",
                "struct T": "size 8 align 8 | 0  struct S *  s",
            }
        )
        theirs = table(
            {
                "struct S": "size 16 align 8 | 0  struct T *  t | 8  double  v",
                "struct T": "size 8 align 8 | 0  struct S *  s",
            }
        )
        comparison = layout_compat.Comparison(mine, theirs)
        for call in ("int (struct S * s)", "int (struct T * t)"):
            self.assertNotEqual(layout_compat.prototypes(call, mine, call, theirs, comparison), "", call)


class RealReleases(unittest.TestCase):
    """What the rule finds between releases of the runtime."""

    def differences(self, before: str, after: str) -> dict[str, str]:
        database = real("cudart")
        old, new = database.type_table(before), database.type_table(after)
        found = {}
        for name, function in database.functions.items():
            mine, theirs = function.texts.get(before, "?"), function.texts.get(after, "?")
            if "?" not in (mine, theirs):
                reason = layout_compat.prototypes(mine, old, theirs, new)
                if reason:
                    found[name] = reason
        return found

    def test_between_11_and_12(self):
        self.assertEqual(
            sorted(self.differences("11.8", "12.0")),
            [
                "cudaChooseDevice",
                "cudaCreateTextureObject",
                "cudaFuncGetAttributes",
                "cudaGetDriverEntryPoint",
                "cudaGetDriverEntryPoint_ptsz",
                "cudaGetTextureObjectTextureDesc",
                "cudaGraphExecUpdate",
                "cudaGraphInstantiate",
            ],
        )

    def test_between_12_and_13(self):
        found = self.differences("12.9", "13.0")
        self.assertEqual(len(found), 33)
        for name in (
            "cudaPointerGetAttributes",
            "cudaMemPrefetchAsync",
            "cudaMemAdvise",
            "cudaMemcpyBatchAsync",
            "cudaGraphAddNode",
            "cudaGraphGetEdges",
            "cudaStreamGetCaptureInfo",
            "cudaStreamUpdateCaptureDependencies",
            "cudaImportExternalMemory",
            "cudaGetDeviceProperties",
        ):
            self.assertIn(name, found)
        self.assertEqual(
            found["cudaPointerGetAttributes"],
            "struct cudaPointerAttributes: 24 bytes for the caller, 88 in the runtime",
        )

    def test_within_a_major_only_11_8_broke_a_promise(self):
        versions = real("cudart").versions
        broken = {}
        for before, after in zip(versions, versions[1:]):
            if before.split(".")[0] == after.split(".")[0]:
                for name in (*self.differences(before, after), *self.differences(after, before)):
                    broken.setdefault((before, after), set()).add(name)
        self.assertEqual(
            broken,
            {
                ("11.7", "11.8"): {
                    "cudaCreateTextureObject",
                    "cudaGetTextureObjectTextureDesc",
                    "cudaGraphKernelNodeGetAttribute",
                    "cudaGraphKernelNodeSetAttribute",
                    "cudaStreamGetAttribute",
                    "cudaStreamGetAttribute_ptsz",
                    "cudaStreamSetAttribute",
                    "cudaStreamSetAttribute_ptsz",
                }
            },
        )


if __name__ == "__main__":
    unittest.main()
