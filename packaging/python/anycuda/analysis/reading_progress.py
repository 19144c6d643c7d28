# SPDX-License-Identifier: Apache-2.0
"""Progress of reading files, on stderr: a status line on a terminal, otherwise an occasional line."""

from __future__ import annotations

from typing import TextIO

from ..terminal import StatusLine

_EVERY = 100 << 20  # bytes between two lines in a log


class Progress:
    def __init__(self, command: str, stream: TextIO | None = None) -> None:
        self._command, self._line, self._reported = command, StatusLine(stream), 0

    def __call__(self, name: str, done: int, whole: int) -> None:
        share = f"{done >> 20} of {whole >> 20} MB"
        if self._line.live:
            self._line.show(f"checking {share}: {name}")
        elif done - self._reported >= _EVERY:
            self._reported = done
            print(f"anycuda {self._command}: {share}", file=self._line.stream, flush=True)

    def end(self) -> None:
        self._reported = 0
        self._line.clear()
