# SPDX-License-Identifier: Apache-2.0
"""Which exported functions of a library file the harvest takes. Libraries of NVIDIA may also export functions of
libstdc++, and a stub that exports these replaces them in the whole program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from abi_support import ROOT, facts
from harvest import headers, report, sources
from harvest.libraries import LibraryRow, rows
from harvest.merge import Database, Release

CACHE = Path(os.environ.get("ANYCUDA_CACHE")
             or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "anycuda")
HEADER = "#include <base.h>\n#include <net.h>\nint toyOpen(base_t a, port_t port);\nint boxOpen(void);\n"
# std::string::append(const char*) and a function of the library's own C++ code, as the linker sees them
EXPORTED = ("toyOpen", "boxOpen", "toyUndeclared", "_ZNSs6appendEPKc", "_ZN3toy4makeEv", "baseOpen", "pegasusSend")


class MadeUpLibrary(unittest.TestCase):
    def setUp(self) -> None:
        self.clang = sources.clang_folder(CACHE)
        try:
            headers.use_clang(self.clang)
        except headers.HeaderError as error:
            self.skipTest(f"{error}; or fetch the artifacts `harvest` into {CACHE}")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.artifact("base-1.0", "base.h", "typedef int base_t;\nint baseOpen(void);\n")
        toy = self.artifact("toy-2.0", "toy.h", HEADER)
        source = self.folder / "toy.c"
        source.write_text("".join(f"int {name}(void) {{ return 0; }}\n" for name in EXPORTED))
        subprocess.run(["cc", "-shared", "-nostdlib", "-Wl,-soname,libtoy.so.2", "-o", toy / "lib/libtoy.so.2", source],
                       check=True)
        self.library = self.folder / "libraries/toy"
        (self.library / "headers").mkdir(parents=True)
        (self.library / "headers/net.h").write_text("typedef unsigned short port_t;\n")
        (self.library / "harvest.json").write_text(json.dumps(
            {"headers": ["toy.h"], "prefixes": ["toy", "TOY"], "file": "libtoy.so.*", "beside": ["base-1.0"]}))

    def artifact(self, name: str, header: str, text: str) -> Path:
        """The layout of a wheel may be any: nvidia/base/include, toy/include."""
        folder = self.folder / name / ("nvidia/base" if name.startswith("base") else "toy")
        for part in ("include", "lib"):
            (folder / part).mkdir(parents=True)
        (folder / "include" / header).write_text(text)
        return folder

    def harvest(self) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "harvest", *(["--clang", str(self.clang)] if self.clang else []), "all", "--library",
             "toy", "--folder", self.library, "--cache", self.folder],
            env={**os.environ, "PYTHONPATH": f"{ROOT}/stubs/tools:{ROOT}/packaging/python"},
            capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_functions_of_headers_and_prefixes_are_harvested_others_reported(self) -> None:
        output = self.harvest()
        database = Database.load(self.library / "abi")
        self.assertEqual(database.tables["functions"], {"toyOpen": {"2.0": ("int (base_t a, port_t port)",)},
                                                        "boxOpen": {"2.0": ("int ()",)},
                                                        "toyUndeclared": {"2.0": ("?",)}})
        self.assertEqual(database.releases["2.0"], "soname libtoy.so.2  node -  exports 3")
        self.assertIn("toy 2.0: 4 exported functions are left out: _Z* (2), base* (1), pegasus* (1)\n", output)

    def link_with_versions(self, script: str) -> None:
        (self.folder / "versions.map").write_text(script)
        subprocess.run(["cc", "-shared", "-nostdlib", "-Wl,-soname,libtoy.so.2",
                        f"-Wl,--version-script={self.folder / 'versions.map'}", "-o",
                        self.folder / "toy-2.0/toy/lib/libtoy.so.2", self.folder / "toy.c"], check=True)

    def test_symbol_version_of_each_function_is_a_fact_if_there_are_several(self) -> None:
        self.link_with_versions("libtoy.1 { global: boxOpen; toyUndeclared; };\n"
                                "libtoy.2 { global: toyOpen; local: *; };")
        self.harvest()
        self.assertEqual(Database.load(self.library / "abi").tables["symbol_versions"], {
            "boxOpen": {"2.0": ("libtoy.1",)}, "toyOpen": {"2.0": ("libtoy.2",)},
            "toyUndeclared": {"2.0": ("libtoy.1",)}})

    def test_variables_of_the_headers_are_facts_others_are_not(self) -> None:
        with (self.folder / "toy-2.0/toy/include/toy.h").open("a") as header:
            header.write("extern const void *const TOY_KIND;\n")
        with (self.folder / "toy.c").open("a") as source:
            source.write("const void *const TOY_KIND = &TOY_KIND;\nint toyCount = 1;\n")
        self.link_with_versions("libtoy.1 { global: toyOpen; boxOpen; };\nlibtoy.2 { global: TOY_KIND; toyCount; };")
        self.harvest()
        tables = Database.load(self.library / "abi").tables
        self.assertEqual(tables["variables"], {"TOY_KIND": {"2.0": ("size 8",)}})
        self.assertEqual(tables["symbol_versions"]["TOY_KIND"], {"2.0": ("libtoy.2",)})
        self.assertNotIn("TOY_KIND", tables["functions"])

    def test_one_symbol_version_is_in_the_list_of_releases_only(self) -> None:
        self.link_with_versions("libtoy.so.2 { global: boxOpen; toyUndeclared; toyOpen; local: *; };")
        self.harvest()
        self.assertFalse((self.library / "abi/symbol_versions.txt").exists())


class Report(unittest.TestCase):
    ROW = LibraryRow("toy", ("toy.h",), ("toy", "TOY"), "", "")

    def lines(self, *left_out: str) -> list[str]:
        return report.left_out(self.ROW, Release("2.0", "", left_out=list(left_out)))

    def test_without_left_out_functions_is_empty(self) -> None:
        self.assertEqual(self.lines(), [])

    def test_counts_names_by_first_word_and_says_what_to_do(self) -> None:
        self.assertEqual(self.lines("_ZN1AC1Ev", "_ZN1AC2Ev", "_init", "cublasSgemm", "sm80_a", "sm80_b", "sm80_c"), [
            "toy 2.0: 7 exported functions are left out: sm80* (3), _Z* (2), _init* (1), cublas* (1)",
            "    No header of toy declares them, and their names begin with none of: toy, TOY.",
            "    If one of them is a C function of toy, add its header or its prefix to the row."])

    def test_lists_at_most_twenty_first_words(self) -> None:
        first = self.lines(*(f"a{number}_" for number in range(30)))[0]
        self.assertTrue(first.endswith("a18* (1), a19* (1), ..."), first)


class Rows(unittest.TestCase):
    def test_have_a_prefix_for_every_recorded_function_without_prototype(self) -> None:
        for name, row in rows().items():
            functions = Database.load(facts(name)).tables["functions"]
            self.assertTrue(functions, name)
            undeclared = [function for function, bodies in functions.items() if ("?",) in bodies.values()]
            self.assertEqual([one for one in undeclared if not one.startswith(row.prefixes)], [], name)


if __name__ == "__main__":
    unittest.main()
