# SPDX-License-Identifier: Apache-2.0
"""Builds the helper programs and libraries, all into one folder of the build."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from anycuda.elf import read

from . import shims
from .libraries import FAMILIES, SHIM, Library, first_argument
from .tools import Failure

HELPERS = Path(__file__).resolve().parents[1] / "helpers"

# onnxruntime's CUDA provider, counted: what it registers when it is loaded.
FAT_BINARIES = 609
REGISTERED = 26456
VARIABLES = 609  # taken as one to a fat binary; the rest are kernels
NAME_SIZE = 128  # bytes to a name, about what a mangled kernel template takes


class Workspace:
    """The compiler and the folder it works in."""

    def __init__(self, folder: Path, compiler: str):
        self.folder = folder
        self.compiler = compiler
        self.empty_root = folder / "empty-root"
        self.empty_root.mkdir(exist_ok=True)
        self.probe = self.link("probe", [HELPERS / "probe.cc"], ["-ldl", "-Wl,-z,now"])
        self.empty_library = self.shared("libempty.so", [HELPERS / "empty.cc"])
        self._warm: dict[str, Path] = {}

    def _compile(self, words: list[str]) -> None:
        flags = ["-std=c++17", "-O2", "-g0", "-Wall", "-Wextra"]
        done = subprocess.run([self.compiler, *flags, *words], text=True, capture_output=True)
        if done.returncode != 0:
            raise Failure(f"{self.compiler} {' '.join(words)}: {done.stderr.strip()}")

    def object(self, name: str, source: Path, *options: str) -> Path:
        """An object file."""
        out = self.folder / name
        self._compile([*options, "-fPIC", "-c", str(source), "-o", str(out)])
        return out

    def shared(self, name: str, inputs: list[Path], *options: str) -> Path:
        """A shared library whose SONAME is its name, by C's run-time library alone."""
        out = self.folder / name
        self._compile(["-shared", "-fPIC", "-nostdlib", f"-Wl,-soname,{name}",
                       *map(str, inputs), *options, "-lc", "-ldl", "-o", str(out)])
        return out

    def link(self, name: str, inputs: list[Path], options: list[str]) -> Path:
        """A program that asks for C's run-time library and nothing else of the compiler's."""
        out = self.folder / name
        self._compile([*map(str, inputs), "-o", str(out), *options, "-nodefaultlibs", "-lc"])
        return out

    def _linked_to(self, library: Library) -> list[str]:
        # Linked by path: a library without a SONAME would be recorded by that path, one with a
        # SONAME is found through the run path.
        return ["-Wl,--push-state,--no-as-needed", str(library.path), "-Wl,--pop-state",
                "-Wl,--allow-shlib-undefined", f"-Wl,-rpath,{alias(self.folder, library)}"]

    def warm_program(self, function: str, library: Library) -> Path:
        """A program that calls `function` of `library` as often as its argument says."""
        if function not in self._warm:
            first = first_argument(function)
            self._warm[function] = self.object(f"warm-{function}.o", HELPERS / "warm.cc", f"-DFUNCTION={function}",
                                               *([] if first is None else [f"-DFIRST_ARGUMENT={first}"]))
        return self.link(f"warm-{function}-{plain(library.title)}", [self._warm[function]],
                         self._linked_to(library))

    def empty_program(self, library: Library | None) -> Path:
        """A program that does nothing, linked to `library`."""
        name = f"empty-{plain(library.title) if library else 'program'}"
        return self.link(name, [HELPERS / "empty.cc"],
                         ["-DPROGRAM", *(self._linked_to(library) if library else [])])

    def no_registry(self) -> Path:
        """The library whose registration functions do nothing."""
        return self.shared("libno_registry.so", [HELPERS / "no_registry.cc"])

    def objects_object(self) -> Path:
        """The registering objects, compiled once."""
        names = self.folder / "names.s"
        names.write_text(names_text(REGISTERED, NAME_SIZE))
        self.object("names.o", names)
        return self.object("objects.o", HELPERS / "objects.cc", f"-DFAT_BINARIES={FAT_BINARIES}",
                           f"-DFUNCTIONS={REGISTERED - VARIABLES}", f"-DVARIABLES={VARIABLES}",
                           f"-DNAME_SIZE={NAME_SIZE}")

    def objects_library(self, library: Library) -> Path:
        """The registering objects as a library, linked to `library`."""
        return self.shared(f"libobjects-{plain(library.title)}.so",
                           [self.folder / "objects.o", self.folder / "names.o"],
                           *self._linked_to(library))

    def shim(self, real: Library) -> Library:
        """The shim for every function that `real` exports."""
        family = FAMILIES[real.family]
        text = self.folder / f"shim-{real.family}.s"
        text.write_text(shims.assembler_text(exported_functions(real.path)))
        soname = family.dropin
        resolve = self.object(f"shim_resolve-{real.family}.o", HELPERS / "shim_resolve.cc",
                              f'-DREAL_LIBRARY="{soname}"')
        table = self.object(f"shim-{real.family}.o", text)
        path = self.shared(f"libshim_{real.family}.so", [table, resolve])
        return Library(f"shim (Implib.so's method) {real.family}", SHIM, real.family, path)


def alias(folder: Path, library: Library) -> Path:
    """A folder that holds `library` alone, under its SONAME, to be put on a search path."""
    place = folder / "alone" / plain(library.title)
    if not place.is_dir():
        place.mkdir(parents=True)
        (place / soname_of(library.path)).symlink_to(library.path.resolve())
    return place


def soname_of(path: Path) -> str:
    """The name the linker records for `path`."""
    return read.read(path).soname or path.name


def needed_by(path: Path) -> list[str]:
    """The libraries `path` asks for."""
    return read.read(path).needed


def exported_functions(path: Path) -> list[str]:
    """Names of the functions `path` exports, without their versions."""
    names = {symbol.name for symbol in read.read(path).exports() if symbol.function}
    return sorted(names - {"_init", "_fini"})


def names_text(count: int, size: int) -> str:
    """Assembler text of `count` names, one every `size` bytes, as long as mangled kernels are."""
    parts = ['    .section .note.GNU-stack,"",@progbits\n    .section .rodata\n    .p2align 6\n'
             "    .globl registered_names\n    .hidden registered_names\nregistered_names:\n"]
    for index in range(count):
        name = f"_ZN11onnxruntime4cuda{index:06d}"
        name = (name + "KernelIfLi128ELb1EEvPKT_S4_" * 8)[: size - 1]
        parts.append(f'    .asciz "{name}"\n')
    return "".join(parts)


def plain(title: str) -> str:
    """A title as part of a file name."""
    return "".join(letter if letter.isalnum() or letter == "." else "_" for letter in title)


def clean(folder: Path) -> None:
    """Nothing of an earlier run may be measured; nothing else may be removed."""
    mark = folder / ".anycuda-bench"
    if folder.is_dir() and any(folder.iterdir()) and not mark.is_file():
        raise Failure(f"{folder} holds files of something else: name another folder with --work")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    mark.touch()
