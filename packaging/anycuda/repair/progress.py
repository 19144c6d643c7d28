"""How far the work is: one line that is rewritten on a terminal, else a line now and then. On stderr."""

from __future__ import annotations

import sys
import time

from .. import terminal

_ON_TERMINAL, _IN_FILE = 0.1, 5.0  # seconds between two lines


class Progress:
    def __init__(self, stream=None, clock=time.monotonic) -> None:
        self._stream = stream or sys.stderr
        self._clock = clock
        self._live = self._stream.isatty()
        self._shown = 0
        self._what, self._total, self._done, self._last = "", 0, 0, 0.0

    def start(self, what: str, total: int) -> None:
        self._what, self._total, self._done, self._last = what, total, 0, self._clock()

    def step(self, name: str, size: int) -> None:
        self._done += size
        now = self._clock()
        if now - self._last < (_ON_TERMINAL if self._live else _IN_FILE):
            return
        self._last = now
        part = min(100 * self._done // max(self._total, 1), 100)
        line = f"{self._what} {part:3} % of {self._total / 1e6:.0f} MB: {name}"
        if not self._live:
            print(terminal.writable(line, self._stream), file=self._stream, flush=True)
            return
        width = (terminal.width_of(self._stream) or 80) - 1
        line = terminal.writable(line, self._stream)
        line = line if len(line) <= width else line[: width - 3] + "..."
        print("\r" + line.ljust(self._shown), end="", file=self._stream, flush=True)
        self._shown = len(line)

    def clear(self) -> None:
        if self._live and self._shown:
            print("\r" + " " * self._shown + "\r", end="", file=self._stream, flush=True)
            self._shown = 0
