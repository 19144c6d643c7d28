# SPDX-License-Identifier: Apache-2.0
"""The day and the commit of each page."""

from __future__ import annotations

import datetime
import subprocess
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[3]


def today() -> str:
    return datetime.datetime.now(datetime.timezone.utc).date().isoformat()


def commit() -> str:
    """The last one that changed the stubs or the repair."""
    done = subprocess.run(["git", "-C", _ROOT, "log", "-1", "--format=%h", "--", "compat", "loader", "stubs",
                           "packaging/python"], capture_output=True, text=True, check=True)
    return done.stdout.strip()
