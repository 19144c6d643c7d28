# SPDX-License-Identifier: Apache-2.0
"""Makes docs/verdicts.md: downloads the wheels of a list one after another, asks `anycuda check` and `anycuda repair`
about each, loads the libraries of the repaired ones, and deletes it. Results stay in the cache folder: an interrupted
run goes on where it was."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging" / "python"), str(Path(__file__).resolve().parent)]

from wheelreach import command, download, measure, options, situations, stamp, verdict_page, wheel_list  # noqa: E402
from wheelreach.verdict_page import Row  # noqa: E402

_DEFAULT_MB = 320


class Maker:
    """`largest`: bytes of a wheel whose libraries are loaded."""

    def __init__(self, anycuda: Path, cache: Path, largest: int) -> None:
        self.anycuda, self.cache, self.largest = anycuda, cache, largest
        self.roots = situations.make(cache / "situations")
        self.table = measure.table_of(anycuda)

    def row(self, entry: wheel_list.Entry) -> Row:
        folder = self.cache / "wheels" / entry.requirement
        row = Row(entry.requirement)
        try:
            self._fill(row, entry, download.fetch(entry, folder))
        except (download.DownloadError, command.CommandError, zipfile.BadZipFile, OSError) as error:
            row.failed = str(error)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return row

    def _fill(self, row: Row, entry: wheel_list.Entry, wheel: Path) -> None:
        row.size = wheel.stat().st_size
        report = command.check(self.anycuda, wheel)
        row.kind, row.text = report["verdict"]["kind"], report["verdict"]["text"]
        row.failing = len({cell["symbol"] for cell in report["cells"] if cell["fails"]})
        row.repair = command.dry_run(self.anycuda, wheel)
        if row.size <= self.largest:
            row.loaded = measure.wheel(entry, self.anycuda, self.cache, self.roots, self.table, options.THIS)

    def is_current(self, row: Row, entry: wheel_list.Entry) -> bool:
        if row.loaded:
            return row.loaded.is_current(entry, options.THIS.version)
        return not row.failed and row.size > self.largest


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    options.add(parser)
    options.add_again(parser)
    parser.add_argument("--load", type=int, default=_DEFAULT_MB, metavar="MB",
                        help=f"load the libraries of wheels up to this size (default: {_DEFAULT_MB})")
    chosen = parser.parse_args()
    entries = options.entries(chosen.list)
    cache = chosen.cache.resolve()
    maker = Maker(chosen.anycuda.resolve(), cache, chosen.load * 10**6)
    results = cache / "verdicts"
    results.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, entry in enumerate(entries, 1):
        path = results / f"{entry.requirement}.json"
        row = Row.from_json(json.loads(path.read_text())) if path.exists() and not chosen.again else None
        if row is None or not maker.is_current(row, entry):
            print(f"{number} of {len(entries)}: {entry.requirement} ...", end=" ", flush=True)
            row = maker.row(entry)
            path.write_text(json.dumps(asdict(row), indent=1))
            print(row.failed or f"{row.text} [{verdict_page.loads(row)}]", flush=True)
        rows.append(row)
    chosen.out.write_text(verdict_page.make(rows, stamp.today(), stamp.commit()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
