# SPDX-License-Identifier: Apache-2.0
"""The files on the command line: their device code, and whether this machine loads it."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..analysis import code_rules, gpus, kernels, libraries, reading, static_runtime
from ..analysis.gpus import Facts
from ..analysis.kernels import Kernels, Needs, Reply
from ..analysis.reading_progress import Progress
from . import devices
from .devices import Devices


@dataclass(frozen=True)
class File:
    """`path` and `kind` ("file", "folder", "wheel") on the command line. `problems`: (name, sentence) for each
    unreadable file. `needs`: None without code for a driver. `runtime_driver`: the oldest driver for its static CUDA
    runtimes; 0 if it has none, or if unknown. `replies`: one for each kind of GPU here. `loads`: does one of these GPUs
    load all its device code, with a driver for these runtimes? None if unknown. `libraries`: those that it uses."""

    path: str
    kind: str
    kernels: Kernels
    problems: tuple[tuple[str, str], ...]
    needs: Needs | None
    runtime_driver: int
    replies: tuple[Reply, ...]
    loads: bool | None
    libraries: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return posixpath.basename(self.path.rstrip("/")) or self.path

    @property
    def of_several(self) -> bool:
        """Texts about a folder or a wheel name its files."""
        return self.kind != "file"

    @property
    def obstacle(self) -> str:
        if any(0 < reply.driver < self.runtime_driver for reply in self.replies):
            return f"its static CUDA runtime needs driver {self.runtime_driver} or newer"
        return "its device code loads on no GPU of this machine"

    @property
    def loads_on(self) -> list[str]:
        """sm_90"""
        return [f"sm_{reply.gpu}" for reply in self.replies if reply.loads and reply.gpu]


def read(paths: Iterable[Path], here: Devices, progress: Progress) -> list[File]:
    table, files = libraries.table(), []
    for path in paths:
        content = reading.look(path, table, progress, True)
        progress.end()
        files.append(examine(content, static_runtime.drivers(content.runtimes(table)), here, gpus.facts()))
    return files


def examine(content: reading.Reading, runtimes: Mapping[str, int], here: Devices, facts: Facts) -> File:
    code, is_read = content.kernels, bool(content.files or content.kernels.files)
    needs = kernels.needs(code.files, facts)
    replies = devices.replies(code, needs, runtimes, here, facts) if is_read or not content.problems else []
    return File(content.path, content.kind, code, tuple(content.problems), needs, max(runtimes.values(), default=0),
                tuple(replies), _loads(code, replies, here),
                frozenset(use.library for _, file in content.files for use in file.uses))


def _loads(code: Kernels, replies: Sequence[Reply], here: Devices) -> bool | None:
    if here.lacking and code.files:
        return False
    return code_rules.any_true(reply.loads for reply in replies) if replies else None
