#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Feeds `anycuda check` and `anycuda repair` with wheels, texts and libraries that are made up. Exit status 1 if one of
these ends otherwise than by a result or a refusal.

    tests/fuzz/run_readers.py --build build/test --seconds 600      each group for ten minutes
    tests/fuzz/run_readers.py --build build/test --seconds 60 zip sbom
    tests/fuzz/run_readers.py --build build/test FILE               a finding again

A finding lies in tests/fuzz/findings/readers/, with its reason beside it. The same seed makes the same inputs.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="GROUP|FILE|FOLDER", help="all groups, if none is named")
    parser.add_argument("--seconds", type=float, default=600, help="per group (600)")
    parser.add_argument("--count", type=int, default=sys.maxsize, help="inputs per group, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "test", help="a build of anycuda")
    arguments = parser.parse_args()
    build = arguments.build.resolve()
    if not (build / "share" / "anycuda" / "installation.json").is_file():
        parser.error(f"--build {build}: the folder has no build of anycuda; run cmake --build --preset test")
    os.environ["ANYCUDA_BUILD"] = str(build)
    sys.path[:0] = [str(build / "share" / "anycuda"), str(HERE / "readers"),
                    *(str(ROOT / "tests" / folder) for folder in ("packaging", "support/python"))]
    sys.dont_write_bytecode = True  # a file of compiled Python would be a finding
    import campaign  # which imports anycuda
    return campaign.main(parser, arguments, HERE / "findings" / "readers")


if __name__ == "__main__":
    sys.exit(main())
