"""How far a long check is, on stderr: one line that changes on a terminal, else a line now and then."""

from __future__ import annotations

import sys

from .. import terminal

_EVERY = 100 << 20  # bytes between two lines in a log


class Progress:
    def __init__(self, stream=None) -> None:
        self.stream = stream or sys.stderr
        self.told, self.shown = 0, False

    def __call__(self, name: str, done: int, whole: int) -> None:
        share = f"{done >> 20} of {whole >> 20} MB"
        if self.stream.isatty():
            width = terminal.width_of(self.stream) or 80
            line = terminal.writable(f"checking {share}: {name}", self.stream).replace("\n", " ")
            self.stream.write(f"\r\033[K{line[: width - 1]}")
            self.shown = True
        elif done - self.told >= _EVERY:
            self.told = done
            self.stream.write(f"anycuda check: {share}\n")
        self.stream.flush()

    def end(self) -> None:
        """Before anything else is written."""
        self.told = 0
        if self.shown:
            self.stream.write("\r\033[K")
            self.stream.flush()
            self.shown = False
