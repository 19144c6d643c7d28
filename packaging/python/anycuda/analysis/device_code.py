# SPDX-License-Identifier: Apache-2.0
"""The device code in a file, as anycuda-device-code (device_code/) lists it. code_rules.py draws the conclusions."""

from __future__ import annotations

import json
import re
import shutil
import signal
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import installation
from ..failure import Failure
from ..kind import Kind
from .gpus import Version

PROGRAM = "anycuda-device-code"
LZ4, ZSTD = "lz4", "zstd"
_FILE = re.compile(rb'^\{"file": ', re.M)  # how the output for a file begins
# Exceptions from output that the program does not write.
NOT_UNDERSTOOD = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
_LIMIT = 300.0  # seconds; a file of 800 MB takes one second
MOST_FILES = 32  # per run: the output for a file made to be hostile is 3 MB
_MOST_BYTES = 1 << 26  # of unpacked files that wait for a run


class CodeKind(Kind):
    """The first three are read; cuobjdump names the others."""

    CUBIN = "cubin"
    PTX = "PTX"
    LTO_IR = "LTO-IR"
    INDEX = "index"
    RELOCATABLE_PTX = "relocatable PTX"
    TILE_IR = "Tile IR"


_KINDS = {1: CodeKind.PTX, 2: CodeKind.CUBIN, 8: CodeKind.LTO_IR, 32: CodeKind.INDEX, 64: CodeKind.RELOCATABLE_PTX,
          128: CodeKind.TILE_IR}


@dataclass(frozen=True)
class Code:
    """Equal entries of a file. `kind`: "kind 256" if this version of anycuda does not know it."""

    kind: CodeKind | str
    architecture: int  # 90 of sm_90 and compute_90; 0: not recorded
    target: str = ""  # "a" of sm_90a, "f" of sm_100f
    ptx: Version | None = None  # PTX: its version
    toolkit: Version | None = None  # a cubin: the CUDA that made it; None: not known
    entries: int = 1
    size: int = 0  # bytes in the file
    compression: str = "none"  # LZ4, ZSTD, "unknown"
    plain_data: bool = False  # outside of the sections that nvcc makes
    concatenated: bool = False  # compressed together with others: nvcc --concat
    undecompressed: bool = False  # a cubin: the program was built without the library that decompresses it

    @property
    def name(self) -> str:
        """sm_90a, compute_90"""
        return f"{'sm' if self.kind is CodeKind.CUBIN else 'compute'}_{self.architecture}{self.target}"


@dataclass(frozen=True)
class DeviceCode:
    """The device code of one file, or of several (`joined`). `unread`: why the file could not be read, or "".
    `problems`: places that could not be read. `file`: the file's type, "cubin", "elf", "ptx", ..."""

    codes: tuple[Code, ...] = ()
    unread: str = ""
    problems: tuple[str, ...] = ()
    file: str = field(default="", compare=False)

    def of_kind(self, kind: CodeKind) -> list[Code]:
        return [code for code in self.codes if code.kind is kind]


def of_file(path: Path, program: Path | None = None) -> DeviceCode:
    """Runs anycuda's program, or `program`."""
    try:
        program = program or find()
    except Failure as failure:
        return DeviceCode(unread=str(failure))
    try:
        done = _run(program, [path])
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        return DeviceCode(unread=f"cannot run {program}: {error}")
    except subprocess.TimeoutExpired:
        return DeviceCode(unread=f"{PROGRAM} did not finish reading the file within {_LIMIT:g} s")
    if done.returncode < 0:
        ending = signal.strsignal(-done.returncode) or f"signal {-done.returncode}"
        return DeviceCode(unread=f"{PROGRAM} crashed on the file ({ending}): the file changed during the run, or "
                                 "anycuda has a bug")
    try:
        return parse(done.stdout)
    except NOT_UNDERSTOOD as error:
        return DeviceCode(unread=f"{program} belongs to another version of anycuda: its output cannot be read "
                                 f"({error!r}); install anycuda again")


def of_files(paths: Sequence[Path], program: Path | None = None) -> Iterator[DeviceCode]:
    """The device code of each file. One run of the program reads many files; if that fails, each gets its own run."""
    for first in range(0, len(paths), MOST_FILES):
        group = paths[first: first + MOST_FILES]
        outputs = _of_group(group, program) if len(group) > 1 else []
        for number, path in enumerate(group):
            code = _parsed(outputs[number]) if outputs else None
            yield of_file(path, program) if code is None else code


def batch_budget(work: Path) -> int:
    """The bytes of unpacked files that may wait for a run: at most half of the free space, since others write, too."""
    return min(_MOST_BYTES, shutil.disk_usage(work).free // 2)


def _of_group(paths: Sequence[Path], program: Path | None) -> list[bytes]:
    """The output for each file; empty if the program failed."""
    try:
        done = _run(program or find(), paths)
    except (Failure, OSError, ValueError, subprocess.TimeoutExpired):
        return []
    starts = [found.start() for found in _FILE.finditer(done.stdout)]
    outputs = [done.stdout[start:end] for start, end in zip(starts, [*starts[1:], None])]
    return outputs if done.returncode >= 0 and len(outputs) == len(paths) else []


def _parsed(output: bytes) -> DeviceCode | None:
    try:
        return parse(output)
    except NOT_UNDERSTOOD:
        return None


def _run(program: Path, paths: Sequence[Path]) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([program, "--json", "--", *paths], capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=_LIMIT)


def find() -> Path:
    program = installation.find().folder("tools") / PROGRAM
    if not program.is_file():
        raise Failure(f"{program} is missing: install anycuda again; in a build folder, build the target doctor")
    return program


def parse(output: bytes) -> DeviceCode:
    """The program's output for one file."""
    records = [json.loads(line) for line in output.decode("utf-8", "surrogateescape").splitlines()]
    unread = next((record["unreadable"] for record in records if "unreadable" in record), "")
    if not unread and not any("kind" in record for record in records):
        raise ValueError("the last line is missing")
    codes = joined(_code(record) for record in records if "code" in record)
    return DeviceCode(codes, unread, tuple(f"at byte {record['offset']}: {record['problem']}"
                                           for record in records if "problem" in record),
                      next((str(record["kind"]) for record in records if "kind" in record), ""))


def joined(codes: Iterable[Code]) -> tuple[Code, ...]:
    """Merges equal entries: of several files, or in groups that the program printed twice."""
    found: dict[Code, Code] = {}
    for code in codes:
        key = replace(code, entries=0, size=0)
        before = found.get(key, key)
        found[key] = replace(code, entries=before.entries + code.entries, size=before.size + code.size)
    return tuple(found.values())


def _code(record: dict[str, Any]) -> Code:
    kind: CodeKind | str = _KINDS.get(record["code"], f"kind {record['code']}")
    return Code(kind, record["architecture"], record.get("target", ""),
                _version(record.get("format")) if kind is CodeKind.PTX else None, _version(record.get("toolkit")),
                record["entries"], record["stored"], record["compression"], record["plain_data"],
                record.get("concatenated", False), record.get("undecompressed", False))


def _version(pair: list[int] | None) -> Version | None:
    return (pair[0], pair[1]) if pair else None
