# SPDX-License-Identifier: Apache-2.0
"""What repairing a wheel costs, beside doing the same edits by hand: wheel unpack, patchelf, wheel pack.

    python3 bench/repair.py --anycuda BUILD/bin/anycuda --patchelf FILE WHEEL...

Needs the package wheel of PyPI for this Python. Both ways take turns in one run, so what else the machine does slows
both. The ratio is of the fastest rounds. By hand, nothing is looked for: the list of edits is anycuda's.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any, Callable


def output(*words: object) -> str:
    return subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE, text=True).stdout


def by_hand(wheel: Path, edits: list[dict[str, Any]], patchelf: Path, work: Path) -> None:
    output(sys.executable, "-m", "wheel", "unpack", "--dest", work, wheel)
    (folder,) = work.iterdir()
    for edit in edits:
        words = [word for old, new in edit["needed"].items() for word in ("--replace-needed", old, new)]
        words += [word for name in edit["add_needed"] for word in ("--add-needed", name)]
        if edit["search_path"]:
            words += ["--add-rpath", edit["search_path"]]
        output(patchelf, *words, folder / edit["file"])
    output(sys.executable, "-m", "wheel", "pack", "--dest-dir", work, folder)


def timed(run: Callable[[Path], object]) -> tuple[float, float]:
    """(seconds, CPU seconds of the processes that it starts)"""
    with tempfile.TemporaryDirectory(prefix="bench-repair-") as work:
        before, start = cpu(), time.perf_counter()
        run(Path(work))
        return time.perf_counter() - start, cpu() - before


def cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("wheels", nargs="+", type=Path, metavar="WHEEL")
    parser.add_argument("--anycuda", type=Path, required=True, metavar="FILE")
    parser.add_argument("--patchelf", type=Path, required=True, metavar="FILE")
    parser.add_argument("--jobs", "-j", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"{len(os.sched_getaffinity(0))} CPUs, -j {options.jobs}, the fastest of {options.rounds} rounds by turns\n")
    print("| wheel | MB | files edited | by hand, s (CPU) | repair, s (CPU) | ratio |\n|---|---|---|---|---|---|")
    for wheel in options.wheels:
        command = [sys.executable, options.anycuda, "repair", "--any-glibc", "-j", options.jobs]
        (report,) = json.loads(output(*command, "--json", "--dry-run", wheel))["wheels"]
        ways: tuple[Callable[[Path], object], ...] = (
                partial(by_hand, wheel, report["changed"], options.patchelf),
                partial(output, *command, "-q", wheel, "-w"))
        rounds = [[timed(way) for way in ways] for _ in range(options.rounds)]
        hand, repair = (min(times[place] for times in rounds) for place in (0, 1))
        print(f"| {wheel.name.split('-')[0]} | {wheel.stat().st_size / 1e6:.1f} | {len(report['changed'])} | "
              f"{hand[0]:.2f} ({hand[1]:.2f}) | {repair[0]:.2f} ({repair[1]:.2f}) | {hand[0] / repair[0]:.2f} |",
              flush=True)


if __name__ == "__main__":
    main()
