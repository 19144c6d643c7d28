"""The README is short and its commands are the command's own; links between the pages lead to a file and a heading."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shlex
import unittest
from functools import cache
from pathlib import Path

from anycuda.__main__ import command_line

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES = 110
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```|^ {4,}\S.*?$|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    folders = (top for top in ROOT.iterdir() if top.is_dir() and not top.name.startswith((".", "build")))
    return sorted([*ROOT.glob("*.md"), *(page for top in folders for page in top.rglob("*.md"))])


@cache
def headings(page: Path) -> set[str]:
    """The names by which links reach a page's headings, as GitHub and PyPI make them."""
    found: set[str] = set()
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        number = sum(1 for other in found if other == name or re.fullmatch(re.escape(name) + r"-\d+", other))
        found.add(f"{name}-{number}" if number else name)
    return found


def broken_links(page: Path, text: str) -> list[str]:
    broken = []
    for link in _LINK.findall(_CODE.sub("", text)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or heading and heading not in headings(target):
            broken.append(link)
    return broken


def commands(text: str) -> list[list[str]]:
    """The arguments of each `anycuda` command that a page shows, on a separate line or within a sentence."""
    lines = re.findall(r"^ {4}(anycuda .+)$", text, re.MULTILINE) + re.findall(r"`(anycuda [^`]+)`", text)
    return [shlex.split(line, comments=True)[1:] for line in lines]


class Readme(unittest.TestCase):
    def test_fits_a_page(self) -> None:
        self.assertLessEqual(len(README.splitlines()), MOST_LINES)

    def test_shows_commands_that_exist(self) -> None:
        shown = commands(README)
        self.assertLessEqual({"check", "repair", "patch", "run", "matrix", "doctor"}, {words[0] for words in shown})
        for words in shown:
            with self.subTest(command=words), contextlib.redirect_stderr(io.StringIO()) as errors:
                try:
                    _, unknown = command_line().parse_known_args(words)
                except SystemExit:
                    self.fail(errors.getvalue())
                self.assertEqual(unknown, [])

    def test_shows_presets_and_packages_that_ci_tries(self) -> None:
        presets = {preset["name"] for preset in json.loads((ROOT / "CMakePresets.json").read_text())["workflowPresets"]}
        shown = set(re.findall(r"cmake --workflow --preset (\w+)", README))
        self.assertEqual(shown, {"demo", "test"})
        self.assertLessEqual(shown, presets)
        for preset in shown:
            self.assertIn(f"'cmake --workflow --preset {preset}'", (ROOT / ".ci/run").read_text(encoding="utf-8"))
        fresh_root = (ROOT / ".ci/fresh_root.py").read_text(encoding="utf-8")
        installed = re.search(r'^PACKAGES = "(.+?)"', fresh_root, re.MULTILINE)
        assert installed
        self.assertIn(f"with the packages `{installed[1].replace(',', ' ')}`", README)


class Links(unittest.TestCase):
    def test_lead_to_a_file_and_a_heading(self) -> None:
        self.assertGreater(len(pages()), 60)
        broken = {page.relative_to(ROOT).as_posix(): broken_links(page, page.read_text(encoding="utf-8"))
                  for page in pages()}
        self.assertEqual({page: links for page, links in broken.items() if links}, {})

    def test_that_lead_nowhere_are_found(self) -> None:
        page = ROOT / "README.md"
        self.assertEqual(broken_links(page, "[a](docs/none.md) [b](docs/search.md#none) [c](#none)"),
                         ["docs/none.md", "docs/search.md#none", "#none"])
        self.assertEqual(broken_links(page, "[a](docs/search.md#the-rules) [b](https://a.invalid/x.md) `[c](x)`"), [])

    def test_every_page_of_docs_is_reached_from_the_readme(self) -> None:
        reached: set[Path] = set()
        waiting = [ROOT / "README.md"]
        while waiting:
            page = waiting.pop()
            if page in reached or page.suffix != ".md":
                continue
            reached.add(page)
            links = _LINK.findall(_CODE.sub("", page.read_text(encoding="utf-8")))
            targets = (page.parent / link.partition("#")[0] for link in links if not re.match(r"[a-z]+:|#", link))
            waiting += [target.resolve() for target in targets if target.is_file()]
        self.assertEqual([page for page in sorted((ROOT / "docs").rglob("*.md")) if page not in reached], [])


if __name__ == "__main__":
    unittest.main()
