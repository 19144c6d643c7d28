# SPDX-License-Identifier: Apache-2.0
"""A wheel's requirements of one CUDA, and whether `anycuda repair --free-requirements` makes each an extra."""

from __future__ import annotations

import os
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..analysis import distributions, named, opened, pathfinder, preload, remaining
from ..analysis.distributions import Pin
from ..analysis.file_use import FileUse
from ..analysis.inputs import ZIP_ERRORS
from ..analysis.libraries import Table
from ..analysis.pathfinder import Loads
from ..analysis.python_use import PythonUse
from ..analysis.remaining import Remaining
from ..wheels import entries, metadata, requirement
from ..wheels.requirement import Requirement


@dataclass(frozen=True)
class PinFate:
    """A requirement of one CUDA. `freed`: a repair makes it an extra. `stays`: the part that stays, and why."""

    requirement: str
    major: str
    freed: bool
    stays: str


@dataclass(frozen=True)
class Preload:
    """A file that loads libraries by the names of `distributions`, or imports packages from `imported`."""

    file: str
    distributions: tuple[str, ...]
    imported: tuple[str, ...] = ()


@dataclass(frozen=True)
class Texts:
    """Facts from a wheel's METADATA and program texts. `named`: Python file -> the libraries that its strings name.
    `loads`: Python file -> the libraries that it loads with cuda-pathfinder. `imported`: packages with CUDA that its
    Python files import. `requirements`: those outside extras. `files`: the names of its files, without folders."""

    pins: list[PinFate] = field(default_factory=list)
    preloads: list[Preload] = field(default_factory=list)
    named: dict[str, tuple[str, ...]] = field(default_factory=dict)
    loads: dict[str, Loads] = field(default_factory=dict)
    imported: tuple[str, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    files: frozenset[str] = frozenset()

    @property
    def python(self) -> tuple[str, ...]:
        """The libraries and packages that its Python files open and import."""
        opened_ = dict.fromkeys(name for names in self.named.values() for name in names)
        loaded = dict.fromkeys(pathfinder.stem(name) for loads in self.loads.values() for name in loads.names)
        return (*opened_, *(stem for stem in loaded if all(name.partition(".")[0] != stem for name in opened_)),
                *(f"import {name}" for name in self.imported))


def look(path: Path, files: Iterable[tuple[str, FileUse]], table: Table) -> Texts:
    """The facts of a wheel; `files` are its binaries. Unreadable files are reported by the code that reads them."""
    if not os.path.isfile(path):  # a pipe would block
        return Texts()
    try:
        with zipfile.ZipFile(path) as wheel:
            if entries.bomb(wheel.infolist(), path.stat().st_size):
                return Texts()
            about, asked, imports, python = b"", {}, {}, PythonUse()
            for name, text in _texts(wheel):
                if name.endswith("/METADATA"):
                    about = text
                else:
                    asked[name], imports[name] = preload.in_text(name, text, table), preload.imported(name, text, table)
                    python.add(name, text, _named(name, text))
            names = wheel.namelist()
    except ZIP_ERRORS:
        return Texts()
    texts = of_parts(about, python, names)
    left = remaining_of(list(files), texts.files, table)
    pins = [pin for _, pin in distributions.pins(metadata.split(about)[0], table)]
    return replace(texts, pins=[_fate(pin, left) for pin in pins], preloads=_preloads(asked, imports, _required(pins)))


def of_parts(about: bytes, python: PythonUse, names: Iterable[str]) -> Texts:
    """The facts without the fates of its requirements, from METADATA, Python files and file names."""
    requirements = map(requirement.parse, metadata.values(metadata.split(about)[0], "Requires-Dist"))
    return Texts(named=python.named, loads=python.loads, imported=tuple(sorted(python.packages)),
                 requirements=tuple(one for one in requirements if one and not one.belongs_to_extra),
                 files=frozenset(map(posixpath.basename, names)))


def _named(name: str, text: bytes) -> tuple[str, ...]:
    if not name.endswith(".py"):
        return ()
    found = named.Named(name, len(text))
    found.add(text)
    return found.names()


def _preloads(asked: dict[str, tuple[str, ...]], imports: dict[str, tuple[str, ...]], required: set[str]
              ) -> list[Preload]:
    """Chooses the distribution that the wheel requires if several (one for each CUDA) bring a package."""
    found = [Preload(name, wanted, tuple(one for one in imports[name] if one in required and one not in wanted))
             for name, wanted in asked.items()]
    return [one for one in found if one.distributions or one.imported]


def _required(pins: list[Pin]) -> set[str]:
    """The distributions that the wheel requires, directly or by an extra of cuda-toolkit."""
    return {pin.requirement.normal for pin in pins} | {
        library.wheels[pin.major] for pin in pins for part in pin.parts for library in part.libraries
        if pin.major in library.wheels}


def _texts(wheel: zipfile.ZipFile) -> Iterator[tuple[str, bytes]]:
    for one in wheel.infolist():
        folder, _, rest = one.filename.partition("/")
        is_about = folder.endswith(".dist-info")
        if is_about:
            wanted = rest == "METADATA" and one.file_size <= preload.LARGEST
        else:
            wanted = preload.is_looked_into(one.filename, one.file_size)
        if wanted and not entries.other_method(one):
            yield one.filename, _read(wheel, one)


def _read(wheel: zipfile.ZipFile, one: zipfile.ZipInfo) -> bytes:
    """The content, cut at the recorded size."""
    try:
        with wheel.open(one) as file:
            return file.read(one.file_size)
    except ZIP_ERRORS:
        return b""


def remaining_of(files: list[tuple[str, FileUse]], names: Iterable[str], table: Table) -> Remaining:
    """The needs after a repair: stubs replace linked libraries, drop-ins serve opened ones."""
    inside = {*names, *(use.soname for _, use in files if use.soname)}
    served = {one.name for _, use in files for one in opened.find(use, table, inside) if one.by_repair}
    inside |= served
    needs = []
    for name, use in files:
        replaced = () if use.is_library else [one.needed for one in use.uses if one.how.is_nvidias]
        needs += remaining.find(name, use, [one for one in use.needed if one not in replaced], inside)
    return Remaining(tuple(needs), bool(served) or any(remaining.uses_stubs(use) for _, use in files))


def _fate(pin: Pin, left: Remaining) -> PinFate:
    reasons = {part.name: left.why_stays(part, pin.major) for part in pin.parts}
    staying = [f"{name}: {why}" if len(pin.parts) > 1 else why for name, why in reasons.items() if why]
    return PinFate(str(pin.requirement), pin.major, len(staying) < len(pin.parts), "; ".join(staying))
