# SPDX-License-Identifier: Apache-2.0
"""Tables as C++: their contents, that they compile, and that they follow the facts."""

import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import generate_support as support
from abi_support import ROOT
from generate import model, tables
from generate.descriptor import Major


def text(changes: dict | None = None, dropin: int = 0, **files: str) -> str:
    return tables.cplusplus(support.made(changes, dropin, **files),
                            support.load(base=support.DRIVER))


def with_peer() -> str:
    peer = support.load({"name": "other", "file_prefix": "libother.so", "majors": {
        "12": {"soname": "libother.so.12", "node": "libother.so.12"}}})
    return tables.cplusplus(support.made({"lto_ir_to": "other"}),
                            support.load(base=support.DRIVER), peer)


def array(source: str, name: str) -> list[str]:
    body = re.search(rf" {name}\[\] = \{{\n(.*?)\}};", source, re.S)[1]
    return [row.strip().rstrip(",") for row in body.splitlines()]


def pool(source: str) -> dict[int, str]:
    """Offset to string. Only for strings without escapes but the final one."""
    body = re.search(r"kPool\[\] =\n(.*?);\n", source, re.S)[1]
    found, at = {}, 0
    for line in body.splitlines():
        string = line[1:-3].replace('\\"', '"').replace("\\\\", "\\")
        found[at] = string
        at += len(string.encode()) + 1
    return found


class Quoting(unittest.TestCase):
    def test_of_what_would_end_a_literal(self):
        self.assertEqual(tables.quote('a"b'), r'"a\"b"')
        self.assertEqual(tables.quote("a\\b"), r'"a\\b"')
        self.assertEqual(tables.quote("a\nb"), r'"a\nb"')

    def test_error_texts_arrive_whole(self):
        strings = pool(text())
        rows = [re.match(r"\{(\d+), \d+, (\d+), (\d+)\}", row).groups()
                for row in array(text(), "kErrors")]
        self.assertEqual([(int(v), strings[int(n)], strings[int(t)]) for v, n, t in rows],
                         [(0, "ok", 'no "error"'), (1, "bad", "a\\b")])


class Rows(unittest.TestCase):
    def setUp(self):
        self.source = text()
        self.strings = pool(self.source)
        self.names = [self.strings[int(row)]
                      for row in array(self.source, "kNames")]

    def slot(self, name: str, version: int) -> list[int]:
        for row in array(self.source, "kSlots"):
            symbol, at, dispositions, outputs = map(int, row.strip("{}").split(", "))
            if (self.names[symbol], at) == (name, version):
                return [dispositions, outputs]
        self.fail(f"no slot of {name} under version {version}")

    def dispositions(self, name: str, version: int) -> list[str]:
        first = self.slot(name, version)[0] * 3
        return array(self.source, "kDispositions")[first:first + 3]

    def test_the_first_string_is_empty(self):
        self.assertEqual(self.strings[0], "")

    def test_symbols_are_sorted_by_name(self):
        self.assertEqual(self.names,
                         ["added", "changed", "core", "makesBig", "old", "quoted"])

    def test_errors_are_sorted_by_value(self):
        for library in ("cudart", "cuda"):
            values = [value for value, _, _ in model.load(ROOT / "stubs" / library / "abi").errors]
            self.assertGreater(len(values), 90)
            self.assertEqual(values, sorted(set(values)))

    def test_result_kinds(self):
        rows = dict(zip(self.names, array(self.source, "kSymbols")))
        self.assertIn("ResultKind::structure, 20", rows["makesBig"])
        self.assertIn("ResultKind::string, 0", rows["quoted"])
        self.assertIn("ResultKind::word, 0", rows["core"])

    # Native slots come first and have no dispositions; they must not shift those that follow.
    def test_every_slot_finds_its_dispositions(self):
        self.assertEqual(self.dispositions("core", 1), ["kDirect"] * 3)
        self.assertEqual(self.dispositions("added", 2), ["kAbsent", "kDirect", "kDirect"])
        self.assertEqual(self.dispositions("changed", 1), ["kDirect"] + ["kRejected"] * 2)
        self.assertRegex(self.dispositions("old", 1)[2], r"kFirstTarget \+ \d+")

    def test_no_row_of_dispositions_lies_outside_the_table(self):
        count = len(array(self.source, "kDispositions")) // 3
        for row in array(self.source, "kSlots"):
            self.assertLess(int(row.strip("{}").split(", ")[2]), count)

    def test_a_renamed_disposition_leads_to_its_names(self):
        place = int(self.dispositions("old", 1)[2].split("+ ")[1])
        targets = list(map(int, array(self.source, "kTargets")))
        self.assertEqual(self.strings[targets[place]], "core")
        self.assertEqual(targets[place + 1], 0)

    def test_a_disposition_that_fails_has_its_reason(self):
        reasons = list(map(int, array(self.source, "kReasons")))
        texts = list(map(int, array(self.source, "kReasonText")))
        absent = self.slot("added", 2)[0] * 3
        self.assertEqual(self.strings[texts[reasons[absent]]], "not yet in 11 (first in 12.1)")
        self.assertEqual(self.strings[texts[0]], "the library does not have this function")

    def test_outputs_are_lists_of_pairs(self):
        numbers = list(map(int, array(self.source, "kOutputs")))
        place = self.slot("changed", 1)[1]
        self.assertEqual(numbers[place:place + 5], [2, 0, 4, 1, 8])
        self.assertEqual(numbers[self.slot("core", 1)[1]], 0)

    def test_a_large_output_has_its_size_in_several_bytes(self):
        outputs = tables._Outputs()  # pylint: disable=protected-access
        place = outputs.add(((2, 127), (3, 128), (4, 20000)))
        self.assertEqual(outputs.bytes[place:], [3, 2, 127, 3, 0x80, 1, 4, 0x80 | 32, 0x80 | 28, 1])

    def test_availability_tells_minor_and_required(self):
        rows = array(self.source, "kAvailability")
        by_name = {name: rows[i::len(self.names)] for i, name in enumerate(self.names)}
        self.assertEqual(by_name["core"], ["9 | kRequired", "1 | kRequired", "1 | kRequired"])
        self.assertEqual(by_name["added"], ["0", "2", "1"])
        self.assertEqual(by_name["old"], ["9", "1", "0"])


