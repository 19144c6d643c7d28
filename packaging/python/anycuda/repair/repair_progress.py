# SPDX-License-Identifier: Apache-2.0
"""Progress of a repair, on stderr: a status line on a terminal, otherwise an occasional line."""

from __future__ import annotations

import time
from typing import Callable, TextIO

from ..terminal import StatusLine, writable

_ON_TERMINAL, _IN_FILE = 0.1, 5.0  # seconds between two lines


class Progress:
    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._line, self._clock = StatusLine(stream), clock
        self._what, self._total, self._done, self._last = "", 0, 0, 0.0

    def start(self, what: str, total: int) -> None:
        self._what, self._total, self._done, self._last = what, total, 0, self._clock()

    def step(self, name: str, size: int) -> None:
        self._done += size
        now = self._clock()
        if now - self._last < (_ON_TERMINAL if self._line.live else _IN_FILE):
            return
        self._last = now
        part = min(100 * self._done // max(self._total, 1), 100)
        share = f"{part:3} % of {self._total / 1e6:.0f} MB"
        if self._line.live:  # the end is cut off, so the share comes first
            self._line.show(f"{share}, {self._what}: {name}")
        else:
            print(writable(f"{self._what} {share}: {name}", self._line.stream), file=self._line.stream, flush=True)

    def clear(self) -> None:
        self._line.clear()
