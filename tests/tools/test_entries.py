# SPDX-License-Identifier: Apache-2.0
"""Entry points and version scripts, as text."""

import re
import unittest

import generate_support as support
from abi_support import ROOT
from generate import cpu, entries

X86_64, AARCH64 = cpu.named("x86_64"), cpu.named("aarch64")


class Assembly(unittest.TestCase):
    cpu = X86_64

    def setUp(self):
        self.plan = support.made(on=self.cpu.name)
        self.text = entries.assembly(self.plan, self.cpu)

    def test_there_is_one_of_each_per_slot(self):
        count = len(self.plan.slots)
        numbers = [str(i) for i in range(count)]
        self.assertEqual(re.findall(r"^ +ANYCUDA_ENTRY (\d+)$", self.text, re.M), numbers)
        self.assertEqual(re.findall(r"^ +ANYCUDA_LAZY (\d+)$", self.text, re.M), numbers)
        self.assertIn(f"    .rept {count}\n    .quad anycuda_lazy + ", self.text)

    def test_each_name_is_there_once_per_symbol_version(self):
        found = re.findall(r"\.symver anycuda_entry_(\d+), (\w+)(@@?)([\w.]+), remove", self.text)
        self.assertEqual(len(found), len(self.plan.slots))
        self.assertIn(("@@", "ANYCUDA_NATIVE"), [f[2:] for f in found if f[1] == "core"])
        self.assertIn(("@", "libsmall.so.11.2"), [f[2:] for f in found if f[1] == "core"])
        names = [name + version for _, name, _, version in found]
        self.assertEqual(len(names), len(set(names)))

    def test_nothing_of_the_template_is_left_open(self):
        self.assertNotRegex(self.text, r"@[A-Z]+@")

    def test_a_dropins_names_are_default_ones(self):
        text = entries.assembly(support.made(dropin=12), self.cpu)
        self.assertRegex(text, r"core@@libsmall\.so\.12, remove")
        self.assertNotRegex(text, r"\w@libsmall")

    def test_an_archive_has_each_name_once(self):
        made = support.made({"majors": {"12": {"soname": "libsmall.so.1", "node": None}}}, 12,
                            symbol_versions="core  11.8-12.0  libsmall.1.0\ncore  12.1-13.0  libsmall.2.0\n")
        text = entries.assembly(made, self.cpu, static=True)
        self.assertEqual(len(re.findall(r"\.globl core$", text, re.M)), 1)
        self.assertEqual(entries.static_names(made).split(), [function.name for function in made.symbols])

    def variables(self, dropin: int, static: bool = False) -> tuple[str, str]:
        made = support.made({"majors": {"12": {"soname": "libsmall.so.1", "node": None}}}, dropin,
                            symbol_versions="core  11.8-13.0  libsmall.1.0\nKIND  12.1-13.0  libsmall.2.0\n",
                            variables="KIND  12.1-13.0  size 8\n")
        self.assertNotIn("KIND", [function.name for function in made.symbols])
        self.assertIn("libsmall.2.0", made.symbol_versions)
        return entries.assembly(made, self.cpu, static), entries.static_names(made)

    def test_a_variable_is_one_object_with_all_its_versions(self):
        text, _ = self.variables(0)
        self.assertEqual(re.findall(r"KIND(@+[\w.]+), remove", text), ["@@ANYCUDA_NATIVE", "@libsmall.2.0"])
        self.assertEqual(re.findall(r"\.zero 8$", text, re.M), [".zero 8"])
        self.assertEqual(re.findall(r"KIND(@+[\w.]+), remove", self.variables(12)[0]), ["@@libsmall.2.0"])

    def test_each_version_of_a_variable_has_a_row_to_be_filled(self):
        self.assertEqual(re.findall(r"\.quad anycuda_variable_name_0, (\w+), 8$", self.variables(0)[0], re.M),
                         ["anycuda_variable_0_0", "anycuda_variable_0_1"])
        self.assertNotIn("anycuda_variables", self.text)

    def test_an_archive_has_the_variable_by_its_name(self):
        text, names = self.variables(12, static=True)
        self.assertIn(".quad anycuda_variable_name_0, KIND, 8", text)
        self.assertIn("KIND", names.split())

    def test_loader_and_static_library_agree_on_lazy_entries(self):
        frame = (ROOT / "loader" / f"frame_{self.cpu.name}.h").read_text(encoding="utf-8")
        [offset] = re.findall(r"lazy_offset\(unsigned slot\) \{ return (.*); \}", frame)
        self.assertIn(f".quad anycuda_lazy + {offset.replace('slot', 'index')}\n", self.text)

    def test_more_slots_than_a_lazy_entry_can_name_are_refused(self):
        self.plan.slots *= entries.SLOTS // len(self.plan.slots) + 1
        with self.assertRaisesRegex(ValueError, "16 bits"):
            entries.assembly(self.plan, self.cpu)

    def test_the_file_asks_for_the_cpus_branch_protection(self):
        kind = {"x86_64": "0xc0000002", "aarch64": "0xc0000000"}[self.cpu.name]
        self.assertRegex(self.text, rf'note\.gnu\.property, "a"\n(.*\n)+ +\.long {kind}, 4, 3, 0')


