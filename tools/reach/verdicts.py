"""Makes docs/verdicts.md: downloads the wheels of a list one after another, asks `anycuda check` and `anycuda repair`
about each, and deletes it. Results stay in the cache folder: an interrupted run goes on where it was."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import zipfile
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from wheelreach import command, download, options, stamp, verdict_page, wheel_list  # noqa: E402
from wheelreach.verdict_page import Row  # noqa: E402


def row_of(entry: wheel_list.Entry, anycuda: Path, cache: Path) -> Row:
    folder = cache / "verdict" / entry.requirement
    row = Row(entry.requirement)
    try:
        wheel = download.fetch(entry, folder)
        row.size = wheel.stat().st_size
        report = command.check(anycuda, wheel)
        row.kind, row.text = report["verdict"]["kind"], report["verdict"]["text"]
        row.failing = len({cell["symbol"] for cell in report["cells"] if cell["fails"]})
        row.status = report["status"]
        row.repair = command.dry_run(anycuda, wheel)
    except (download.DownloadError, command.CommandError, zipfile.BadZipFile, OSError) as error:
        row.failed = str(error)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    options.add(parser)
    options.add_again(parser)
    chosen = parser.parse_args()
    entries = options.entries(chosen.list)
    results = chosen.cache.resolve() / "verdicts"
    results.mkdir(parents=True, exist_ok=True)
    rows = []
    for number, entry in enumerate(entries, 1):
        path = results / f"{entry.requirement}.json"
        row = Row(**json.loads(path.read_text())) if path.exists() and not chosen.again else None
        if row is None or row.failed:
            print(f"{number} of {len(entries)}: {entry.requirement} ...", end=" ", flush=True)
            row = row_of(entry, chosen.anycuda.resolve(), chosen.cache.resolve())
            path.write_text(json.dumps(asdict(row), indent=1))
            print(row.failed or row.text, flush=True)
        rows.append(row)
    chosen.out.write_text(verdict_page.make(rows, stamp.today(), stamp.commit()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
