# SPDX-License-Identifier: Apache-2.0
"""The maths libraries (maths/): programs built for CUDA 11, 12 and 13 on the machine's CUDA 13, through the stubs.

Each program checks its results against the CPU's. Those of CUDA 13 run natively too, on the files that the stub took
(NVTX's, which ended with CUDA 12, on that of 12):
a failure there as well is the program's fault or the machine's. At its end a process must have one file of each CUDA
library, all of one CUDA.
"""

import importlib.util
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import bundle
import expected
from bundle import HERE
from log import Log
from maths_places import CUDA_13, Place, places, wrong_maps

# The files of libraries, where the stub's name is not theirs.
_FILES = {"cublaslt": "libcublasLt", "cusolvermg": "libcusolverMg", "cudnn8": "libcudnn", "nvml": "libnvidia-ml",
          "nvtx": "libnvToolsExt"}


def _programs(lines: list[str]) -> dict[str, list[str]]:
    """Each program -> the files of its libraries."""
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {program: [_FILES.get(library, f"lib{library}") for library in libraries] for program, *libraries in rows}


PROGRAMS = _programs((HERE / "maths_programs.txt").read_text().splitlines())
# The first names of a program's checks, where they are not its own.
TOPICS = {program: "legacy" if "legacy" in program else "cublas" for program in PROGRAMS
          if program.startswith("cublas_") and program != "cublas_as_lt"}
CARRIED = {"libnvjpeg": ("ANYCUDA_NVJPEG", HERE / "nvjpeg-13.0" / "libnvjpeg.so.13"),
           "libnvfatbin": ("ANYCUDA_NVFATBIN", HERE / "nvfatbin-13.5" / "libnvfatbin.so.13"),
           "libnvToolsExt": ("ANYCUDA_NVTX", HERE / "nvtx-12.8" / "libnvToolsExt.so.1")}
TIMEOUT = 120
JOBS = 8
# cuSOLVERMg of 13.0 gives wrong results over two GPUs on which other processes run, natively too (docs/gpu.md).
ALONE = ("cusolvermg",)


@dataclass
class Report:
    """What a program printed."""

    ok: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)  # "check:function" -> status
    values: dict[str, str] = field(default_factory=dict)
    maps: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    runtime: str = ""

    def known(self) -> set[str]:
        return self.ok | {name.split(":")[0] for name in self.absent} | {line.split(" ")[0] for line in self.failed}


def read(outcome: bundle.Outcome) -> Report:
    report = Report()
    ended = False
    for line in outcome.output.splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "ok":
            report.ok.add(rest)
        elif kind == "FAIL":
            report.failed.append(rest)
        elif kind == "absent":
            check, function, status = rest.split(" ")
            report.absent[f"{check}:{function}"] = status
        elif kind == "value":
            name, _, value = rest.partition("=")
            report.values[name] = value
        elif kind == "map" and not re.search(r"/lib(cuda|nvidia-[^/]*)\.so", rest):  # the driver's are another matter
            report.maps.append(rest)
        elif kind == "note":
            report.notes.append(rest)
        elif kind == "runtime":
            report.runtime = f"{int(rest) // 1000}.{int(rest) % 1000 // 10}"
        ended = ended or kind == "done"
    if not ended:
        report.failed.append(f"program: {outcome.end or f'exit status {outcome.status}'}, before its end")
    return report


def profiler(program: str) -> dict[str, str]:
    """The profiler that NVTX loads, where a program's calls need one."""
    return {"NVTX_INJECTION64_PATH": str(HERE / "nvtx_tool.so")} if program == "nvtx" else {}


def stub_environment(program: str, place: Place) -> dict[str, str]:
    more = profiler(program)
    for name in PROGRAMS[program]:
        variable, file = CARRIED.get(name, ("", None))
        if file and not place.has([name]):
            more[variable] = str(file)
    return bundle.environment(*place.library_path, **more)


def available(program: str, place: Place) -> bool:
    return all(place.has([name]) or (name in CARRIED and CARRIED[name][1].exists()) for name in PROGRAMS[program])


def evaluate(program: str, major: str, report: Report, native: Report | None, lines: list[expected.Line],
             numbers: dict[str, str] = CUDA_13) -> list[str]:
    """What is not as expected, in words."""
    hopes = expected.Expectations(lines, major, report.runtime or "0.0", complete=True)
    wrong = [f"FAIL {line}" for line in report.failed]
    wrong += [f"absent {name} ({status})" for name, status in report.absent.items()
              if not hopes.covers("absent", name)]
    if not report.failed:
        wrong += [f"expected, but not so: absent {line.pattern} ({line.reason})"
                  for line in hopes.unused([TOPICS.get(program, program)])]
    wrong += wrong_maps(report.maps, numbers)
    if native and not native.failed:
        wrong += [f"nothing was reported on {check}" for check in sorted(native.ok - report.known())]
        wrong += [f"value {name}: {report.values.get(name)}, natively {value}"
                  for name, value in sorted(native.values.items()) if report.values.get(name) != value]
    return wrong


