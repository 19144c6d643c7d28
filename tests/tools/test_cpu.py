# SPDX-License-Identifier: Apache-2.0
"""The places of arguments on each CPU."""

import unittest

from abi_support import real
from generate import cpu, model

INTEGER, FLOAT, PAIR, MEMORY = ("integer",), ("sse",), ("integer", "integer"), ("memory",)


def prototype(*parameters, result=()) -> model.Prototype:
    """Of parameters given as (classes, size), (classes, size, align) or (classes, size, align, floats)."""
    params = tuple(
        model.Param(f"p{i}", "some type", "struct" if rest[1:] else _kind(classes, size), size, rest[0] if rest else 8,
                    classes, False, rest[1] if rest[1:] else 0)
        for i, (classes, size, *rest) in enumerate(parameters)
    )
    return model.Prototype("", "", "struct" if result else "int", 4, result, params, False)


def _kind(classes: tuple, size: int) -> str:
    if classes == FLOAT:
        return "float"
    return "integer" if classes == INTEGER and size <= 8 else "struct"


class X86_64(unittest.TestCase):
    """System V ABI, AMD64 supplement, 3.2.3."""

    def locations(self, *parameters, result=()) -> list:
        return cpu.named("x86_64").locate(prototype(*parameters, result=result))

    def test_six_registers_then_the_stack(self):
        self.assertEqual(self.locations(*[(INTEGER, 8)] * 8), [0, 1, 2, 3, 4, 5, 8, 9])

    def test_small_integers_have_whole_stack_slots(self):
        self.assertEqual(self.locations(*[(INTEGER, 4)] * 9)[6:], [8, 9, 10])

    def test_floats_take_no_integer_register(self):
        self.assertEqual(self.locations((INTEGER, 8), (FLOAT, 4), (INTEGER, 8)), [0, None, 1])

    def test_the_ninth_float_is_on_the_stack(self):
        found = self.locations(*[(FLOAT, 8)] * 9, *[(INTEGER, 8)] * 7)
        self.assertEqual(found[:9], [None] * 8 + [8])
        self.assertEqual(found[9:], [0, 1, 2, 3, 4, 5, 9])

    def test_a_struct_of_two_words_takes_two_registers(self):
        self.assertEqual(self.locations((PAIR, 16), (INTEGER, 8)), [None, 2])

    def test_unfitting_struct_leaves_the_register_to_the_next(self):
        found = self.locations(*[(INTEGER, 8)] * 5, (PAIR, 16), (INTEGER, 8), (INTEGER, 8))
        self.assertEqual(found, [0, 1, 2, 3, 4, None, 5, 10])

    def test_a_mixed_struct_takes_one_of_each(self):
        found = self.locations((("integer", "sse"), 16), (INTEGER, 8), (FLOAT, 8))
        self.assertEqual(found, [None, 1, None])

    def test_large_struct_is_only_on_the_stack(self):
        found = self.locations((MEMORY, 24), *[(INTEGER, 8)] * 7)
        self.assertEqual(found, [None, 0, 1, 2, 3, 4, 5, 11])

    def test_an_aligned_struct_leaves_a_gap(self):
        found = self.locations(*[(INTEGER, 8)] * 7, (MEMORY, 32, 16), (INTEGER, 8))
        self.assertEqual(found[6:], [8, None, 14])

    def test_a_result_in_memory_takes_the_first_register(self):
        self.assertEqual(self.locations((INTEGER, 8), result=MEMORY), [1])
        self.assertEqual(self.locations((INTEGER, 8), result=INTEGER), [0])


