# SPDX-License-Identifier: Apache-2.0
"""Opens the libraries of an unpacked wheel in a situation.

The dynamic linker runs with --inhibit-cache, so that it finds no CUDA that is installed on this computer: it searches
the files' own paths and the system's standard folders only."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Callable

from anycuda.elf.read import Image

from . import dlopen_errors
from .options import THIS

LINKER = "/lib64/ld-linux-x86-64.so.2"
_SCRIPT = Path(__file__).with_name("open_each.py")
Run = Callable[[list[dict[str, Any]]], dict[str, str]]  # tasks -> name -> message
_PYTHONS = re.compile(r"undefined symbol: _?Py[A-Z_]\w*\s")
_SECONDS = 300
_ROUNDS = 12  # how many other libraries a file may need opened first


def open_all(images: dict[str, Image], root: Path, helpers: dict[str, Image] | None = None, after: tuple[str, ...] = (),
             python: Path = THIS.file) -> dict[str, str]:
    """name -> message, "" where it opens. The message of a file whose own code ends the process has BOUND behind it
    where the dynamic linker finds everything that the file needs. `helpers`: the libraries of the packages beside the
    wheel; `after`: the names of those that are opened before every library; `python`: the interpreter that opens
    all."""
    helpers = helpers or {}
    before = [str(helpers[name].path) for name in after]
    first: dict[str, list[str]] = {name: list(before) for name in images}
    results = in_order(images, first, lambda tasks: _run(tasks, root, python), helpers)
    for name, message in results.items():
        if dlopen_errors.is_fault_in(message, images.values()) and _links(images[name].path, first[name], root):
            results[name] = message + dlopen_errors.BOUND
    return results


def in_order(images: dict[str, Image], first: dict[str, list[str]], run: Run, helpers: dict[str, Image] | None = None
             ) -> dict[str, str]:
    """name -> message. A library that lacks another one of the same wheel or of `helpers`, or a symbol of one, is
    opened again after that one, as the wheel's Python code does; `first` becomes name -> what is opened before it."""
    # The wheel's own library comes first where a package beside it has one of the same name.
    known = [*images.values(), *(helpers or {}).values()]
    by_file = {image.path.name: image for image in reversed(known)}
    by_symbol: dict[str, Image] = {}
    for image in known:
        for symbol in image.exports():
            by_symbol.setdefault(symbol.name, image)
    results: dict[str, str] = {}
    todo = list(images)
    for _ in range(_ROUNDS):
        results |= run([{"name": name, "path": str(images[name].path), "first": first[name]} for name in todo])
        again = []
        for name in todo:
            lacks = dlopen_errors.parse(results[name]) if results[name] else None
            other = lacks and (by_file.get(lacks.what) if lacks.kind == "library" else
                               by_symbol.get(lacks.what) if lacks.kind == "symbol" else None)
            if other and other.path != images[name].path and str(other.path) not in first[name]:
                first[name].insert(0, str(other.path))
                again.append(name)
        todo = again
        if not todo:
            break
    return results


def runtime(stub: Path, root: Path) -> str:
    """The runtime that a stub opens, by its file's name."""
    return _run([{"name": "stub", "path": str(stub), "first": [], "ask": True}], root)["stub"]


def _links(path: Path, first: list[str], root: Path) -> bool:
    """Does the dynamic linker find each library and function? Nothing of the file runs."""
    # LD_PRELOAD cannot hold blanks and colons, which the folder of the cache may have in its name.
    folder = os.path.commonpath([path.parent, *map(os.path.dirname, first)])
    before = [f"./{os.path.relpath(library, folder)}" for library in first]
    try:
        done = subprocess.run([LINKER, "--inhibit-cache", path], capture_output=True, text=True, cwd=folder,
                              timeout=_SECONDS, env={**environment(root), "LD_TRACE_LOADED_OBJECTS": "1",
                                                     "LD_WARN": "yes", "LD_PRELOAD": ":".join(before)})
    except subprocess.TimeoutExpired:
        return False
    return not done.returncode and is_bound(done.stdout + done.stderr)


def is_bound(trace: str) -> bool:
    """Of the dynamic linker's trace. Functions of Python are in its program, which a trace has not."""
    lines = [line for line in trace.splitlines() if not _PYTHONS.search(line)]
    return not any(words in line for line in lines for words in ("not found", "undefined symbol", "not defined"))


def environment(root: Path) -> dict[str, str]:
    return {"ANYCUDA_SYSTEM_ROOT": str(root), "HOME": str(root / "home"), "PATH": "/usr/bin:/bin", "LD_BIND_NOW": "1",
            "ANYCUDA_LOG": "off"}


def _run(tasks: list[dict[str, Any]], root: Path, python: Path = THIS.file) -> dict[str, str]:
    with tempfile.TemporaryDirectory(prefix="reach-") as folder:
        tasks_file, results = Path(folder) / "tasks.json", Path(folder) / "results.json"
        tasks_file.write_text(json.dumps(tasks))
        subprocess.run([LINKER, "--inhibit-cache", python, _SCRIPT, tasks_file, results],
                       env=environment(root), cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True)
        messages: dict[str, str] = json.loads(results.read_text())
        return messages
