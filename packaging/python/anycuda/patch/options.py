# SPDX-License-Identifier: Apache-2.0
"""The options of `anycuda patch`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Options:
    """`folders`: those of --rpath. `built_for`: "" if not given."""

    folders: tuple[str, ...] = ()
    built_for: str = ""
    copy_stubs: bool = False
    open_at_load: bool = False
    undo: bool = False
    output: Path | None = None
    dry_run: bool = False
    files: tuple[Path, ...] = ()
