# SPDX-License-Identifier: Apache-2.0
"""RECORD: the hash and size of every file of a wheel, as comma-separated values."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import sys
from typing import NamedTuple

from ..failure import Failure

# The standard allows sha256 or better.
_ALGORITHMS = ("sha256", "sha384", "sha512")
LARGEST = 1 << 26
_MORE = 1000  # additional rows, so that a few missing files are reported by name
_SHOWN = 3  # differences in a message
# They cannot have their own hash; signatures belong to the old RECORD.
SIGNATURES = ("RECORD.jws", "RECORD.p7s")


class Row(NamedTuple):
    algorithm: str  # "" without a hash
    digest: str
    size: int | None


class Sum:
    """The sum of a file that comes in blocks."""

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
    """file -> its row, in the order of the table. `files`: the number of files in the wheel; far more rows are
    refused."""
    most = sys.maxsize if files is None else 2 * files + _MORE
    rows: dict[str, Row] = {}
    try:
        for line in csv.reader(io.StringIO(content.decode("utf-8"), newline="")):
            if not line:
                continue
            name, sum_, size = line
            algorithm, _, digest = sum_.partition("=")
            if len(rows) >= most:
                raise Failure(f"{what} names more than {most} files, but the wheel has {files}: build the wheel again")
            if name in rows:
                raise Failure(f"{what} names {ascii(name)} twice: build the wheel again")
            if algorithm and algorithm not in _ALGORITHMS:
                raise Failure(f"{what} has a hash of kind {algorithm!r}, but the standard requires one of "
                              f"{', '.join(_ALGORITHMS)}: build the wheel again")
            rows[name] = Row(algorithm, digest.rstrip("="), int(size) if size else None)
    except (UnicodeDecodeError, csv.Error, ValueError) as error:
        raise Failure(f"{what} is damaged ({error}): build the wheel again") from None
    return rows


def algorithm(rows: dict[str, Row], name: str) -> str:
    """The algorithm for a file's sum, so that the sum can be compared."""
    return rows[name].algorithm or "sha256" if name in rows else "sha256"


def compare(rows: dict[str, Row], sums: dict[str, Row], record: str) -> list[str]:
    """A sentence for each difference of `sums` from `rows`. `record`: RECORD's name, which may be without a hash."""
    exempt = {record} | {f"{record[:-len('RECORD')]}{name}" for name in SIGNATURES}
    differences = [f"{name} is not in RECORD" for name in sums if name not in rows and name not in exempt]
    for name, row in rows.items():
        if name in exempt:
            continue
        if name not in sums:
            differences.append(f"{name} is in RECORD, but not in the wheel")
        elif not row.digest:
            differences.append(f"{name} has no hash in RECORD")
        elif (row.algorithm, row.digest) != sums[name][:2] or row.size not in (None, sums[name].size):
            differences.append(f"{name} has another hash than in RECORD")
    return differences


def mismatch(differences: list[str]) -> str:
    left = len(differences) - _SHOWN
    shown = "; ".join([*differences[:_SHOWN], *([f"and {left} more"] if left > 0 else [])])
    return f"RECORD does not match the wheel's contents: {shown}"


def render(rows: dict[str, Row], record: str) -> bytes:
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    for name, row in rows.items():
        if name != record:
            table.writerow((name, f"{row.algorithm}={row.digest}", row.size))
    table.writerow((record, "", ""))
    return out.getvalue().encode("utf-8")
