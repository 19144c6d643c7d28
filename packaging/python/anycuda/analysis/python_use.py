# SPDX-License-Identifier: Apache-2.0
"""The libraries and packages that the Python files of a wheel open and import. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from . import libraries, named, pathfinder, preload
from .pathfinder import Loads


@dataclass
class PythonUse:
    """`named`: file -> the libraries that its strings name. `loads`: file -> the libraries that it loads with
    cuda-pathfinder. `packages`: imported packages that bring CUDA."""

    named: dict[str, tuple[str, ...]] = field(default_factory=dict)
    loads: dict[str, Loads] = field(default_factory=dict)
    packages: set[str] = field(default_factory=set)

    def add(self, name: str, content: bytes, names: Iterable[str]) -> None:
        """Adds a file. `names`: the names that named.py finds in it."""
        of_nvidia = named.of_nvidia(names)
        if of_nvidia:
            self.named[name] = of_nvidia
        self.packages |= preload.cuda_packages(name, content, self.packages)
        loads = pathfinder.of_file(name, content, libraries.table())
        if loads:
            self.loads[name] = loads