class Releases(unittest.TestCase):
    def test_hashes_are_the_linkers(self):
        self.assertEqual([tables.gnu_hash(name) for name in ("", "printf", "exit", "syscall")],
                         [0x1505, 0x156b2bb8, 0x7c967e3f, 0xbac212a0])

    def test_each_set_of_names_has_one_row(self):
        rows = array(text(), "kReleases")
        made = support.made()
        versions = made.database.versions
        sets = {(made.database.major(version), frozenset(
            name for name, function in made.database.functions.items() if version in function.versions))
            for version in versions}
        self.assertEqual(len(rows), len(sets))
        self.assertEqual(sorted({row.split(", ")[1] for row in rows}), ["0", "1", "2"])

    def test_a_sum_has_the_symbol_version_too(self):
        made = support.made()
        version = made.database.versions_of("12")[0]
        names = [name for name, function in made.database.functions.items() if version in function.versions]
        node = next(major.symbol_version for major in made.descriptor.majors if major.number == 12)
        total = sum((tables.gnu_hash(name) | 1) ** 2 for name in [*names, node]) % 2**64
        row = [major.number for major in made.descriptor.majors].index(12)
        minor = int(version.split(".")[1])
        self.assertIn(f"{{{total}u, {row}, {minor}, 12}}", array(text(), "kReleases"))

    def test_release_without_symbol_versions_is_identified_by_names(self):
        versions = support.VERSIONS.replace("node libsmall.so.13", "node -")
        made = support.made(versions=versions)
        names = [name for name, function in made.database.functions.items() if "13.0" in function.versions]
        total = sum((tables.gnu_hash(name) | 1) ** 2 for name in names) % 2**64
        self.assertIn(total, [int(row[0][:-1]) for row in tables.releases_of(made.descriptor, made.database)])

    def test_separate_releases_are_not_cudas(self):
        rows = {str(cuda): {"soname": "libsmall.so.2", "node": "libsmall.so.2"} for cuda in (11, 12, 13)}
        made = support.made({"majors": rows, "own_releases": True}, releases="releases for 11 12 13\n")
        self.assertEqual(tables.releases_of(made.descriptor, made.database), [])
        core = made.database.functions["core"]
        self.assertEqual(tables.availability_of(made, core), ["1 | kRequired"])

    def test_the_driver_has_none(self):
        driver = support.load(base=support.DRIVER)
        self.assertEqual(tables.releases_of(driver, support.made().database), [])


class SpecialFunctions(unittest.TestCase):
    CHANGES = {
        "builtin": {"old": "anycuda_old", "core": "anycuda_core"},
        "before_first_call": "anycuda_opened",
        "special_functions": {"quoted": "error_name"},
        "questions": ["quoted"],
    }

    def test_are_declared_and_named(self):
        source = text(self.CHANGES)
        self.assertIn("void anycuda_old();", source)
        self.assertIn("bool anycuda_opened();", source)
        self.assertIn("&anycuda_opened", source.splitlines()[-2])
        rows = array(source, "kSymbols")
        self.assertTrue(rows[2].endswith("SpecialFunction::plain, 2, false}"), rows[2])
        self.assertTrue(rows[4].endswith("SpecialFunction::plain, 1, false}"), rows[4])
        self.assertTrue(rows[5].endswith("SpecialFunction::error_name, 0, true}"), rows[5])

    def test_a_disposition_of_a_kind_without_code_stops_the_build(self):
        made = support.made()
        slot = made.slots[-1]
        disposition = type(slot.dispositions[0])("adapted", (), "")
        made.slots[-1] = type(slot)(**{**slot.__dict__, "dispositions": (disposition,) * 3})
        with self.assertRaisesRegex(ValueError, "adapted"):
            tables.cplusplus(made, support.load(base=support.DRIVER))


