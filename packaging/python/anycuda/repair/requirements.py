# SPDX-License-Identifier: Apache-2.0
"""Removes requirements from a wheel's METADATA. Pure."""

from __future__ import annotations

from ..failure import Failure
from ..wheels import metadata as metadata_
from ..wheels import names, requirement


def drop(metadata: bytes, unwanted: list[str]) -> bytes:
    """METADATA without Requires-Dist of these projects. A missing one is an error, since it may be mistyped."""
    fields, rest = metadata_.split(metadata)
    kept, found, known = [], set(), []
    for one in fields:
        parsed = requirement.parse(one.value) if one.name == "requires-dist" else None
        known += [parsed.name] if parsed else []
        hits = [name for name in unwanted if parsed and names.same(name, parsed.name)]
        found.update(hits)
        if not hits:
            kept.append(one.raw)
    for name in unwanted:
        if name not in found:
            raise Failure(f"--drop-requirement {name}: the wheel does not require this project, only "
                          f"{', '.join(known)}: correct the name or leave the option out" if known else
                          f"--drop-requirement {name}: the wheel has no requirements: leave the option out")
    return b"".join(kept) + rest
