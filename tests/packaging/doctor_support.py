# SPDX-License-Identifier: Apache-2.0
"""The common parts of the tests of `anycuda doctor`: machines with the real CUDA libraries of the cache, and the
built command run on them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD, artifact, build_file

ROOT = Path(__file__).resolve().parents[2]
COMMAND = build_file("bin/anycuda")
PROGRAMS = BUILD / "tests" / "integration" / "patched"

# Starts a program without root's power over permissions (tests/support/without_rights.cc).
WITHOUT_RIGHTS = (BUILD / "world/anycuda_without_rights", ROOT, BUILD, os.environ.get("ANYCUDA_CACHE", BUILD), "--")

# A driver that works, as far as it is asked.
WORKING = """
#include <string.h>
int cuDriverGetVersion(int* version) { *version = 12090; return 0; }
int cuInit(unsigned flags) { return 0; }
int cuDeviceGetCount(int* count) { *count = COUNT; return 0; }
int cuDeviceGet(int* device, int number) { *device = number; return 0; }
int cuDeviceGetName(char* name, int size, int device) { strncpy(name, "Test GPU", size); return 0; }
int cuDeviceGetAttribute(int* value, int what, int device) { *value = what == 75 ? 9 : 0; return 0; }
int cuDeviceTotalMem_v2(unsigned long* size, int device) { *size = 8UL << 30; return 0; }
"""


def with_core(source: str, count: int = 1) -> str:
    """Adds the required functions, without which the search refuses a file as a driver."""
    names = json.loads((ROOT / "stubs/cuda/library.json").read_text())["required_symbols"]
    rest = "".join(f"int {name}(void) {{ return 0; }}\n" for name in names if f"{name}(" not in source)
    return source.replace("COUNT", str(count)) + rest


def library_file(name: str, release: str) -> Path:
    """cudart, 12.9 -> .../libcudart.so.12 in the cache."""
    prefix = json.loads((ROOT / "stubs" / name / "library.json").read_text())["file_prefix"]
    found = artifact(f"{name}-{release}").rglob(f"{prefix}.*")
    return next(path for path in sorted(found) if not path.is_symlink() and ".alt." not in path.name)


def place(source: Path, target: Path) -> None:
    """A second name of the cache's file, which tests must not write to; a copy on another file system."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source.resolve(), target)
    except OSError:
        shutil.copy(source, target)


class Machine:
    """A folder that stands for "/", with an environment of Python in it."""

    before: tuple[str | Path, ...] = ()  # what starts the programs

    def __init__(self, test: unittest.TestCase) -> None:
        folder = tempfile.TemporaryDirectory(prefix="doctor-")
        test.addCleanup(folder.cleanup)
        self.root = Path(folder.name).resolve()
        self.venv = self.root / "venv"
        self.site = self.venv / f"lib/python3.{sys.version_info[1]}" / "site-packages"
        self.site.mkdir(parents=True)
        (self.root / "home").mkdir()
        (self.root / "run").mkdir(mode=0o700)
        # A virtual environment of the Python that runs the tests: what is in VIRTUAL_ENV is of no matter to a Python.
        real = Path(sys.executable).resolve()
        (self.venv / "bin").mkdir()
        self.python: str | Path = self.venv / "bin/python"
        self.python.symlink_to(real)
        (self.venv / "pyvenv.cfg").write_text(f"home = {real.parent}\n")
        self.variables = {"ANYCUDA_SYSTEM_ROOT": str(self.root), "VIRTUAL_ENV": str(self.venv),
                          "HOME": str(self.root / "home"), "PATH": "/usr/bin:/bin",
                          "XDG_RUNTIME_DIR": str(self.root / "run")}
        if os.environ.get("ANYCUDA_FENCE"):  # this computer has CUDA: tests/support/README.md
            self.variables |= {"LD_AUDIT": os.environ["ANYCUDA_FENCE"], "ANYCUDA_TEST_FENCE": str(self.root)}

    def wheel(self, library: str, release: str) -> Machine:
        """As pip leaves it, with the metadata that names the file's owner."""
        folder = artifact(f"{library}-{release}")
        note = json.loads((folder / ".anycuda-piece.json").read_text())
        stem = next(text for text in _texts(note) if text.endswith(".whl"))
        name, version = stem.split("-")[:2]
        files = [path for path in sorted((folder / "nvidia").rglob("*.so*")) if not path.is_dir()]
        record = []
        for path in files:
            inside = path.relative_to(folder)
            place(path, self.site / inside)
            record.append(f"{inside},,\n")
        about = self.site / f"{name}-{version}.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n")
        (about / "RECORD").write_text("".join([*record, f"{about.name}/METADATA,,\n", f"{about.name}/RECORD,,\n"]))
        return self

    def driver(self, branch: int) -> Machine:
        for path in artifact(f"driver-{branch}").glob("*.so*"):
            place(path, self.system / path.name)
        return self

    def fake_driver(self, source: str) -> Machine:
        """A libcuda.so.1 made of C."""
        return self.library(self.system / "libcuda.so.1", source, "libcuda.so.1")

    def library(self, path: Path, source: str, soname: str, *options: str) -> Machine:
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            raise unittest.SkipTest("no C compiler")
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", path, f"-Wl,-soname,{soname}", *options],
                       input=source, text=True, check=True)
        return self

    def as_ordinary_user(self) -> Machine:
        """Programs that run from now on have no right to what their files' permissions deny, not even root's."""
        self.before = WITHOUT_RIGHTS
        return self

    def env(self, **variables: str) -> Machine:
        self.variables.update(variables)
        return self

    @property
    def system(self) -> Path:
        return self.root / "usr/lib/x86_64-linux-gnu"

    def run(self, command: list, **options) -> subprocess.CompletedProcess:
        return subprocess.run([*map(str, (*self.before, *command))], capture_output=True, text=True, cwd=self.root,
                              env=self.variables, timeout=120, **options)

    def doctor(self, *arguments: str, command: Path | None = None) -> subprocess.CompletedProcess:
        return self.run([self.python, command or COMMAND, "doctor", *arguments])

    def json_report(self, *arguments: str) -> dict:
        """The report as JSON; with the exit status in `status`."""
        done = self.doctor("--json", *arguments)
        if done.stderr or done.returncode not in (0, 1):
            raise AssertionError(f"status {done.returncode}: {done.stderr}")
        return {**json.loads(done.stdout), "status": done.returncode}


def _texts(value) -> list[str]:
    if isinstance(value, dict):
        return [text for part in (*value.keys(), *value.values()) for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return [value] if isinstance(value, str) else []


def library(report: dict, name: str) -> dict:
    return next(one for one in report["libraries"] if one["name"] == name)


def taken(report: dict, name: str = "cudart") -> dict[str, str]:
    """caller -> the name of the file that it gets, "" for none."""
    return {caller: Path(answer["path"]).name for caller, answer in library(report, name)["answers"].items()}


def decisions(report: dict, caller: str, name: str = "cudart") -> dict[str, str]:
    """file -> verdict for that caller, or what is wrong with the file."""
    return {Path(one["path"]).name: one["decisions"][caller]["verdict"] or one["state"]
            for one in library(report, name)["candidates"]}
