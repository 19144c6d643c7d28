# SPDX-License-Identifier: Apache-2.0
"""The lines of libanycuda_doctor.so's answers (compat/doctor/record_writer.h): a kind, then name=value fields."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..kind import Kind

_ESCAPES = {"\\\\": "\\", "\\t": "\t", "\\n": "\n"}


class LibraryWord(Kind):
    """A word that the library writes. A newer library may write others, which stay as they are."""

    @classmethod
    def _missing_(cls, value: object) -> LibraryWord:
        word = str.__new__(cls, value)
        word._name_ = word._value_ = str(value)
        return word

    def __deepcopy__(self, memo: dict[int, object]) -> LibraryWord:
        return self  # Python 3.11 would look for a member of this name


class RecordKind(LibraryWord):
    FORMAT = "format"  # of the answers, with anycuda's version
    LIBRARY = "library"  # that anycuda has a stub for
    SETTING = "setting"  # a variable ANYCUDA_...
    # The answer for a library and a caller.
    ANSWER = "answer"
    TIER = "place"
    CANDIDATE = "candidate"
    # The driver.
    DRIVER = "driver"
    BRANCH = "branch"
    CALL = "call"
    GPU = "gpu"
    TRIED = "tried"  # a refused file with the name of a driver
    # The computer.
    FACT = "fact"  # a file's presence or text
    LIMIT = "limit"
    DEVICE = "device"
    PCI_GPU = "pci_gpu"
    DRIVER_GPU = "driver_gpu"
    # Folders and files.
    ENVIRONMENT = "environment"
    DENIED = "denied"
    REAL = "real"  # a folder with links resolved
    PATH_KIND = "kind"  # about_files.PathKind
    GONE = "gone"  # an installed wheel without its libraries
    # A Python.
    PYTHON = "python"
    PATH = "path"  # an entry of sys.path
    # libanycuda_find.so
    FOUND = "found"
    FAILED = "failed"
    SEARCHED = "searched"
    NAME = "name"
    WARNING = "warning"
    REFUSED = "refused"


@dataclass(frozen=True)
class Record:
    kind: RecordKind
    fields: dict[str, str]

    def text(self, name: str) -> str:
        return self.fields.get(name, "")

    def number(self, name: str) -> int:
        text = self.text(name)
        return int(text) if re.match(r"-?[0-9]+\Z", text) else 0

    def flag(self, name: str) -> bool:
        return self.text(name) == "1"


def parse(answer: bytes, errors: str = "backslashreplace") -> list[Record]:
    """The records of an answer. A line without its end is left out, since the process crashed while writing it.
    `errors`: for bytes of file names that are not UTF-8, as in bytes.decode()."""
    lines = answer.decode("utf-8", errors).split("\n")[:-1]
    return [_record(line) for line in lines if line]


def _record(line: str) -> Record:
    kind, *fields = line.split("\t")
    parts = (field.partition("=") for field in fields)
    return Record(RecordKind(kind), {name: _unescape(value) for name, _, value in parts})


def _unescape(text: str) -> str:
    return re.sub(r"\\[\\tn]", lambda match: _ESCAPES[match[0]], text)
