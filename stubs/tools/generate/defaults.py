# SPDX-License-Identifier: Apache-2.0
"""What the harvested text leaves open, filled in when a database is loaded."""

import re
from pathlib import Path
from typing import Callable, Optional

from . import abi_text

Internals = list[tuple[frozenset[str], str]]


def driver_messages(path: Path, drivers: list[str]) -> dict[int, str]:
    """Messages of the status values of the driver or NVML, as the drivers say them. CUDA's values newer than every
    harvested driver have the runtime's message: the two agree word for word on all they share."""
    messages: dict[int, str] = {}
    if not drivers:
        return messages
    tables = [abi_text.read_flat(path / "driver_errors.txt", drivers)]
    if path.parent.name == "cuda":
        runtime = path.parents[1] / "cudart" / "abi"
        newest = abi_text.sort_versions(abi_text.read_versions(runtime / "versions.txt"))
        tables.insert(0, abi_text.read_flat(runtime / "errors.txt", newest))
    for table in tables:
        for by in table.values():
            for body in by.values():
                value, _, message = body[0].partition(" ")
                messages[int(value)] = message
    return messages


def opaque_types(path: Path) -> frozenset[str]:
    """`struct S  reason` lines of opaque.txt: types that a program sees in the header and may not look into. `enum E`:
    an enumeration whose values programs do not tell apart, except by their sign."""
    lines = (path / "opaque.txt").read_text(encoding="utf-8").splitlines() if (path / "opaque.txt").exists() else []
    known = set()
    for line in filter(None, (line.partition("#")[0].rstrip() for line in lines)):
        name, _, reason = line.partition("  ")
        if not name.startswith(("struct ", "union ", "enum ")) or not reason.strip():
            raise abi_text.FormatError(f"{path}/opaque.txt: {line!r} must be a type, two blanks and the reason")
        known.add(name)
    return frozenset(known)


def _releases(path: Path) -> str:
    file = path / "releases.txt"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return "".join(line.partition("#")[0].strip() for line in lines)


def served_by(path: Path) -> Optional[Path]:
    """`served by cudnn` of releases.txt: the facts here are those of callers, and what they call has its facts in the
    library of that name beside."""
    match = re.fullmatch(r"served by (\w+)", _releases(path))
    return path.parents[1] / match[1] / "abi" if match else None


def own_releases_of(path: Path) -> tuple[str, ...]:
    """`releases for 11 12 13` of releases.txt: the library's releases are numbered apart from CUDA's, and each is made
    for those majors of CUDA. Empty: its releases are CUDA's."""
    file = (served_by(path) or path) / "releases.txt"
    if not file.exists():
        return ()
    text = _releases(file.parent)
    if not re.fullmatch(r"releases for( \d+)+", text):
        raise abi_text.FormatError(f"{file}: expected one line `releases for 11 12 13`: majors, oldest first")
    return tuple(text.split()[2:])


def complete(
    texts: dict[str, str], internals: Internals, major_of: Callable[[str], str]
) -> tuple[dict[str, str], str]:
    """Prototypes where the headers do not tell, or tell wrong, and where they come from:
    internals.txt goes before the header; for a name that a release's own header does not declare,
    another release of the major speaks (a name keeps its type within a major)."""
    if "?" not in texts.values() and not internals:
        return texts, "header"
    result, source = dict(texts), "header"
    for version, text in texts.items():
        major = major_of(version)
        known = abi_text.internal_body(internals, major)
        if known:
            result[version] = known
            source = "internals"
            continue
        if text != "?":
            continue
        others = [t for v, t in texts.items() if t != "?" and major_of(v) == major]
        if others:
            result[version] = others[-1]
    return result, "unknown" if "?" in result.values() else source
