# SPDX-License-Identifier: Apache-2.0
"""docs/setups.md, from the picks on the machines."""

from __future__ import annotations

from row import NOTES, Setup

_HEAD = """# Set-ups: what is picked, and why

Each row of the tables is a set-up: a machine that the tests build with real CUDA libraries and drivers, and a process
that starts on this machine. The process is a C++ program that was built for CUDA 12, if the set-up says "C++ program".
Otherwise it is a Python interpreter that calls `libcudart_stub.so` through ctypes. Three columns show CUDA runtimes:

- *anycuda*: the CUDA runtime of the process after its first call through the stub
- *dynamic linker*: the files that the dynamic linker opens for `libcudart.so.11.0`, `.12` and `.13`, in a second
  process of the same kind
- *cuda-pathfinder*: the file that NVIDIA's `cuda-pathfinder` {pathfinder} (`load_nvidia_dynamic_lib("cudart")`)
  loads, in a third process of the same kind (`-`: the process is not Python)

In these columns, `none` means that the result is empty. If the process of a row imports torch, each column lists the
runtimes that are loaded at the end.

Read the cells of these columns as follows:

- `12.9 wheel ~/app/.venv`: the library of CUDA 12.9 in NVIDIA's wheel, installed in the environment `~/app/.venv`, in
  its folder `site-packages`
- `12.9 wheel ~/app/libs`, where `~/app/libs` is a folder that PYTHONPATH or a .pth file adds to `sys.path`: the same,
  but the wheel is installed directly in this folder
- a path that ends in `lib` or `x86_64-linux-gnu`: the folder that holds the library
- any other path, such as `12.9 /usr/local/cuda-12.9`: the folder of a toolkit, which holds the library in
  `targets/x86_64-linux/lib`

A set-up may have a toolkit that is not in `ld.so.cache`: then the set-up does not mention `ld.so.cache`, and the column
*dynamic linker* does not show the toolkit.

The last column states why anycuda's stub uses the runtime in the column *anycuda*. A number in brackets in the last
column refers to [the list below](#why-the-others-differ), which states why the dynamic linker or cuda-pathfinder finds
another file or none.

The column *made by* names the tool that made the environment. A *replica* is a copy of the layout, made by the tests:

- conda and pixi are not on PyPI: the tests put their own Python into a prefix like conda's, with conda's DT_RPATH, a
  folder `lib/python3.11` and a folder `conda-meta`
- pipx and Poetry need a package index: the tests run the tool that pipx or Poetry calls (`python -m venv`,
  virtualenv), in the folders that pipx or Poetry would use
- a container, WSL or Jetson consists of the files, variables and `ld.so.conf` of its image, with files for x86_64

The CUDA libraries, their wheels' metadata and the drivers are real in every row. [search.md](search.md) has the rules.

The root of a machine is a folder. `ANYCUDA_SYSTEM_ROOT` makes this folder the stub's `/`. An `LD_AUDIT` library makes
it the dynamic linker's `/` when the dynamic linker searches for CUDA in `/etc/ld.so.cache` (written by the real
`ldconfig`) and in the system's folders.

A test writes this page: `ANYCUDA_UPDATE_PAGE=1 ctest --preset test -R python.test_setups`. The expected
results and the reasons are in `tests/setups/`. The test fails if a result differs.
"""
_TABLE = """
| row | set-up | made by | anycuda | dynamic linker | cuda-pathfinder | the stub's reason; why the others differ |
|---|---|---|---|---|---|---|
"""


def differs(setup: Setup, picks: dict[str, str]) -> bool:
    return any(picks[other] not in (picks["anycuda"], "-") for other in ("linker", "pathfinder"))


def markdown(rows: list[tuple[Setup, dict[str, str]]], pathfinder: str) -> str:
    """`rows`: each set-up with its picks."""
    text, group = _HEAD.format(pathfinder=pathfinder), ""
    for number, (setup, picks) in enumerate(rows, 1):
        if setup.group != group:
            group = setup.group
            text += f"\n## {group}\n{_TABLE}"
        cells = [_code(picks[asked]) for asked in ("anycuda", "linker", "pathfinder")]
        reason = " ".join(filter(None, (setup.why, setup.differs.replace("][", "] ["))))
        text += f"| {' | '.join([str(number), setup.name, setup.made, *cells, reason])} |\n"
    return text + "\n## Why the others differ\n\n" + "".join(
        f"- {name} {note}\n" for name, note in NOTES.items())


def _code(picks: str) -> str:
    return picks if picks in ("-", "none") else "<br>".join(f"`{pick}`" for pick in picks.split("; "))
