# SPDX-License-Identifier: Apache-2.0
"""The program to run, and the facts about it that decide whether the dynamic linker uses the environment."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..elf import ElfError, NotElf, lookup, read
from . import search_paths
from .search_paths import SearchPath

_SCRIPTS = 4  # nested script interpreters, as many as the kernel follows


@dataclass(frozen=True)
class Program:
    """`file`: the file that the kernel runs; for a script, its interpreter. `machine`: "" if unreadable. `problem`: why
    the dynamic linker does not load it, or "". `search`: the search paths that precede LD_LIBRARY_PATH; `run_path`: the
    program's DT_RUNPATH, which follows it."""

    path: Path
    file: Path
    interpreter: str = ""
    machine: str = ""
    problem: str = ""
    privileged: bool = False
    search: tuple[SearchPath, ...] = ()
    run_path: tuple[Path, ...] = ()


def find(name: str, variables: Mapping[str, str]) -> Path | None:
    """The program that a shell would find; without one, a file of that name that is not executable."""
    if "/" in name:
        return Path(name) if os.path.lexists(name) else None
    folders = variables.get("PATH", os.defpath)
    file = shutil.which(name, path=folders) or shutil.which(name, mode=os.F_OK, path=folders)
    return Path(file) if file else None


def why_not(path: Path) -> str:
    """Why the file is not a program. A pipe is not opened, since that may block forever."""
    if os.path.isdir(path):
        return "a folder"
    return "not a regular file" if os.path.exists(path) and not os.path.isfile(path) else "not executable"


def examine(path: Path, variables: Mapping[str, str]) -> Program:
    program = Program(path, path)
    for _ in range(_SCRIPTS):
        shebang = _interpreter(program.file)
        if not shebang:
            break
        interpreter = find(shebang[0], variables)
        program = replace(program, interpreter=shebang[0])
        if interpreter is None:
            return replace(program, problem="its interpreter is missing")
        program = replace(program, file=_behind_env(interpreter, shebang, variables))
    try:
        image = read.read(program.file)
    except NotElf:
        return replace(program, problem="it is not an ELF program")
    except ElfError as error:
        if not os.access(program.file, os.R_OK):  # it may be executable nevertheless
            return program
        text = str(error).replace(f"{program.file}: ", "")
        return replace(program, machine="32-bit machines") if "32-bit" in text else replace(program, problem=text)
    return replace(program, machine=image.machine, privileged=_is_privileged(program.file),
                   search=search_paths.find(program.file, image, variables),
                   run_path=lookup.folders(image.runpath, program.file))


def _interpreter(path: Path) -> list[str]:
    """The words after #!"""
    if not os.path.isfile(path):
        return []
    try:
        with open(path, "rb") as file:
            line = file.readline(256)
    except OSError:
        return []
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []


def _behind_env(env: Path, shebang: list[str], variables: Mapping[str, str]) -> Path:
    """The program that env starts: #!/usr/bin/env python3"""
    named = [word for word in shebang[1:] if not word.startswith("-") and "=" not in word]
    behind = find(named[0], variables) if env.name == "env" and named else None
    return behind or env


def _is_privileged(path: Path) -> bool:
    """Does it run with another user's rights? The kernel then tells the dynamic linker to ignore variables
    (AT_SECURE)."""
    status = path.stat()
    if status.st_mode & stat.S_ISUID and status.st_uid != os.getuid():
        return True
    if status.st_mode & stat.S_ISGID and status.st_gid != os.getgid():
        return True
    try:
        return os.getuid() != 0 and bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False
