"""What the user sees while artifacts come: one line per artifact, on stderr, so that stdout stays for the
result.
"""

from __future__ import annotations

import sys
import threading


def megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size < 100e6 else f"{size / 1e6:.0f} MB"


class Progress:
    def __init__(self, stream=None):
        self._stream = stream or sys.stderr
        self._mutex = threading.Lock()
        self._done = self._total = 0
        self._bytes = self._all_bytes = 0

    def say(self, text: str) -> None:
        with self._mutex:
            print(f"anycuda artifacts: {text}", file=self._stream, flush=True)

    def start(self, artifacts: int, size: int, where: str) -> None:
        self._total, self._all_bytes = artifacts, size
        self.say(f"{artifacts} to fetch, {megabytes(size)}, into {where}")

    def downloaded(self, size: int) -> None:
        with self._mutex:
            self._bytes += size

    def artifact(self, name: str, size: int, note: str = "") -> None:
        with self._mutex:
            self._done += 1
            done, got = self._done, self._bytes
        self.say(
            f"[{done}/{self._total}] {name}{note or ', ' + megabytes(size)}"
            f" ({got / 1e6:.0f} of {self._all_bytes / 1e6:.0f} MB downloaded)"
        )
