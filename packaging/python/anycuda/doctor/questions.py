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
from . import process, records
from .records import Record

# A question is a tuple of words: ("about",), ("driver",), ("machine",), ("folders", prefix, folder...), or a library
# and a caller's major, such as ("cudart", "12"); an unversioned caller is "0".
ABOUT = ("about",)
DRIVER = ("driver",)
MACHINE = ("machine",)
FOLDERS = "folders"
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

    def of(self, kind: str) -> list[Record]:
        return [record for record in self.records if record.kind == kind]

    def first(self, kind: str) -> Record:
        return next(iter(self.of(kind)), Record(kind, {}))


@dataclass(frozen=True)
class Asker:
    """Asks as this Python would, or (`native`) as a program other than Python. `limit`: seconds for all questions that
    are asked together."""

    folder: Path
    native: bool
    limit: float

    def ask(self, questions: list[tuple[str, ...]]) -> dict[tuple[str, ...], Outcome]:
        try:
            done = process.run_all([self._task(question) for question in questions], self.limit)
        except OSError as error:
            raise Failure(f"cannot start a process for the queries: {error.strerror or error}; end other processes, "
                          "or raise the limits on processes, open files and memory") from error
        return {question: _outcome(one, self.limit) for question, one in zip(questions, done)}

    def _task(self, question: tuple[str, ...]) -> Callable[[int], int]:
        def task(answer: int) -> int:
            if question != ABOUT:  # ABOUT reports the user's settings
                # The loader logs every step, so that the last one before a crash is known.
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
        raise Failure(f"{needed} is missing: install anycuda again; in a build folder, build the target doctor")
    if not native and importlib.util.find_spec("_ctypes") is None:
        raise Failure("this Python was built without ctypes: use another Python, or pass --native")
    return Asker(folder, native, limit)


def about(asker: Asker) -> Outcome:
    """Asks about anycuda. This opens no other library, so a failure means that the command is broken."""
    outcome = asker.ask([ABOUT])[ABOUT]
    if outcome.ended:
        raise Failure(f"{asker.folder / _LIBRARY} cannot be used ({'; '.join([outcome.ended, *outcome.complaints])}): "
                      "install anycuda again")
    found = outcome.first("format").number("number")
    if found != FORMAT:
        raise Failure(f"{asker.folder / _LIBRARY} belongs to another version of anycuda than this command (format "
                      f"{found} instead of {FORMAT}): install anycuda again")
    return outcome


def _call(library: Path, question: tuple[str, ...], answer: int) -> int:
    import ctypes  # not every Python has it, and the other commands do not need it

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
    lines = done.output.decode("utf-8", "backslashreplace").splitlines()
    steps = [line[len(_PREFIX):] for line in lines if line.startswith(_PREFIX)]
    others = [line for line in lines if line and not line.startswith(_PREFIX)]
    return Outcome(records.parse(bytes(done.answer)), done.ending(limit), steps[-1] if steps else "", others)
