# SPDX-License-Identifier: Apache-2.0
"""Plans: which names a stub has under which symbol version, with which dispositions and outputs."""

import unittest

import generate_support as support
from abi_support import ROOT, real
from generate import cpu, descriptor, plan


class Slots(unittest.TestCase):
    def setUp(self):
        self.plan = support.made()

    def slot(self, name: str, version: int) -> plan.Slot:
        for slot in self.plan.slots:
            if (self.plan.symbols[slot.symbol].name, slot.symbol_version) == (name, version):
                return slot
        self.fail(f"no slot of {name} under version {version}")

    def test_symbols_are_in_the_order_of_their_bytes(self):
        names = [function.name for function in support.made(
            functions=support.FUNCTIONS + "_b\n  12.0  int ()\nZ\n  12.0  int ()\n").symbols]
        self.assertEqual(names, sorted(names, key=str.encode))
        self.assertEqual((names[0], names[1]), ("Z", "_b"))

    def test_the_native_version_comes_first_and_has_everything(self):
        self.assertEqual(self.plan.symbol_versions, ["ANYCUDA_NATIVE", "libsmall.so.11.2", "libsmall.so.12",
                                                     "libsmall.so.13"])
        native = [self.plan.symbols[s.symbol].name for s in self.plan.slots if s.symbol_version == 0]
        self.assertEqual(native, ["added", "changed", "core", "makesBig", "old", "quoted"])

    def test_a_symbol_version_has_what_its_major_has(self):
        under = {n: {self.plan.symbols[s.symbol].name for s in self.plan.slots if s.symbol_version == n}
                 for n in (1, 2, 3)}
        self.assertNotIn("added", under[1])
        self.assertIn("added", under[2])
        self.assertIn("old", under[2])
        self.assertNotIn("old", under[3])

    def test_only_native_versions_are_default_ones(self):
        for slot in self.plan.slots:
            self.assertEqual(slot.default, slot.symbol_version == 0)
            self.assertEqual(slot.version_name, self.plan.symbol_versions[slot.symbol_version])

    def test_only_versioned_slots_have_dispositions_per_major(self):
        for slot in self.plan.slots:
            self.assertEqual(len(slot.dispositions), 3 if slot.symbol_version else 0)

    def test_dispositions_are_those_of_the_callers_major(self):
        kinds = [disposition.kind for disposition in self.slot("old", 2).dispositions]
        self.assertEqual(kinds, ["direct", "direct", "renamed"])
        self.assertEqual(self.slot("old", 2).dispositions[2].targets, ("core",))
        self.assertEqual([c.kind for c in self.slot("added", 3).dispositions],
                         ["absent", "direct", "direct"])

    def test_outputs_are_zeroed_where_the_callers_major_has_them(self):
        self.assertEqual(self.slot("changed", 1).outputs, ((0, 4), (1, 8)))
        self.assertEqual(self.slot("changed", 2).outputs, ((0, 4),))

    def test_for_a_native_caller_only_what_every_major_has(self):
        self.assertEqual(self.slot("changed", 0).outputs, ((0, 4),))

    def test_output_of_varying_size_is_left_out_for_unversioned_callers(self):
        self.plan = support.made(functions=support.FUNCTIONS +
                                 "sized\n  11.8  int (out int * n)\n  12.0-13.0  int (out long * n)\n")
        self.assertEqual(self.slot("sized", 0).outputs, ())
        self.assertEqual(self.slot("sized", 1).outputs, ((0, 4),))
        self.assertEqual(self.slot("sized", 3).outputs, ((0, 8),))

    def test_output_after_a_hidden_result_is_shifted(self):
        self.assertEqual(self.slot("makesBig", 0).outputs, ((1, 4),))


