# SPDX-License-Identifier: Apache-2.0
"""Many inputs, in processes that any of them may crash."""

from __future__ import annotations

import argparse
import ast
import itertools
import os
import select
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Callable
from collections.abc import Iterable, Iterator

import trial  # before cases: anycuda is that of the build, not of the source folder which those add
import cases
from cases import Case

_ALIKE = 3  # findings that are kept of a kind
_STUCK = 600  # seconds without any result; what uses the CPU is ended before that (trial.SECONDS)


class Worker:
    """A process that reads inputs one after another, and reports the fault of each ("" if none)."""

    def __init__(self, inputs: Iterable[Case]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-readers-")
        reading, writing = os.pipe()
        sys.stdout.flush()
        self._process = os.fork()
        if not self._process:
            os.close(reading)
            _work(inputs, Path(self._folder.name), writing)
        os.close(writing)
        self._told = os.fdopen(reading, "rb")

    def wrongs(self) -> Iterator[str]:
        while select.select([self._told], [], [], _STUCK)[0]:
            line = self._told.readline()
            if not line:
                return
            yield ast.literal_eval(line.decode("ascii"))
        os.kill(self._process, signal.SIGKILL)

    def end(self) -> str:
        """Why it ended, "" if after its last input."""
        self._told.close()
        status = os.waitstatus_to_exitcode(os.waitpid(self._process, 0)[1])
        self._folder.cleanup()
        if status == -signal.SIGPROF:
            return f"it took more than {trial.SECONDS} seconds of CPU"
        return f"it ended the process: status {status}" if status else ""


def _work(inputs: Iterable[Case], folder: Path, writing: int) -> None:
    status = 1
    try:
        sandbox = trial.Sandbox(folder)
        trial.limit_this_process()
        with os.fdopen(writing, "wb", buffering=0) as output:
            for case in inputs:
                output.write(f"{ascii(trial.run(case, sandbox))}\n".encode("ascii"))
                if trial.took_too_much():  # so that the next has a process without that
                    break
        status = 0
    finally:
        os._exit(status)


def run(count: int, case_of: Callable[[int], Case], over: Callable[[], bool], keep: Callable[[int, str], None]) -> int:
    """The inputs from 0 to `count`, or until it is `over`; how many that were. `keep` gets what is wrong."""
    number = 0
    while number < count and not over():
        worker = Worker(case_of(one) for one in itertools.takewhile(lambda _: not over(), range(number, count)))
        for wrong in worker.wrongs():
            if wrong:
                keep(number, wrong)
            number += 1
        why = worker.end()
        if why:
            keep(number, why)
            number += 1
    return number


def fuzz(group: str, arguments: argparse.Namespace, findings: Path) -> int:
    """Prints what came of it; how many kinds of findings there are."""
    started, seed = time.monotonic(), arguments.seed
    found: dict[str, int] = {}

    def keep(number: int, wrong: str) -> None:
        kind = wrong.strip().splitlines()[-1]
        found[kind] = found.get(kind, 0) + 1
        if found[kind] > _ALIKE:
            return
        case = cases.made(group, seed, number)
        findings.mkdir(parents=True, exist_ok=True)
        path = findings / f"{group}-{seed}-{number}{Path(case.name).suffix}"
        path.write_bytes(case.data)
        path.with_suffix(".txt").write_text(f"{case.words}\n{wrong}\n", encoding="utf-8", errors="backslashreplace")
        print(f"{path}: {kind}", flush=True)

    number = run(arguments.count, lambda one: cases.made(group, seed, one),
                 lambda: time.monotonic() - started > arguments.seconds, keep)
    what = f"{sum(found.values())} FOUND" if found else "nothing found"
    print(f"{group:12} {number:>8,} inputs  {time.monotonic() - started:6.0f} s  seed {seed}  {what}", flush=True)
    return len(found)


def replay(files: list[Path]) -> int:
    """How many of them are findings."""
    found = []

    def keep(number: int, wrong: str) -> None:
        found.append(files[number])
        print(f"{files[number]}: {wrong}", flush=True)

    count = run(len(files), lambda number: cases.of_file(files[number]), lambda: False, keep)
    print(f"{count} files  {len(found) or 'nothing'} found")
    return len(found)


def main(parser: argparse.ArgumentParser, arguments: argparse.Namespace, findings: Path) -> int:
    named = [Path(one) for one in arguments.what if one not in cases.GROUPS]
    groups = [one for one in arguments.what if one in cases.GROUPS] or ([] if named else cases.GROUPS)
    files = [one for path in named for one in (sorted(path.iterdir()) if path.is_dir() else [path])
             if one.suffix != ".txt"]
    missing = [path for path in files if not path.is_file()]
    if missing or named and not files:
        parser.error(f"{(missing or named)[0]}: neither a file, nor a folder with files, nor one of "
                     f"{', '.join(cases.GROUPS)}")
    found = replay(files) if files else 0
    if groups:
        cases.seeds()  # once for all processes
    found += sum(fuzz(group, arguments, findings) for group in groups)
    return 1 if found else 0
