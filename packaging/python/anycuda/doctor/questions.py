# SPDX-License-Identifier: Apache-2.0
"""The questions to libanycuda_doctor.so (compat/doctor/ask.h), and its answers."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from .. import installation
from ..failure import Failure
from . import about_files, ask_here, process, records
from .records import Record, RecordKind

# A question is a tuple of words: ("about",), ("driver",), ("machine",), ("folders", prefix, folder...), ("python",),
# ("kinds", path...), ("wheels", folder...), ("find", constraint, kind, name...), or a library and a major, such
# as ("cudart", "12"), the major of the caller; an unversioned caller is "0".
ABOUT, DRIVER, MACHINE = ask_here.ABOUT, ask_here.DRIVER, ask_here.MACHINE
FOLDERS, PYTHON, FIND = ask_here.FOLDERS, ask_here.PYTHON, ask_here.FIND
KINDS, WHEELS = about_files.KINDS, about_files.WHEELS
FORMAT = 1
_LIBRARY = "libanycuda_doctor.so"
_PROGRAM = "anycuda-doctor-native"
_PREFIX = "anycuda: "  # the prefix of every line that the loader writes (compat/base/log.h)


@dataclass
class Outcome:
    """`ended`: "" if the answer is complete, otherwise how the process ended; `last_step` is then the loader's last
    step. `complaints`: the output of libraries on stderr."""

    records: list[Record]
    ended: str = ""
    last_step: str = ""
    complaints: list[str] = field(default_factory=list)

    def records_of(self, kind: RecordKind) -> list[Record]:
        return [record for record in self.records if record.kind is kind]

    def first(self, kind: RecordKind) -> Record:
        return next(iter(self.records_of(kind)), Record(kind, {}))


@dataclass(frozen=True)
class Asker:
    """Asks as this Python would, or by another program: `command` starts it. `limit`: seconds for all questions that
    are asked together."""

    folder: Path
    limit: float
    command: tuple[str, ...] = ()

    def ask(self, questions: list[tuple[str, ...]]) -> dict[tuple[str, ...], Outcome]:
        try:
            ended = process.run_all([self._task(question) for question in questions], self.limit)
        except OSError as error:
            raise Failure(f"cannot start a process for the queries: {error.strerror or error}; end other processes, "
                          "or raise the limits on processes, open files and memory") from error
        return {question: _outcome(question, process_, self.limit) for question, process_ in zip(questions, ended)}

    def _task(self, question: tuple[str, ...]) -> Callable[[int], int]:
        def task(answer: int) -> int:
            if question != ABOUT:  # ABOUT reports the user's settings
                # The loader logs every step, so that the last one before a crash is known.
                os.environ["ANYCUDA_LOG"] = "debug"
            if question[0] in (KINDS, WHEELS):
                return about_files.answer(question, answer)
            if self.command:
                os.set_inheritable(answer, True)
                os.execv(self.command[0], [*self.command, str(answer), *question])
            return ask_here.ask(str(self.folder / _LIBRARY), question, answer)

        return task


def find_asker(native: bool, limit: float) -> Asker:
    folder = _folder_of(_PROGRAM if native else _LIBRARY)
    if native:
        return Asker(folder, limit, (str(folder / _PROGRAM),))
    if importlib.util.find_spec("_ctypes") is None:
        raise Failure("this Python was built without ctypes: name another one by --python, or pass --native")
    return Asker(folder, limit)


def asker_of(python: str, limit: float) -> Asker:
    """Asks in another Python. In a shell, by mistake, its script would be a syntax error."""
    folder, script = _folder_of(_LIBRARY), ask_here.__file__
    return Asker(folder, limit, (python, "-c", f"exec(compile(open({script!r}).read(), {script!r}, 'exec'))",
                                 str(folder / _LIBRARY)))


def _folder_of(name: str) -> Path:
    folder = installation.find().folder("tools")
    if not (folder / name).is_file():
        raise Failure(f"{folder / name} is missing: install anycuda again; in a build folder, build the target doctor")
    return folder


def about(asker: Asker) -> Outcome:
    """Asks about anycuda. This opens no other library, so a failure means that the command is broken."""
    outcome = asker.ask([ABOUT])[ABOUT]
    if outcome.ended:
        raise Failure(f"{asker.folder / _LIBRARY} cannot be used ({'; '.join([outcome.ended, *outcome.complaints])}): "
                      "install anycuda again")
    format_ = outcome.first(RecordKind.FORMAT).number("number")
    if format_ != FORMAT:
        raise Failure(f"{asker.folder / _LIBRARY} belongs to another version of anycuda than this command (format "
                      f"{format_} instead of {FORMAT}): install anycuda again")
    return outcome


def _outcome(question: tuple[str, ...], done: process.Process, limit: float) -> Outcome:
    lines = done.output.decode("utf-8", "backslashreplace").splitlines()
    steps = [line[len(_PREFIX):] for line in lines if line.startswith(_PREFIX)]
    others = [line for line in lines if line and not line.startswith(_PREFIX)]
    # The path of a component is for other programs, which need its bytes; the doctor's paths are for readers.
    errors = "surrogateescape" if question[0] == FIND else "backslashreplace"
    return Outcome(records.parse(bytes(done.answer), errors), done.ending(limit), steps[-1] if steps else "", others)
