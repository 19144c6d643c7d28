# SPDX-License-Identifier: Apache-2.0
"""Finds sentences that are hard to read, in the documents, comments and messages of this repository.

A good sentence is positive, has a named subject and stands in the present tense: "is not a wheel" instead of "is no
wheel", "only of this major" instead of "of this major alone". A line that the pattern matches is rewritten, or
plain_words.txt lists it with the reason why it is plain English.
"""

from __future__ import annotations

import fnmatch
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = ".ci/plain_words.txt"
FILES = ("*.md", "*.h", "*.cc", "*.cu", "*.py", "*.txt", "*.cmake")
# Commands write these pages: the lint checks the commands' sources instead.
WRITTEN = ("docs/cross-major-cells.md", "docs/verdicts.md", "docs/wheels.md", "docs/wheels_onnxruntime.md",
           "docs/wheels_torch.md")
EXEMPT = (ALLOWED, ".ci/lint_words.py", "tests/tools/test_lint_words.py", *WRITTEN)

PATTERN = re.compile("|".join(rf"\b{words}\b" for words in (
    "(is|are|was|were|that|being) (no|none)", "is none", "of none",
    "(of|for|by|in|with|to) [a-z]+ alone", "alone (is|are|has|have|can|may|does)",
    "of ours", "of (its|their) own", "whose it is", "cannot be said", "what is there", "who (wants|asks|has|needs)",
    "whoever", "lets? (it|them|go|no|pass)", "is over", "are over", "is (said|told|heard)", "are (said|told)",
    "there is no such", "no such thing", "what (it|they|one) (makes?|has|have|gives?)")))


class Entry(NamedTuple):
    line: int  # of plain_words.txt
    path: str  # a pattern
    text: str  # a part of the line
    reason: str


def read_entries(text: str) -> tuple[list[Entry], list[str]]:
    """The entries of plain_words.txt, and its errors."""
    entries, errors, reason = [], [], ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        path, colon, words = line.partition(": ")
        if line.startswith("[") and line.endswith("]"):
            reason = line[1:-1].strip()
        elif not colon or not PATTERN.search(words):
            errors.append(f"{ALLOWED}:{number}: expected PATH: TEXT, and words in TEXT that the lint finds: {line}")
        elif not reason:
            errors.append(f"{ALLOWED}:{number}: the entry needs a [reason] above it: {line}")
        else:
            entries.append(Entry(number, path, words, reason))
    return entries, errors


def check(lines: Iterable[tuple[str, int, str]], entries: list[Entry]) -> list[str]:
    """Errors in `lines`, each with its path and number, and unused entries."""
    errors, used = [], set()
    for path, number, line in lines:
        if not PATTERN.search(line):
            continue
        rest = line
        for entry in entries:
            if entry.text in line and fnmatch.fnmatchcase(path, entry.path):
                used.add(entry)
                rest = rest.replace(entry.text, "")
        if PATTERN.search(rest):
            errors.append(f"{path}:{number}: {line.strip()}")
    errors += [f"{ALLOWED}:{entry.line}: no line matches: {entry.path}: {entry.text}"
               for entry in entries if entry not in used]
    return errors


def is_checked(path: str) -> bool:
    return path not in EXEMPT


def lines_of(root: Path) -> Iterator[tuple[str, int, str]]:
    """The lines of all checked files that git tracks."""
    listed = subprocess.run(["git", "ls-files", "-z", *FILES], cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    for path in filter(is_checked, listed.stdout.rstrip("\0").split("\0")):
        text = (root / path).read_text(encoding="utf-8", errors="replace")
        yield from ((path, number, line) for number, line in enumerate(text.splitlines(), 1))


def main() -> int:
    entries, errors = read_entries((ROOT / ALLOWED).read_text(encoding="utf-8"))
    errors += check(lines_of(ROOT), entries)
    for error in errors:
        print(error, file=sys.stderr)
    if errors:
        print("Write a positive sentence with a named subject in the present tense. "
              f"If a line is plain English already, add it to {ALLOWED}.", file=sys.stderr)
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
