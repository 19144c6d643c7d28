#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the fuzz targets. Exit status 1 if any of them has a finding.

    cmake --preset fuzz && cmake --build --preset fuzz
    tests/fuzz/run.py --minutes 10

Inputs that a run makes up are kept in the build folder and are where the next run starts. A
finding is made as small as it gets and lies in tests/fuzz/findings/<target>/.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SANITIZERS = {
    "ASAN_OPTIONS": "abort_on_error=0:detect_leaks=1:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}
KINDS = ("crash-", "leak-", "oom-", "timeout-")


class Target:
    def __init__(self, name, build):
        self.name = name
        self.program = build / "tests" / "fuzz" / f"fuzz_{name}"
        self.seeds = HERE / "corpus" / name
        self.made_up = build / "tests" / "fuzz" / "corpus" / name
        self.findings = HERE / "findings" / name
        self.dictionary = HERE / "dictionaries" / f"{name}.txt"

    def call(self, *arguments, log=None):
        """Runs the program; its output goes to `log`, or is returned."""
        command = [str(self.program), *map(str, arguments)]
        environment = {**os.environ, **SANITIZERS}
        if log is None:
            return subprocess.run(command, env=environment, text=True, errors="replace",
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        with open(log, "w") as stream:
            return subprocess.run(command, env=environment, stdout=stream,
                                  stderr=subprocess.STDOUT)


def found(target):
    if not target.findings.is_dir():
        return []
    return sorted(file for file in target.findings.iterdir() if file.name.startswith(KINDS))


def longest(target):
    """A seed is never cut; what is made up may be somewhat longer."""
    sizes = [file.stat().st_size for file in target.seeds.iterdir()]
    return max([512, *(2 * size for size in sizes)])


def fuzz(target, seconds):
    """Returns a dictionary of figures."""
    for folder in (target.made_up, target.findings):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(found(target))
    log = target.made_up.with_suffix(".log")
    arguments = [f"-max_total_time={seconds}", "-timeout=10", "-rss_limit_mb=2048",
                 f"-max_len={longest(target)}", "-print_final_stats=1",
                 f"-artifact_prefix={target.findings}/"]
    if target.dictionary.exists():
        arguments.append(f"-dict={target.dictionary}")
    status = target.call(*arguments, target.made_up, target.seeds, log=log).returncode
    text = log.read_text(errors="replace")
    executed = re.findall(r"stat::number_of_executed_units:\s*(\d+)", text)
    coverage = re.findall(r"cov: (\d+) ft: (\d+)", text)
    new = [file for file in found(target) if file not in before]
    return {
        "executed": int(executed[-1]) if executed else 0,
        "edges": int(coverage[-1][0]) if coverage else 0,
        "features": int(coverage[-1][1]) if coverage else 0,
        "inputs": sum(1 for _ in target.made_up.iterdir()),
        "findings": [smallest(target, file) for file in new],
        "failed": status != 0,
        "log": log,
    }


def smallest(target, finding):
    """A smaller input that fails as well, in place of the finding."""
    if not finding.name.startswith("crash-"):
        return finding
    small = finding.with_name("small-" + finding.name)
    target.call("-minimize_crash=1", "-max_total_time=60", "-timeout=10",
                f"-exact_artifact_path={small}", finding)
    if small.exists() and small.stat().st_size < finding.stat().st_size:
        small.replace(finding)
    small.unlink(missing_ok=True)
    return finding


def show(target, figures):
    print(f"{target.name:14} {figures['executed']:>12,} runs  {figures['edges']:>6} edges  "
          f"{figures['features']:>6} features  {figures['inputs']:>5} inputs  ", end="")
    if figures["findings"]:
        print(f"{len(figures['findings'])} FOUND")
    else:
        print("FAILED" if figures["failed"] else "nothing found")
    for finding in figures["findings"]:
        print(f"    {finding}")
    if figures["failed"]:
        print(f"    {figures['log']}", flush=True)


def merge(target):
    """Adds to the corpus the inputs of a run that reach code which the corpus does not reach.
    How often a loop runs does not count: that would add a thousand files."""
    if not target.made_up.is_dir():
        return
    before = {file.name for file in target.seeds.iterdir()}
    target.call("-merge=1", "-set_cover_merge=1", "-use_counters=0",
                f"-max_len={longest(target)}", target.seeds, target.made_up)
    after = {file.name for file in target.seeds.iterdir()}
    print(f"{target.name:14} {len(after - before)} inputs added, {len(after)} in all")


def targets(build, wanted):
    names = sorted(file.stem for file in (HERE / "targets").glob("*.cc"))
    unknown = sorted(set(wanted) - set(names))
    if unknown:
        sys.exit(f"unknown target {', '.join(unknown)}; expected {', '.join(names)}")
    chosen = [Target(name, build) for name in names if not wanted or name in wanted]
    for target in chosen:
        if not target.program.exists():
            sys.exit(f"{target.program} does not exist; build it: cmake --preset fuzz && "
                     "cmake --build --preset fuzz")
        if not target.seeds.is_dir():
            sys.exit(f"{target.seeds} does not exist: each target needs a corpus")
    return chosen


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="all, if none is named")
    parser.add_argument("--minutes", type=float, default=10, help="per target (10)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1,
                        help="targets at a time (one per processor)")
    parser.add_argument("--build", type=pathlib.Path, default=HERE.parents[1] / "build" / "fuzz")
    parser.add_argument("--merge", action="store_true",
                        help="do not fuzz: add inputs of earlier runs to the corpus")
    arguments = parser.parse_args()
    chosen = targets(arguments.build.resolve(), arguments.targets)
    if arguments.merge:
        for target in chosen:
            merge(target)
        return 0
    seconds = max(1, round(60 * arguments.minutes))
    bad = False
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        runs = {pool.submit(fuzz, target, seconds): target for target in chosen}
        for run in concurrent.futures.as_completed(runs):
            figures = run.result()
            show(runs[run], figures)
            bad = bad or figures["failed"] or bool(figures["findings"])
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
