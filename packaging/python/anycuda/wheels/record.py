# SPDX-License-Identifier: Apache-2.0
"""RECORD: the hash and size of every file of a wheel, as a table of commas."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import sys
from typing import NamedTuple

from ..failure import Failure

# What the standard allows: sha256 or better.
_ALGORITHMS = ("sha256", "sha384", "sha512")
LARGEST = 1 << 26
_MORE = 1000  # rows: a few missing files are told by their names
# They are no part of themselves; signatures are about RECORD as it was.
SIGNATURES = ("RECORD.jws", "RECORD.p7s")


class Row(NamedTuple):
    algorithm: str  # "" where there is none
    digest: str
    size: int | None


class Sum:
    """Of a file as it goes by."""

    def __init__(self, algorithm: str = "sha256") -> None:
        self.algorithm, self.size, self._hash = algorithm, 0, hashlib.new(algorithm)

    def add(self, block: bytes) -> None:
        self.size += len(block)
        self._hash.update(block)

    @property
    def row(self) -> Row:
        digest = base64.urlsafe_b64encode(self._hash.digest()).rstrip(b"=").decode("ascii")
        return Row(self.algorithm, digest, self.size)


def parse(content: bytes, what: str, files: int | None = None) -> dict[str, Row]:
    """file -> its row, in the order of the table. `files`: how many the wheel has; of many more rows none is kept."""
    most = sys.maxsize if files is None else 2 * files + _MORE
    rows: dict[str, Row] = {}
    try:
        for line in csv.reader(io.StringIO(content.decode("utf-8"), newline="")):
            if not line:
                continue
            name, sum_, size = line
            algorithm, _, digest = sum_.partition("=")
            if len(rows) >= most:
                raise Failure(f"{what} names more than {most} files, and the wheel has {files}")
            if name in rows:
                raise Failure(f"{what} names {ascii(name)} twice")
            if algorithm and algorithm not in _ALGORITHMS:
                raise Failure(f"{what} has a hash of kind {algorithm!r}; known are {', '.join(_ALGORITHMS)}")
            rows[name] = Row(algorithm, digest.rstrip("="), int(size) if size else None)
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        raise Failure(f"{what} is damaged: {error}") from None
    return rows


def algorithm(rows: dict[str, Row], name: str) -> str:
    """By which a file's sum is made, so that it can be compared."""
    return rows[name].algorithm or "sha256" if name in rows else "sha256"


def compare(rows: dict[str, Row], found: dict[str, Row], record: str) -> list[str]:
    """What is not as `rows` say, in words. `record`: its own name, which may be without a hash."""
    exempt = {record} | {f"{record[:-len('RECORD')]}{name}" for name in SIGNATURES}
    said = [f"{name} is not in RECORD" for name in found if name not in rows and name not in exempt]
    for name, row in rows.items():
        if name in exempt:
            continue
        if name not in found:
            said.append(f"{name} is in RECORD, and not in the wheel")
        elif not row.digest:
            said.append(f"{name} has no hash in RECORD")
        elif (row.algorithm, row.digest) != found[name][:2] or row.size not in (None, found[name].size):
            said.append(f"{name} is not the file that RECORD has the hash of")
    return said


def render(rows: dict[str, Row], record: str) -> bytes:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    for name, row in rows.items():
        if name != record:
            table.writerow((name, f"{row.algorithm}={row.digest}", row.size))
    table.writerow((record, "", ""))
    return out.getvalue().encode("utf-8")
