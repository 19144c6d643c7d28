#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares anycuda's ELF editor with patchelf and LIEF, on copies of installed libraries.

Each editor edits each library as a repair does (a need replaced, one added, a folder on the search path). readelf,
eu-elflint and the dynamic linker check the result, also after strip.

    python3 tools/editors/compare.py --patchelf FILE [--lief] [--count 300] [--markdown FILE] FOLDER...

README.md says what is needed, and how to read the table.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Callable

sys.path.insert(0, str(Path(__file__).resolve().parent))

import editors  # noqa: E402
import findings  # noqa: E402
from anycuda.elf import ElfError, read  # noqa: E402

_NEW, _ADDED = "libanycuda_replaced-0123abcd.so", "libanycuda_added-0123abcd.so"
_FOLDER = "$ORIGIN/libs"
_LAST = ("libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1")  # replaced where nothing else is needed
_LARGEST = 64 << 20
_AT_ONCE = 16


@dataclass
class Result:
    """Of one editor and library. `refused`: what the editor says; `wrong`: what is not as asked for."""

    library: Path
    refused: str = ""
    wrong: list[str] = field(default_factory=list)
    grown: int = 0

    @property
    def is_good(self) -> bool:
        return not self.refused and not self.wrong


@dataclass(frozen=True)
class Subject:
    """A library that can be compared: its copy loads. `targets`: name in the folder on the search path -> file."""

    library: Path
    change: editors.Change
    targets: Mapping[str, Path]
    before: findings.Findings


def libraries(folders: list[Path]) -> Iterator[Path]:
    """Regular files, each once, in the order of their paths."""
    seen: set[tuple[int, int]] = set()
    for folder in folders:
        for place, names, files in os.walk(folder):
            names.sort()
            for file in sorted(files):
                path = Path(place, file)
                if ".so" not in file or path.is_symlink() or not path.is_file():
                    continue
                about = path.stat()
                if (about.st_dev, about.st_ino) not in seen and about.st_size <= _LARGEST:
                    seen.add((about.st_dev, about.st_ino))
                    yield path


def mixed(paths: Iterable[Path]) -> list[Path]:
    """In an order that is the same each time, and in which neighbours have nothing in common."""
    return sorted(paths, key=lambda path: hashlib.sha256(os.fsencode(path)).digest())


def subject(library: Path, work: Path, tools: findings.Tools) -> Subject | None:
    try:
        image = read.read(library)
    except ElfError:
        return None
    copy = Path(shutil.copy(library, work / "before.so"))
    if not image.needed or findings.load(copy):
        return None
    found = _resolved(copy)
    names = sorted((name for name in image.needed if name in found), key=_LAST.__contains__)
    maths = found["libc.so.6"].with_name("libm.so.6") if "libc.so.6" in found else None
    if not names or not maths or not maths.exists():
        return None
    path = ":".join(filter(None, (image.runpath or image.rpath, _FOLDER)))
    change = editors.Change(names[0], _NEW, _ADDED, _FOLDER, path)
    return Subject(library, change, {_NEW: found[names[0]], _ADDED: maths}, findings.collect(copy, tools))


def _resolved(file: Path) -> dict[str, Path]:
    """name -> file, by the dynamic linker itself."""
    done = subprocess.run(["ldd", file], capture_output=True, text=True, errors="replace")
    return {found[1]: Path(found[2]) for found in re.finditer(r"^\s*(\S+) => (/.*) \(0x", done.stdout, re.M)}


def edited(case: Subject, edit: editors.Editor, work: Path, tools: findings.Tools) -> Result:
    result, copy, folder = Result(case.library), Path(shutil.copy(case.library, work / "edited.so")), work / "libs"
    copy.chmod(0o755)
    folder.mkdir()
    for name, target in case.targets.items():
        (folder / name).symlink_to(target.resolve())
    try:
        edit(copy, case.change)
    except editors.CannotEdit as reason:
        result.refused = str(reason).replace(str(copy), "FILE")
        return result
    result.grown = copy.stat().st_size - case.library.stat().st_size
    result.wrong = [*_not_as_asked(copy, case), *_new(case.before, findings.collect(copy, tools))]
    return result


def _not_as_asked(copy: Path, case: Subject) -> Iterator[str]:
    try:
        before, after = read.read(case.library), read.read(copy)
    except ElfError:
        yield "anycuda's reader cannot read the edited file"
        return
    wanted = {case.change.new if name == case.change.old else name for name in before.needed} | {case.change.added}
    if set(after.needed) != wanted:
        yield "other needs than asked for"
    if case.change.path not in (after.runpath, after.rpath):
        yield "another search path than asked for"
    if [(symbol.name, symbol.version) for symbol in before.exports()] != [
            (symbol.name, symbol.version) for symbol in after.exports()]:
        yield "other exports"


