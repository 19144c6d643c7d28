"""Every link of the Markdown pages to a file or heading of the repository leads somewhere."""

from __future__ import annotations

import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_FENCE = re.compile(r"^```.*?^```", re.M | re.S)
_CODE = re.compile(r"`[^`\n]*`")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_OUTSIDE = re.compile(r"[a-z]+:")


def pages() -> list[Path]:
    """Those of the repository: not of build folders, virtual environments and the like."""
    folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and not (folder / "pyvenv.cfg").exists()
               and (folder.name == ".github" or folder.name[0] != ".") and folder.name not in ("build", "dist")]
    return sorted([*ROOT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))])


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to headings."""
    names: set[str] = set()
    for heading in re.findall(r"^#+ +(.*?) *$", _FENCE.sub("", text), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = base = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = 0
        while name in names:
            number += 1
            name = f"{base}-{number}"
        names.add(name)
    return names


def dead(page: Path, text: str) -> list[str]:
    """The links of that page's text which lead nowhere."""
    wrong = []
    for link in _LINK.findall(_CODE.sub("", _FENCE.sub("", text))):
        if _OUTSIDE.match(link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists():
            wrong.append(link)
        elif anchor and target.suffix == ".md":
            there = text if target == page else target.read_text(encoding="utf-8")
            if anchor not in anchors(there):
                wrong.append(link)
    return wrong


class Links(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        found = {str(page.relative_to(ROOT)): dead(page, page.read_text(encoding="utf-8")) for page in pages()}
        self.assertIn("README.md", found)
        self.assertEqual({page: links for page, links in found.items() if links}, {})

    def test_dead_links_are_found(self):
        page = ROOT / "docs/check.md"
        text = ("# One\n## Two `words`, three\n## One\n[a](#one) [b](#one-1) [c](#two-words-three) [d](repair.md)\n"
                "[e](../SECURITY.md#not-promised)\n"
                "[f](#nothing) [g](nowhere.md) [h](../SECURITY.md#nothing) [i](https://example.org/) `[j](code.md)`\n"
                "```\n[k](code.md)\n# Code\n```\n[l](#code)\n")
        self.assertEqual(dead(page, text), ["#nothing", "nowhere.md", "../SECURITY.md#nothing", "#code"])


if __name__ == "__main__":
    unittest.main()