class Facts(unittest.TestCase):
    def test_the_same_facts_give_the_same_text(self):
        self.assertEqual(text(), text())

    def test_a_changed_fact_changes_the_text(self):
        original = text()
        changed = {
            "functions": support.FUNCTIONS.replace("  12.1-13.0  int (out", "  12.0-13.0  int (out"),
            "errors": support.ERRORS.replace("no ", "not an "),
            "types": support.TYPES.replace("size 20", "size 24").replace("[5]", "[6]"),
            "renames": "",
        }
        for name, content in changed.items():
            self.assertNotEqual(text(**{name: content}), original, name)
        for key, value in {"install_hint": "try", "required_symbols": ["quoted"], "driver_bound": True,
                           "lto_ir_to": "other", "lto_ir_from": "other",
                           "status": {"no_library": 1, "absent": 302, "rejected": 801},
                           "wheel_folders": ["a", "b"], "variable": "ANYCUDA_OTHER"}.items():
            self.assertNotEqual(text({key: value}), original, key)


class Rules(unittest.TestCase):
    def test_are_written_as_the_loader_reads_them(self):
        self.assertIn("{13, false, false, Output::none, LtoIr::none},\nnullptr,\n{}}", text())
        self.assertIn("{13, true, true, Output::ptx, LtoIr::makes}",
                      text({"driver_bound": True, "one_per_process": True, "output": "ptx",
                            "lto_ir_to": "other"}))
        self.assertIn("{13, true, false, Output::cubin, LtoIr::takes}",
                      text({"driver_bound": True, "output": "cubin", "lto_ir_from": "other"}))

    def test_a_version_function_is_written_with_its_form(self):
        function = {"name": "smallVersion", "form": "major_minor", "since": "12.3"}
        written = text({"version_function": function})
        self.assertIn('nullptr,\n{"smallVersion", VersionForm::major_minor, {12, 3}}}', written)

    def test_an_opened_file_is_written_last(self):
        function = {"name": "smallVersion", "form": "number", "since": "12.0"}
        written = text({"version_function": function, "opens": "libsmall-parts.so"})
        self.assertIn('{12, 0}},\nnullptr,\n0,\nfalse,\nnullptr,\n"libsmall-parts.so"};', written)

    def test_peer_has_a_separate_descriptor(self):
        source = with_peer()
        self.assertIn("const LibraryDescriptor kPeer = {", source)
        self.assertIn('"libother.so.12"', source)
        self.assertIn("&kPeer,\n{}};", source)
        self.assertNotIn("kPeer", text())


class Places(unittest.TestCase):
    def test_release_that_the_tables_cannot_store_is_refused(self):
        major = Major(12, 12, "libsmall.so.12", "libsmall.so.12")
        self.assertEqual(tables.place_of(major, "12.9"), 9)
        for release in "12.32", "16.0", "11.8":
            with self.assertRaisesRegex(ValueError, rf"libsmall.so.12: the tables cannot store the release {release}: "
                                                    "they have 126 places, 32 for each major. Change MINORS"):
                tables.place_of(major, release)


class Compiler(unittest.TestCase):
    def test_takes_the_tables_without_a_warning(self):
        compiler = shutil.which("c++")
        if compiler is None:
            self.skipTest("no C++ compiler: c++ is not on PATH")
        for source in (text(), text(SpecialFunctions.CHANGES), text(dropin=12), with_peer(),
                       text({"required_symbols": [], "failing_results": {"int": "status"}},
                            functions="core\n  12.0  int ()\n", renames=""),
                       text({"status": {"no_library": -1027, "absent": -3, "rejected": -3}},
                            errors="ok  11.8-13.0  0 no error\nbad  11.8-13.0  -9999 bad\n")):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "tables.cc"
                file.write_text(source, encoding="utf-8")
                catalogue = ROOT / "compat/catalogue"
                subprocess.run([sys.executable, "-B", catalogue / "outcomes.py", catalogue / "outcomes.toml",
                                f"{folder}/compat"], check=True)
                done = subprocess.run(
                    [compiler, "-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only",
                     "-Wno-unused-const-variable", f"-I{ROOT}", f"-I{ROOT}/compat/include", f"-I{folder}", str(file)],
                    capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
