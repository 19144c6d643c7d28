"""What was found in each file, folder and wheel; the exit status follows from it."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..elf import ElfError, NotElf, read
from ..matrix.data import Run, major_of
from ..analysis import built_for, code_rules, device_code, gpus, siblings, uses
from ..analysis import ties as tied
from ..analysis.libraries import Table
from ..analysis.ties import Tie
from ..analysis.uses import FileUse, Use
from . import inputs, kernels, requirements, standing
from .cells import Asked, Cells
from .here import Verdict
from .kernels import Kernels, Needs, Reply
from .standing import TIED, Standing

RUNS, DOES_NOT_RUN, FAILED, UNKNOWN = 0, 1, 2, 3
DEVICE_CODE, IN_PART = "device_code", "in_part"  # beside the kinds of cells
_BUILT_FOR_GPUS = ("x86_64", "aarch64")
# What may lie in a wheel or a folder and is no concern of CUDA's; named alone it is a mistake.
_NOT_LINKED = "not linked yet"
_OF_NO_CONCERN = ("32-bit", "big-endian", _NOT_LINKED, "no dynamic section")


@dataclass
class File:
    """One binary, with the cells of all that stubs serve. `kept`: what it needs that is a copy in whose place no stub
    comes."""

    name: str
    machine: str
    use: FileUse
    cells: list[Run]
    standing: Standing | None = None
    kept: frozenset[str] = frozenset()

    @property
    def served(self) -> tuple[Use, ...]:
        return tuple(one for one in self.use.uses if one.needed not in self.kept)


@dataclass
class Input:
    """A file, a wheel, or a folder without its wheels. `passed_over`: binaries that no CUDA can be in; `problems`: what
    could not be read. Both are (name, sentence). `other_system`: a wheel for Windows or macOS, a problem, too.
    `texts`: of a wheel, what its METADATA and program texts say."""

    path: str
    kind: str
    files: list[File] = field(default_factory=list)
    passed_over: list[tuple[str, str]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    texts: requirements.Texts = field(default_factory=requirements.Texts)
    standing: Standing | None = None
    kernels: Kernels = field(default_factory=Kernels)
    replies: list[Reply] = field(default_factory=list)
    here: Verdict | None = None
    other_system: bool = False

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

    def late_drivers(self, asked: Asked) -> tuple[int, ...]:
        """Branches that --runtime asks about and that its device code or its static CUDA runtime does not run on: of
        the named ones each; else those of the named CUDAs, if it runs on no branch of them. --driver has an answer of
        its own."""
        if self.standing is None or asked.libraries:
            return ()
        code = 0 if DEVICE_CODE in asked.allowed or not self.standing.kernels else self.standing.kernels.driver
        needed = max(code, int(self.standing.driver or 0))
        if asked.named_drivers:
            return tuple(branch for branch in asked.named_drivers if branch < needed)
        if asked.branches or not asked.runtimes:
            return ()
        branches = kernels.branches_of(asked.releases, gpus.facts())
        return branches if branches and branches[-1] < needed else ()


def look_into(path: Path, cells: Cells, table: Table, progress: inputs.Progress) -> list[Input]:
    """A word of the command line: of a folder, what is in it beside wheels, if anything is; then each wheel."""
    found = [look(one, cells, table, progress) for one in inputs.expanded(path)]
    first = found[0]
    return found if len(found) == 1 or first.files or first.passed_over or first.problems else found[1:]


def look(path: Path, cells: Cells, table: Table, progress: inputs.Progress) -> Input:
    found = Input(str(path), inputs.kind_of(path))
    for one in inputs.binaries(path, progress):
        if isinstance(one, inputs.Problem):
            found.problems.append((one.name, one.text))
            found.other_system = found.other_system or one.other_system
            continue
        code = device_code.of_file(one.path)
        found.kernels.add(one.name, code)
        try:
            image = read.read(one.path)
            if image.machine not in _BUILT_FOR_GPUS:
                raise ElfError(f"{one.path}: for {image.machine}, where there is no CUDA")
            use = uses.of(image, table)
        except ElfError as error:
            asked_for = _NOT_LINKED not in str(error) or found.kind == "file" and cells.asked.of_device_code
            if not code.codes or not asked_for:  # else a cubin, PTX, or the object file that the question is about
                found.kernels.forget([one.name])
                _keep_error(found, one, error)
        else:
            found.files.append(File(one.name, image.machine, use, []))
    uses_ = siblings.resolved([(file.name, file.use) for file in found.files])
    # `anycuda repair` writes the major of the others into the file, and takes a wheel alone.
    known = built_for.majors(one for use in uses_ for one in use.uses) if found.kind == "wheel" else {}
    others = {name: built_for.by_others(known, library, table) for name, library in table.libraries.items()}
    copies = tied.standing([(file.name, use) for file, use in zip(found.files, uses_)])
    for file, use in zip(found.files, uses_):
        file.use, file.kept = use, copies.intersection(use.needed)
        file.cells = cells.of(replace(use, uses=file.served), others)
    if found.kind == "wheel":
        found.texts = requirements.look(path, [(file.name, file.use) for file in found.files], table)
    stand(found, table)
    found.replies = _replies(found, cells.asked)
    return found


def stand(found: Input, table: Table) -> None:
    """The verdicts on it and on its files."""
    files = [(file.name, file.use) for file in found.files]
    inside = found.texts.files | {name for one in found.files
                                  for name in (posixpath.basename(one.name), one.use.soname) if name}
    found.kernels.forget({name for name, _ in files} - {name for name, _ in tied.staying(files)})
    found.standing = standing.of(files, inside, table, found.texts.requirements, found.texts.python,
                                 bool(found.problems), _needs(found.kernels))
    if found.other_system:
        found.standing = standing.of_other_system(found.standing)
    for file in found.files:
        file.standing = standing.of([(file.name, file.use)], inside, table, found.texts.requirements,
                                    kernels=_needs(found.kernels, file.name))


def _needs(code: Kernels, name: str = "") -> Needs | None:
    """Of one file, or of all."""
    files = {one: codes for one, codes in code.files.items() if name in ("", one)}
    return kernels.needs(files, gpus.facts()) if files else None


def _replies(found: Input, asked: Asked) -> list[Reply]:
    if not (asked.gpus or asked.branches) or found.problems and not found.files and not found.kernels.files:
        return []
    runtime_driver = int(found.standing.driver or 0)
    return [kernels.reply(found.kernels, gpu, driver, runtime_driver, gpus.facts())
            for driver in asked.branches or (0,) for gpu in asked.gpus or (0,)]


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
    answers = [reply.loads for one in found for reply in one.replies
               if not (reply.in_part and IN_PART in asked.allowed)]
    answers += [one.here.runs for one in found if one.here]
    if not asked.here:  # whose verdict is of these, too
        answers += [False for one in found if one.failing(asked) or one.ties(asked) or one.late_drivers(asked)]
    return {True: RUNS, None: UNKNOWN, False: DOES_NOT_RUN}[code_rules.of_all(answers)]
