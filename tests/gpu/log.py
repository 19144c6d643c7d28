# SPDX-License-Identifier: Apache-2.0
"""The output of the results: short on the terminal, in full in a file."""

from pathlib import Path
from typing import TextIO


class Log:
    def __init__(self, path: str = "") -> None:
        self.file: TextIO | None = Path(path).open("w", encoding="utf-8") if path else None  # noqa: SIM115 (stays open)

    def say(self, line: str) -> None:
        """A line for everybody."""
        print(line, flush=True)
        self._write(line)

    def note(self, text: str, show: bool = False) -> None:
        """What a program printed: for the file, and for the terminal if `show`."""
        for line in text.splitlines():
            self._write("    " + line)
            if show:
                print("    " + line, flush=True)

    def _write(self, line: str) -> None:
        if self.file:
            self.file.write(line + "\n")
            self.file.flush()
