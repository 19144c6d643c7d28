# SPDX-License-Identifier: Apache-2.0
"""Removes requirements from a wheel's METADATA. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..failure import Failure
from ..wheels import metadata as metadata_
from ..wheels import names, requirement


def drop(metadata: bytes, unwanted: Sequence[str]) -> bytes:
    """METADATA without Requires-Dist of these projects. A missing one is an error, since it may be mistyped."""
    fields, rest = metadata_.split(metadata)
    kept, dropped, required = [], set(), []
    for field in fields:
        parsed = requirement.parse(field.value) if field.name == "requires-dist" else None
        required += [parsed.name] if parsed else []
        hits = [name for name in unwanted if parsed and names.same(name, parsed.name)]
        dropped.update(hits)
        if not hits:
            kept.append(field.raw)
    for name in unwanted:
        if name not in dropped:
            raise Failure(f"--drop-requirement {name}: the wheel does not require this project, only "
                          f"{', '.join(required)}: correct the name or leave the option out" if required else
                          f"--drop-requirement {name}: the wheel has no requirements: leave the option out")
    return b"".join(kept) + rest
