# SPDX-License-Identifier: Apache-2.0
"""Puts the folders that tests import from on Python's path. `python3 -m unittest tests/packaging/test_check.py`,
started in the project's root, imports this package first."""

import sys
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[1]
_FOLDERS = ("stubs/tools", "packaging/python", "tools/fetch", "tools/reach", "tests/support/python", "tests/calls",
            "tests/coverage", "tests/memcheck", "tests/packaging", "tests/setups", "tests/tools")
sys.path[:0] = [str(_ROOT / folder) for folder in _FOLDERS]
