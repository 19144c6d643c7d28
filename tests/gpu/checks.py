# SPDX-License-Identifier: Apache-2.0
"""The programs of linker/ and graph/ (common/check.h): topic by topic, each in a separate process, several at a time.

Under a memory checker: the same topics one at a time, with fewer repetitions; the checker's errors count.
"""

import os
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import bundle
from log import Log

TIMEOUT = 400
SUMMARY = re.compile(r"^(\d+) checks ok, (\d+) failed$", re.MULTILINE)
# Allocations of the device that were never freed are errors, too; so is what the program's threads do to its heap.
MEMCHECK = ["--tool", "memcheck", "--leak-check", "full", "--check-api-memory-access", "yes",
            "--error-exitcode", "99", "--target-processes", "application-only"]


@dataclass
class Tally:
    ok: int = 0
    failed: int = 0
    wrong: list[str] = field(default_factory=list)

    def read(self, topic: str, outcome: bundle.Outcome, checker: str) -> None:
        match = SUMMARY.search(outcome.output)
        self.ok += int(match[1]) if match else 0
        self.failed += int(match[2]) if match else 0
        self.wrong += [f"{topic}: {line}" for line in outcome.output.splitlines() if line.startswith("FAILED: ")]
        if outcome.end or not match:
            self.wrong.append(f"{topic}: {outcome.end or 'no summary'}, status {outcome.status}")
        elif outcome.status != 0 and int(match[2]) == 0:
            self.wrong.append(f"{topic}: {checker or 'exit'} status {outcome.status}")
        # Many topics provoke API errors on purpose: they are reported, and are not memory errors.
        if checker and not re.search(r"LEAK SUMMARY: 0 bytes leaked in 0 allocations", outcome.output):
            self.wrong.append(f"{topic}: device memory was not all freed")


def memcheck() -> list[str]:
    """The checker's command, [] without a checker. Errors that the driver's functions return are not memory errors."""
    program = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    return [program, *MEMCHECK, "--report-api-errors", "no"] if Path(program).exists() else []


def example(name: str, env: dict[str, str], log: Log, how: str = "") -> int:
    """A program of examples/, which checks its numbers itself and says with its status whether they are right."""
    program = bundle.HERE / "examples" / f"{name}_example"
    if not program.exists():
        log.say(f"example {name}: not in this bundle")
        return 0
    came = bundle.run([str(program)], env, TIMEOUT)
    wrong = came.end or came.status != 0
    log.say(f"example {name}{how}: {'NOT AS EXPECTED' if wrong else 'ok'}")
    log.note(came.output, show=bool(wrong))
    return 1 if wrong else 0


def topics_of(program: Path, env: dict[str, str]) -> list[str]:
    listed = bundle.run([str(program), "--list"], env, 60)
    return [line for line in listed.output.splitlines() if re.fullmatch("[a-z_]+", line)]


def run(name: str, program: Path, env: dict[str, str], log: Log, checker: list[str] | None = None,
        topics: list[str] | None = None, jobs: int = 6) -> int:
    """1 if anything is not as expected."""
    if not program.exists():
        log.say(f"{name}: {program.name} is not in this bundle")
        return 0
    tally = Tally()

    def outcome(topic: str) -> bundle.Outcome:
        # Temporary files of the checker are found by the user's name: a folder for each.
        with tempfile.TemporaryDirectory() as folder:
            own = {**env, "TMPDIR": folder, **({"GPU_TEST_QUICK": "1"} if checker else {})}
            return bundle.run([*(checker or []), str(program), topic], own, TIMEOUT)

    wanted = topics or topics_of(program, env)
    # One at a time under the checker: with six of its processes on one GPU, graphs with conditional nodes go wrong
    # (wrong numbers, errors 700 and 719), those of a program that calls nothing but the CUDA runtime, too (11 of 84
    # runs of compute-sanitizer 13.0; one process at a time, none of 12).
    with ThreadPoolExecutor(1 if checker else jobs) as threads:
        for topic, came in zip(wanted, threads.map(outcome, wanted)):
            log.note(f"-- {name} {topic}{' under memcheck' if checker else ''}\n{came.output}")
            tally.read(topic, came, os.path.basename(checker[0]) if checker else "")
    if not wanted:
        tally.wrong.append("no topics: the program does not run")
    log.say(f"{name:28}{' memcheck' if checker else ''} {len(wanted)} topics, {tally.ok} checks ok, {tally.failed}"
            f" failed  {'ok' if not tally.wrong else 'NOT AS EXPECTED'}")
    for line in tally.wrong:
        log.say(f"    {line}")
    return 1 if tally.wrong else 0
