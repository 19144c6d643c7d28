"""What was found in each file, folder and wheel; the exit status follows from it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from pathlib import Path

from ..elf import ElfError, NotElf, read
from ..matrix.data import Run, major_of
from ..analysis import built_for, siblings, uses
from ..analysis.libraries import Table
from ..analysis.ties import Tie
from ..analysis.uses import FileUse
from . import inputs, requirements, standing
from .cells import Asked, Cells
from .standing import TIED, Standing

RUNS, DOES_NOT_RUN, FAILED = 0, 1, 2
_BUILT_FOR_GPUS = ("x86_64", "aarch64")
# What may lie in a wheel or a folder and is no concern of CUDA's; named alone it is a mistake.
_OF_NO_CONCERN = ("32-bit", "big-endian", "not linked yet", "no dynamic section")


@dataclass
class File:
    """One binary, with the cells of all that it uses."""

    name: str
    machine: str
    use: FileUse
    cells: list[Run]
    standing: Standing | None = None


@dataclass
class Input:
    """One word of the command line. `passed_over`: binaries that no CUDA can be in; `problems`: what could not
    be read. Both are (name, sentence). `texts`: of a wheel, what its METADATA and program texts say."""

    path: str
    kind: str
    files: list[File] = field(default_factory=list)
    passed_over: list[tuple[str, str]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    texts: requirements.Texts = field(default_factory=requirements.Texts)
    standing: Standing | None = None

    def cells(self) -> dict[Run, list[str]]:
        """Of all its files together: cell -> names of the files."""
        found: dict[Run, list[str]] = {}
        for file in self.files:
            for run in file.cells:
                found.setdefault(run, []).append(file.name)
        return found

    def inside(self) -> frozenset[str]:
        """The names of a wheel's files: what they open among themselves."""
        names = {name for file in self.files for name in (posixpath.basename(file.name), file.use.soname) if name}
        return frozenset(names if self.kind == "wheel" else ())

    def ties(self, asked: Asked) -> tuple[Tie, ...]:
        """Those that fail: to another CUDA than those asked for. They say nothing about one library."""
        if self.standing is None or TIED in asked.allowed or asked.libraries:
            return ()
        return self.standing.failing({major_of(release) for release in asked.releases})

    def failing(self, asked: Asked) -> dict[Run, list[str]]:
        return {run: names for run, names in self.cells().items() if asked.fails(run)}


def look(path: Path, cells: Cells, table: Table, progress: inputs.Progress) -> Input:
    found = Input(str(path), inputs.kind_of(path))
    for one in inputs.binaries(path, progress):
        if isinstance(one, inputs.Problem):
            found.problems.append((one.name, one.text))
            continue
        try:
            image = read.read(one.path)
            if image.machine not in _BUILT_FOR_GPUS:
                raise ElfError(f"{one.path}: for {image.machine}, where there is no CUDA")
            use = uses.of(image, table)
        except ElfError as error:
            _keep_error(found, one, error)
        else:
            found.files.append(File(one.name, image.machine, use, []))
    uses_ = siblings.resolved([(file.name, file.use) for file in found.files])
    # `anycuda repair` writes the major of the others into the file, and takes a wheel alone.
    known = built_for.majors(one for use in uses_ for one in use.uses) if found.kind == "wheel" else {}
    others = {name: built_for.by_others(known, library, table) for name, library in table.libraries.items()}
    for file, use in zip(found.files, uses_):
        file.use, file.cells = use, cells.of(use, others)
    if found.kind == "wheel":
        found.texts = requirements.look(path, [(file.name, file.use) for file in found.files], table)
    _stand(found, table)
    return found


def _stand(found: Input, table: Table) -> None:
    files = [(file.name, file.use) for file in found.files]
    inside = found.texts.files | {name for one in found.files
                                  for name in (posixpath.basename(one.name), one.use.soname) if name}
    found.standing = standing.of(files, inside, table, found.texts.requirements, found.texts.python,
                                 bool(found.problems))
    for file in found.files:
        file.standing = standing.of([(file.name, file.use)], inside, table, found.texts.requirements)


def _keep_error(found: Input, binary: inputs.Binary, error: ElfError) -> None:
    text = str(error)
    if text.startswith(f"{binary.path}: "):
        text = text[len(f"{binary.path}: "):]
    of_no_concern = found.kind != "file" and not isinstance(error, NotElf) and any(
        part in text for part in (*_OF_NO_CONCERN, "there is no CUDA"))
    (found.passed_over if of_no_concern else found.problems).append((binary.name, text))


def status(found: list[Input], asked: Asked) -> int:
    """A file that cannot be read leaves the question open."""
    if any(one.problems for one in found):
        return FAILED
    return DOES_NOT_RUN if any(one.failing(asked) or one.ties(asked) for one in found) else RUNS
