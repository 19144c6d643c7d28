# SPDX-License-Identifier: Apache-2.0
"""Merging releases into the database: the order of adding cannot matter, nor can adding twice."""

import itertools
import tempfile
import unittest
from pathlib import Path

from abi_support import facts
from generate import abi_text
from harvest import report
from harvest.merge import DRIVER_TABLES, Database, Release, reachable


def release(version: str, **functions: str) -> Release:
    """A release whose struct grows with its minor version."""
    size = 4 * int(version.split(".")[1])
    return Release(
        version,
        f"package p {version}",
        dict(functions),
        {"struct S": (f"size {size} align 4", "0  int  a")},
        {"enum E": {"A": 0, "B": int(version.split(".")[0])}},
        {"M": version.replace(".", "")},
        {"A": "0 no error"},
    )


RELEASES = [
    release("11.8", f="int (struct S * s)"),
    release("12.1", f="int (struct S * s)", g="int ()"),
    release("12.4", f="int (struct S * s, int n)"),
    release("12.10", g="?"),
]


def taken_apart(database: Database) -> dict[str, Release]:
    """A database back into the releases it was made from."""
    result = {}
    for version, about in database.releases.items():
        one = Release(version, about)
        for name in database.names:
            for key, by in database.tables[name].items():
                if version not in by:
                    continue
                body = by[version]
                if name == "types":
                    one.types[key] = body
                elif name == "enums":
                    owner, _, enumerator = key.rpartition(".")
                    one.enums.setdefault(f"enum {owner}", {})[enumerator] = int(body[0])
                elif name == "driver_errors":
                    one.errors[key] = body[0]
                else:
                    getattr(one, name)[key] = body[0]
        result[version] = one
    return result


class Adding(unittest.TestCase):
    def test_the_order_does_not_matter(self):
        texts = set()
        for order in itertools.permutations(RELEASES):
            database = Database()
            for one in order:
                database.add(one)
            texts.add(tuple(sorted(database.texts().items())))
        self.assertEqual(len(texts), 1)

    def test_adding_twice_changes_nothing(self):
        database = Database()
        for release in RELEASES:
            database.add(release)
        before = database.texts()
        database.add(RELEASES[1])
        self.assertEqual(database.texts(), before)

    def test_a_release_that_is_added_again_is_replaced(self):
        database = Database()
        database.add(RELEASES[0])
        database.add(release("11.8", other="void ()"))
        self.assertEqual(sorted(database.tables["functions"]), ["other"])

    def test_saved_and_loaded_again_it_is_the_same(self):
        database = Database()
        for release in RELEASES:
            database.add(release)
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary)
            self.assertTrue(database.save(folder))
            loaded = Database.load(folder)
            self.assertEqual(loaded.texts(), database.texts())
            self.assertEqual(loaded.save(folder), [], "an unchanged database writes no file")

    def test_a_patch_release_that_says_the_same_is_recognized(self):
        database = Database()
        database.add(RELEASES[1])
        same = release("12.1", f="int (struct S * s)", g="int ()")
        self.assertTrue(database.same_facts(same, "12.1"))
        same.functions["h"] = "int ()"
        self.assertFalse(database.same_facts(same, "12.1"))


class RealDatabase(unittest.TestCase):
    """What is in the repository, taken apart and put together again."""

    def test_the_files_are_as_the_tool_writes_them(self):
        for library in ("cudart", "nvrtc", "nvjitlink", "cuda"):
            self.assert_same(library, Database.load(facts(library)))
        self.assert_same("cuda", Database.load(facts("cuda"), DRIVER_TABLES, "drivers"))

    def assert_same(self, library: str, database: Database) -> None:
        for name, text in database.texts().items():
            self.assertEqual((facts(library) / name).read_text(), text, f"{library}/{name}")

    def test_adding_the_newest_release_last_gives_the_same_bytes(self):
        for library in ("cudart", "nvrtc", "nvjitlink", "cuda"):
            full = Database.load(facts(library))
            newest = abi_text.sort_versions(full.releases)[-1]
            parts = taken_apart(full)
            partial = Database.load(facts(library))
            partial.remove(newest)
            self.assertNotEqual(partial.texts(), full.texts())
            partial.add(parts[newest])
            self.assertEqual(partial.texts(), full.texts(), library)

    def test_from_nothing_in_reverse_order(self):
        full = Database.load(facts("cudart"))
        parts = taken_apart(full)
        other = Database()
        for version in reversed(abi_text.sort_versions(parts)):
            other.add(parts[version])
        self.assertEqual(other.texts(), full.texts())


