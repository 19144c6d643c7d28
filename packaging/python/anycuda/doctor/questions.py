# SPDX-License-Identifier: Apache-2.0
"""What can be asked of libanycuda_doctor.so (compat/doctor/ask.h), and its answers."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable

from .. import installation
from ..failure import Failure
from . import process, records
from .records import Record

# A question is its words: ("about",), ("driver",), ("machine",), ("folders", prefix, folder...), or a library and
# a caller's major, as ("cudart", "12"); a caller without a version is "0".
ABOUT = ("about",)
DRIVER = ("driver",)
MACHINE = ("machine",)
FOLDERS = "folders"
FORMAT = 1
_LIBRARY = "libanycuda_doctor.so"
_PROGRAM = "anycuda-doctor-native"
_PREFIX = "anycuda: "  # of every line that the loader writes (compat/base/log.h)


@dataclass
class Outcome:
    """`ended` is "" where the answer is whole, else how the process ended; `last_step` then is what the
    loader did last. `complaints` is what libraries wrote to stderr."""

    records: list[Record]
    ended: str = ""
    last_step: str = ""
    complaints: list[str] = field(default_factory=list)

    def of(self, kind: str) -> list[Record]:
        return [record for record in self.records if record.kind == kind]

    def first(self, kind: str) -> Record:
        return next(iter(self.of(kind)), Record(kind, {}))


@dataclass(frozen=True)
class Asker:
    """Asks as this Python does, or (`native`) as a program that is not Python. `limit`: seconds for
    all questions that are asked together."""

    folder: Path
    native: bool
    limit: float

    def ask(self, questions: list[tuple[str, ...]]) -> dict[tuple[str, ...], Outcome]:
        try:
            done = process.run_all([self._task(question) for question in questions], self.limit)
        except OSError as error:
            raise Failure(f"no process to ask in: {error}") from error
        return {question: _outcome(one, self.limit) for question, one in zip(questions, done)}

    def _task(self, question: tuple[str, ...]) -> Callable[[int], int]:
        def task(answer: int) -> int:
            if question != ABOUT:  # which is about the user's own settings
                # Every step is told, so that the last one before a crash is known.
                os.environ["ANYCUDA_LOG"] = "debug"
            if self.native:
                os.set_inheritable(answer, True)
                program = str(self.folder / _PROGRAM)
                os.execv(program, [program, str(answer), *question])
            return _call(self.folder / _LIBRARY, question, answer)

        return task


def find_asker(native: bool, limit: float) -> Asker:
    folder = installation.find().folder("tools")
    needed = folder / (_PROGRAM if native else _LIBRARY)
    if not needed.is_file():
        raise Failure(f"{needed} is missing: it is built with the stubs (target doctor); install anycuda again")
    if not native and importlib.util.find_spec("_ctypes") is None:
        raise Failure("this Python was built without ctypes: use another one, or ask with --native")
    return Asker(folder, native, limit)


def about(asker: Asker) -> Outcome:
    """Nothing foreign is opened for this one: where it fails, the command itself is broken."""
    outcome = asker.ask([ABOUT])[ABOUT]
    if outcome.ended:
        raise Failure(f"{asker.folder / _LIBRARY} cannot be used: {'; '.join([outcome.ended, *outcome.complaints])}")
    found = outcome.first("format").number("number")
    if found != FORMAT:
        raise Failure(f"{asker.folder / _LIBRARY} is of another anycuda than this command: it answers in "
                      f"format {found}, not {FORMAT}")
    return outcome


def _call(library: Path, question: tuple[str, ...], answer: int) -> int:
    import ctypes  # not every Python has it, and other commands do without

    functions = ctypes.CDLL(str(library))
    if question == ABOUT:
        return functions.anycuda_doctor_about(answer)
    if question == DRIVER:
        return functions.anycuda_doctor_driver(answer)
    if question == MACHINE:
        return functions.anycuda_doctor_machine(answer)
    if question[0] == FOLDERS:
        paths = [os.fsencode(path) for path in question[1:]]
        return functions.anycuda_doctor_folders(len(paths), (ctypes.c_char_p * len(paths))(*paths), answer)
    name, caller = question
    return functions.anycuda_doctor_ask(os.fsencode(name), int(caller), answer)


def _outcome(done: process.Process, limit: float) -> Outcome:
    lines = done.said.decode("utf-8", "backslashreplace").splitlines()
    steps = [line[len(_PREFIX):] for line in lines if line.startswith(_PREFIX)]
    others = [line for line in lines if line and not line.startswith(_PREFIX)]
    return Outcome(records.parse(bytes(done.answer)), done.ending(limit), steps[-1] if steps else "", others)
