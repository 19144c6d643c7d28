# SPDX-License-Identifier: Apache-2.0
"""The doctor's facts in JSON files: hints, the commands of package managers, kinds of containers."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any


@functools.cache
def read(name: str) -> Any:
    return json.loads(Path(__file__).with_name(f"{name}.json").read_text(encoding="utf-8"))
