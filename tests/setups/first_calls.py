# SPDX-License-Identifier: Apache-2.0
"""First calls of stubs on machines with and without CUDA, for tests of what a stub itself does: NVIDIA's libraries can
be replaced by libraries without code, which the stub finds, examines and opens in the same way."""

from __future__ import annotations

import functools
import re
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import small_library
from build_folder import BUILD
from machine import LIBRARIES, SITE, Machine
from parts import STUB, compiled

INTEGRATION = BUILD / "tests/integration"
HOST = INTEGRATION / "native/host"
KERNELS = INTEGRATION / "kernels/kernels-12.4.so"
DRIVER = INTEGRATION / "fakes/driver.so"
STATIC_STUB = BUILD / "lib/static/12/libcudart.a"
DRIVER_STUB = STUB.with_name("libcuda_stub.so")
PEEK = "cudaPeekAtLastError"
FAILING = "cudaDeviceSynchronize"  # a question without CUDA would write no message
_NUMBER = 999
_FOUND, _NONE = str(_NUMBER), "35"  # the results of the library without code, and of the stub without a library
_RUNTIME = "/usr/local/cuda-12.9/lib64/libcudart.so.12"
_PYTHON = """
import ctypes, os, sys
library, function = sys.argv[1:]
os.access("/anycuda-mark/begin", 0)
status = getattr(ctypes.CDLL(library), function)()
os.access("/anycuda-mark/end", 0)
print(status)
"""


@dataclass
class Run:
    """`build`: installs CUDA on a machine, and returns the command. `result`: what the program prints if the libraries
    have no code. `direct`: the files that the stub opens in the process, with the functions that are called in them."""

    name: str
    build: Callable[[Machine], list[str]]
    result: str
    direct: tuple[str, ...]

    def directly(self, machine: Machine, command: list[str]) -> list[str]:
        """The same command without the stub."""
        stub = next(i for i, word in enumerate(command) if word.endswith("_stub.so"))
        return command[:stub] + [str(machine.at(word)) if "/" in word else word for word in self.direct]


RUNS: list[Run] = []


def _run(result: str = _FOUND, direct: tuple[str, ...] = ()) -> Callable:
    def add(build: Callable[[Machine], list[str]]) -> Callable:
        RUNS.append(Run(build.__name__.strip("_"), build, result, direct))
        return build
    return add


def call(*words: str | Path, program: Path | None = None) -> list[str]:
    return [str(program or compiled("first_call.c")), *map(str, words)]


def python_call(machine: Machine, python: str) -> list[str]:
    return [str(machine.at(python)), "-c", _PYTHON, str(STUB), PEEK]


# ---- NVIDIA's libraries without code

@functools.cache
def _folder() -> tempfile.TemporaryDirectory:
    return tempfile.TemporaryDirectory(prefix="first-calls-")


@functools.cache
def _cudart(release: str) -> Path:
    """Every function returns a status that NVIDIA's runtimes never return."""
    numbers = dict.fromkeys(small_library.functions("cudart"), _NUMBER)
    return small_library.make("cudart", release, Path(_folder().name) / release, "x86_64", numbers=numbers)


def _without_code(file: Path) -> Path:
    if found := re.match(r"libcudart\.so\.1([23])\b", file.name):
        return _cudart({"2": "12.9", "3": "13.0"}[found[1]])
    if file.name.startswith("libcuda.so"):
        return DRIVER
    return compiled("../support/unit/fake_nvml.c", "-shared", "-fPIC", "-DINIT=0", '-DVERSION="535.261.03"',
                    "-Wl,-soname,libnvidia-ml.so.1")


def remove_code(machine: Machine) -> None:
    for file in machine.root.rglob("lib*.so*"):
        if file.is_file() and not file.is_symlink() and file.stat().st_size > 1000:
            copy = _without_code(file)
            file.unlink()
            shutil.copy(copy, file)
    machine.env(TEST_DRIVER="0 12020")
    del machine.variables["LD_AUDIT"]  # it is for NVIDIA's libraries that open others


