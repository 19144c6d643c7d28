# SPDX-License-Identifier: Apache-2.0
"""The same change by three editors: anycuda's, patchelf, LIEF. Each edits the file in its place.

LIEF runs in a separate process (python3 editors.py), so that a crash does not end the comparison.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Callable

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging" / "python"))

from anycuda.elf import ElfError, edit  # noqa: E402

_SECONDS = 120


@dataclass(frozen=True)
class Change:
    """What a repair does: the need `old` gets the name `new`, `added` becomes another need, and `folder` stands last on
    the search path, which is `path` then."""

    old: str
    new: str
    added: str
    folder: str
    path: str


class CannotEdit(Exception):
    """What the editor says."""


Editor = Callable[[Path, Change], None]


def anycuda(path: Path, change: Change) -> None:
    try:
        edit.apply(path, edit.Edit(needed={change.old: change.new}, add_needed=(change.added,), rpath=(change.folder,),
                                   new_runpath=True))
    except ElfError as error:
        raise CannotEdit(str(error)) from None


def patchelf(program: Path) -> Editor:
    def run(path: Path, change: Change) -> None:
        _run([program, "--replace-needed", change.old, change.new, "--add-needed", change.added, "--set-rpath",
              change.path, path])
    return run


def lief(variables: Mapping[str, str]) -> Editor:
    def run(path: Path, change: Change) -> None:
        _run([sys.executable, __file__, path, json.dumps(asdict(change))], variables)
    return run


def _run(command: list[Any], variables: Mapping[str, str] | None = None) -> None:
    try:
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=_SECONDS, env=variables,
                              errors="replace")
    except subprocess.TimeoutExpired:
        raise CannotEdit(f"no end within {_SECONDS} s") from None
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        raise CannotEdit(lines[-1] if lines else f"status {done.returncode}")


def _by_lief(path: str, change: Change) -> None:
    import lief as library
    binary = library.ELF.parse(path)
    binary.get_library(change.old).name = change.new
    for requirement in binary.symbols_version_requirement:
        if requirement.name == change.old:
            requirement.name = change.new
    binary.add_library(change.added)
    tags = library.ELF.DynamicEntry.TAG
    entry = binary.get(tags.RUNPATH) or binary.get(tags.RPATH)
    if entry is None:
        binary.add(library.ELF.DynamicEntryRunPath(change.path))
    elif entry.tag == tags.RUNPATH:
        entry.runpath = change.path
    else:
        entry.rpath = change.path
    binary.write(path)


if __name__ == "__main__":
    _by_lief(sys.argv[1], Change(**json.loads(sys.argv[2])))
