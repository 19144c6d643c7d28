# SPDX-License-Identifier: Apache-2.0
"""The program that is to be run, and what in it decides whether the dynamic linker heeds the environment."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ..elf import ElfError, NotElf, read
from . import search_paths
from .search_paths import SearchPath

_SCRIPTS = 4  # a script may be run by a script, as deep as the kernel follows


@dataclass(frozen=True)
class Program:
    """`file` is what the kernel runs: of a script its interpreter. `machine` is "" where that cannot be read.
    `problem`: why the dynamic linker has no part in it, "" if it has. `search`: what comes before LD_LIBRARY_PATH."""

    path: Path
    file: Path
    interpreter: str = ""
    machine: str = ""
    problem: str = ""
    privileged: bool = False
    search: tuple[SearchPath, ...] = ()


def find(name: str, variables: Mapping[str, str]) -> Path | None:
    """As a shell finds it; a file that is not executable too, if nothing else is there."""
    if "/" in name:
        return Path(name) if os.path.lexists(name) else None
    folders = variables.get("PATH", os.defpath)
    found = shutil.which(name, path=folders) or shutil.which(name, mode=os.F_OK, path=folders)
    return Path(found) if found else None


def why_not(path: Path) -> str:
    """A pipe is none too: whoever opens it to look waits for ever."""
    if os.path.isdir(path):
        return "a folder"
    return "no regular file" if os.path.exists(path) and not os.path.isfile(path) else "not executable"


def about(path: Path, variables: Mapping[str, str]) -> Program:
    program = Program(path, path)
    for _ in range(_SCRIPTS):
        words = _interpreter(program.file)
        if not words:
            break
        found = find(words[0], variables)
        program = replace(program, interpreter=words[0])
        if found is None:
            return replace(program, problem="its interpreter is missing")
        program = replace(program, file=_behind_env(found, words, variables))
    try:
        image = read.read(program.file)
    except NotElf:
        return replace(program, problem="it is no ELF program")
    except ElfError as error:
        if not os.access(program.file, os.R_OK):  # which need not keep anybody from running it
            return program
        text = str(error).replace(f"{program.file}: ", "")
        return replace(program, machine="32-bit machines") if "32-bit" in text else replace(program, problem=text)
    return replace(program, machine=image.machine, privileged=_is_privileged(program.file),
                   search=search_paths.of(program.file, image, variables))


def _interpreter(path: Path) -> list[str]:
    """The words behind #!"""
    if not os.path.isfile(path):
        return []
    try:
        with open(path, "rb") as file:
            line = file.readline(256)
    except OSError:
        return []
    return os.fsdecode(line[2:]).split() if line.startswith(b"#!") else []


def _behind_env(found: Path, words: list[str], variables: Mapping[str, str]) -> Path:
    """#!/usr/bin/env python3"""
    named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    behind = find(named[0], variables) if found.name == "env" and named else None
    return behind or found


def _is_privileged(path: Path) -> bool:
    """With another's rights: the kernel says so to the dynamic linker (AT_SECURE), which then trusts no variable."""
    about_file = path.stat()
    if about_file.st_mode & stat.S_ISUID and about_file.st_uid != os.getuid():
        return True
    if about_file.st_mode & stat.S_ISGID and about_file.st_gid != os.getgid():
        return True
    try:
        return os.getuid() != 0 and bool(os.getxattr(path, "security.capability"))
    except OSError:
        return False
