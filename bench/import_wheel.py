# SPDX-License-Identifier: Apache-2.0
"""What importing a wheel costs as it comes, with NVIDIA's libraries, and repaired: time, resident memory, mapped files.

    python3 bench/import_wheel.py faiss --native FOLDER --repaired FOLDER --libraries FOLDER...

The folders of wheels are unpacked ones. NVIDIA's libraries are in the others, which both ways find. Runs take turns.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

# numpy is a need of most wheels, and no part of what is measured.
PROGRAM = """\
import importlib, json, os, sys, time
try:
    import numpy
except ImportError:
    pass
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
before, start = resident(), time.perf_counter()
importlib.import_module(sys.argv[1])
took, grown = time.perf_counter() - start, resident() - before
with open("/proc/self/maps") as maps:
    files = {line.split(maxsplit=5)[-1].strip() for line in maps}
names = sorted({os.path.basename(file) for file in files if "/lib" in file and ".so" in file})
print(json.dumps([took, grown, [name for name in names if name.startswith(("libcu", "libnv", "libanycuda"))]]))
"""


def run(module: str, site: Path, libraries: list[Path], variables: dict[str, str]) -> tuple[float, int, list[str]]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("ANYCUDA_", "CUDA_"))}
    env |= {"PYTHONPATH": str(site), "LD_LIBRARY_PATH": ":".join(map(str, libraries)), **variables}
    done = subprocess.run([sys.executable, "-c", PROGRAM, module], env=env, capture_output=True, text=True, check=True)
    took, grown, files = json.loads(done.stdout)
    return took, grown, files


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("module")
    parser.add_argument("--native", type=Path, required=True)
    parser.add_argument("--repaired", type=Path, required=True)
    parser.add_argument("--libraries", type=Path, nargs="+", default=[])
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE",
                        help="a variable of both; for Faiss _FAISS_WHEEL_DISABLE_CUDA_PRELOAD=1, which looks for "
                             "distributions otherwise")
    parser.add_argument("--rounds", type=int, default=11)
    options = parser.parse_args()
    variables = dict(setting.split("=", 1) for setting in options.set)
    found: dict[str, list[Any]] = {"native": [], "repaired": []}
    for _ in range(options.rounds + 1):
        for way, runs in found.items():
            runs.append(run(options.module, getattr(options, way).resolve(), options.libraries, variables))
    print("| way | import, ms | resident, MiB | libraries |\n|---|---|---|---|")
    for way, runs in found.items():
        runs = runs[1:]  # the first reads the disk
        time, grown = (statistics.median(times[place] for times in runs) for place in (0, 1))
        print(f"| {way} | {time * 1000:.0f} | {grown / 2**20:.0f} | {', '.join(runs[0][2]) or 'none'} |")


if __name__ == "__main__":
    main()
