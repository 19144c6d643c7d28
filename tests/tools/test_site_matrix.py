# SPDX-License-Identifier: Apache-2.0
"""The files of the site's matrix page: they hold the matrix that the command reads, and what the page loads."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from typing import ClassVar
from unittest import mock

from abi_support import ROOT

sys.path += [str(ROOT / "tools/site"), str(ROOT / "packaging/python")]

import check_files  # noqa: E402
import matrix_page  # noqa: E402
import pages  # noqa: E402
from anycuda.analysis import device_code  # noqa: E402
from anycuda.check import command  # noqa: E402
from anycuda.matrix import data, views  # noqa: E402
from generate import matrix  # noqa: E402

BUILT = (Path(os.environ["ANYCUDA_BUILD"]) / "share/anycuda/matrix.json").read_text(encoding="utf-8")
MOST_AT_FIRST = 300_000  # bytes: the page itself, the index, and the largest library


def page_files() -> dict[str, str]:
    """From the matrix of the build: to generate it again would take seconds."""
    with mock.patch.object(matrix, "text", lambda _: BUILT):
        return matrix_page.files(ROOT)


class Data(unittest.TestCase):
    files: ClassVar[dict[str, str]]
    written: ClassVar[dict]

    @classmethod
    def setUpClass(cls) -> None:
        cls.files = page_files()
        cls.written = json.loads(BUILT)

    def read(self, name: str) -> dict:
        return json.loads(self.files[f"matrix/data/{name}.json"])

    def joined(self) -> dict:
        index = self.read("index")
        del index["status_names"]
        libraries = {name: {**about, **self.read(name)} for name, about in index["libraries"].items()}
        return {**index, "libraries": libraries}

    def test_the_parts_are_the_whole_matrix(self) -> None:
        joined = self.joined()
        self.assertEqual(list(joined), list(self.written))
        self.assertEqual(list(joined["libraries"]), list(self.written["libraries"]))
        for name, library in self.written["libraries"].items():
            with self.subTest(library=name):
                self.assertTrue(joined["libraries"][name] == library)  # assertEqual would take minutes to fail
        del joined["libraries"]
        self.assertTrue(joined == {key: value for key, value in self.written.items() if key != "libraries"})

    def test_the_command_answers_from_the_parts_as_from_its_own_file(self) -> None:
        answers = []
        for content in (self.joined(), self.written):
            with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                json.dump(content, file)
                file.flush()
                read = data.load(Path(file.name))
                answers.append(views.as_json(read, list(read.libraries.values()), False))
        self.assertGreater(len(answers[0]), 1_000_000)
        self.assertTrue(answers[0] == answers[1])

    def test_every_library_has_names_for_its_statuses(self) -> None:
        names = self.read("index")["status_names"]
        self.assertEqual(names["cudart"]["302"], "cudaErrorSharedObjectSymbolNotFound")
        self.assertEqual(names["cudart"]["801"], "cudaErrorNotSupported")
        self.assertEqual(sorted(names), sorted(self.written["libraries"]))

    def test_the_first_load_is_small(self) -> None:
        own = sum(len(text) for name, text in self.files.items() if "/data/" not in name)
        largest = max(len(text) for name, text in self.files.items() if "/data/" in name)
        self.assertLess(own + len(self.files["matrix/data/index.json"]) + largest, MOST_AT_FIRST)


MADE = ("device_code.mjs", "pyodide/pyodide.mjs")  # by check_files.py


class CheckFiles(unittest.TestCase):
    """What check_files.py adds, for the page to check files."""

    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_the_package_is_whole_and_always_the_same(self) -> None:
        for name in ("1.zip", "2.zip"):
            check_files.package(self.folder / name)
        self.assertEqual((self.folder / "1.zip").read_bytes(), (self.folder / "2.zip").read_bytes())
        sources = sorted(file.relative_to(ROOT / "packaging/python").as_posix()
                         for pattern in ("*.py", "*.json")
                         for file in (ROOT / "packaging/python/anycuda").rglob(pattern))
        with zipfile.ZipFile(self.folder / "1.zip") as archive:
            self.assertEqual(archive.namelist(), sources)

    def test_what_it_replaces_in_the_command_exists(self) -> None:
        source = (ROOT / "tools/site/matrix/check_in_browser.py").read_text(encoding="utf-8")
        replaced = re.findall(r"^(device_code|command)\.(\w+) = ", source, re.MULTILINE)
        self.assertEqual(len(replaced), 3)
        for module, name in replaced:
            self.assertTrue(hasattr({"device_code": device_code, "command": command}[module], name), name)

    def test_a_missing_emscripten_is_named(self) -> None:
        with mock.patch.dict(os.environ, {"PATH": str(self.folder)}), self.assertRaisesRegex(SystemExit, "emscripten"):
            check_files.device_code(self.folder, self.folder, self.folder)


class Files(unittest.TestCase):
    def test_everything_that_the_page_names_is_there(self) -> None:
        files = page_files()
        page = files["matrix/index.html"]
        named = re.findall(r'(?:src|href)="([^"#:]+)"', page)
        for text in files.values():
            named += re.findall(r'^import .* from "\./(.+)";$', text, re.MULTILINE)
        self.assertIn("matrix.js", named)
        for name in named:
            with self.subTest(name=name):
                source = name.removeprefix("../").replace(".html", ".md")
                in_the_site = f"matrix/{name}" in files or name in MADE or source.startswith("reference/")
                self.assertTrue(in_the_site or (ROOT / source).is_file())

    def test_a_version_comes_from_the_build(self) -> None:
        self.assertEqual(matrix_page.version(ROOT), json.loads(BUILT)["anycuda"])
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "CMakeLists.txt").write_text("project(other VERSION 1.0)\n")
            with self.assertRaisesRegex(ValueError, "no line `project"):
                matrix_page.version(Path(folder))

    def test_the_site_links_to_the_page(self) -> None:
        texts, _ = pages.of_repository(ROOT, ["docs/matrix.md"])
        self.assertIn("(../matrix/index.html)", texts["docs/matrix.md"])
        self.assertIn("matrix/index.html", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
