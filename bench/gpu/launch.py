#!/usr/bin/env python3
"""What a kernel launch costs through the stub, against a launch without it, on a machine with a GPU.

    python3 launch.py [--seconds 90] [--markdown FILE]      in the folder that the preset gpu makes

Two comparisons, both in pairs: processes of PyTorch, as they are and with the stubs preloaded, one after the other;
and one library linked to the runtime and to the stub, batch by batch in one process. README.md says more.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from paired import Comparison, markdown, orders

HERE = Path(__file__).resolve().parent
BUNDLE = HERE.parent
LIMIT = 1.01
LEAST_PAIRS = 6  # with fewer, no interval says anything
LINKED_PROCESSES = 6
SECONDS_MEASURED = 1.5  # of each process


def measured(*arguments: object, **more: str) -> dict:
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("ANYCUDA_") and name != "LD_PRELOAD"}
    done = subprocess.run([sys.executable, str(HERE / "measure.py"), *map(str, arguments)], env={**kept, **more},
                          capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        sys.exit(f"measure.py {' '.join(map(str, arguments))} failed:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout.splitlines()[-1])


def expect_bound(found: dict, *stubs: bool) -> None:
    """A comparison of a thing with itself would show the best of results."""
    for path, stub in zip(found["bound_to"], stubs):
        if ("_stub" in Path(path).name) != stub:
            sys.exit(f"launches were to go to {'the stub' if stub else 'the runtime'}, and went to {path}")


def preloaded(library: Path, stubs: Path, end: float, seed: int) -> tuple[str, list[Comparison]]:
    preload = " ".join(str(file) for file in sorted(stubs.glob("lib*_stub.so")))
    environments: dict[bool, dict[str, str]] = {False: {}, True: {"LD_PRELOAD": preload}}
    unmeasured = measured("torch", SECONDS_MEASURED, library)  # it brings PyTorch's files into memory
    pairs: dict[str, list[tuple[float, float]]] = {name: [] for name in unmeasured["ns"]}
    taken = 0.0
    for done, direct_first in enumerate(orders(seed)):
        start = time.monotonic()
        if done >= LEAST_PAIRS and start + taken > end:
            break
        pair = {}
        for with_stubs in (False, True) if direct_first else (True, False):
            found = measured("torch", SECONDS_MEASURED, library, **environments[with_stubs])
            expect_bound(found, with_stubs)
            pair[with_stubs] = found["ns"]
        for name in pairs:
            pairs[name].append((pair[False][name], pair[True][name]))
        taken = time.monotonic() - start
    return unmeasured["machine"], [Comparison(f"{name}, stubs preloaded", pairs[name]) for name in pairs]


def linked(direct: Path, stub: Path, stubs: Path, runtime: Path) -> list[Comparison]:
    path = ":".join(filter(None, [str(runtime), str(stubs), os.environ.get("LD_LIBRARY_PATH", "")]))
    found = [measured("linked", SECONDS_MEASURED, direct, stub, LD_LIBRARY_PATH=path)
             for _ in range(LINKED_PROCESSES)]
    for process in found:
        expect_bound(process, False, True)
    names = [name.removeprefix("direct ") for name in found[0]["ns"] if name.startswith("direct ")]
    return [Comparison(f"{name}, in one process",
                       [(p["ns"][f"direct {name}"], p["ns"][f"stub {name}"]) for p in found]) for name in names]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--stubs", type=Path, default=BUNDLE / "stubs")
    parser.add_argument("--runtime", type=Path, default=BUNDLE / "cuda-13.0", help="folder of the runtime of CUDA 13")
    parser.add_argument("--libraries", type=Path, default=HERE, help="folder of launches-native.so, launches.so")
    parser.add_argument("--seconds", type=float, default=90, help="about how long to measure")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the processes")
    parser.add_argument("--markdown", type=Path, help="write the report there too")
    options = parser.parse_args()

    end = time.monotonic() + options.seconds
    direct, stub = (options.libraries / name for name in ("launches-native.so", "launches.so"))
    comparisons = linked(direct, stub, options.stubs, options.runtime)
    machine, in_pairs = preloaded(direct, options.stubs, end, options.seed)
    comparisons += in_pairs
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
