# SPDX-License-Identifier: Apache-2.0
"""The process that starts on a machine, and which libcudart it then has mapped: by the stub, the dynamic linker or
cuda-pathfinder ("anycuda", "linker", "pathfinder")."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from machine import Machine
from parts import PROGRAM, STUB, artifact, compiled, patchelf

NAMES = ("libcudart.so.11.0", "libcudart.so.12", "libcudart.so.13")
_PYTHON = """
import ctypes, sys
asked, stub, pathfinder, names, before, after = sys.argv[1:]
exec(before)
if asked == "anycuda":
    ctypes.CDLL(stub).cudaPeekAtLastError()
    if "/libcudart.so." not in open("/proc/self/maps").read():
        sys.exit()  # what is loaded later is not the stub's pick
elif asked == "linker":
    for name in names.split():
        try:
            ctypes.CDLL(name)
        except OSError:
            pass
else:
    sys.path.append(pathfinder)
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib
    try:
        load_nvidia_dynamic_lib("cudart")
    except DynamicLibNotFoundError:
        pass
exec(after)
print(open("/proc/self/maps").read())
"""


@dataclass
class Python:
    """A Python that calls the stub through ctypes. `command` is its path on the machine, or a bare name for PATH."""

    command: str
    options: tuple[str, ...] = ()
    before: str = ""  # code that runs before the first call,
    after: str = ""  # and after it
    folder: str = "~"
    runner: tuple[str, ...] = ()  # what starts it

    def ask(self, machine: Machine, asked: str) -> list[str]:
        command = self.command if "/" not in self.command else str(machine.at(self.command))
        return _mapped(machine, self.folder, [
            # The shell looks the name up in the machine's PATH.
            "/bin/sh", "-c", 'exec "$@"', "sh", *self.runner, command, *self.options, "-c", _PYTHON,
            asked, str(STUB), str(artifact("cuda-pathfinder")), " ".join(NAMES), self.before, self.after])


@dataclass
class Program:
    """A C++ program built for CUDA 12 whose libcudart.so.12 was replaced by the stub, with its own run path."""

    path: str = "/opt/app/bin/app"
    rpath: str = ""
    runpath: str = ""
    link: str = ""  # starts it; relative to `folder`
    folder: str = "~"

    def ask(self, machine: Machine, asked: str) -> list[str] | None:
        if asked == "pathfinder":
            return None
        is_ours = asked == "anycuda"
        file = machine.at(self.path if is_ours else self.path + "-linked")
        file.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PROGRAM if is_ours else compiled("linker_program.c"), file)
        run_path = [str(STUB.parent)] if is_ours else []
        for entry in filter(None, (self.rpath or self.runpath).split(":")):
            run_path.append(entry if entry.startswith("$") else str(machine.at(entry)))
        patchelf("--remove-rpath", file)
        patchelf(*(["--force-rpath"] if self.rpath else []), "--set-rpath", ":".join(run_path), file)
        if not is_ours:
            return _mapped(machine, "~", [str(file), *NAMES])
        out = _run(machine, self.folder, [self.link or str(file), "peek", "loaded:libcudart.so"])
        loaded = re.search(r"^loaded: (.*)$", out, re.M)[1]
        return [str(Path(path).resolve()) for path in re.findall(r"/.*?/libcudart\.so[.\d]*", loaded)]


def _run(machine: Machine, folder: str, command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, cwd=machine.at(folder), env=machine.variables,
                          timeout=60)
    if done.returncode != 0:
        raise AssertionError(f"{command[:6]}: status {done.returncode}: {done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def _mapped(machine: Machine, folder: str, command: list[str]) -> list[str]:
    found = re.findall(r"^(?:\S+ +){5}(/.*/libcudart\.so[.\d]*)$", _run(machine, folder, command), re.M)
    return list(dict.fromkeys(found))
