#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures the stubs beside the real libraries and beside two peers, in one run.

    python3 bench/run.py --stubs build/test/lib [--json FILE] [--markdown FILE]

See README.md beside this file.
"""

from __future__ import annotations

import argparse
import datetime
import platform
import subprocess
import sys
from pathlib import Path

BENCH = Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH), str(BENCH.parent / "packaging" / "python")]

from measure import first_call, footprint, load, registration, report, targets, warm  # noqa: E402
from measure.bench import Bench, progress  # noqa: E402
from measure.libraries import FAMILIES, Artifacts, collect, keep_families  # noqa: E402
from measure.tools import Failure, missing  # noqa: E402
from measure.workspace import Workspace, clean  # noqa: E402

PARTS = {"warm": warm.measure, "load": load.measure, "first-call": first_call.measure,
         "memory": footprint.measure, "registration": registration.measure}


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--stubs", type=Path, help="folder of the built stubs (BUILD/lib)")
    parser.add_argument("--wheel-stubs", type=Path, help="folder of those built for the wheel (preset zig-x86_64), too")
    parser.add_argument("--cache", type=Path, help="cache of CUDA artifacts (else ANYCUDA_CACHE)")
    parser.add_argument("--artifact", action="append", default=[], metavar="NAME=FOLDER",
                        help="an artifact that is unpacked elsewhere; may be repeated")
    parser.add_argument("--work", type=Path, default=Path("build/bench-work"),
                        help="folder for the helpers that are built (emptied first)")
    parser.add_argument("--compiler", default="c++", help="C++ compiler for the helpers")
    parser.add_argument("--only", action="append", choices=sorted(PARTS), help="measure only this")
    parser.add_argument("--family", action="append", choices=sorted(FAMILIES),
                        help="this library, with those that it needs, cudart and cuda, and no others; may be repeated")
    parser.add_argument("--repeats", type=int, default=21, help="runs per wall time")
    parser.add_argument("--json", type=Path, help="also write the results here")
    parser.add_argument("--markdown", type=Path, help="also write the tables here")
    return parser.parse_args()


def facts(compiler: str) -> dict[str, str]:
    """What a reader must know to compare two runs."""
    def first_line(*command: str) -> str:
        try:
            done = subprocess.run(command, text=True, capture_output=True)
            return (done.stdout or done.stderr).splitlines()[0]
        except (OSError, IndexError):
            return "?"

    system = [_distribution(), " ".join(platform.libc_ver())]
    found = {"date": datetime.date.today().isoformat(), "processor": _processor(),
             "system": ", ".join(system), "compiler": first_line(compiler, "--version")}
    for tool in ("valgrind", "strace"):
        found[tool] = missing(tool) or first_line(tool, "--version")
    return found


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def _distribution() -> str:
    try:
        return platform.freedesktop_os_release()["PRETTY_NAME"]
    except OSError:
        return "?"


def prepare(options: argparse.Namespace) -> tuple[Bench, list[str]]:
    """The libraries that are there and the helpers, built; and what was left out."""
    given = dict(artifact.split("=", 1) for artifact in options.artifact)
    artifacts = Artifacts({name: Path(folder) for name, folder in given.items()}, options.cache)
    stubs = options.stubs.resolve() if options.stubs else None
    wheel = options.wheel_stubs.resolve() if options.wheel_stubs else None
    libraries, absent = collect(artifacts, stubs, wheel)
    clean(options.work)
    progress(f"building helpers in {options.work}")
    bench = Bench(libraries, Workspace(options.work.resolve(), options.compiler),
                  options.repeats)
    for family in FAMILIES:
        if real := bench.compared(family):
            libraries.append(bench.workspace.shim(real))
    return bench, absent


def main() -> int:
    """Runs every part, and reports the parts that cannot be measured."""
    options = arguments()
    if options.family:
        keep_families(options.family)
    if reason := missing(options.compiler):
        print(f"bench: {reason}", file=sys.stderr)
        return 1
    try:
        bench, absent = prepare(options)
        sections = [load.files(bench)]
        for name, measure in PARTS.items():
            if not options.only or name in options.only:
                sections += measure(bench)
    except Failure as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 1
    sections.insert(0, targets.evaluate(bench, sections))
    sections[0].notes += absent
    about = facts(options.compiler)
    print("\n".join(f"{name}: {value}" for name, value in about.items()) + "\n")
    print(report.as_text(sections))
    if options.json:
        options.json.write_text(report.as_json(about, sections))
    if options.markdown:
        options.markdown.write_text(report.as_markdown("Benchmark results", about, sections))
    return 0


if __name__ == "__main__":
    sys.exit(main())
