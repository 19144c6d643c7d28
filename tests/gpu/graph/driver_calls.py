# SPDX-License-Identifier: Apache-2.0
"""The driver functions that a static library calls, for gate.cc: `DRIVER_CALL(cuGraphCreate)`, a line each.

    python3 driver_calls.py NM LIBRARY OUTPUT
"""

import re
import subprocess
import sys
from pathlib import Path

# More than six parameters: gate.cc cannot hand it on. A launch fails by itself if its parameters are wrong.
TOO_LONG = {"cuLaunchKernel"}


def main() -> int:
    nm, library, output = sys.argv[1:]
    listed = subprocess.run([nm, "-u", library], check=True, capture_output=True, text=True).stdout
    names = set(re.findall(r"^\s*U (cu[A-Z]\w*)$", listed, re.MULTILINE)) - TOO_LONG
    if not names:
        print(f"{library} calls no driver function", file=sys.stderr)
        return 1
    Path(output).write_text("".join(f"DRIVER_CALL({name})\n" for name in sorted(names)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