class AssemblyOnAarch64(Assembly):
    cpu = AARCH64


class Slots(unittest.TestCase):
    def test_on_x86_64_are_filled_while_the_stub_is_relocated(self):
        plan = support.made()
        text = entries.assembly(plan, X86_64)
        count = len(plan.slots)
        self.assertIn("anycuda_filled: .quad anycuda_fill_slots\n", text)
        self.assertIn("    .org anycuda_lazy + 11 * \\index + 5 * (\\index / 11)\n", text)
        self.assertIn(f"    .zero 8 * {count}\n", text)

    def test_on_aarch64_entries_are_addresses_for_glibc_217(self):
        self.assertNotIn("gnu_indirect_function", entries.assembly(support.made(on="aarch64"), AARCH64))


class Variables(unittest.TestCase):
    def test_have_their_size_under_the_native_version(self):
        text = entries.assembly(self.plan_with_variable(), X86_64)
        self.assertIn(", debugFlag@@ANYCUDA_NATIVE, remove", text)
        self.assertRegex(text, r"anycuda_variable_0_0:\n    \.size anycuda_variable_0_0, 12\n    \.zero 12\n")

    @staticmethod
    def plan_with_variable():
        made = support.made()
        flag = made.symbols[0]
        flag.name, flag.data_size = "debugFlag", 12
        made.variables = [flag]
        return made


class VersionScript(unittest.TestCase):
    def test_has_the_versions_in_their_order(self):
        text = entries.version_script(support.made())
        self.assertEqual(re.findall(r"^([\w.]+) \{", text, re.M),
                         ["ANYCUDA_NATIVE", "libsmall.so.11.2", "libsmall.so.12", "libsmall.so.13"])

    def test_hides_what_is_ours(self):
        self.assertRegex(entries.version_script(support.made()), r"local: .*anycuda_\*;")

    def test_never_hides_everything(self):
        self.assertNotIn("local: *;", entries.version_script(support.made()))


class LinkLibrary(unittest.TestCase):
    def setUp(self):
        self.plan = support.made(dropin=12)

    def test_every_name_of_its_major_is_default_without_slots(self):
        text = entries.link_assembly(self.plan, X86_64)
        found = re.findall(r"\.symver anycuda_entry_\d+, (\w+)@@libsmall\.so\.12, remove", text)
        self.assertEqual(sorted(found),
                         sorted(self.plan.symbols[slot.symbol].name for slot in self.plan.slots))
        self.assertNotIn("anycuda_slots", text)

    def test_has_the_stubs_unversioned_names(self):
        native = support.made()
        for plan, defaults in ((self.plan, len(self.plan.slots)), (native, 0)):
            text = entries.link_assembly(plan, X86_64)
            self.assertEqual(sorted(re.findall(r"\.symver anycuda_entry_\d+, (\w+)@ANYCUDA_NATIVE, remove", text)),
                             sorted(function.name for function in plan.symbols))
            self.assertEqual(text.count("@@"), defaults)
        self.assertEqual(entries.link_version_script(native), "ANYCUDA_NATIVE { local: anycuda_*; };\n")

    def test_loading_it_as_a_stub_ends_the_process(self):
        self.assertIn("\n    ud2\n", entries.link_assembly(self.plan, X86_64))
        self.assertIn("\n    brk #1\n", entries.link_assembly(self.plan, AARCH64))

    def test_defines_its_version_beside_the_unversioned_one(self):
        script = entries.link_version_script(self.plan)
        self.assertEqual(re.findall(r"^(\S+) \{", script, re.M), ["ANYCUDA_NATIVE", "libsmall.so.12"])


if __name__ == "__main__":
    unittest.main()