class Aarch64(unittest.TestCase):
    """AAPCS64, 6.8.2."""

    def locations(self, *parameters, result=()) -> list:
        return cpu.named("aarch64").locate(prototype(*parameters, result=result))

    def test_eight_registers_then_the_stack(self):
        self.assertEqual(self.locations(*[(INTEGER, 8)] * 10), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])

    def test_small_integers_have_whole_stack_slots(self):
        self.assertEqual(self.locations(*[(INTEGER, 4)] * 11)[8:], [8, 9, 10])

    def test_floats_take_no_integer_register(self):
        self.assertEqual(self.locations((INTEGER, 8), (FLOAT, 4), (INTEGER, 8)), [0, None, 1])

    def test_ninth_float_is_on_the_stack_integers_keep_registers(self):
        found = self.locations(*[(FLOAT, 8)] * 9, (INTEGER, 8))
        self.assertEqual(found[8:], [8, 0])

    def test_a_struct_of_two_words_takes_two_registers(self):
        self.assertEqual(self.locations((PAIR, 16), (INTEGER, 8)), [None, 2])

    def test_unfitting_struct_takes_the_remaining_registers(self):
        found = self.locations(*[(INTEGER, 8)] * 7, (PAIR, 12, 4), (INTEGER, 8), (INTEGER, 8))
        self.assertEqual(found[6:], [6, None, 10, 11])

    def test_large_struct_is_a_pointer_not_an_output(self):
        self.assertEqual(self.locations((MEMORY, 24), (INTEGER, 8)), [None, 1])
        self.assertEqual(self.locations(*[(INTEGER, 8)] * 8, (MEMORY, 64, 1), (INTEGER, 8))[8:], [None, 9])

    def test_an_aligned_struct_starts_at_an_even_register_or_slot(self):
        self.assertEqual(self.locations((INTEGER, 8), (PAIR, 16, 16), (INTEGER, 8)), [0, None, 4])
        found = self.locations(*[(INTEGER, 8)] * 9, (PAIR, 16, 16), (INTEGER, 8))
        self.assertEqual(found[8:], [8, None, 12])

    def test_a_result_in_memory_takes_no_argument_register(self):
        self.assertEqual(self.locations((INTEGER, 8), result=MEMORY), [0])

    def test_a_struct_of_floats_takes_a_vector_register_for_each(self):
        self.assertEqual(self.locations((INTEGER, 8), (FLOAT, 8, 8, 2), (INTEGER, 8)), [0, None, 1])
        found = self.locations(*[(FLOAT, 8, 8, 2)] * 3, (FLOAT, 8, 8, 2), (FLOAT, 4), (INTEGER, 8))
        self.assertEqual(found, [None, None, None, None, 8, 0])

    def test_unfitting_float_struct_moves_later_floats_to_the_stack(self):
        found = self.locations(*[(FLOAT, 8)] * 7, (FLOAT, 8, 8, 2), (FLOAT, 8), (INTEGER, 8))
        self.assertEqual(found[7:], [8, 9, 0])
        found = self.locations(*[(FLOAT, 8)] * 8, (FLOAT, 4), (("sse", "sse"), 16, 16, 2), (FLOAT, 8))
        self.assertEqual(found[8:], [8, None, 12])

    def test_a_struct_of_floats_and_others_travels_as_integers_do(self):
        self.assertEqual(self.locations((("sse", "integer"), 16), (INTEGER, 8)), [None, 2])


class RealPrototypes(unittest.TestCase):
    def locations(self, name: str, on: str) -> list:
        return cpu.named(on).locate(real("cudart").functions[name].prototype("12.9"))

    def test_a_kernel_launch(self):
        # func; gridDim and blockDim are 12 bytes in two registers each; args; shared memory; stream
        self.assertEqual(self.locations("cudaLaunchKernel", "x86_64"), [0, None, None, 5, 8, 9])
        self.assertEqual(self.locations("cudaLaunchKernel", "aarch64"), [0, None, None, 5, 6, 7])

    def test_nine_arguments(self):
        name = "cudaMemcpy2DArrayToArray"
        self.assertEqual(self.locations(name, "x86_64"), [0, 1, 2, 3, 4, 5, 8, 9, 10])
        self.assertEqual(self.locations(name, "aarch64"), [0, 1, 2, 3, 4, 5, 6, 7, 8])

    def test_complex_numbers_by_value(self):
        # n, alpha, x, incx, y, incy: alpha is two floats, or two doubles
        for name in ("cublasCaxpy", "cublasZaxpy"):
            function = real("cublas").functions[name]
            for on in ("x86_64", "aarch64"):
                self.assertEqual(cpu.named(on).locate(function.prototype("12.9")), [0, None, 1, 2, 3, 4], (name, on))
            self.assertEqual(function.prototype("12.9").params[1].floats, 2)

    def test_every_function_has_its_places(self):
        for library in ("cublas", "cublaslt", "cuda", "cudart", "cufft", "cusolver", "cusparse", "nvjitlink", "nvrtc"):
            for function in real(library).functions.values():
                for version in function.versions:
                    known = function.prototype(version)
                    for on in ("x86_64", "aarch64") if known else ():
                        places = [place for place in cpu.named(on).locate(known) if place is not None]
                        self.assertEqual(len(places), len(set(places)), f"{function.name} {version} {on}")


class Names(unittest.TestCase):
    def test_another_cpu_is_refused_with_those_that_there_are(self):
        with self.assertRaisesRegex(ValueError, "'riscv64'.* x86_64, aarch64"):
            cpu.named("riscv64")


if __name__ == "__main__":
    unittest.main()
