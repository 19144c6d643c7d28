# SPDX-License-Identifier: Apache-2.0
"""The programs of examples/side_by_side on a GPU: with anycuda, with cuda.core, and with the driver and NVRTC only.

    python3 tests/gpu/side_by_side.py build/gpu/bundle [--builds N]     # needs a GPU, cuda.core 1.2 and g++

Each program checks its numbers. The script builds the programs without anycuda with the headers of the machine's CUDA
Toolkit, and prints how long each of the three takes to build, launch and destroy the graph, in one run.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# The task, and the program of the bundle that does it with anycuda.
TASKS = {"kernel": "linker_library_example", "graph": "graph_kernels_example"}
SOURCES = Path(__file__).resolve().parents[2] / "examples/side_by_side"
TOOLKIT = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))


def raw(name: str, folder: Path) -> list[str]:
    program = folder / name
    subprocess.run(["g++", "-std=c++17", "-O2", f"-I{TOOLKIT}/include", SOURCES / f"{name}.cc", f"-L{TOOLKIT}/lib64",
                    f"-L{TOOLKIT}/lib64/stubs", "-lnvrtc", "-lcuda", f"-Wl,-rpath,{TOOLKIT}/lib64", "-o", program],
                   check=True)
    return [str(program)]


def seconds(command: list[str], stubs: Path, *arguments: str) -> float:
    """The time of a process. Ends this one if the numbers are wrong."""
    env = {**os.environ, "LD_LIBRARY_PATH": str(stubs)} if "example" in command[0] else None
    begin = time.monotonic()
    done = subprocess.run([*command, *arguments], env=env, capture_output=True, text=True, timeout=500)
    if done.returncode or "right" not in done.stdout:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    return time.monotonic() - begin


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("bundle", type=Path)
    parser.add_argument("--builds", type=int, default=10_000, metavar="N", help="graphs that each program builds")
    options = parser.parse_args()
    bundle = options.bundle.resolve()
    stubs = bundle / "stubs"
    with tempfile.TemporaryDirectory() as folder:
        for task, example in TASKS.items():
            ways = {"anycuda": [str(bundle / "examples" / example)],
                    "cuda.core": [sys.executable, str(SOURCES / f"{task}_cuda_core.py")],
                    "driver and NVRTC": raw(f"{task}_raw", Path(folder))}
            for way, command in ways.items():
                if task == "kernel":
                    seconds(command, stubs)
                    print(f"kernel, {way}: the numbers are right", flush=True)
                    continue
                start = seconds(command, stubs, "1")
                each = (seconds(command, stubs, str(options.builds + 1)) - start) / options.builds
                print(f"graph, {way}: the numbers are right; {1e6 * each:.1f} us for each build", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
