#!/usr/bin/env python3
"""Fetches the real CUDA pieces (and a few tools) that building, testing and measuring needs.

    python3 pieces/fetch.py get SET|PIECE... [--format text|cmake] [--strict] [--skip PIECE]
    python3 pieces/fetch.py list | path PIECE | lock

See README.md beside this file.
"""

import sys

if sys.version_info < (3, 11):
    sys.exit(
        f"pieces/fetch.py: needs Python 3.11 or newer, this is {sys.version.split()[0]}: "
        "install a newer python3 (Debian 12 and later have it)"
    )

from pathlib import Path  # noqa: E402  (the version check must come first)

sys.path.insert(0, str(Path(__file__).resolve().parent))

from anycuda_pieces.cli import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main())
