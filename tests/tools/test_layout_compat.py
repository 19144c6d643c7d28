# SPDX-License-Identifier: Apache-2.0
"""The compatibility rule on prototypes, values and enumerations."""

import unittest

from abi_support import table
from generate import layout_compat
from generate.layout import TypeTable


def compare(caller: str, runtime: str, mine=None, theirs=None) -> str:
    """The rule's verdict on two prototypes over two sets of types."""
    return layout_compat.prototypes(caller, mine or table(), runtime, theirs or mine or table())


class Prototypes(unittest.TestCase):
    def test_the_same_prototype_is_compatible(self):
        self.assertEqual(compare("int (int a, void * p)", "int (int a, void * p)"), "")

    def test_names_of_parameters_and_marks_do_not_matter(self):
        self.assertEqual(compare("int (out int * a)", "int (int * result)"), "")

    def test_another_number_of_parameters(self):
        self.assertIn(
            "1 parameters for the caller, 2", compare("int (int a)", "int (int a, int b)")
        )

    def test_variadic_on_one_side(self):
        self.assertIn("parameters", compare("int (int a)", "int (int a, ...)"))

    def test_another_size_of_an_integer(self):
        self.assertIn(
            "parameter a: 4 bytes for the caller, 8", compare("int (int a)", "int (long a)")
        )

    def test_signedness_does_not_change_the_abi(self):
        self.assertEqual(compare("int (int a)", "int (unsigned int a)"), "")

    def test_integer_and_float_travel_in_different_registers(self):
        self.assertIn("integer for the caller, float", compare("int (int a)", "int (float a)"))

    def test_another_kind_of_result(self):
        self.assertIn("result", compare("int ()", "void * ()"))

    def test_void_pointer_says_nothing_about_what_it_points_to(self):
        self.assertIn("points to void", compare("int (void * p)", "int (int * p)"))
        self.assertEqual(compare("int (void * p)", "int (void * p)"), "")

    def test_const_does_not_change_the_abi(self):
        self.assertEqual(compare("int (const char * const * p)", "int (const char * * p)"), "")

    def test_function_pointers_are_compared_with_their_arguments(self):
        self.assertEqual(compare("int (void (int) * f)", "int (void (int) * f)"), "")
        self.assertIn("arguments", compare("int (void (int) * f)", "int (void (int, int) * f)"))
        self.assertIn("argument 1", compare("int (void (int) * f)", "int (void (long) * f)"))

    def test_of_an_enumeration_in_opaque_txt_only_the_signs_are_compared(self):
        def status(**values: int) -> TypeTable:
            bodies = {"enum status_t": ("size 4 int",)}
            return TypeTable("1.0", bodies, {"enum status_t": values}, opaque=frozenset({"enum status_t"}))

        old = status(success=0, size_error=-14, mode_error=-9999, size_warning=35)
        renumbered = status(success=0, size_error=-16, mode_error=-14, size_warning=36)
        self.assertEqual(compare("enum status_t ()", "enum status_t ()", old, renumbered), "")
        for name in ("success", "size_error", "size_warning"):
            values = {**old.enumerators["enum status_t"], name: 0 if name != "success" else 1}
            with self.subTest(name=name):
                self.assertIn(f"{name} is", compare("enum status_t ()", "enum status_t ()", old, status(**values)))

    def test_opaque_types_are_compared_by_name(self):
        types = table({"struct A": "opaque", "struct B": "opaque"})
        self.assertEqual(compare("int (struct A * p)", "int (struct A * p)", types), "")
        self.assertIn(
            "struct A for the caller, struct B",
            compare("int (struct A * p)", "int (struct B * p)", types),
        )

    def test_typedefs_are_seen_through(self):
        mine = table({"typedef handle_t": "struct A *", "struct A": "opaque"})
        theirs = table({"struct A": "opaque"})
        self.assertEqual(compare("int (handle_t h)", "int (struct A * h)", mine, theirs), "")


class PassedByValue(unittest.TestCase):
    def test_the_same_size_in_other_registers(self):
        mine = table({"struct S": "size 8 align 4 | 0  int  a | 4  int  b"})
        theirs = table({"struct S": "size 8 align 4 | 0  float  a | 4  float  b"})
        self.assertNotEqual(compare("int (struct S s)", "int (struct S s)", mine, theirs), "")

    def test_vector_register_counts_inside_a_union(self):
        mine = table({"union U": "size 8 align 8 | 0  double  d"})
        theirs = table({"union U": "size 8 align 8 | 0  double  d | 0  long  n"})
        self.assertIn(
            "other registers", compare("int (union U u)", "int (union U u)", mine, theirs)
        )
        self.assertEqual(compare("int (union U * u)", "int (union U * u)", mine, theirs), "")


class Enumerations(unittest.TestCase):
    CALL = "int (enum E e)"

    def test_a_new_enumerator_is_fine_in_both_directions(self):
        old, new = table(enums={"enum E": {"A": 0}}), table(enums={"enum E": {"A": 0, "B": 1}})
        self.assertEqual(compare(self.CALL, self.CALL, old, new), "")
        self.assertEqual(compare(self.CALL, self.CALL, new, old), "")

    def test_a_name_with_another_value(self):
        old, new = table(enums={"enum E": {"A": 0, "B": 1}}), table(
            enums={"enum E": {"A": 0, "B": 2}}
        )
        self.assertIn("B is 1 for the caller, 2", compare(self.CALL, self.CALL, old, new))

    def test_a_value_that_means_something_else(self):
        old, new = table(enums={"enum E": {"A": 0, "B": 1}}), table(
            enums={"enum E": {"A": 0, "C": 1}}
        )
        self.assertIn("1 means B for the caller, C", compare(self.CALL, self.CALL, old, new))

    def test_a_reserved_value_may_get_a_meaning(self):
        old = table(enums={"enum E": {"A": 0, "Reserved1": 1}})
        new = table(enums={"enum E": {"A": 0, "C": 1}})
        self.assertEqual(compare(self.CALL, self.CALL, old, new), "")

    def test_an_alias_keeps_the_meaning(self):
        old = table(enums={"enum E": {"A": 0}})
        new = table(enums={"enum E": {"A": 0, "AlsoA": 0}})
        self.assertEqual(compare(self.CALL, self.CALL, old, new), "")

    def test_only_a_counting_enumerator_may_change(self):
        old = table(enums={"enum E": {"A": 0, "E_COUNT": 1}})
        new = table(enums={"enum E": {"A": 0, "B": 1, "E_COUNT": 2}})
        self.assertEqual(compare(self.CALL, self.CALL, old, new), "")
        old = table(enums={"enum E": {"A": 0, "E_COUNT": 1, "Z": 9}})
        self.assertIn("E_COUNT", compare(self.CALL, self.CALL, old, new))

    def test_enumerations_without_a_common_name_are_different_things(self):
        old, new = table(enums={"enum E": {"A": 0}}), table(enums={"enum F": {"B": 0}})
        self.assertIn(
            "enum E for the caller, enum F", compare(self.CALL, "int (enum F e)", old, new)
        )

    def test_a_macro_may_keep_the_old_name_of_an_enumerator(self):
        old = table(enums={"enum E": {"A": 1}})
        new = table(enums={"enum F": {"B": 1}}, macros={"A": 1})
        self.assertEqual(compare(self.CALL, "int (enum F e)", old, new), "")


if __name__ == "__main__":
    unittest.main()
