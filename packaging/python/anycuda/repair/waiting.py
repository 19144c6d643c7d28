# SPDX-License-Identifier: Apache-2.0
"""The device code of a wheel's files. The program that reads it takes many files at once, so unpacked files wait for a
run."""

from __future__ import annotations

from pathlib import Path

from ..analysis import device_code
from ..analysis.kernels import Kernels


class Waiting:
    """`kernels`: the device code of the files read so far."""

    def __init__(self, work: Path) -> None:
        self.kernels = Kernels()
        self._room = device_code.room(work)
        self._files: dict[str, Path] = {}
        self._passing: list[Path] = []  # files to delete after the run
        self._bytes = 0  # size of these files

    def make_room(self, size: int) -> None:
        """Makes room for the next file, which may not fit next to the waiting ones."""
        if self._bytes + size > self._room:
            self.read()

    def add(self, name: str, path: Path, is_kept: bool) -> None:
        self._files[name] = path
        if not is_kept:
            self._passing.append(path)
            self._bytes += path.stat().st_size

    def read(self) -> None:
        for name, code in zip(self._files, device_code.of_files(list(self._files.values()))):
            self.kernels.add(name, code)
        for path in self._passing:
            path.unlink()
        self._files, self._passing, self._bytes = {}, [], 0
