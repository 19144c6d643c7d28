# SPDX-License-Identifier: Apache-2.0
"""Makes docs/wheels_onnxruntime.md: runs sessions of ONNX Runtime that ask for the CUDA provider on a computer that
has no driver, with the wheels as they come and repaired."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "packaging" / "python"), str(Path(__file__).resolve().parent)]

from wheelreach import (  # noqa: E402
    command,
    companions,
    download,
    opening,
    options,
    sessions,
    situations,
    stamp,
    unpack,
)
from wheelreach.options import THIS  # noqa: E402
from wheelreach.sessions import Session, Sessions  # noqa: E402
from wheelreach.wheel_list import Entry  # noqa: E402

_SCRIPT = Path(__file__).resolve().parent / "wheelreach" / "session_each.py"


def run(prefix: Path, root: Path, libraries: list[Path]) -> Session:
    """`libraries`: folders below the prefix that the dynamic linker searches first. They are relative, since
    LD_LIBRARY_PATH cannot hold a colon of a folder's name."""
    environment = opening.environment(root)
    if libraries:
        environment["LD_LIBRARY_PATH"] = ":".join(map(str, libraries))
    with tempfile.TemporaryDirectory(prefix="session-") as folder:
        result = Path(folder) / "result.json"
        subprocess.run([opening.LINKER, "--inhibit-cache", THIS.file, _SCRIPT, prefix / unpack.SITE, result],
                       env=environment, cwd=prefix, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
        return Session(**json.loads(result.read_text()))


def measure(entry: Entry, anycuda: Path, cache: Path, roots: dict[str, Path]) -> Sessions:
    nvidia = [wheel.requirement for wheel in entry.beside if wheel.name.startswith("nvidia-")]
    result = Sessions(entry.requirement, nvidia)
    work = cache / "work" / f"session-{entry.requirement}"
    shutil.rmtree(work, ignore_errors=True)
    wheel = download.fetch(entry, cache / "wheels" / entry.requirement)
    beside = dict(zip((wheel.requirement for wheel in entry.beside), companions.fetch(entry, cache)))
    nvidias = [beside.pop(name) for name in result.beside]
    native, repaired = work / "native", work / "repaired"
    companions.unpack_all([wheel, *beside.values()], native)
    result.native[sessions.AS_IT_COMES] = run(native, roots[situations.NONE], [])
    companions.unpack_all(nvidias, native)
    folders = sorted({path.parent.relative_to(native) for path in (native / unpack.SITE / "nvidia").rglob("lib*.so*")})
    result.native[sessions.BESIDE_NVIDIAS] = run(native, roots[situations.NONE], folders)
    shutil.rmtree(native)

    companions.unpack_all([command.repair(anycuda, wheel, work / "out").wheel, *beside.values()], repaired)
    result.repaired = {name: run(repaired, root, []) for name, root in roots.items()}
    shutil.rmtree(work)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    options.add(parser)
    chosen = parser.parse_args()
    entries = options.entries(chosen.list)
    cache = chosen.cache.resolve()
    roots = situations.make(cache / "situations")
    results = []
    for number, entry in enumerate(entries, 1):
        print(f"{number} of {len(entries)}: {entry.requirement} ...", flush=True)
        try:
            results.append(measure(entry, chosen.anycuda.resolve(), cache, roots))
        except (download.DownloadError, command.CommandError, OSError, subprocess.SubprocessError) as error:
            sys.exit(f"{entry.requirement}: {error}")
        for name, session in {**results[-1].native, **results[-1].repaired}.items():
            print(f"  {name}: {sessions.cell(session)}", flush=True)
    chosen.out.write_text(sessions.page(results, stamp.today(), stamp.commit()))
    return 1 if any(map(sessions.fails_repaired_only, results)) else 0


if __name__ == "__main__":
    sys.exit(main())
