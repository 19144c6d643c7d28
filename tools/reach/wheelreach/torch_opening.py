# SPDX-License-Identifier: Apache-2.0
"""Opens libraries beside PyTorch, and asks the dynamic linker what those lack that do not open."""

from __future__ import annotations

import functools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from anycuda.elf.read import Image

from . import opening

_SCRIPT = Path(__file__).with_name("torch_each.py")
_UNDEFINED = re.compile(r"undefined symbol: ([^\s,]+)(?:, version (\S+))?\s+\((.+)\)")
_NOT_DEFINED = re.compile(r"symbol ([^\s,]+),? version (\S+) not defined in file .* reference\s+\((.+)\)")
_NOT_FOUND = re.compile(r"^\s*(\S+) => not found$", re.MULTILINE)


class OpeningError(Exception):
    pass


class Beside:
    """A folder with PyTorch, and an empty one that the stubs search in place of /."""

    def __init__(self, torch: Path, root: Path):
        self.torch, self.root = torch, root

    def open_all(self, images: dict[str, Image], versions: dict[str, str]
                 ) -> tuple[dict[str, dict[str, Any]], dict[str, list[str]]]:
        """Name -> the result of torch_each.py, and name -> what was opened before it."""
        results: dict[str, dict[str, Any]] = {}

        def run(tasks: list[dict[str, Any]]) -> dict[str, str]:
            done = self.run([{**task, "versions": versions} for task in tasks])
            results.update(done)
            return {name: answer["message"] for name, answer in done.items()}

        first: dict[str, list[str]] = {name: [] for name in images}
        opening.in_order(images, first, run)
        return results, first

    def run(self, tasks: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        with tempfile.TemporaryDirectory(prefix="reach-") as folder:
            tasks_file, results = Path(folder) / "tasks.json", Path(folder) / "results.json"
            tasks_file.write_text(json.dumps({"torch": str(self.torch), "tasks": tasks}))
            done = subprocess.run([opening.LINKER, "--inhibit-cache", Path(sys.executable).resolve(), _SCRIPT,
                                   tasks_file, results], env=opening.environment(self.root), cwd=self.root,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode:
                lines = done.stderr.strip().splitlines()
                raise OpeningError(f"import torch: {lines[-1] if lines else done.returncode}")
            answers: dict[str, dict[str, Any]] = json.loads(results.read_text())
            return answers

    @functools.cache
    def loaded(self) -> list[str]:
        """PyTorch's and NVIDIA's libraries that `import torch` loads."""
        files = self.run([{"name": "torch", "program": "", "site": str(self.root)}])["torch"]["files"]
        return [file for file in files
                if file.startswith(f"{self.torch}/") and file.rpartition("/")[2].startswith("lib")]

    def lacks(self, path: Path, first: list[str], symbols: bool) -> tuple[list[str], list[tuple[str, str]]]:
        """Every library that is not found, and with `symbols` (5 seconds) every (function, version) that `path` lacks,
        with those libraries in the process that PyTorch loads. Nothing of the files runs."""
        warn = {"LD_WARN": "yes"} if symbols else {}
        done = subprocess.run([opening.LINKER, "--inhibit-cache", path], capture_output=True, text=True, cwd=self.root,
                              env={**opening.environment(self.root), **warn, "LD_TRACE_LOADED_OBJECTS": "1",
                                   "LD_PRELOAD": ":".join(self.loaded() + first)})
        return lacks_of(done.stdout + done.stderr, str(path))


def lacks_of(text: str, path: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Of the dynamic linker's trace: libraries that are not found, (function, version) that the file at `path` lacks.
    Functions of Python are in its program, which a trace has not."""
    symbols = [(name, version) for name, version, file in _UNDEFINED.findall(text) + _NOT_DEFINED.findall(text)
               if file == path and not re.match(r"_?Py[A-Z_]", name)]
    return sorted(set(_NOT_FOUND.findall(text))), sorted(set(symbols))
