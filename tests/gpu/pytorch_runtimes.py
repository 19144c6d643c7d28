# SPDX-License-Identifier: Apache-2.0
"""Which CUDA runtimes a process has."""

from pathlib import Path

# The first symbol version of every stub and drop-in: a drop-in has a real runtime's name.
STUB_MARK = b"ANYCUDA_NATIVE"


def runtimes(maps: Path = Path("/proc/self/maps")) -> list[str]:
    """The mapped files that are CUDA runtimes by their names and are not stubs."""
    fields = (line.split(maxsplit=5) for line in maps.read_text().splitlines())
    files = {line[5] for line in fields if len(line) == 6 and "libcudart" in Path(line[5]).name}
    return sorted(file for file in files if STUB_MARK not in Path(file).read_bytes())