def _new(before: findings.Findings, after: findings.Findings) -> Iterator[str]:
    yield from (f"readelf: {kind}" for kind in sorted(after.readelf - before.readelf))
    yield from (f"elflint: {kind}" for kind in sorted(after.lint - before.lint))
    if after.load:
        yield "does not load"
    elif after.stripped and not before.stripped:
        yield "does not load after strip"


def compare(paths: list[Path], count: int, chosen: Mapping[str, editors.Editor], tools: findings.Tools,
            threads: int) -> dict[str, list[Result]]:
    def each(library: Path) -> dict[str, Result]:
        with tempfile.TemporaryDirectory(prefix="editors-") as folder:
            case = subject(library, Path(folder), tools)
            found: dict[str, Result] = {}
            if case is None:
                return found
            for name, edit in chosen.items():
                work = Path(folder, name)
                work.mkdir()
                found[name] = edited(case, edit, work, tools)
            return found

    found: list[dict[str, Result]] = []
    with ThreadPoolExecutor(threads) as pool:
        for start in range(0, len(paths), _AT_ONCE):
            found += filter(None, pool.map(each, paths[start: start + _AT_ONCE]))
            if len(found) >= count:
                break
    return {name: [results[name] for results in found[:count]] for name in chosen}


def _having(kind: str, results: list[Result]) -> int:
    return sum(kind in result.wrong for result in results)


def table(found: Mapping[str, list[Result]], versions: Mapping[str, str]) -> list[str]:
    """In Markdown: the counts, and below it each kind of finding."""
    kinds = Counter(kind for results in found.values() for result in results for kind in set(result.wrong))
    rows: list[tuple[str, Callable[[list[Result]], object]]] = [
            ("libraries", lambda results: len(results)),
            ("edited, without any finding", lambda results: sum(result.is_good for result in results)),
            ("refused", lambda results: sum(bool(result.refused) for result in results)),
            ("bytes added, median", lambda results: _median([
                result.grown for result in results if not result.refused]))]
    rows += [(f"`{kind}`", partial(_having, kind))
             for kind, _ in sorted(kinds.items(), key=lambda pair: (-pair[1], pair[0]))]
    lines = [f"| | {' | '.join(f'{name} {versions[name]}'.strip() for name in found)} |",
             f"|---|{'---|' * len(found)}"]
    return lines + [f"| {title} | {' | '.join(str(count(results)) for results in found.values())} |"
                    for title, count in rows]


def _median(values: list[int]) -> int:
    return sorted(values)[len(values) // 2] if values else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--patchelf", type=Path, metavar="FILE", help="the program; without it the column is left out")
    parser.add_argument("--lief", action="store_true", help="this Python has the package lief")
    parser.add_argument("--elflint", metavar="COMMAND", default=shutil.which("eu-elflint") or "",
                        help="eu-elflint of elfutils (default: that in PATH)")
    parser.add_argument("--count", type=int, default=300, help="libraries, taken from all that are found")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the table there, too")
    parser.add_argument("--details", action="store_true", help="print each library with a finding")
    arguments = parser.parse_args()
    chosen: dict[str, editors.Editor] = {"anycuda": editors.anycuda}
    versions = {"anycuda": ""}
    if arguments.patchelf:
        chosen["patchelf"] = editors.patchelf(arguments.patchelf)
        output = subprocess.run([arguments.patchelf, "--version"], capture_output=True, text=True).stdout
        versions["patchelf"] = output.split()[-1]
    if arguments.lief:
        import lief
        chosen["LIEF"], versions["LIEF"] = editors.lief(os.environ), lief.__version__.partition("-")[0]
    tools = findings.Tools(tuple(arguments.elflint.split()))
    found = compare(mixed(libraries(arguments.folders)), arguments.count, chosen, tools, arguments.threads)
    lines = table(found, versions)
    print("\n".join(lines))
    if arguments.markdown:
        arguments.markdown.write_text("\n".join(lines) + "\n")
    if arguments.details:
        for name, results in found.items():
            for result in results:
                if not result.is_good:
                    print(f"{name}: {result.library}: {result.refused or '; '.join(result.wrong)}")
    return 0 if all(result.is_good for result in found["anycuda"]) else 1


if __name__ == "__main__":
    sys.exit(main())
