# SPDX-License-Identifier: Apache-2.0
"""Reads the binaries in a file, folder or wheel: the CUDA that each uses, and its device code."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..elf import ElfError, NotElf, read
from . import device_code, file_use, gpus, inputs, kernels, siblings, static_runtime, ties
from .device_code import DeviceCode
from .file_use import FileUse
from .kernels import Kernels
from .libraries import Table

_BUILT_FOR_GPUS = ("x86_64", "aarch64")
_OTHER_CPU = f"for another CPU than {' and '.join(_BUILT_FOR_GPUS)}"
# Binaries unrelated to CUDA: skipped in a wheel or folder, an error if named on the command line.
_NOT_LINKED = "not linked yet"
_STATIC = "no dynamic section"
_OF_NO_CONCERN = ("32-bit", "big-endian", _NOT_LINKED, _STATIC)


@dataclass
class Reading:
    """`files`: the programs and libraries as (name, use); `machines`: their CPUs. `kernels`: the device code of files
    that stay once stubs are in place. `passed_over`: binaries that cannot use CUDA; `problems`: files that could not be
    read. Both hold (name, sentence). `other_system`: a wheel for Windows or macOS, which also counts as a problem."""

    path: str
    kind: str
    files: list[tuple[str, FileUse]] = field(default_factory=list)
    machines: list[str] = field(default_factory=list)
    passed_over: list[tuple[str, str]] = field(default_factory=list)
    problems: list[tuple[str, str]] = field(default_factory=list)
    kernels: Kernels = field(default_factory=Kernels)
    other_system: bool = False

    def runtimes(self, table: Table) -> tuple[static_runtime.StaticRuntime, ...]:
        """The CUDA runtimes that are linked into the files."""
        old = kernels.drivers_of_old_runtimes(self.kernels.files, gpus.facts()) if self.kernels.files else {}
        return static_runtime.find(ties.counted(self.files, table), table.drivers, old)


def look(path: Path, table: Table, progress: inputs.Progress, of_device_code: bool) -> Reading:
    """`of_device_code`: only device code matters, so that an object file counts, too."""
    found = Reading(str(path), inputs.kind_of(path))
    for batch in inputs.binaries(path, progress):
        codes = device_code.of_files([one.path for one in batch if isinstance(one, inputs.Binary)])
        for one in batch:
            if isinstance(one, inputs.Problem):
                found.problems.append((one.name, one.text))
                found.other_system = found.other_system or one.other_system
            else:
                _add(found, one, next(codes), table, found.kind == "file" and of_device_code)
    found.files = [(name, use) for (name, _), use in zip(found.files, siblings.resolved(found.files))]
    found.kernels.forget({name for name, _ in found.files} - {name for name, _ in ties.staying(found.files)})
    return found


def _add(found: Reading, one: inputs.Binary, code: DeviceCode, table: Table, is_asked: bool) -> None:
    found.kernels.add(one.name, code)
    if one.only_code:
        if one.name.lower().endswith(inputs.CODE_ENDINGS) and not (code.codes or code.unread or code.problems):
            found.passed_over.append((one.name, "neither PTX nor a fatbin"))
        return
    try:
        image = read.read(one.path)
        if image.machine not in _BUILT_FOR_GPUS:
            raise ElfError(f"{one.path}: is {_OTHER_CPU} (ELF: {image.machine})")
        found.files.append((one.name, file_use.analyse(image, table)))
        found.machines.append(image.machine)
    except ElfError as error:
        if not _is_device_code(code, error, is_asked):
            found.kernels.forget([one.name])
            _keep_error(found, one, error)


def _is_device_code(code: DeviceCode, error: ElfError, is_asked: bool) -> bool:
    """Is a file that could not be read as a library still valid: a file of device code, a static program with some, or
    an object file, if the command line asks about it (`is_asked`)? A truncated file is not."""
    if not code.codes:
        return False
    if _NOT_LINKED in str(error):
        return is_asked
    return isinstance(error, NotElf) or code.file == "cubin" or _STATIC in str(error)


def _keep_error(found: Reading, binary: inputs.Binary, error: ElfError) -> None:
    text = str(error)
    if text.startswith(f"{binary.path}: "):
        text = text[len(f"{binary.path}: "):]
    of_no_concern = found.kind != "file" and not isinstance(error, NotElf) and any(
        part in text for part in (*_OF_NO_CONCERN, _OTHER_CPU))
    (found.passed_over if of_no_concern else found.problems).append((binary.name, text))
