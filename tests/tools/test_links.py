# SPDX-License-Identifier: Apache-2.0
"""Every link of the Markdown pages to a file or heading of the repository leads there; the README leads to each
page of docs/."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

from project_files import ROOT, project_files

_FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_OUTSIDE = re.compile(r"[a-z]+:")


def links(text: str) -> list[str]:
    """The targets of a page's links within the repository."""
    found = _LINK.findall(_CODE.sub("", _FENCE.sub("", text)))
    return [link for link in found if not _OUTSIDE.match(link)]


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to headings."""
    names: set[str] = set()
    for heading in re.findall(r"^#+ +(.*?) *$", _FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = base = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = 0
        while name in names:
            number += 1
            name = f"{base}-{number}"
        names.add(name)
    return names


def broken_links(page: Path, text: str) -> list[str]:
    """The links of that page's text whose file or heading does not exist."""
    broken = []
    for link in links(text):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or anchor and target.suffix == ".md" and anchor not in anchors(
                text if target == page else target.read_text(encoding="utf-8")):
            broken.append(link)
    return broken


def reached(start: Path) -> set[Path]:
    """The pages that links lead to, from page to page."""
    found: set[Path] = set()
    waiting = [start]
    while waiting:
        page = waiting.pop()
        if page in found or page.suffix != ".md" or not page.is_file():
            continue
        found.add(page)
        waiting += [(page.parent / link.partition("#")[0]).resolve()
                    for link in links(page.read_text(encoding="utf-8")) if not link.startswith("#")]
    return found


class Links(unittest.TestCase):
    def test_every_link_leads_to_a_file_and_heading(self) -> None:
        broken = {page.relative_to(ROOT).as_posix(): broken_links(page, page.read_text(encoding="utf-8"))
                  for page in project_files("*.md")}
        self.assertLessEqual({"README.md", "docs/check.md", ".github/PULL_REQUEST_TEMPLATE.md"}, broken.keys())
        self.assertEqual({page: wrong for page, wrong in broken.items() if wrong}, {})

    def test_broken_links_are_found(self) -> None:
        page = ROOT / "docs/check.md"
        text = ("# One\n## Two `words`, three\n## One\n[a](#one) [b](#one-1) [c](#two-words-three) [d](repair.md)\n"
                "[e](../SECURITY.md#not-promised)\n"
                "[f](#nothing) [g](nowhere.md) [h](../SECURITY.md#nothing) [i](https://example.org/) `[j](code.md)`\n"
                "```\n[k](code.md)\n# Code\n```\n[l](#code)\n")
        self.assertEqual(broken_links(page, text), ["#nothing", "nowhere.md", "../SECURITY.md#nothing", "#code"])

    def test_the_readme_leads_to_every_page_of_docs(self) -> None:
        found = reached(ROOT / "README.md")
        self.assertEqual([page for page in sorted((ROOT / "docs").rglob("*.md")) if page not in found], [])


if __name__ == "__main__":
    unittest.main()
