#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fetches the real CUDA artifacts (and a few tools) that building, testing and measuring needs.

    python3 tools/fetch/fetch.py get SET|ARTIFACT... [--format text|cmake] [--strict] [--skip ARTIFACT]
    python3 tools/fetch/fetch.py list | path ARTIFACT | lock

See README.md beside this file.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        f"tools/fetch/fetch.py: needs Python 3.11 or newer, this is {sys.version.split()[0]}: "
        "install a newer python3 (Debian 12 and later have it)"
    )

from pathlib import Path  # noqa: E402  (the version check must come first)

sys.path.insert(0, str(Path(__file__).resolve().parent))

from artifacts.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
