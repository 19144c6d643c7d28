# SPDX-License-Identifier: Apache-2.0
"""Makes docs/wheels.md: downloads the wheels of a list, repairs them, opens their libraries without CUDA and with one
CUDA, and writes the results. Results stay in the cache folder: an interrupted run goes on where it was."""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging" / "python"), str(Path(__file__).resolve().parent)]

from wheelreach import measure, options, page, situations, stamp, verdict, wheel_list  # noqa: E402
from wheelreach.verdict import Result  # noqa: E402


def load(path: Path) -> Result:
    return Result.from_json(json.loads(path.read_text()))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    options.add(parser)
    options.add_again(parser)
    parser.add_argument("--only", action="append", default=[], metavar="NAME",
                        help="measure only this wheel; the page has the other results of the cache")
    parser.add_argument("--python", action="append", default=[], type=options.interpreter, metavar="FILE",
                        help="interpreter that opens the wheels of its Python version (may be given again)")
    chosen = parser.parse_args()
    entries = options.entries(chosen.list)
    try:
        selected = wheel_list.select(entries, chosen.only)
    except wheel_list.ListError as error:
        sys.exit(f"{chosen.list}: {error}")
    pythons: dict[str, options.Interpreter] = {python.version: python for python in chosen.python}

    def python_of(entry: wheel_list.Entry) -> options.Interpreter:
        return pythons.get(entry.python, options.THIS)

    cache = chosen.cache.resolve()
    folder = cache / "results"
    folder.mkdir(parents=True, exist_ok=True)
    todo = [entry for entry in selected
            if chosen.again or not (path := folder / f"{entry.requirement}.json").exists()
            or not load(path).is_current(entry, python_of(entry).version)]
    roots = situations.make(cache / "situations") if todo else {}
    table = measure.table_of(chosen.anycuda)
    for number, entry in enumerate(todo, 1):
        print(f"{number} of {len(todo)}: {entry.requirement} ...", end=" ", flush=True)
        start = time.monotonic()
        result = measure.wheel(entry, chosen.anycuda.resolve(), cache, roots, table, python_of(entry))
        (folder / f"{entry.requirement}.json").write_text(json.dumps(asdict(result), indent=1))
        print(f"{verdict.evaluate(result).kind} ({time.monotonic() - start:.0f} s)", flush=True)
    results = [load(path) for entry in entries if (path := folder / f"{entry.requirement}.json").exists()]
    chosen.out.write_text(page.make(results, stamp.today(), stamp.commit()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
