# SPDX-License-Identifier: Apache-2.0
"""The results of ONNX Runtime's sessions with the CUDA provider on a computer without a GPU -> the page. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .page import line

AS_IT_COMES, BESIDE_NVIDIAS = "as it comes, no CUDA", "as it comes, beside NVIDIA's libraries"
_ENDED = re.compile(r"ended with (-?\d+)(?: in (.*))?")
_HEAD = """\
# ONNX Runtime with the CUDA provider, without a GPU

ONNX Runtime computes with *providers*, such as the CPU provider and the CUDA provider. On a machine without CUDA, a
session that asks for the CUDA provider and for the CPU provider uses the CPU. Does the session also use the CPU if
the wheel was repaired by [`anycuda repair`](repair.md)? The following command answers this question. It made this
page on {date} with the stubs of commit {commit}, and downloads everything:

    python3 tools/reach/onnxruntime_session.py --anycuda BUILD/bin/anycuda --cache FOLDER \\
        --list tools/reach/onnxruntime_wheels.txt --out docs/wheels_onnxruntime.md

Each cell of the table is the result of a new process with `LD_BIND_NOW=1`. The process imports onnxruntime, makes a
session with a model that adds two vectors, runs the session and checks the sums. No driver is installed. The repaired
wheel runs without CUDA, and with each of three CUDA releases in turn in `/usr/local/cuda`. The original wheel ("as it
comes" in the table) runs without CUDA, and beside NVIDIA's packages (listed below the table). [gpu.md](gpu.md) lists
what ran on a GPU. The cells mean:

- **CPU, provider loaded**: the CUDA provider's library is in the process, ONNX Runtime finds no GPU, and the CPU
  computes the right sums.
- **CPU**: the dynamic linker refused the CUDA provider's library, and the CPU computes the right sums.
- **The process ends**: the process crashes in the code of a file; the cell names this file. If the original wheel
  beside NVIDIA's libraries crashes in the same file, the fault is in the wheel, not in the stubs. Without CUDA, the
  original wheel does not reach this code, since the dynamic linker refuses the CUDA provider's library.

"""


@dataclass
class Session:
    message: str = ""
    providers: list[str] = field(default_factory=list)
    mapped: bool = False
    right: bool = False

    @property
    def computes(self) -> bool:
        return not self.message and self.right


@dataclass
class Sessions:
    """`native` and `repaired`: the situation -> the session."""

    requirement: str
    beside: list[str]
    native: dict[str, Session] = field(default_factory=dict)
    repaired: dict[str, Session] = field(default_factory=dict)


def cell(session: Session) -> str:
    if ended := _ENDED.match(session.message):
        return f"**the process ends with signal {ended[1].lstrip('-')}**" + (f", in {ended[2]}" if ended[2] else "")
    if session.message:
        return "**" + session.message.splitlines()[0] + "**"
    if not session.right:
        return "**wrong sums**"
    where = "CUDA" if "CUDAExecutionProvider" in session.providers else "CPU"
    return where + (", provider loaded" if session.mapped and where == "CPU" else "")


def fails_repaired_only(sessions: Sessions) -> bool:
    """Does a repaired session fail, although the wheel computes beside NVIDIA's libraries?"""
    beside = sessions.native.get(BESIDE_NVIDIAS)
    return bool(beside and beside.computes) and not all(session.computes for session in sessions.repaired.values())


def page(results: list[Sessions], date: str, commit: str) -> str:
    columns = [AS_IT_COMES, BESIDE_NVIDIAS, *(f"repaired, {_named(name)}" for name in results[0].repaired)]
    rows = [("wheel", *columns), ("---",) * (len(columns) + 1)]
    rows += [(result.requirement, *map(cell, [*result.native.values(), *result.repaired.values()]))
             for result in results]
    beside = [f"- {result.requirement}: {', '.join(result.beside)}" for result in results]
    return _HEAD.format(date=date, commit=commit) + "\n".join(
        [*map(line, rows), "", "NVIDIA's packages that are installed beside the original wheel:", "", *beside, ""])


def _named(situation: str) -> str:
    return "no CUDA" if situation == "none" else f"CUDA {situation}"
