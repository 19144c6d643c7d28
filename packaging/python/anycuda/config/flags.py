# SPDX-License-Identifier: Apache-2.0
"""Compiler and linker flags for one CUDA major, quoted for a shell."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..elf.errors import ElfError
from ..elf.read import read
from ..failure import Failure
from ..installation import Installation

MAJORS = ("11", "12", "13")
# Compilers search these by default; a flag would give their other content precedence over the project's folders.
_SYSTEM_INCLUDES = (Path("/usr/include"), Path("/usr/local/include"))


@dataclass(frozen=True)
class Options:
    """`folders`: by the names of installation.json. `flags`: the options for flags. `major`, `libraries`: empty if
    not given."""

    folders: tuple[str, ...]
    flags: tuple[str, ...]
    major: str
    libraries: tuple[str, ...]


def check(options: Options) -> None:
    """Raises Failure if an option lacks another one that it needs."""
    if options.flags and not options.major:
        raise Failure("--cflags, --libs and --rpath need the CUDA major of the headers that you compile with: "
                      "anycuda config --cflags --libs 12")
    if not options.flags and (options.major or options.libraries):
        raise Failure("MAJOR and --library need an option that prints flags: add --cflags, --libs or --rpath")
    if options.libraries and "--libs" not in options.flags:
        raise Failure("--library selects the libraries for --libs, which is missing; the other flags are the same for "
                      "every library: add --libs, or leave out --library")


def cflags(installed: Installation, major: str, _: list[str]) -> list[str]:
    folder = installed.folder("include")
    include = [] if folder in _SYSTEM_INCLUDES else [f"-I{folder}"]
    return [*include, f"-DANYCUDA_BUILT_FOR={major}"]


def libs(installed: Installation, major: str, libraries: list[str]) -> list[str]:
    """Linker flags. Programs link the stubs of the driver, NCCL and others directly, since these record no major."""
    folders: list[str] = []
    names: list[str] = []
    for library in libraries:
        file = _linker_file(installed, library, major)
        folder = f"-L{file.parent}"
        folders += [folder] if folder not in folders else []
        names.append(f"-l{file.stem[len('lib'):]}")
    return folders + names


def rpath(installed: Installation, _: str, __: list[str]) -> list[str]:
    return [f"-Wl,-rpath,{installed.folder('stubs')}"]


def line(parts: Iterable[list[str]]) -> str:
    return " ".join(shlex.quote(flag) for part in parts for flag in part)


def _linker_file(installed: Installation, library: str, major: str) -> Path:
    """The file to link with: .../link/12/libnvJitLink.so for nvjitlink"""
    here = _by_library(installed.folder("link") / major)
    if library in here:
        return here[library]
    others = [other for other in MAJORS if other != major and library in _by_library(installed.folder("link") / other)]
    if others:
        raise Failure(f"this anycuda has no {library} for CUDA {major}: pass {' or '.join(others)} as MAJOR")
    stub = installed.folder("stubs") / f"lib{library}_stub.so"
    if not stub.is_file():
        raise Failure(f"this anycuda has no library {library!r}: for CUDA {major} use one of {', '.join(sorted(here))}")
    return stub


def _by_library(folder: Path) -> dict[str, Path]:
    """Library -> its file, by the stub that each file names: libnvToolsExt.so is nvtx. The folder may also have links
    to the stubs."""
    files = (path for path in folder.glob("lib*.so") if not path.stem.endswith("_stub"))
    try:
        return {read(path).soname[len("lib"):-len("_stub.so")]: path for path in files}
    except ElfError as error:
        raise Failure(f"{error}; install anycuda again") from None
