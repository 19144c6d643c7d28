# SPDX-License-Identifier: Apache-2.0
"""What a release changed that matters to programs built for another one, by name."""

from pathlib import Path

from generate import abi_text, layout_compat, model

from .merge import Database


def status_values(database: Database, enumeration: str) -> dict[str, int]:
    """Every status value that any release's headers define."""
    prefix = enumeration.removeprefix("enum ") + "."
    values: dict[str, int] = {}
    for key, by in database.tables["enums"].items():
        if key.startswith(prefix):
            newest = abi_text.sort_versions(by)[-1]
            values[key.removeprefix(prefix)] = int(by[newest][0])
    return values


def incompatible(folder: Path, version: str) -> list[str]:
    """Lines that name what is not compatible between `version` and the harvested one before it."""
    database = model.load(folder)
    earlier = [v for v in database.versions if abi_text.version_key(v) < abi_text.version_key(version)]
    if not earlier:
        return []
    before = earlier[-1]
    old, new = database.type_table(before), database.type_table(version)
    gone, changed, unknown = [], [], []
    for name, function in sorted(database.functions.items()):
        mine, theirs = function.texts.get(before, "?"), function.texts.get(version, "?")
        if before not in function.versions and version not in function.versions:
            continue
        if version not in function.versions:
            gone.append(name)
        elif theirs == "?":
            if mine != "?" or before not in function.versions:
                unknown.append(name)
        elif before in function.versions and mine != "?":
            reason = layout_compat.prototypes(mine, old, theirs, new)
            if reason:
                changed.append(f"{name}: {reason}")
    lines = [f"since {before}:"]
    for title, names in (
        ("no longer there", gone),
        ("changed incompatibly", changed),
        ("no prototype known, see internals.txt", unknown),
    ):
        if names:
            lines.append(f"  {title}: {len(names)}")
            lines += [f"    {name}" for name in names]
    return lines if len(lines) > 1 else [f"since {before}: nothing changed incompatibly"]
