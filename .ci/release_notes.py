#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints what CHANGELOG.md says about a release. The tag, CMakeLists.txt and CHANGELOG.md must name the same version.

    release_notes.py v0.2.0
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def notes(changelog: str, version: str) -> str | None:
    """The section of that version without its heading; None without such a section."""
    sections = re.split(r"^## (.*)\n", changelog, flags=re.M)
    for heading, text in zip(sections[1::2], sections[2::2]):
        if heading.split()[:1] == [version]:
            return text.strip()
    return None


def problem(tag: str, cmake: str, changelog: str) -> str:
    """Why this is not a release; "" for one that is."""
    found = re.search(r"^project\(anycuda VERSION ([0-9.]+)", cmake, re.M)
    version = found.group(1) if found else ""
    if tag != f"v{version}":
        return f"the tag is {tag}, but CMakeLists.txt has version {version}: tag v{version}, or change the version"
    text = notes(changelog, version)
    if text is None:
        return f"CHANGELOG.md has no section {version}: rename its section Unreleased"
    return "" if text else f"CHANGELOG.md says nothing about {version}: list its changes"


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    wrong = problem(sys.argv[1], (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"), changelog)
    if wrong:
        print(f"release_notes.py: {wrong}", file=sys.stderr)
        return 1
    print(notes(changelog, sys.argv[1].removeprefix("v")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
