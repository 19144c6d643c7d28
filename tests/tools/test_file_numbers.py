# SPDX-License-Identifier: Apache-2.0
"""The numbers of the libraries' files (stubs/*/abi/numbers.txt), held against the versions of the wheels that the tests
and the harvest fetch."""

import tempfile
import tomllib
import unittest
from pathlib import Path

from stubs.tools.generate import descriptor
from tests.support.python.build_folder import ROOT

STUBS = ROOT / "stubs"
SAME_PACKAGE = {"cublaslt": "cublas", "cusolvermg": "cusolver"}


def numbers_of(library: str) -> dict[str, tuple[tuple[int, ...], tuple[int, ...]]]:
    rows = descriptor.load(STUBS / library / "library.json").numbers
    return {release: (first, last) for release, first, last in rows}


class Numbers(unittest.TestCase):
    def setUp(self) -> None:
        recipe = tomllib.loads((ROOT / "tools/fetch/recipe.toml").read_text(encoding="utf-8"))
        self.families = {family["name"]: family for family in recipe["family"]}
        self.libraries = sorted(path.parents[1].name for path in STUBS.glob("*/abi/numbers.txt"))

    def test_include_every_wheel_that_is_fetched(self) -> None:
        checked = 0
        for library in self.libraries:
            family = self.families.get(SAME_PACKAGE.get(library, library))
            if family is None:  # cuFile: not fetched
                continue
            rows = numbers_of(library)
            for versions in family["wheels"].values():
                for release, version in versions.items():
                    number = tuple(map(int, version.split(".")[:3]))
                    first, last = rows[release]
                    self.assertTrue(first <= number <= last, f"{library} {version} of CUDA {release}")
                    checked += 1
        self.assertGreater(checked, 100)

    def test_every_library_with_separate_numbers_has_them(self) -> None:
        for path in sorted(STUBS.glob("*/library.json")):
            library = descriptor.load(path)
            family = self.families.get(SAME_PACKAGE.get(library.name, library.name))
            tables = [table for table in (family or {"wheels": {}})["wheels"].values() if isinstance(table, dict)]
            rows = [row for table in tables for row in table.items()]
            differ = any(not version.startswith(f"{release}.") for release, version in rows)
            if differ and not library.own_releases:
                self.assertIn(library.name, self.libraries)

    def test_releases_are_in_their_order(self) -> None:
        for library in self.libraries:
            releases = [tuple(map(int, release.split("."))) for release in numbers_of(library)]
            self.assertEqual(releases, sorted(releases), library)

    def test_a_line_that_is_not_a_row_is_refused(self) -> None:
        lines = {"12.9 1.2 1.3": "three numbers", "12.9  1.2.3  1.2.2": "in order",
                 "12.9  1.2.3  1.2.256": "at most 255"}
        for line, message in lines.items():
            with tempfile.TemporaryDirectory() as folder:
                library = Path(folder) / "curand"
                (library / "abi").mkdir(parents=True)
                text = (STUBS / "curand/library.json").read_text(encoding="utf-8")
                (library / "library.json").write_text(text, encoding="utf-8")
                (library / "abi/numbers.txt").write_text(f"# numbers\n\n{line}\n", encoding="utf-8")
                with self.assertRaisesRegex(ValueError, message):
                    descriptor.load(library / "library.json")


if __name__ == "__main__":
    unittest.main()
