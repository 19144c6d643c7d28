# SPDX-License-Identifier: Apache-2.0
"""The repository's pages, with links that work within the site.

A link to a folder becomes one to its README.md; a link to the folder of a command, one to the command's reference. A
source file, or another folder without README.md, becomes a page below source/ if a page links to it. Pictures are
copied.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import markup
from anycuda.__main__ import COMMANDS

_MADE = {  # a file or folder -> the page that is made from it
    "tools/site/matrix/index.html": "matrix/index.html",
    **{f"packaging/python/anycuda/{name}": f"reference/anycuda-{name}.md" for name in COMMANDS},
}
_PICTURES = (".gif", ".jpg", ".png", ".svg", ".webp")
_LANGUAGES = {".cc": "cpp", ".cu": "cpp", ".h": "cpp", ".json": "json", ".py": "python", ".toml": "toml"}
_CODE = re.compile(r"(^```.*?^```|`[^`\n]*`)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(\]\()([^)\s#]+)([^)]*\))")
_OUTSIDE = re.compile(r"[a-z]+:")


def sources(root: Path) -> list[str]:
    """The paths of all pages that git knows or would add."""
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "*.md"]
    paths = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return sorted(path for path in paths if not path.startswith(".") and (root / path).is_file())


def of_repository(root: Path, paths: list[str]) -> tuple[dict[str, str], set[str]]:
    """Path -> text of these pages and of the source files that they link to; the paths of the pictures in them."""
    shown: set[str] = set()
    copied: set[str] = set()
    texts = {path: _linked(root, path, shown, copied) for path in paths}
    return {**texts, **{_source_page(path): source(root / path, path) for path in sorted(shown)}}, copied


def source(file: Path, path: str) -> str:
    """A page with the text of a source file, or with the names in a folder."""
    names = sorted(entry.name for entry in file.iterdir()) if file.is_dir() else []
    text = "".join(f"{name}\n" for name in names) or file.read_text(encoding="utf-8")
    front = "---\nsearch:\n  exclude: true\n---\n"
    fence = "`" * (3 + max(map(len, re.findall(r"`+", text)), default=0))
    return f"{front}# {path}\n\n{fence} {_LANGUAGES.get(file.suffix, 'text')}\n{text}{fence}\n"


def _source_page(path: str) -> str:
    return f"source/{path}.md"


def _linked(root: Path, page: str, shown: set[str], copied: set[str]) -> str:
    """The page's text with links that work; adds what it links to to `shown` and `copied`."""
    folder = os.path.dirname(page)

    def link(match: re.Match[str]) -> str:
        before, target, after = match.groups()
        path = os.path.normpath(os.path.join(folder, target))
        if _OUTSIDE.match(target) or path.startswith("..") or not (root / path).exists():
            return match[0]  # mkdocs reports it if it leads nowhere
        if (root / path / "README.md").is_file():
            path += "/README.md"
        elif path in _MADE:
            path = _MADE[path]
        elif path.endswith(_PICTURES):
            copied.add(path)
        elif not path.endswith(".md"):
            shown.add(path)
            path = _source_page(path)
        return before + os.path.relpath(path, folder or ".") + after

    parts = _CODE.split((root / page).read_text(encoding="utf-8"))
    parts[1::2] = [code.replace("\\|", "|") for code in parts[1::2]]  # which only GitHub needs in a table
    return markup.indented("".join(part if number % 2 else _LINK.sub(link, part) for number, part in enumerate(parts)))
