# SPDX-License-Identifier: Apache-2.0
"""The site: its navigation names every page, and its generator makes the pages that are not in the repository."""

from __future__ import annotations

import re
import sys
import tempfile
import unittest
from pathlib import Path

from project_files import ROOT, project_files

sys.path += [str(ROOT / "tools/site"), str(ROOT / "packaging/pages")]

import commands  # noqa: E402
import headers  # noqa: E402
import markup  # noqa: E402
import pages  # noqa: E402
import write_pages  # noqa: E402

NAVIGATION = re.findall(r"^ +- .+: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)


class Navigation(unittest.TestCase):
    def test_names_every_page_once(self) -> None:
        written = [page.relative_to(ROOT).as_posix() for page in project_files("*.md")]
        written = [page for page in written if not page.startswith(".")]
        self.assertLessEqual({"README.md", "docs/check.md", "stubs/abi.md"}, set(written))
        self.assertEqual(sorted(NAVIGATION), sorted([*written, *write_pages.generated(ROOT)]))


class Pages(unittest.TestCase):
    def test_links_lead_to_pages(self) -> None:
        texts, copied = pages.of_repository(ROOT, ["docs/check.md", "docs/versions.md", "README.md"])
        self.assertIn("(../source/compat/catalogue/cuda_releases.txt.md)", texts["docs/check.md"])
        self.assertIn("(../source/tests/consumers/floor.md)", texts["docs/versions.md"])
        self.assertIn("(docs/check.md)", texts["README.md"])
        self.assertIn("\n``` text\n", texts["source/compat/catalogue/cuda_releases.txt.md"])
        self.assertEqual(copied, {"docs/pictures/demo.svg"})

    def test_links_to_a_command_lead_to_its_reference(self) -> None:
        texts, _ = pages.of_repository(ROOT, ["docs/repair.md"])
        self.assertIn("](../reference/anycuda-repair.md)", texts["docs/repair.md"])
        made = {page for page in pages._MADE.values() if page.startswith("reference/")}
        self.assertEqual(made, {page for page in write_pages.generated(ROOT) if page.startswith("reference/anycuda-")})

    def test_links_to_folders_and_pictures(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "docs").mkdir()
            (root / "with").mkdir()
            (root / "with/README.md").write_text("# With\n")
            (root / "docs/picture.svg").write_text("<svg/>")
            (root / "docs/page.md").write_text(
                "[a](../with) [b](../with#x) ![c](picture.svg) `[d](../with)` [e](none.md)\n")
            texts, copied = pages.of_repository(root, ["docs/page.md"])
        self.assertEqual(texts, {"docs/page.md": "[a](../with/README.md) [b](../with/README.md#x) ![c](picture.svg) "
                                                 "`[d](../with)` [e](none.md)\n"})
        self.assertEqual(copied, {"docs/picture.svg"})

    def test_lists_are_indented_by_four(self) -> None:
        text = "Text:\n- one\n  - two\n\n    more of two\n1. three\n\n       code\n\nEnd\n\n    - code\n"
        self.assertEqual(
            markup.indented(text),
            "Text:\n\n- one\n    - two\n\n        more of two\n\n1. three\n\n        code\n\nEnd\n\n    - code\n")

    def test_lists_in_code_stay(self) -> None:
        text = "```\ntext\n- one\n  - two\n```\n"
        self.assertEqual(markup.indented(text), text)


class Reference(unittest.TestCase):
    def test_a_command_has_its_options_statuses_and_examples(self) -> None:
        page = commands.pages()["anycuda-check"]
        for line in ("| `--built-for MAJOR`, `--caller MAJOR` |", "| `FILE|WHEEL|FOLDER` |", "sm\\_120", "| 3 |",
                     "    anycuda check program.so\n"):
            self.assertIn(line, page)

    def test_a_header_has_the_comment_of_each_declaration(self) -> None:
        page = headers.pages(ROOT)["api-graph"]
        self.assertIn("### Owners\n\nAll owners of a node, by role. An empty entry means no owner, and costs nothing."
                      "\n\n``` cpp\nusing Owners = ", page)
        for header in (ROOT / "graph/include").rglob("*.h"):
            self.assertIn(f"## anycuda/graph/{header.name}\n", page)
        self.assertNotIn("SPDX", page)

    def test_every_declaration_of_a_header_is_there(self) -> None:
        for name, page in headers.pages(ROOT).items():
            for header in (ROOT / name.removeprefix("api-") / "include").rglob("*.h"):
                for line in re.findall(r"^(?:class|struct|enum class) \w+.*\{$", header.read_text(), re.MULTILINE):
                    with self.subTest(header=header.name, line=line):
                        self.assertIn(line, page)

    def test_a_stub_has_its_variable_and_statuses(self) -> None:
        page = write_pages.generated(ROOT)["reference/libraries.md"]
        self.assertIn("| `libcudart_stub.so` | `ANYCUDA_CUDART` | 35 `cudaErrorInsufficientDriver` | 302 ", page)
        self.assertIn("| `cuInit` | 100 |", page)


class Troubleshooting(unittest.TestCase):
    def test_quotes_the_runtimes_errors_as_the_runtime_words_them(self) -> None:
        page = (ROOT / "docs/troubleshooting.md").read_text(encoding="utf-8")
        errors = (ROOT / "stubs/cudart/abi/errors.txt").read_text(encoding="utf-8")
        quoted = re.findall(r"^### `(.+)`\n\n`(cudaError\w+)` \((\d+)\)", page, re.MULTILINE)
        self.assertGreater(len(quoted), 7)
        for text, name, number in quoted:
            self.assertRegex(errors, rf"(?m)^{name}  \S+  {number} {re.escape(text)}$")


if __name__ == "__main__":
    unittest.main()
