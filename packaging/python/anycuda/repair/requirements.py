"""Requirements of a wheel's METADATA, some of them taken out. Pure."""

from __future__ import annotations

import re

from ..failure import Failure
from ..wheels import names


def drop(metadata: bytes, unwanted: list[str]) -> bytes:
    """Without the Requires-Dist of these projects; one that is not there is an error, since it may be mistyped."""
    head, gap, body = metadata.partition(b"\n\n")
    kept, found, known = [], set(), []
    for line in head.split(b"\n"):
        match = re.match(rb"Requires-Dist:\s*([A-Za-z0-9._-]+)", line, re.I)
        name = match[1].decode("ascii") if match else ""
        known += [name] if name else []
        hits = [one for one in unwanted if name and names.same(one, name)]
        found.update(hits)
        if not hits:
            kept.append(line)
    for name in unwanted:
        if name not in found:
            raise Failure(f"--drop-requirement {name}: the wheel requires {', '.join(known) or 'nothing'}")
    return b"\n".join(kept) + gap + body
