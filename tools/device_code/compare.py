#!/usr/bin/env python3
"""Compares anycuda-device-code with NVIDIA's cuobjdump on real files: the same entries (kind, architecture, version,
compression), and the time of both.

    tools/device_code/compare.py --program build/test/lib/anycuda-device-code FILE|FOLDER...

A folder stands for the files below it that have device code. Prints a table for docs/device-code.md; the exit status is 1
where a file differs. cuobjdump is the newest of the fetched ones that reads the file (tools/fetch): 13.5 refuses sm_35 and
some files of old releases, which 12.4 and 11.8 read.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = {"elf": 2, "ptx": 1, "nvvm": 8}
SUFFIXES = re.compile(r".*\.(so[.0-9]*|a|o|fatbin|cubin)\Z")
MARKS = (b".nv_fatbin", b"__nv_relfatbin", b"\x50\xed\x55\xba\x01\x00\x10\x00")

# "Fatbin elf code:", a line, then lines of `name = value`; "compressed" stands by itself.
_ENTRY = re.compile(r"^Fatbin (\w+) code:\n=+\narch = sm_(\d+)([af]?)\ncode version = \[(\d+),(\d+)\]\n"
                    r"((?:host|compile_size|producer|has debug info|identifier)\b.*\n)*(compressed)?", re.MULTILINE)

Entry = tuple[int, int, str, tuple[int, int], bool]


# Artifacts that have one, the newest first, and the CUDA it is of.
CUOBJDUMPS = {"cuobjdump": "13.5", "nvcc-12.4": "12.4", "nvcc-11.8": "11.8"}


@dataclass(frozen=True)
class Reading:
    entries: Counter[Entry]
    seconds: float
    by: str


def of_cuobjdump(programs: dict[str, Path], file: Path) -> Reading:
    """The seconds are those of listing the cubins, which is less than this reads."""
    for release, program in programs.items():
        status, output, _ = _run(program, "-all", file)
        if status == 0:
            return Reading(entries_in(output), _run(program, "-all", "--list-elf", file)[2], release)
    return Reading(Counter(), 0, "refused")


def entries_in(output: str) -> Counter[Entry]:
    """What `cuobjdump -all FILE` prints."""
    return Counter((KINDS.get(kind, 0), int(architecture), target, (int(major), int(minor)), bool(compressed))
                   for kind, architecture, target, major, minor, _, compressed in _ENTRY.findall(output))


def of_anycuda(program: Path, file: Path) -> Reading:
    """Without plain data, which cuobjdump does not look at."""
    _, output, seconds = _run(program, "--json", file)
    entries: Counter[Entry] = Counter()
    for line in map(json.loads, output.splitlines()):
        if "code" in line and not line["plain_data"]:
            entries[line["code"], line["architecture"], line.get("target", ""), tuple(line.get("format", (0, 0))),
                    line["compression"] != "none"] += line["entries"]
    return Reading(entries, seconds, "")


def _run(program: Path, *words) -> tuple[int, str, float]:
    start = time.perf_counter()
    done = subprocess.run([program, *words], capture_output=True, text=True, errors="replace")
    return done.returncode, done.stdout, time.perf_counter() - start


def differences(ours: Counter[Entry], theirs: Counter[Entry]) -> list[str]:
    return [f"{kind}/{architecture}{target}/{version}/{'packed' if packed else 'plain'}: {ours[entry]} here, "
            f"{theirs[entry]} by cuobjdump"
            for entry in sorted(set(ours) | set(theirs)) if ours[entry] != theirs[entry]
            for kind, architecture, target, version, packed in [entry]]


def files_in(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    found = [file for file in sorted(path.rglob("*")) if file.is_file() and not file.is_symlink()]
    return [file for file in found if SUFFIXES.match(file.name) and has_device_code(file)]


def has_device_code(file: Path) -> bool:
    content = file.read_bytes()
    return any(mark in content for mark in MARKS)


def find_cuobjdumps() -> dict[str, Path]:
    """By the release of CUDA that each is of."""
    done = subprocess.run([sys.executable, ROOT / "tools/fetch/fetch.py", "get", *CUOBJDUMPS], capture_output=True, text=True)
    folders = dict(line.split(maxsplit=1) for line in done.stdout.splitlines() if " /" in line)
    found = {release: Path(folders[name]) / "bin/cuobjdump" for name, release in CUOBJDUMPS.items() if name in folders}
    if not found:
        sys.exit(f"compare.py: no cuobjdump could be fetched: {done.stdout}{done.stderr}")
    return found


def name_of(file: Path, top: Path) -> str:
    """cublas-12.9 libcublasLt.so.12, without the folders between."""
    return file.name if file == top else f"{top.name} {file.name}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/test/lib/anycuda-device-code")
    parser.add_argument("paths", nargs="+", type=Path, metavar="FILE|FOLDER")
    arguments = parser.parse_args()
    cuobjdumps = find_cuobjdumps()
    print("| file | MB | entries | cuobjdump | agrees | cuobjdump -all --list-elf, s | anycuda-device-code, s |\n"
          "|---|---|---|---|---|---|---|")
    count = slower = 0
    wrong: list[str] = []
    for top in arguments.paths:
        for file in files_in(top):
            theirs, ours = of_cuobjdump(cuobjdumps, file), of_anycuda(arguments.program, file)
            found = differences(ours.entries, theirs.entries)
            wrong += [f"{name_of(file, top)}: {sentence}" for sentence in found]
            count += 1
            slower += ours.seconds > theirs.seconds
            print(f"| {name_of(file, top)} | {file.stat().st_size / 1e6:.1f} | {ours.entries.total()} | {theirs.by} | "
                  f"{'no' if found else 'yes'} | {theirs.seconds:.3f} | {ours.seconds:.3f} |", flush=True)
    print(f"\n{count} files, {slower} of them slower than cuobjdump", *wrong, sep="\n")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
