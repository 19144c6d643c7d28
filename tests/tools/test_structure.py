# SPDX-License-Identifier: Apache-2.0
"""The order of the folders: includes go one way, and no folder has too many files."""

from __future__ import annotations

import re
import unittest
from collections import Counter
from pathlib import Path

from include_graph import COMPONENTS, GENERATED, affected_by, find_cycle, includes

ROOT = Path(__file__).resolve().parents[2]
PUBLIC = "compat/include"
MOST_FILES = 30  # sources in one folder
_COMMENT = re.compile(r"\s*//\s*(.*?)\s*$")


def broken_comments(text: str) -> list[str]:
    """Lines of one or two words within a sentence: what clang-format leaves of a list item that was too long."""
    lines = [_COMMENT.match(line) for line in text.splitlines()]
    return [
        line[0] for before, line, after in zip(lines, lines[1:], lines[2:])
        if before and line and after and before[1] and after[1] and
        0 < len(line[1].split()) <= 2 and line[1][-1] not in ".:;,"]


def folder_of(file: Path) -> str:
    folder = file.parent.relative_to(ROOT).as_posix()
    return next((f"{top}/include" for top in COMPONENTS if folder.startswith(f"{top}/include/")), folder)


def component_of(file: Path) -> str:
    """The public headers of compat/ hold values and pure rules only: everybody may include them."""
    return PUBLIC if folder_of(file) == PUBLIC else file.relative_to(ROOT).parts[0]


def unit_of(file: Path) -> str:
    return file.relative_to(ROOT).with_suffix("").as_posix()


class Includes(unittest.TestCase):
    def test_between_folders_go_one_way(self) -> None:
        graph = includes(folder_of)
        self.assertIn("compat/search/machine", graph["compat/search"])
        self.assertEqual(find_cycle(graph), [])

    def test_within_compat_go_down_the_table_of_its_readme(self) -> None:
        readme = (ROOT / "compat/README.md").read_text(encoding="utf-8")
        table = re.findall(r"^\| `([a-z/_]+)/` \|", readme, re.MULTILINE)
        order = [f"compat/{row}" for row in table if not row.startswith("include")]
        self.assertIn("compat/search/machine", order)
        for folder, others in includes(folder_of).items():
            inside = {other for other in others if other.startswith("compat/") and other != PUBLIC}
            if folder.startswith("compat/") and folder != PUBLIC:
                self.assertLessEqual(inside, set(order[order.index(folder) + 1:]), folder)

    def test_between_units_go_one_way(self) -> None:
        self.assertEqual(find_cycle(includes(unit_of)), [])

    def test_between_components_are_those_of_the_architecture(self) -> None:
        allowed = {"compat": {"device_code", PUBLIC}, "device_code": {PUBLIC}, "loader": {"compat", PUBLIC},
                   "stubs": {"compat", "device_code", "loader", PUBLIC}, "linker": {"compat", "device_code", PUBLIC},
                   "graph": {PUBLIC}}
        for component, others in includes(component_of).items():
            self.assertLessEqual(others, allowed.get(component, set()), component)

    def test_a_cycle_is_found(self) -> None:
        self.assertEqual(find_cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c", "b"])
        self.assertEqual(find_cycle({"a": {"b", "c"}, "b": {"c"}}), [])


class Affected(unittest.TestCase):
    """The sources that .ci/tidy.py checks after a change."""

    def test_by_a_source_is_the_source(self) -> None:
        self.assertEqual(affected_by({"loader/resolve.cc", "README.md"}), ["loader/resolve.cc"])

    def test_by_a_header_are_its_includers_also_through_headers(self) -> None:
        found = affected_by({"compat/descriptor/symbols.h"})
        self.assertIn("compat/descriptor/symbols.cc", found)
        self.assertIn("compat/search/search.cc", found)  # through search_report.h
        self.assertNotIn("compat/base/arena.cc", found)

    def test_by_the_database_are_the_includers_of_generated_headers(self) -> None:
        found = affected_by({GENERATED})
        self.assertIn("stubs/cudart/adapters/memory.cc", found)
        self.assertNotIn("compat/base/arena.cc", found)


class Folders(unittest.TestCase):
    def test_folders_have_at_most_a_screenful_of_files(self) -> None:
        kinds = (".cc", ".h", ".c", ".cu", ".py")
        counts = Counter(
            folder.relative_to(ROOT).as_posix()
            for top in ROOT.iterdir() if top.is_dir() and not top.name.startswith((".", "build", "tests"))
            for file in top.rglob("*") if file.suffix in kinds and (folder := file.parent).name != "adapters")
        self.assertIn("compat/search", counts)
        self.assertEqual({folder: count for folder, count in counts.items() if count > MOST_FILES}, {})


class Comments(unittest.TestCase):
    def test_of_public_headers_have_no_broken_list_items(self) -> None:
        headers = sorted((ROOT / PUBLIC).rglob("*.h"))
        self.assertGreater(len(headers), 5)
        for header in headers:
            self.assertEqual(broken_comments(header.read_text(encoding="utf-8")), [], header.name)

    def test_a_broken_list_item_is_found(self) -> None:
        broken = "// - pip: a wheel, whose RECORD lists the path, and\n// that\n//   is as it is.\n"
        self.assertEqual(broken_comments(broken), ["// that"])
        self.assertEqual(broken_comments("// The sources:\n// - pip:\n//   a wheel\n//\n// dpkg\nint a;\n"), [])


if __name__ == "__main__":
    unittest.main()