class Dropins(unittest.TestCase):
    def test_only_their_majors_names_are_default(self):
        made = support.made(dropin=12)
        self.assertEqual(made.soname, "libsmall.so.12")
        self.assertEqual(made.symbol_versions, ["ANYCUDA_NATIVE", "libsmall.so.12"])
        self.assertTrue(all(s.default and s.symbol_version == 2 for s in made.slots))
        self.assertEqual(len(made.slots), 6)

    def test_have_the_symbols_of_the_stub(self):
        names = [f.name for f in support.made().symbols]
        self.assertEqual([f.name for f in support.made(dropin=13).symbols], names)


class SymbolVersionsOfFunctions(unittest.TestCase):
    """cuTENSOR: a function's symbol version names the release that added it, and tells no major of CUDA."""
    FACTS = "core  11.8-12.0  libsmall.1.0\ncore  12.1-13.0  libsmall.2.0\nadded  12.1-13.0  libsmall.2.0\n"
    UNVERSIONED = {"majors": {"12": {"soname": "libsmall.so.1", "node": None}}, "required_symbols": ["core"]}

    def names(self, dropin: int) -> list[tuple[str, str, bool]]:
        made = support.made(self.UNVERSIONED, dropin, symbol_versions=self.FACTS)
        self.assertEqual(made.symbol_versions, ["ANYCUDA_NATIVE", "libsmall.1.0", "libsmall.2.0"])
        self.assertTrue(all(slot.symbol_version == 0 and not slot.dispositions for slot in made.slots))
        return [(made.symbols[slot.symbol].name, slot.version_name, slot.default) for slot in made.slots
                if made.symbols[slot.symbol].name in ("added", "core", "old")]

    def test_stub_has_them_beside_its_own(self):
        self.assertEqual(self.names(0), [
            ("added", "ANYCUDA_NATIVE", True), ("added", "libsmall.2.0", False),
            ("core", "ANYCUDA_NATIVE", True), ("core", "libsmall.1.0", False), ("core", "libsmall.2.0", False),
            ("old", "ANYCUDA_NATIVE", True)])

    def test_dropin_has_them_in_place_of_its_own_the_newest_as_default(self):
        self.assertEqual(self.names(12), [
            ("added", "libsmall.2.0", True), ("core", "libsmall.1.0", False), ("core", "libsmall.2.0", True),
            ("old", "ANYCUDA_NATIVE", True)])

    def test_symbol_version_of_each_major_beside_them_stops_the_build(self):
        with self.assertRaisesRegex(ValueError, "the node of each major must be null"):
            support.made(symbol_versions=self.FACTS)


class Driver(unittest.TestCase):
    def test_has_only_the_unversioned_names_and_separate_variables(self):
        facts = plan.gather(descriptor.load(ROOT / "stubs" / "cuda" / "library.json"), real("cuda"))
        for dropin, soname in ((0, "libcuda_stub.so"), (1, "libcuda.so.1")):
            made = plan.make(facts, cpu.named("x86_64"), dropin)
            self.assertEqual((made.symbol_versions, made.soname), (["ANYCUDA_NATIVE"], soname))
            self.assertTrue(all(s.symbol_version == 0 and s.default and not s.dispositions for s in made.slots))
            data = {function.name for function in made.variables}
            self.assertTrue(data)
            self.assertFalse(data & {function.name for function in made.symbols})


class Names(unittest.TestCase):
    def refuse(self, changes: dict, *words: str):
        with self.assertRaises(ValueError) as caught:
            support.made(changes)
        for word in ("library.json", *words):
            self.assertIn(word, str(caught.exception))

    def test_that_no_library_exports_stop_the_build(self):
        self.refuse({"required_symbols": ["core", "cora"]}, "cora")
        self.refuse({"builtin": {"registerX": "anycuda_register"}}, "registerX")
        self.refuse({"special_functions": {"errorName": "error_name"}}, "errorName")
        self.refuse({"questions": ["getVersion"]}, "getVersion")

    def test_of_core_symbols_that_came_later_stop_the_build(self):
        self.refuse({"required_symbols": ["added"]}, "added", "CUDA 12", "12.1")

    def test_core_symbols_missing_in_a_major_are_not_required(self):
        support.made({"required_symbols": ["old"]})


if __name__ == "__main__":
    unittest.main()
