#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares anycuda-device-code with NVIDIA's cuobjdump on real files: the same entries (kind, architecture, version,
whether compressed), and the time of both.

    tools/device_code/compare.py FILE|FOLDER|WHEEL|ARTIFACT|SET...

A folder or wheel stands for the files in it that have device code, an artifact or a set (maths) for those that
tools/fetch fetches. Prints a table for the notes in docs/releases; the exit status is 1 where a file differs. cuobjdump
is the newest of the fetched ones that reads the file: 13.5 refuses sm_35 and some files of old releases, which 12.4 and
11.8 read.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = ROOT / "build/test/lib/anycuda-device-code"
# Artifacts that have a cuobjdump, the newest first, and the CUDA it is of.
CUOBJDUMPS = {"cuobjdump": "13.5", "nvcc-12.4": "12.4", "nvcc-11.8": "11.8"}
KINDS = {"elf": 2, "ptx": 1, "nvvm": 8}
LIBRARY = re.compile(r".*\.(so[.0-9]*|a|o|fatbin|cubin)\Z")
MARKS = (b".nv_fatbin", b"__nv_relfatbin", b"\x50\xed\x55\xba\x01\x00\x10\x00")
WITHOUT = "does not contain device code"
# "Fatbin elf code:", a line, then lines of `name = value`; "compressed" stands by itself. Those of a concatenated entry
# begin with a tab; their compression is the entry's, which has no architecture.
ENTRY = re.compile(r"^\t?Fatbin (\w+) code:\n\t?=+\n\t?arch = sm_(\d+)([af]?)\n\t?code version = \[(\d+),(\d+)\]\n"
                   r"(\t?(?:host|compile_size|producer|has debug info|identifier)\b.*\n)*(compressed)?", re.MULTILINE)

Entry = tuple[int, int, str, tuple[int, int], bool]
RUNS, ENOUGH = 5, 1.0  # times that one program reads a file, and the seconds after which it does so no more
REFUSED: Entry = (0, 0, "", (0, 0), False)


@dataclass(frozen=True)
class Reading:
    entries: Counter[Entry]
    seconds: float
    by: str = ""


def of_cuobjdump(programs: dict[str, Path], file: Path) -> Reading:
    """The seconds are those of listing the cubins only."""
    for release, program in programs.items():
        status, output, _ = run(program, "-all", file)
        if status == 0 or WITHOUT in output:
            return Reading(entries_in(output), shortest(program, "-all", "--list-elf", file), release)
    return Reading(Counter({REFUSED: 1}), 0, "none reads it")


def entries_in(output: str) -> Counter[Entry]:
    """What `cuobjdump -all FILE` prints."""
    return Counter((KINDS.get(kind, 0), int(architecture), target, (int(major), int(minor)), bool(compressed))
                   for kind, architecture, target, major, minor, _, compressed in ENTRY.findall(output))


def of_anycuda(program: Path, file: Path) -> Reading:
    """Without plain data, which cuobjdump does not look at."""
    _, output, _ = run(program, "--json", file)
    entries: Counter[Entry] = Counter()
    for line in map(json.loads, output.splitlines()):
        if "code" in line and not line["plain_data"]:
            entries[line["code"], line["architecture"], line.get("target", ""), tuple(line.get("format", (0, 0))),
                    line["compression"] != "none" and "concatenated" not in line] += line["entries"]
    return Reading(entries, shortest(program, "--json", file))


def shortest(program: Path, *arguments: str | Path) -> float:
    """Seconds; of the best of five runs where these are short, so that what else runs on the machine counts little."""
    seconds: list[float] = []
    while len(seconds) < RUNS and sum(seconds) < ENOUGH:
        seconds.append(run(program, *arguments)[2])
    return min(seconds)


def run(program: Path, *arguments: str | Path) -> tuple[int, str, float]:
    start = time.perf_counter()
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")
    return done.returncode, done.stdout, time.perf_counter() - start


def differences(ours: Counter[Entry], theirs: Counter[Entry]) -> list[str]:
    return [f"{kind}/{architecture}{target}/{version}/{'packed' if packed else 'plain'}: {ours[entry]} here, "
            f"{theirs[entry]} by cuobjdump"
            for entry in sorted(set(ours) | set(theirs)) if ours[entry] != theirs[entry]
            for kind, architecture, target, version, packed in [entry]]


def files_in(path: Path) -> Iterator[Path]:
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel, tempfile.TemporaryDirectory() as scratch:
            for name in filter(LIBRARY.match, wheel.namelist()):
                yield from files_in(Path(wheel.extract(name, scratch)))
    elif path.is_dir():
        for file in sorted(path.rglob("*")):
            if file.is_file() and not file.is_symlink() and (LIBRARY.match(file.name) or file.suffix == ".whl"):
                yield from files_in(file)
    elif has_device_code(path):
        yield path


def has_device_code(file: Path) -> bool:
    content = file.read_bytes()
    return any(mark in content for mark in MARKS)


def fetched(names: list[str]) -> dict[str, Path]:
    """Artifacts and sets -> their folders, by artifact."""
    command = [sys.executable, str(ROOT / "tools/fetch/fetch.py"), "get", *names]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    rows = (line.split(maxsplit=1) for line in done.stdout.splitlines())
    return {name: Path(folder) for name, folder in rows if Path(folder).is_absolute()}


def places(arguments: list[str]) -> dict[str, Path]:
    here = {Path(argument).name: Path(argument) for argument in arguments if Path(argument).exists()}
    names = [argument for argument in arguments if not Path(argument).exists()]
    return {**here, **(fetched(names) if names else {})}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=PROGRAM, help="anycuda-device-code; that of build/test")
    parser.add_argument("places", nargs="+", metavar="FILE|FOLDER|WHEEL|ARTIFACT|SET")
    arguments = parser.parse_args()
    found = fetched(list(CUOBJDUMPS))
    cuobjdumps = {release: found[name] / "bin/cuobjdump" for name, release in CUOBJDUMPS.items() if name in found}
    if not cuobjdumps:
        sys.exit("compare.py: cuobjdump could not be fetched (message above)")
    print("| file | MB | entries | cuobjdump | agrees | cuobjdump -all --list-elf, s | anycuda-device-code, s |\n"
          "|---|---|---|---|---|---|---|")
    count = slower = 0
    wrong: list[str] = []
    for name, place in places(arguments.places).items():
        for file in files_in(place):
            theirs, ours = of_cuobjdump(cuobjdumps, file), of_anycuda(arguments.program, file)
            differ = differences(ours.entries, theirs.entries)
            label = file.name if file.name == name else f"{name} {file.name}"
            wrong += [f"{label}: {sentence}" for sentence in differ]
            count += 1
            slower += ours.seconds > theirs.seconds
            print(f"| {label} | {file.stat().st_size / 1e6:.1f} | {ours.entries.total()} | {theirs.by} | "
                  f"{'no' if differ else 'yes'} | {theirs.seconds:.3f} | {ours.seconds:.3f} |", flush=True)
    print(f"\nfiles: {count}; on {slower} of them anycuda-device-code was slower than cuobjdump", *wrong, sep="\n")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
