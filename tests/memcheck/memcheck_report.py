# SPDX-License-Identifier: Apache-2.0
"""What valgrind has found in the programs of the tests. Exit status 1: an error, or no program ran.

    python3 memcheck_report.py <folder of logs>
"""

import re
import sys
from pathlib import Path

_PROCESS = re.compile(r"^==\d+== ?", re.M)


def findings(folder: Path) -> tuple[int, dict[str, int]]:
    """How many programs ran, and each text of errors with the number of programs that had it."""
    logs = sorted(folder.glob("*.log"))
    found: dict[str, int] = {}
    for log in logs:
        text = _PROCESS.sub("", log.read_text(errors="replace")).strip()
        if text:
            found[text] = found.get(text, 0) + 1
    return len(logs), found


def main(arguments: list[str]) -> int:
    programs, found = findings(Path(arguments[0]))
    for text, count in sorted(found.items(), key=lambda item: -item[1]):
        print(f"--- in {count} programs\n{text}")
    print(f"memcheck: {programs} programs, {sum(found.values())} of them with errors")
    return 1 if found or not programs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