# ---- the runs

@_run(_NONE)
def _no_cuda(machine):
    return call(STUB, FAILING, FAILING)


@_run(direct=(f"~/venv/{SITE}/nvidia/cuda_runtime/lib/libcudart.so.12", PEEK))
def _wheel(machine):
    machine.wheel(f"~/venv/{SITE}", "12.9").file("~/venv/pyvenv.cfg", "home = /usr/bin\n").env(VIRTUAL_ENV="~/venv")
    return call(STUB, PEEK)


@_run()
def _linked_toolkit(machine):
    machine.toolkit("/opt/cuda", "12.9").link("/opt/default", "cuda/targets/..").driver(535)
    machine.env(CUDA_HOME="/opt/default", ANYCUDA_COMPAT="strict")
    return call(STUB, PEEK)


@_run()
def _system_with_cache(machine):
    machine.local_toolkits("12.9", "13.0").driver(535).ldconfig("/usr/local/cuda/lib64")
    return call(STUB, PEEK)


@_run()
def _strict_reads_names(machine):
    machine.runtime(LIBRARIES, "12.9", names=2).driver(535).env(ANYCUDA_COMPAT="strict")
    return call(STUB, PEEK)


@_run()
def _loaded_library(machine):
    machine.runtime("/opt/lib", "12.9")
    return call(machine.at("/opt/lib/libcudart.so"), STUB, PEEK)


@_run(_NONE)
def _refused_files_in_a_log(machine):
    machine.file("/opt/lib/libcudart.so.12", "not a library").env(LD_LIBRARY_PATH="/opt/lib", ANYCUDA_LOG="/tmp/log")
    machine.local_toolkits("13.0").driver(535)  # CUDA 12.2
    return call(STUB, FAILING)


@_run(_NONE)
def _writable_folder_above_the_program(machine):
    machine.wheel("/opt/app", "12.9").at("/opt/app").chmod(0o775)
    machine.at("/opt/app/nvidia").chmod(0o777)
    program = machine.at("/opt/app/bin/call")
    program.parent.mkdir()
    shutil.copy(compiled("first_call.c"), program)
    return call(STUB, FAILING, program=program)


@_run(f"call: {_NONE}")
def _message_to_nobody(machine):
    return [str(HOST), "break-stderr", "mark:begin", f"import:{STUB}", f"call:{FAILING}", "mark:end"]


@_run("0")
def _opened_at_load(machine):
    machine.local_toolkits("12.9").env(ANYCUDA_OPEN="load")
    return call(STUB)


@_run()
def _static_stub(machine):
    machine.local_toolkits("12.9")
    return call(compiled("../integration/programs/calls_at_exit.c", "-shared", "-fPIC", '-DRUNTIME=""',
                         str(STATIC_STUB)), "call")


@_run()
def _registrations_by_nvcc(machine):
    machine.local_toolkits("12.9")
    return call(KERNELS, "device_count")


@_run("3", direct=(f"{LIBRARIES}/libcuda.so.1", "cuCtxSynchronize"))  # without code it lacks functions
def _driver_stub(machine):
    machine.driver(535)
    return call(DRIVER_STUB, "cuCtxSynchronize")


@_run(direct=(f"~/venv/{SITE}/nvidia/cuda_runtime/lib/libcudart.so.12", PEEK))
def _python_of_a_venv(machine):
    command = machine.venv("~/venv")
    machine.wheel(f"~/venv/{SITE}", "12.9")
    return python_call(machine, command)


@_run()
def _python_of_conda(machine):
    return python_call(machine, machine.conda("/opt/conda", "12.9"))


@_run(_NONE)
def _python_without_cuda(machine):
    machine.file("~/libs/more.pth", "/opt/more\n").env(PYTHONPATH="~/libs")
    return python_call(machine, machine.prefix("/opt/python"))
