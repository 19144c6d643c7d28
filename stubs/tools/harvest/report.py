# SPDX-License-Identifier: Apache-2.0
"""What people must know about a release: its exported functions that the database does not get, and its changes that
matter to programs built for another release."""

import re
from collections import Counter
from pathlib import Path

from generate import abi_text, layout_compat, model
from generate.layout import UnknownType

from .libraries import LibraryRow
from .merge import Database, Release

_GROUPS = 20  # so many are listed


def status_values(database: Database, enumeration: str) -> dict[str, int]:
    """Every status value that any release's headers define."""
    prefix = enumeration.removeprefix("enum ") + "."
    values: dict[str, int] = {}
    for key, by in database.tables["enums"].items():
        if key.startswith(prefix):
            newest = abi_text.sort_versions(by)[-1]
            values[key.removeprefix(prefix)] = int(by[newest][0])
    return values


def _beginning(name: str) -> str:
    """Of a C++ name, "_Z"; of another one, its first word: "cublas" of cublasSbatchGemm, "sm80" of sm80_xmma_gemm."""
    found = re.match(r"_Z|_*[A-Za-z]?[a-z\d]*", name)
    return found[0] if found else name


def left_out(row: LibraryRow, release: Release) -> list[str]:
    """Lines that list the functions left out. Those whose names begin alike are counted: "_Z* (430), cublas* (16)"."""
    if not release.left_out:
        return []
    groups = Counter(map(_beginning, release.left_out)).most_common()
    listed = [f"{beginning}* ({count})" for beginning, count in groups[:_GROUPS]]
    return [
        f"{row.name} {release.version}: {len(release.left_out)} exported functions are left out: "
        + ", ".join(listed) + (", ..." if len(groups) > _GROUPS else ""),
        f"    No header of {row.name} declares them, and their names begin with none of: {', '.join(row.prefixes)}.",
        f"    If one of them is a C function of {row.name}, add its header or its prefix to the row.",
    ]


def incompatible(folder: Path, version: str) -> list[str]:
    """Lines that name what is not compatible between `version` and the harvested one before it."""
    database = model.load(folder)
    releases = abi_text.by_age(database.versions)
    if version == releases[0]:
        return []
    before = releases[releases.index(version) - 1]
    old, new = database.type_table(before), database.type_table(version)
    gone, unknown = [], []
    changed: dict[str, list[str]] = {}  # by the reason
    for name, function in sorted(database.functions.items()):
        mine, theirs = function.texts.get(before, "?"), function.texts.get(version, "?")
        if function.data_size or before not in function.versions and version not in function.versions:
            continue
        if version not in function.versions:
            gone.append(name)
        elif theirs == "?":
            if mine != "?" or before not in function.versions:
                unknown.append(name)
        elif before in function.versions and mine != "?":
            try:
                reason = layout_compat.prototypes(mine, old, theirs, new)
            except UnknownType:  # the prototype is that of another release, whose headers declare the function
                continue
            if reason:
                changed.setdefault(reason, []).append(name)
    lines = [f"{version} since {before}:"]
    for title, count, entries in (
        ("no longer there", len(gone), gone),
        ("changed incompatibly", sum(map(len, changed.values())),
         [f"{_some(names)}: {reason}" for reason, names in changed.items()]),
        ("no prototype known, see internals.txt", len(unknown), unknown),
    ):
        if entries:
            lines.append(f"  {title}: {count}")
            lines += [f"    {entry}" for entry in entries]
    return lines if len(lines) > 1 else [f"{version} since {before}: nothing changed incompatibly"]


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
