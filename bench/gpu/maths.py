#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What calls of cuBLAS, cuFFT and cuSPARSE cost through the stubs, against calls without them, on a machine with a GPU.

    python3 maths.py [--markdown FILE]      in bench/ of the folder that the preset gpu makes

Both ways are measured in one process, a batch of the one, a batch of the other, in random order, on the same library;
a process gives one pair. With --apart a process measures one way, and the two processes of a pair run in turns: there
what differs from process to process is in the ratio too.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

from paired import Comparison, markdown

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from maths_places import find, places  # noqa: E402  (of the bundle)

LIMIT = 1.01
NAMES = ("libcudart", "libcublas", "libcufft", "libcusparse")


def libraries() -> list[Path]:
    """NVIDIA's files, all of one place."""
    for place in places():
        files = [find(name, list(place.folders)) for name in NAMES]
        if all(files):
            return [file for file in files if file]
    return sys.exit(f"not found in one place: {', '.join(NAMES)} of CUDA 13")


def measured(way: str, rounds: int, stubs: Path, files: list[Path]) -> dict[tuple[str, str], float]:
    """By way and case."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("ANYCUDA_") and name != "LD_PRELOAD"}
    path = ":".join(filter(None, [*dict.fromkeys(str(file.parent) for file in files), kept.get("LD_LIBRARY_PATH", "")]))
    command = [str(HERE / "maths_bench"), way, str(rounds), str(stubs), *map(str, files)]
    done = subprocess.run(command, env={**kept, "LD_LIBRARY_PATH": path}, capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    rows = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 2]
    return {(way, case): float(taken) for way, case, taken in rows}


def pair(number: int, apart: bool, rounds: int, stubs: Path, files: list[Path]) -> dict[tuple[str, str], float]:
    if not apart:
        return measured("both", rounds, stubs, files)
    order = ("direct", "stub") if number % 2 else ("stub", "direct")
    return {key: value for way in order for key, value in measured(way, rounds, stubs, files).items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--stubs", type=Path, default=HERE.parent / "stubs")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=30, help="batches of each case and way in a process")
    parser.add_argument("--apart", action="store_true", help="one way a process, in turns")
    parser.add_argument("--limit-s", type=float, default=170, help="no new pair after that many seconds")
    parser.add_argument("--markdown", type=Path, help="write the report there too")
    options = parser.parse_args()

    files = libraries()
    print("\n".join(map(str, files)), file=sys.stderr)
    end = time.monotonic() + options.limit_s
    pairs: list[dict[tuple[str, str], float]] = []
    for number in range(options.pairs):
        if pairs and time.monotonic() > end:
            break
        pairs.append(pair(number, options.apart, options.rounds, options.stubs, files))
        print(f"{number + 1} of {options.pairs} pairs", file=sys.stderr)
    cases = [case for way, case in pairs[0] if way == "direct"]
    comparisons = [Comparison(case, [(pair["direct", case], pair["stub", case]) for pair in pairs]) for case in cases]
    how = "one way a process, in turns" if options.apart else "both ways in each process"
    report = f"{time.strftime('%Y-%m-%d')}, {how}, {files[1]}\n\n" + markdown(comparisons, LIMIT)
    print(report, end="")
    if options.markdown:
        options.markdown.write_text(report, encoding="utf-8")
    verdicts = {c.verdict(LIMIT) for c in comparisons}
    return 1 if "above" in verdicts else 2 if "undecided" in verdicts else 0


if __name__ == "__main__":
    sys.exit(main())
