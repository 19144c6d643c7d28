# SPDX-License-Identifier: Apache-2.0
"""Makes docs/wheels_torch.md: opens the libraries of wheels that need PyTorch beside PyTorch of PyPI, as they come and
repaired, and writes the results. Results stay in the cache folder: an interrupted run goes on where it was."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging" / "python"), str(Path(__file__).resolve().parent)]

from wheelreach import (  # noqa: E402
    measure,
    options,
    stamp,
    torch_install,
    torch_measure,
    torch_page,
    torch_verdict,
)
from wheelreach.torch_measure import Torch  # noqa: E402
from wheelreach.torch_verdict import Failure, Result, Side  # noqa: E402
from wheelreach.wheel_list import Entry  # noqa: E402


def load(path: Path) -> Result:
    data = json.loads(path.read_text())
    sides = {name: data[name] and _side(data[name]) for name in ("native", "repaired")}
    return Result(**{**data, **sides})


def _side(data: dict[str, Any]) -> Side:
    return Side(**{**data, "failures": [Failure(**failure) for failure in data["failures"]]})


def measure_beside(torch: Entry, wheels: list[Entry], chosen: argparse.Namespace, cache: Path) -> None:
    results = cache / "beside" / torch.version
    results.mkdir(parents=True, exist_ok=True)
    todo = [wheel for wheel in wheels if chosen.again or not (results / f"{wheel.requirement}.json").exists()]
    if not todo:
        return
    folder = cache / "torch" / torch.version
    print(f"installs {torch.requirement} ...", flush=True)
    torch_install.install(torch.version, folder)
    beside = Torch(torch.version, torch_install.cuda(folder), folder)
    table = measure.table_of(chosen.anycuda)
    for entry in todo:
        start = time.monotonic()
        result = torch_measure.wheel(entry, beside, chosen.anycuda.resolve(), cache, table)
        (results / f"{entry.requirement}.json").write_text(json.dumps(asdict(result), indent=1))
        print(f"{entry.requirement} beside {torch.requirement}: {torch_verdict.evaluate(result).kind} "
              f"({time.monotonic() - start:.0f} s)", flush=True)
    if not chosen.keep:
        shutil.rmtree(folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    options.add(parser)
    options.add_again(parser)
    parser.add_argument("--keep", action="store_true", help="keep each PyTorch (7 GB) in the cache")
    chosen = parser.parse_args()
    entries = options.entries(chosen.list)
    cache = chosen.cache.resolve()
    shutil.rmtree(cache / "repaired", ignore_errors=True)  # of an earlier run, maybe with another anycuda
    torches = [entry for entry in entries if entry.name == "torch"]
    wheels = [entry for entry in entries if entry.name != "torch"]
    try:
        for torch in torches:
            measure_beside(torch, wheels, chosen, cache)
    except torch_install.InstallError as error:
        sys.exit(f"{torch.requirement} cannot be installed: {error}")
    results = [load(path) for torch in torches for wheel in wheels
               if (path := cache / "beside" / torch.version / f"{wheel.requirement}.json").exists()]
    chosen.out.write_text(torch_page.make(results, stamp.today(), stamp.commit()))
    return 1 if any(torch_verdict.evaluate(result).kind == torch_verdict.FAILS for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
