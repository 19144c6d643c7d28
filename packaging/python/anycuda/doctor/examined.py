# SPDX-License-Identifier: Apache-2.0
"""Which Python the doctor examines: the one that --python names, that of the activated environment, or the command's
own."""

from __future__ import annotations

import glob
import os
import platform
import shutil
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from ..failure import Failure
from . import packages, process, questions
from .questions import Asker, Outcome
from .records import RecordKind

_ACTIVATED = ("VIRTUAL_ENV", "CONDA_PREFIX")


@dataclass(frozen=True)
class Python:
    """`note`: why it is this one, or why it is not the activated environment's; "" if neither is worth a word."""

    executable: str
    version: str
    prefix: str
    path: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True)
class Choice:
    """`python`: its file, "" for the command's own."""

    python: str = ""
    note: str = ""
    is_named: bool = False


def choose(named: str, own_prefix: str, own_has_cuda: bool, variables: Mapping[str, str]) -> Choice:
    """The Python to examine. The command's own environment counts if it has CUDA, or if no other one is activated:
    otherwise it may be only the command's, such as one of pipx or uvx."""
    if named:
        return Choice(named, is_named=True)
    variable, prefix = activated(variables)
    if not prefix or os.path.normpath(prefix) == os.path.normpath(own_prefix):
        return Choice()
    if own_has_cuda:
        return Choice(note=f"not {variable}={prefix}: this environment has CUDA itself")
    return Choice(f"{prefix.rstrip('/')}/bin/python", f"activated by {variable}")


def activated(variables: Mapping[str, str]) -> tuple[str, str]:
    """The variable and the prefix of the activated environment. Shells activate conda's base by themselves, so it does
    not count."""
    for name in _ACTIVATED:
        prefix = variables.get(name, "")
        if prefix.startswith("/") and not (name == "CONDA_PREFIX" and is_conda_base(prefix, variables)):
            return name, prefix
    return "", ""


def is_conda_base(prefix: str, variables: Mapping[str, str]) -> bool:
    conda = os.path.dirname(os.path.dirname(variables.get("CONDA_EXE", "")))
    return variables.get("CONDA_DEFAULT_ENV") == "base" or prefix.rstrip("/") in (
        conda, variables.get("MAMBA_ROOT_PREFIX", "").rstrip("/"))


def has_cuda(prefix: str, path: Iterable[str]) -> bool:
    """Does the environment have a library of CUDA: a wheel, or a package of conda?"""
    wheels = (os.path.basename(about).partition("-")[0].replace("_", "-") for folder in path if folder.startswith("/")
              for about in glob.glob(f"{glob.escape(folder)}/nvidia_*.dist-info"))
    return any(map(packages.is_cuda_wheel, wheels)) or (
        os.path.isdir(f"{prefix}/conda-meta") and bool(glob.glob(f"{glob.escape(prefix)}/lib/libcudart.so*")))


def own() -> Python:
    return Python(sys.executable, "{}.{}.{}".format(*sys.version_info), sys.prefix, tuple(sys.path))


def examine(named: str, native: bool, limit: float, variables: Mapping[str, str]) -> tuple[Asker, Python]:
    """The asker, and the Python in which it asks."""
    if native:
        if named:
            raise Failure("--native excludes --python, since it examines a program other than Python: leave one out")
        return questions.find_asker(True, limit), own()
    of_command = [path for path in sys.path if path not in variables.get("PYTHONPATH", "").split(":")]
    choice = choose(_file(named), sys.prefix, not named and has_cuda(sys.prefix, of_command), variables)
    if not choice.python:
        return questions.find_asker(False, limit), replace(own(), note=choice.note)
    asker = questions.asker_of(choice.python, limit)
    python, problem = python_of(choice.python, asker.ask([(questions.PYTHON,)])[(questions.PYTHON,)])
    if python is not None and not problem:
        return asker, replace(python, note=choice.note)
    if choice.is_named:
        raise Failure(problem)
    return questions.find_asker(False, limit), replace(own(), note=problem.partition(": ")[0])


def _file(named: str) -> str:
    """The full path of the named Python. A name without / is one of PATH."""
    if not named:
        return ""
    path = named if "/" in named else shutil.which(named)
    if not path:
        raise Failure(f"no program {named} is in PATH: name the interpreter, such as ~/venv/bin/python")
    return os.path.abspath(path)


def python_of(file: str, outcome: Outcome) -> tuple[Python | None, str]:
    """What the Python says about itself, and why it cannot be examined, with what to do, or ""."""
    record = outcome.first(RecordKind.PYTHON)
    what = "name the interpreter of an environment, such as ~/venv/bin/python"
    if not record.fields:
        says = next(iter(outcome.complaints), outcome.ended)
        if outcome.ended == process.UNABLE:
            return None, f"{file} cannot be started ({says}): {what}"
        if outcome.ended.startswith("no answer within"):
            return None, f"{file} gives {outcome.ended}: {what}, or a longer --limit"
        if any(line.startswith("SyntaxError") for line in outcome.complaints):
            return None, f"{file} is older than Python 3.6, which anycuda cannot examine: use a newer Python"
        return None, f"{file} is not a Python{says and f' ({says})'}: {what}"
    python = Python(record.text("executable") or file, record.text("version"), record.text("prefix"),
                    tuple(entry.text("path") for entry in outcome.records_of(RecordKind.PATH)))
    problem = record.text("problem")
    if problem == "no ctypes":
        return python, (f"{file} was built without ctypes: install this part of Python, or pass --native, which "
                        "searches like a program other than Python")
    if problem:
        return python, (f"{file} cannot load anycuda ({problem}): use a Python for {platform.machine()} and this "
                        "system's C library, or install anycuda for this Python")
    return python, ""
