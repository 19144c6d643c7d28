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
        self._budget = device_code.batch_budget(work)
        self._files: dict[str, Path] = {}
        self._passing: list[Path] = []  # files to delete after the run
        self._bytes = 0  # size of these files

    def reserve(self, size: int) -> None:
        """Reads the waiting files if the next one, of `size` bytes, does not fit next to them."""
        if self._bytes + size > self._budget:
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
