# SPDX-License-Identifier: Apache-2.0
"""The question to libanycuda_find.so (compat/find/find.h), and its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..doctor.ask_here import FIND
from ..doctor.questions import Outcome
from ..doctor.records import LibraryWord, Record, RecordKind
from ..failure import Failure


class ComponentKind(LibraryWord):
    """In the order in which a name's kind is looked for."""

    LIBRARY = "library"
    PROGRAM = "program"
    STATIC = "static"
    BITCODE = "bitcode"
    HEADERS = "headers"


@dataclass
class Component:
    """`path`: "" if it was not found; then `error` says why, `problem` is its kind (not_found, mismatch, other), and
    `searched` has the folders. `cuda`: the release of its toolkit, "" if unknown; then `cuda_unknown` says why."""

    name: str
    kind: ComponentKind
    path: str = ""
    place: str = ""
    cuda: str = ""
    cuda_source: str = ""
    cuda_file: str = ""
    cuda_unknown: str = ""
    package: str = ""
    version: str = ""
    error: str = ""
    problem: str = ""
    searched: list[str] = field(default_factory=list)


@dataclass
class Answer:
    """`names`: the catalogue's, if the question has none."""

    components: list[Component] = field(default_factory=list)
    names: list[Component] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def status(self) -> int:
        return 1 if any(component.error for component in self.components) else 0


def question_of(constraint: str, kind: str, names: Sequence[str]) -> tuple[str, ...]:
    return FIND, constraint, kind, *names


def read(outcome: Outcome) -> Answer:
    if outcome.ended:
        cause = "; ".join([outcome.ended, *outcome.complaints])
        if not outcome.last_step:
            raise Failure(f"the search could not start ({cause}): install anycuda again; in a build folder, build the "
                          "target doctor")
        raise Failure(f"the search ended early ({cause}; its last step: {outcome.last_step}): repair what this step "
                      "names, or give a longer --limit")
    answer = Answer()
    for record in outcome.records:
        if record.kind is RecordKind.REFUSED:
            raise Failure(_in_words_of_command(record.text("text")))
        if record.kind is RecordKind.WARNING:
            answer.warnings.append(record.text("text"))
        elif record.kind is RecordKind.SEARCHED:
            answer.components[-1].searched.append(record.text("path"))
        elif record.kind is RecordKind.NAME:
            answer.names.append(Component(record.text("name"), ComponentKind(record.text("kind"))))
        else:
            answer.components.append(_component(record))
    return answer


def _component(record: Record) -> Component:
    component = Component(record.text("name"), ComponentKind(record.text("kind")))
    if record.kind is RecordKind.FAILED:
        component.error, component.problem = _in_words_of_command(record.text("text")), record.text("type")
        return component
    component.path, component.place = record.text("path"), record.text("place")
    if record.number("major"):
        component.cuda = f"{record.number('major')}.{record.number('minor')}"
    component.cuda_source, component.cuda_file = record.text("source"), record.text("file")
    component.cuda_unknown, component.package = record.text("problem"), record.text("package")
    component.version = _version_of(component.package)
    return component


def _version_of(package: str) -> str:
    """2.26.2 of "wheel nvidia-nccl-cu12 2.26.2". A package of NVIDIA's for dpkg has its release in the name."""
    words = package.removeprefix("conda ").removeprefix("dpkg ").split(" ")
    return words[2] if len(words) > 2 else ""


def _in_words_of_command(text: str) -> str:
    """The guard rails' text names their C++ options and functions, which the command has under other names, or not."""
    separately = "; or find each by a separate command"
    text = re.sub(r"; or declare a pipeline .* in Options::allow_mixed_majors", separately, text)
    return text.replace("Options::constraint", "--constraint")