@dataclass
class LogEntry:
    """The report of one run: in short, in full, and whether the full text is shown."""

    line: str
    output: str
    show: bool = False
    failed: bool = False


def notes(report: Report) -> str:
    return "".join(f", {note}" for note in report.notes)


def of_native(program: str, place: Place, native: Report, outcome: bundle.Outcome) -> LogEntry:
    line = f"{program:26} {place.name:7} natively       {len(native.ok):3} ok{notes(native)}"
    if native.failed:
        line += f"  {len(native.failed)} FAIL natively: the test's fault or the machine's"
    return LogEntry(line, outcome.output, show=bool(native.failed))


def of_stub(program: str, major: str, place: Place, report: Report, outcome: bundle.Outcome, wrong: list[str]
            ) -> LogEntry:
    verdict = f"{len(wrong)} NOT AS EXPECTED" if wrong else "ok"
    lines = [f"{program:26} {place.name:7} built for {major}   {len(report.ok):3} ok {len(report.absent):2} absent"
             f" on {report.runtime or 'nothing'}{notes(report)}  {verdict}"]
    lines += [f"    {line}" for line in wrong]
    lines += [f"    absent: {name.split(':')[1]} {status}" for name, status in report.absent.items()]
    return LogEntry("\n".join(lines), f"-- {program}-{major}, {place.name}\n{outcome.output}", failed=bool(wrong))


def run_program(program: str, place: Place, lines: list[expected.Line]) -> list[LogEntry]:
    entries = []
    environment = stub_environment(program, place)

    def one(name: str, env: dict[str, str]) -> tuple[Report, bundle.Outcome]:
        outcome = bundle.run([str(HERE / "maths" / name)], env, TIMEOUT)
        return read(outcome), outcome

    reports = {major: one(f"{program}-{major}", environment) for major in bundle.SONAMES
               if (HERE / "maths" / f"{program}-{major}").exists()}
    native: Report | None = None
    newest = max(reports, default="13")
    if (HERE / "maths" / f"{program}-{newest}-native").exists():
        # On the files that the stub took; a program of 12 needs its own runtime beside them.
        folders = list(dict.fromkeys(Path(file).parent for file in reports[newest][0].maps))
        more = [HERE / "cuda-12.9"] if newest == "12" else []
        native, outcome = one(f"{program}-{newest}-native",
                              bundle.environment(*folders, *more, **profiler(program)))
        entries.append(of_native(program, place, native, outcome))
    for major, (report, outcome) in reports.items():
        wrong = evaluate(program, major, report, native, lines)
        entries.append(of_stub(program, major, place, report, outcome, wrong))
    return entries


def run_pytorch(log: Log) -> int:
    if importlib.util.find_spec("torch") is None:
        log.say("PyTorch: skipped, this Python has none")
        return 0
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("ANYCUDA_") and name != "LD_PRELOAD"}
    preload = " ".join(map(str, sorted((HERE / "stubs").glob("lib*_stub.so"))))
    failures = 0
    runs = (("maths", ["pytorch_maths.py", str(HERE / "stubs")], {}),
            ("cuDNN and NCCL", ["pytorch_communication.py"], {}),
            ("cuDNN and NCCL, stubs preloaded", ["pytorch_communication.py"], {"LD_PRELOAD": preload}))
    for what, command, more in runs:
        done = subprocess.run([sys.executable, str(HERE / command[0]), *command[1:]], env={**kept, **more},
                              capture_output=True, text=True, timeout=300)
        wrong = done.returncode != 0
        failures += wrong
        log.say(f"{what} in PyTorch: {'NOT AS EXPECTED' if wrong else 'ok'}")
        log.note(done.stdout + done.stderr, show=wrong)
    return failures


def run(log: Log, only: list[str]) -> int:
    """All programs and PyTorch, or `only` these programs."""
    if bundle.driver_release() == (0, 0):
        log.say("maths: skipped, this machine has no driver")
        return 0
    lines = expected.read(HERE / "maths_expected.txt")
    failures = 0
    for place in places():
        wanted = [program for program in PROGRAMS if not only or program in only]
        programs = [program for program in wanted if available(program, place)]
        for program in sorted(set(wanted) - set(programs)):
            log.say(f"{program:26} {place.name:7} skipped: {', '.join(PROGRAMS[program])} of CUDA 13 not found there")
        for jobs, those in ((JOBS, [one for one in programs if one not in ALONE]),
                            (1, [one for one in programs if one in ALONE])):
            with ThreadPoolExecutor(jobs) as threads:
                for entry in chain.from_iterable(threads.map(lambda one: run_program(one, place, lines), those)):
                    failures += entry.failed
                    log.say(entry.line)
                    log.note(entry.output, show=entry.show)
    return failures + (0 if only else run_pytorch(log))
