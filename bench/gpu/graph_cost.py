#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an owner of a graph node costs, in this build and in one before, as a ratio to the raw call.

    python3 graph_cost.py BEFORE [NOW]      in bench/ of the folder that the preset gpu makes

BEFORE and NOW are the programs `graph_cost` of two builds; NOW is the one beside this file. The two run in turns, in
random order; each gives its ratio to the raw calls that it made itself, and two processes make one pair. Exit status 0:
no ratio has grown beyond 1.05 times, with its whole interval, and no node takes more bytes; 1: one has; 2: undecided,
which more pairs may change.
"""

import argparse
import os
import queue
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from paired import Comparison, markdown

HERE = Path(__file__).resolve().parent
LIMIT = 1.05
MORE_BYTES = 0.5  # a node: tables grow by steps, and this is less than any field
ROW = re.compile(r"(\w+) +(.+?) +(\d+) +([\d.]+) ns .*\| ours +(-?[\d.]+) B$")
HEADS = ("nodes", "before, ratio to raw", "now, ratio to raw")

Row = tuple[str, str, int]  # kind, how, nodes
Figures = dict[str, tuple[float, float]]  # of a node with an owner: the time to the raw call's, and bytes


def rows(text: str) -> dict[Row, tuple[float, float]]:
    """Nanoseconds and bytes a node, of each row of graph_cost."""
    found = filter(None, map(ROW.match, text.splitlines()))
    return {(kind, how, int(count)): (float(ns), float(size))
            for kind, how, count, ns, size in (match.groups() for match in found)}


def ratios(measured: dict[Row, tuple[float, float]]) -> Figures:
    return {f"{kind}, {count}": (ns / measured[kind, "raw", count][0], size)
            for (kind, how, count), (ns, size) in measured.items() if how == "anycuda, an owner"}


def measure(program: Path, repetitions: int) -> dict[Row, tuple[float, float]]:
    kept = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([str(program), str(repetitions)], env=kept, capture_output=True, text=True, timeout=600)
    found = rows(done.stdout)
    if done.returncode != 0 or not ratios(found):
        sys.exit(f"{program} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return found


def pair(before: Path, now: Path, repetitions: int, end: float) -> tuple[Figures, Figures] | None:
    """One pair, in random order; None after `end`."""
    if time.monotonic() > end:
        return None
    order = [before, now]
    random.shuffle(order)
    found = {program: measure(program, repetitions) for program in order}
    if found[before].keys() != found[now].keys():
        sys.exit(f"{before} and {now} have different rows, so they come from different versions of bench/gpu/graph.cc: "
                 "build both with the present one")
    return ratios(found[before]), ratios(found[now])


def shares(processors: list[int], count: int) -> list[list[int]]:
    """`count` parts of the processors, equally large and without a common one; neighbours stay together."""
    size = len(processors) // count
    if size == 0:
        sys.exit(f"--at-a-time {count} is more than the {len(processors)} processors that this process may use: "
                 f"name at most {len(processors)}")
    return [processors[part * size:(part + 1) * size] for part in range(count)]


def pair_text(number: int, before: Figures, now: Figures) -> str:
    """One line of a pair: for each row its two ratios to the raw call, before and now."""
    return f"pair {number}: " + "; ".join(f"{name}: {time:.3f} -> {now[name][0]:.3f}"
                                          for name, (time, _) in before.items())


def take_share(free: "queue.SimpleQueue[list[int]]") -> None:
    """Restricts this thread, and the programs that it starts, to one of the shares."""
    os.sched_setaffinity(0, free.get())


def measured_pairs(options: argparse.Namespace) -> Iterator[tuple[Figures, Figures]]:
    end = time.monotonic() + options.limit_s
    free: queue.SimpleQueue[list[int]] = queue.SimpleQueue()
    for share in shares(sorted(os.sched_getaffinity(0)), options.at_a_time):
        free.put(share)
    pool = ThreadPoolExecutor(options.at_a_time, initializer=take_share, initargs=(free,))
    try:
        started = [pool.submit(pair, options.before.resolve(), options.now.resolve(), options.repetitions,
                               end if number else float("inf"))  # the first pair is always measured
                   for number in range(options.pairs)]
        for future in as_completed(started):
            if (found := future.result()) is not None:
                yield found
    finally:
        pool.shutdown(cancel_futures=True)  # a program has failed: its message, without the other pairs


def verdict(comparisons: list[Comparison], sizes: dict[str, list[tuple[float, float]]]) -> int:
    grown = [f"{name}: {before:.1f} bytes a node before, {now:.1f} now" for name, pairs in sizes.items()
             for before, now in [map(statistics.median, zip(*pairs))] if now > before + MORE_BYTES]
    print("\n".join(grown) if grown else "No node takes more bytes than before.")
    verdicts = {comparison.verdict(LIMIT) for comparison in comparisons}
    return 1 if grown or "above" in verdicts else 2 if "undecided" in verdicts else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("before", type=Path, metavar="BEFORE")
    parser.add_argument("now", type=Path, nargs="?", default=HERE / "graph_cost", metavar="NOW")
    parser.add_argument("--pairs", type=int, default=10)
    parser.add_argument("--repetitions", type=int, default=3,
                        help="of the largest graphs in a process; the fastest counts")
    parser.add_argument("--limit-s", type=float, default=500, help="no new pair after that many seconds")
    parser.add_argument("--at-a-time", type=int, default=1, metavar="N",
                        help="pairs that are measured at a time, each on its share of the processors")
    options = parser.parse_args()

    pairs: list[tuple[Figures, Figures]] = []
    for found in measured_pairs(options):
        pairs.append(found)
        print(pair_text(len(pairs), *found), flush=True)  # a run that is cut off keeps its pairs
    both = {name: [(before[name], now[name]) for before, now in pairs] for name in pairs[0][0]}
    times, sizes = ({name: [(before[part], now[part]) for before, now in values] for name, values in both.items()}
                    for part in (0, 1))
    comparisons = [Comparison(name, values) for name, values in times.items()]
    print(markdown(comparisons, LIMIT, HEADS, ".2f"), end="")
    return verdict(comparisons, sizes)


if __name__ == "__main__":
    sys.exit(main())
