#!/usr/bin/env python3
"""Feeds `anycuda check` and `anycuda repair` with wheels, texts and libraries that are made up: exit status 1 if any of
them ends otherwise than by a result or a refusal.

    tests/fuzz/readers.py --build build/test --seconds 600         each group for ten minutes
    tests/fuzz/readers.py --build build/test --seconds 60 zip sbom
    tests/fuzz/readers.py --build build/test FILE                  a finding again

A finding lies in tests/fuzz/findings/readers/ with its reason beside it. The same seed makes the same inputs.
"""

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
from typing import TYPE_CHECKING, Callable, Iterable, Iterator

if TYPE_CHECKING:
    import cases
    import trial
    from cases import Case

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FINDINGS = HERE / "findings" / "readers"
_ALIKE = 3  # findings that are kept of a kind
_STUCK = 600  # seconds; what uses the CPU is ended before that (trial.SECONDS)


def prepare(build: Path) -> None:
    """anycuda is that of the build; it comes before the source folder, which the tests' modules add."""
    os.environ["ANYCUDA_BUILD"] = str(build)
    sys.path[:0] = [str(build / "share" / "anycuda"), str(HERE / "readers"), str(ROOT / "tests" / "packaging"),
                    str(ROOT / "tests" / "support" / "python")]
    global cases, trial
    import trial  # before cases, so that anycuda is imported from the build
    import cases
    assert build in Path(trial.anycuda.__file__).resolve().parents


class Worker:
    """A process that reads inputs one after another, and tells what is wrong with each ("" if nothing is)."""

    def __init__(self, cases: Iterable[Case]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-readers-")
        reading, writing = os.pipe()
        sys.stdout.flush()
        self._process = os.fork()
        if not self._process:
            os.close(reading)
            _work(cases, Path(self._folder.name), writing)
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


def _work(cases: Iterable[Case], folder: Path, writing: int) -> None:
    status = 1
    try:
        sandbox = trial.Sandbox(folder)
        trial.limit_this_process()
        with os.fdopen(writing, "w", buffering=1) as told:
            for case in cases:
                wrong = trial.run(case, sandbox)
                told.write(f"{ascii(wrong)}\n")
                if trial.took_too_much():
                    break
        status = 0
    finally:
        os._exit(status)


def run(count: int, case_of: Callable[[int], Case], over: Callable[[], bool], keep: Callable[[int, str], None]) -> int:
    """The inputs 0 to `count`, or till it is `over`; how many that were. `keep` gets what is wrong."""
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


def fuzz(group: str, seed: int, count: int, seconds: float) -> int:
    """Prints what came of it; how many findings there are."""
    started, found = time.monotonic(), {}

    def keep(number: int, wrong: str) -> None:
        kind = wrong.strip().splitlines()[-1]
        found[kind] = found.get(kind, 0) + 1
        if found[kind] > _ALIKE:
            return
        case = cases.made(group, seed, number)
        FINDINGS.mkdir(parents=True, exist_ok=True)
        path = FINDINGS / f"{group}-{seed}-{number}{Path(case.name).suffix}"
        path.write_bytes(case.data)
        path.with_suffix(".txt").write_text(f"{case.words}\n{wrong}\n", encoding="utf-8", errors="backslashreplace")
        print(f"{path}: {kind}", flush=True)

    number = run(count, lambda one: cases.made(group, seed, one), lambda: time.monotonic() - started > seconds, keep)
    what = f"{sum(found.values())} FOUND" if found else "nothing found"
    print(f"{group:12} {number:>8,} inputs  {time.monotonic() - started:6.0f} s  seed {seed}  {what}", flush=True)
    return len(found)


def replay(files: list[Path]) -> int:
    found = []

    def keep(number: int, wrong: str) -> None:
        found.append(files[number])
        print(f"{files[number]}: {wrong}", flush=True)

    count = run(len(files), lambda number: cases.of_file(files[number]), lambda: False, keep)
    print(f"{count} files  {len(found) or 'nothing'} found")
    return len(found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="GROUP|FILE|FOLDER", help="all groups, if none is named")
    parser.add_argument("--seconds", type=float, default=600, help="per group (600)")
    parser.add_argument("--count", type=int, default=sys.maxsize, help="inputs per group, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "test")
    arguments = parser.parse_args()
    prepare(arguments.build.resolve())
    files = [path for path in map(Path, arguments.what) if str(path) not in cases.GROUPS]
    missing = [path for path in files if not path.exists()]
    if missing:
        parser.error(f"{missing[0]}: neither a file nor one of {', '.join(cases.GROUPS)}")
    files = [one for path in files for one in (sorted(path.iterdir()) if path.is_dir() else [path])
             if one.suffix != ".txt"]
    groups = [one for one in arguments.what if one in cases.GROUPS] or ([] if arguments.what else cases.GROUPS)
    if groups:
        cases.seeds()  # once for all workers
    found = replay(files) if files else 0
    return 1 if sum([found, *(fuzz(group, arguments.seed, arguments.count, arguments.seconds) for group in groups)]) else 0


if __name__ == "__main__":
    sys.exit(main())