class Reachable(unittest.TestCase):
    TYPES = {
        "struct A": ("size 8 align 8", "0  struct B *  b"),
        "struct B": ("opaque",),
        "struct C": ("size 4 align 4", "0  int  c"),
        "typedef T": ("struct A *",),
        "enum E": ("size 4 unsigned int",),
    }

    def test_through_typedefs_pointers_and_fields(self):
        self.assertEqual(
            reachable(["int (T t)"], self.TYPES), {"typedef T", "struct A", "struct B"}
        )

    def test_through_a_callback(self):
        self.assertEqual(
            reachable(["void (void (enum E, struct C *) * f)"], self.TYPES), {"enum E", "struct C"}
        )

    def test_not_what_nothing_leads_to(self):
        self.assertEqual(reachable(["int (int a)"], self.TYPES), set())


class Report(unittest.TestCase):
    def lines(self, *releases: Release) -> list[str]:
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "cudart"
            database = Database()
            for release in releases:
                database.add(release)
            database.save(folder)
            return report.incompatible(folder, releases[-1].version)

    def test_names_what_changed(self):
        text = "\n".join(self.lines(RELEASES[0], RELEASES[2]))
        self.assertIn("f: 1 parameters for the caller, 2 in the runtime", text)

    def test_names_what_is_gone_and_what_is_unknown(self):
        text = "\n".join(self.lines(RELEASES[2], RELEASES[3]))
        self.assertIn("no longer there: 1\n    f", text)
        self.assertIn("no prototype known, see internals.txt: 1\n    g", text)

    def test_says_so_when_nothing_did(self):
        first, second = release("12.4", g="int ()"), release("12.5", g="int ()")
        self.assertEqual(self.lines(first, second), ["12.5 since 12.4: nothing changed incompatibly"])

    def test_the_last_patch_release_has_the_name_of_its_minor(self):
        first, last, later = (release(version, g="int ()") for version in ("2.4.0", "2.4", "2.5"))
        self.assertEqual(self.lines(first, later, last), ["2.4 since 2.4.0: nothing changed incompatibly"])
        self.assertEqual(self.lines(first, last, later), ["2.5 since 2.4: nothing changed incompatibly"])
        self.assertEqual(self.lines(last, later, first), [])

    def test_a_function_that_a_release_exports_without_declaring_it_is_not_compared(self):
        first, second, third = (release(version, g=prototype) for version, prototype in (
            ("2.4", "?"), ("2.5", "?"), ("2.6", "T (int x)")))
        third.types["typedef T"] = ("int",)
        self.assertEqual(self.lines(first, third, second), ["2.5 since 2.4: nothing changed incompatibly"])

    def test_functions_that_changed_for_the_same_reason_are_one_line(self):
        names = ("f", "g", "h", "i", "j")
        first, second = (release(version, **dict.fromkeys(names, f"int ({parameters})"))
                         for version, parameters in (("1.0", ""), ("1.1", "int x")))
        text = "\n".join(self.lines(first, second))
        self.assertIn("changed incompatibly: 5\n    f, g, h and 2 more: 0 parameters for the caller, 1 in", text)

    def test_passes_over_a_function_that_the_earlier_release_exports_and_does_not_declare(self):
        first, second = release("12.4", g="?"), release("12.5", g="int (T t)")
        second.types["typedef T"] = ("int",)
        self.assertEqual(self.lines(first, second), ["12.5 since 12.4: nothing changed incompatibly"])

    def test_passes_over_variables(self):
        first, second = release("12.4", g="int ()"), release("12.5", g="int ()")
        second.variables["KIND"] = "size 8"
        self.assertEqual(self.lines(first, second), ["12.5 since 12.4: nothing changed incompatibly"])


if __name__ == "__main__":
    unittest.main()
