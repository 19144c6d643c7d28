#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a kernel launch costs through the stub, against a launch without it, on a machine with a GPU.

    python3 launch.py [--markdown FILE]      in bench/ of the folder that the preset gpu makes

Two comparisons, each batch by batch in one process: one library linked to the runtime and to the stub; and PyTorch with
the stubs preloaded, its imports led to the stub and to the runtime in turn. README.md says more.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from paired import Comparison, markdown

HERE = Path(__file__).resolve().parent
BUNDLE = HERE.parent
LIMIT = 1.01


def measured(*arguments: object, **more: str) -> dict[str, Any]:
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("ANYCUDA_") and name != "LD_PRELOAD"}
    done = subprocess.run([sys.executable, str(HERE / "measure.py"), *map(str, arguments)], env={**kept, **more},
                          capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"measure.py {' '.join(map(str, arguments))} failed ({done.returncode}):\n{done.stdout}{done.stderr}")
    times: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return times


def expect_bound(found: dict[str, Any], *stubs: bool) -> None:
    """A comparison of a thing with itself would show the best of results."""
    for path, stub in zip(found["bound_to"], stubs):
        if ("_stub" in Path(path).name) != stub:
            sys.exit(f"launches were to go to {'the stub' if stub else 'the runtime'}, and went to {path}")


def compared(processes: list[dict[str, Any]]) -> list[Comparison]:
    names = [name.removeprefix("direct ") for name in processes[0]["ns"] if name.startswith("direct ")]
    return [Comparison(name, [(p["ns"][f"direct {name}"], p["ns"][f"stub {name}"]) for p in processes])
            for name in names]


def processes(count: int, *arguments: object, **environment: str) -> list[dict[str, Any]]:
    found = []
    for done in range(count):
        found.append(measured(*arguments, **environment))
        expect_bound(found[-1], False, True)
        print(f"{arguments[0]}: {done + 1} of {count} processes", file=sys.stderr)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--stubs", type=Path, default=BUNDLE / "stubs")
    parser.add_argument("--runtime", type=Path, default=BUNDLE / "cuda-13.0", help="folder of the runtime of CUDA 13")
    parser.add_argument("--libraries", type=Path, default=HERE, help="folder of launches{-native,}.so, slots.so")
    parser.add_argument("--processes", type=int, default=8, help="of each kind; less than 6 show nothing")
    parser.add_argument("--seconds", type=float, default=2, help="that each process measures")
    parser.add_argument("--markdown", type=Path, help="write the report there too")
    options = parser.parse_args()

    direct, stub, slots = (options.libraries / name for name in ("launches-native.so", "launches.so", "slots.so"))
    path = ":".join(filter(None, [str(options.runtime), str(options.stubs), os.environ.get("LD_LIBRARY_PATH", "")]))
    linked = processes(options.processes, "linked", options.seconds, direct, stub, LD_LIBRARY_PATH=path)
    preload = " ".join(str(file) for file in sorted(options.stubs.glob("lib*_stub.so")))
    torch = processes(options.processes, "torch", options.seconds, slots, LD_PRELOAD=preload)
    machine = torch[0]["machine"]
    comparisons = compared(linked) + compared(torch)
    verdicts = {c.verdict(LIMIT) for c in comparisons}
    verdict = "above" if "above" in verdicts else "undecided" if "undecided" in verdicts else "within"
    report = (f"{time.strftime('%Y-%m-%d')}, {machine}; a ratio of at most {LIMIT} is wanted: {verdict}.\n\n"
              + markdown(comparisons, LIMIT))
    print(report, end="")
    if options.markdown:
        options.markdown.write_text(report, encoding="utf-8")
    return {"within": 0, "above": 1, "undecided": 2}[verdict]


if __name__ == "__main__":
    sys.exit(main())
