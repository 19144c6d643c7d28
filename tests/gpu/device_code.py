# SPDX-License-Identifier: Apache-2.0
"""Device code (device_code.cu, built as device_code_programs.txt lists): does this machine load it?

Three answers must agree for each program: what happens when it runs, natively and through the stub; what
`anycuda check --here` says; and the stub's message, which is written exactly where the kernel does not load.
"""

import json
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import bundle
from bundle import HERE, SONAMES, Outcome
from log import Log

# The CUDA runtimes that the stub takes; of a newer major than the driver's none works.
RUNTIMES = ("11.8", "12.9", "13.0")
# cudaErrorInvalidKernelImage, NoKernelImageForDevice, InvalidPtx, UnsupportedPtxVersion;
# SymbolNotFound of relocatable code
NOT_LOADED = (200, 209, 218, 222, 500)
MESSAGE = re.compile(r"^anycuda: cudart: .*(?:runs|loads) no code from one of this file's fat binaries", re.MULTILINE)
TIMEOUT = 120
JOBS = 8


@dataclass(frozen=True)
class Program:
    """A line of device_code_programs.txt: "13.0 sm_80 compute_80 plain"."""

    release: str
    code: tuple[str, ...]

    @property
    def name(self) -> str:
        return "-".join((self.release, *self.code))

    @property
    def major(self) -> str:
        return self.release.partition(".")[0]

    @property
    def is_named(self) -> bool:
        """Does the stub name it where it does not load? The driver may link relocatable code for other GPUs."""
        return "relocatable" not in self.code

    def path(self, native: bool) -> Path:
        return HERE / "device_code" / (f"{self.name}-native" if native else self.name)


@dataclass(frozen=True)
class Run:
    """`loads`: None where the program ended otherwise. `ending`: its last line, or how it ended."""

    way: str
    loads: bool | None
    ending: str
    has_message: bool = False


@dataclass(frozen=True)
class Check:
    """What `anycuda check --here` says."""

    runs: bool | None
    text: str


def programs(text: str) -> list[Program]:
    rows = (line.split() for line in text.splitlines() if line.strip() and not line.startswith("#"))
    return [Program(release, tuple(code)) for release, *code in rows]


def read_run(way: str, outcome: Outcome) -> Run:
    has_message = MESSAGE.search(outcome.output) is not None
    if outcome.end:
        return Run(way, None, outcome.end, has_message)
    found = re.search(r"^(?:kernel (?:right|wrong)|failed .+? (\d+) \w+)$", outcome.output, re.MULTILINE)
    if found is None:
        return Run(way, None, f"exit status {outcome.status} without a result", has_message)
    loads = True if found[0] == "kernel right" else False if int(found[1] or 0) in NOT_LOADED else None
    return Run(way, loads, found[0], has_message)


def read_checks(output: str) -> dict[str, Check]:
    """The check of each path. `output` begins with JSON, or has no answer."""
    try:
        inputs = json.loads(output)["inputs"]
        return {one["path"]: Check(one["here"]["runs"], one["here"]["text"]) for one in inputs}
    except (ValueError, LookupError, TypeError):
        return {}


def evaluate(program: Program, runs: list[Run], check: Check | None) -> list[str]:
    """What is not as expected."""
    wrong = [f"{run.way}: {run.ending}" for run in runs if run.loads is None]
    loads = {run.loads for run in runs if run.loads is not None}
    if len(loads) > 1:
        wrong.append("not the same everywhere: " + "; ".join(f"{run.way}: {run.ending}" for run in runs))
    if check is None:
        wrong.append("anycuda check has no answer")
    elif loads != {check.runs}:
        wrong.append(f"anycuda check: {check.text}")
    for run in runs:
        expected = run.way != "native" and program.is_named and run.loads is False
        if run.loads is not None and run.has_message != expected:
            wrong.append(f"{run.way}: {'no' if expected else 'a'} message of the stub")
    return wrong


def ways_of(program: Program, driver_major: int) -> list[str]:
    """native, and through the stub on these runtimes."""
    native = ["native"] if int(program.major) <= driver_major else []
    return native + [release for release in RUNTIMES if int(release.partition(".")[0]) <= driver_major]


def _runtime(release: str) -> Path:
    return HERE / f"cuda-{release}" / SONAMES[release.partition(".")[0]]


def _run(program: Program, way: str) -> tuple[Run, str]:
    if way == "native":
        environment = bundle.environment(_runtime(program.release).parent)
    else:
        environment = bundle.environment(HERE / "stubs", ANYCUDA_CUDART=str(_runtime(way)), ANYCUDA_LOG="warn")
    outcome = bundle.run([str(program.path(way == "native"))], environment, TIMEOUT)
    return read_run(way, outcome), f"{way}:\n{outcome.output}"


def _check(every: list[Program], runtime: str) -> tuple[dict[str, Check], str]:
    """One call for all: the machine is asked once."""
    environment = bundle.environment(HERE / "stubs", ANYCUDA_CUDART=str(_runtime(runtime)))
    files = [str(program.path(native=False)) for program in every]
    command = [sys.executable, str(HERE / "command" / "bin" / "anycuda"), "check", "--here", "--json", *files]
    output = bundle.run(command, environment, 2 * TIMEOUT).output
    return read_checks(output), output


def run(log: Log) -> int:
    driver_major = bundle.driver_release()[0]
    if not driver_major:
        log.say("device_code: skipped, this machine has no driver")
        return 0
    listed = programs((HERE / "device_code_programs.txt").read_text(encoding="utf-8"))
    every = [program for program in listed if program.path(native=False).exists()]
    if len(every) < len(listed):
        log.say(f"device_code: {len(listed) - len(every)} of {len(listed)} programs are not in this bundle")
    checks, output = _check(every, ways_of(every[0], driver_major)[-1]) if every else ({}, "")
    if not checks:
        log.note(output, show=True)
    failures = loaded = 0
    with ThreadPoolExecutor(JOBS) as pool:
        tasks = [[pool.submit(_run, program, way) for way in ways_of(program, driver_major)] for program in every]
        for program, pending in zip(every, tasks):
            runs, outputs = zip(*(task.result() for task in pending))
            check = checks.get(str(program.path(native=False)))
            wrong = evaluate(program, list(runs), check)
            failures += bool(wrong)
            loaded += runs[0].loads is True
            answer = "NOT AS EXPECTED: " + "; ".join(wrong) if wrong else "ok"
            log.say(f"device_code {program.name:36} {runs[0].ending}, {answer}")
            log.note("\n".join([*outputs, check.text if check else ""]), show=bool(wrong))
    log.say(f"device_code: {loaded} of {len(every)} programs load")
    return failures
