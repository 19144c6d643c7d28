# SPDX-License-Identifier: Apache-2.0
"""Checks that GoogleTest prints the parameters of all tests as text: case_names.py <program>...

A type without PrintTo is printed as its bytes, and a pointer to text in a container with its address. A reader learns
nothing from either, and an address differs from run to run.
"""

from __future__ import annotations

import re
import subprocess
import sys

_UNREADABLE = re.compile(r"-byte object <|\b0x[0-9a-f]+\b")


def unreadable(listing: str) -> list[str]:
    """The tests of a --gtest_list_tests whose parameter has no text."""
    found = []
    suite = ""
    for line in listing.splitlines():
        if not line.startswith(" "):
            suite = line.split("#")[0].strip()
        elif _UNREADABLE.search(line):
            found.append(suite + line.strip())
    return found


def main(programs: list[str]) -> int:
    wrong = []
    for program in programs:
        try:
            listing = subprocess.check_output([program, "--gtest_list_tests"], text=True)
        except (OSError, subprocess.CalledProcessError) as error:
            sys.exit(f"{program} does not list its tests ({error}): build the target `tests`")
        if "\n  " not in listing:
            sys.exit(f"{program} lists no tests")
        wrong += unreadable(listing)
    for test in wrong:
        print(test)
    if wrong:
        print(f"{len(wrong)} parameters are printed as bytes or addresses: add a PrintTo for their type")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
