#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the pages of the site into a folder, from which mkdocs makes the site (.ci/site).

    python3 tools/site/write_pages.py build/site.pages

The pages of the repository keep their paths. What is generated goes to reference/, and source files to which pages link
go to source/.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / folder) for folder in ("packaging/python", "packaging/pages", "stubs/tools")]

import commands  # noqa: E402
import headers  # noqa: E402
import libraries  # noqa: E402
import matrix_page  # noqa: E402
import pages  # noqa: E402

FIRST_FOUND = "docs/troubleshooting.md"  # by a search for the text of an error


def generated(root: Path) -> dict[str, str]:
    """Path -> text of each generated page."""
    return {
        **{f"reference/{name}.md": text for name, text in commands.pages().items()},
        **{f"reference/{name}.md": text for name, text in headers.pages(root).items()},
        "reference/libraries.md": libraries.page(),
    }


def write(root: Path, out: Path) -> None:
    texts, copied = pages.of_repository(root, pages.sources(root))
    texts[FIRST_FOUND] = "---\nsearch:\n  boost: 4\n---\n" + texts[FIRST_FOUND]
    for path, text in {**texts, **generated(root), **matrix_page.files(root)}.items():
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        (out / path).write_text(text, encoding="utf-8")
    for path in copied:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / path, out / path)
    shutil.copy(root / "tools/site/style.css", out)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, metavar="FOLDER", help="a new or empty folder")
    out = parser.parse_args().out
    if out.exists() and any(out.iterdir()):
        parser.error(f"{out} is not empty: delete it, or name another folder")
    write(ROOT, out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
