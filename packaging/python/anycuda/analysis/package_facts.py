# SPDX-License-Identifier: Apache-2.0
"""The facts of packages.json about packages on PyPI, which explains its fields."""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Facts:
    with_cudas_version: frozenset[str]
    plain_since_13: frozenset[str]
    of_unstubbed: dict[str, str]
    of_prefix: dict[str, str]


@functools.cache
def facts() -> Facts:
    text = json.loads(Path(__file__).with_name("packages.json").read_text(encoding="utf-8"))
    return Facts(frozenset(text["with_cudas_version"]), frozenset(text["plain_since_13"]), text["of_unstubbed"],
                 text["of_prefix"])
