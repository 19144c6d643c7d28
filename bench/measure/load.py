# SPDX-License-Identifier: Apache-2.0
"""What loading a library takes when nothing in it is called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .bench import Bench, progress
from .libraries import FAMILIES, Library
from .report import Section
from .tools import Failure, count_phases, count_total, missing, trace
from .workspace import needed_by

# What most processes that use CUDA hold before they load it; the real libraries ask for them.
USUAL = ("libdl.so.2", "libpthread.so.0", "librt.so.1", "libm.so.6", "libgcc_s.so.1",
         "libstdc++.so.6")


def measure(bench: Bench) -> list[Section]:
    """One row per library."""
    section = Section(
        "Load without a call",
        "The instructions of a load, including those of the dynamic linker. \"now\" and \"lazy\": dlopen with RTLD_NOW "
        "and with RTLD_LAZY, in a process that has loaded only libc. \"with usual\": like \"now\", in a process that "
        "has also loaded " + ", ".join(USUAL) + ". \"at start\": the instructions of a program that is linked to "
        "the library, minus the instructions of the same program without the library. \"LD_BIND_NOW\": like \"at "
        "start\", with this variable set. \"system calls\": the system calls of the load in the column \"now\".",
        ["library", "now", "lazy", "with usual", "at start", "LD_BIND_NOW", "system calls"])
    if reason := missing("valgrind"):
        section.notes.append(f"left out: {reason}")
        return [section]
    if reason := missing("strace"):
        section.notes.append(f"system calls left out: {reason}")
    start = _start(bench, None)
    empty = bench.workspace.empty_library
    section.rows.append(["(an empty library)", *_dlopen(bench, empty, bench.bare()), None, None,
                         _calls(bench, empty, bench.bare())])
    for name in FAMILIES:
        for library in bench.select(name):
            progress(f"load of {library.title}")
            try:
                section.rows.append(_row(bench, library, start))
            except Failure as failure:
                section.notes.append(f"{library.title}: {failure}")
    return [section]


def _row(bench: Bench, library: Library, start: list[int]) -> list[Any]:
    linked = [count - base for count, base in zip(_start(bench, library), start)]
    environment = bench.loading(library)
    return [library.title, *_dlopen(bench, library.path, environment), *linked,
            _calls(bench, library.path, environment)]


def _dlopen(bench: Bench, path: Path, environment: dict[str, str]) -> list[int]:
    before = [word for usual in USUAL for word in ("--before", usual)]
    return [count_phases(bench.probe(*words, "--load", path), environment, ["phase_load"])
            ["phase_load"] for words in ([], ["--lazy"], before)]


def _start(bench: Bench, library: Library | None) -> list[int]:
    program = [str(bench.workspace.empty_program(library))]
    # The variable is set in both cases: its length is read by the dynamic linker.
    environment = bench.loading(library) if library else bench.bare()
    return [count_total(program, environment | {"LD_BIND_NOW": value}) for value in ("", "1")]


def _calls(bench: Bench, path: Path, environment: dict[str, str]) -> int | None:
    if missing("strace"):
        return None
    return trace(bench.probe("--marks", "--load", path), environment)["load"].total


def files(bench: Bench) -> Section:
    """Size of each file, and what it asks for."""
    section = Section("Files", "Each row has a library, the version of the package that the library is from (\"-\" if "
                      "no package is known), its size in bytes, and the libraries that it needs (DT_NEEDED).",
                      ["library", "version", "bytes", "needs"])
    section.rows = [[library.title, library.version, library.path.stat().st_size,
                     " ".join(needed_by(library.path))]
                    for name in FAMILIES for library in bench.select(name)]
    return section
