# SPDX-License-Identifier: Apache-2.0
"""The contents of the bundle: programs, runtimes, stubs; and how one of its programs is run."""

import contextlib
import ctypes
import functools
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
SONAMES = {"11": "libcudart.so.11.0", "12": "libcudart.so.12", "13": "libcudart.so.13"}


def release_key(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


def runtimes() -> list[str]:
    """The releases of the bundle's runtimes, oldest first."""
    return sorted((p.name.removeprefix("cuda-") for p in HERE.glob("cuda-*")), key=release_key)


@functools.cache
def driver_release() -> tuple[int, ...]:
    """The driver's CUDA: (13, 0); (0, 0) without a driver."""
    number = ctypes.c_int(0)
    with contextlib.suppress(OSError):
        ctypes.CDLL("libcuda.so.1").cuDriverGetVersion(ctypes.byref(number))
    return number.value // 1000, number.value % 1000 // 10


# What nvcc of each major built; a program runs natively on this release and on later ones of its major.
BUILT_WITH = {"11": "11.8", "12": "12.4", "13": "13.0"}
# The native run that the others are compared with.
NATIVE = {"11": "11.8", "12": "12.9", "13": "13.0"}


def natives(major: str) -> list[str]:
    """The releases that can run a program of this major natively, the one to compare with first."""
    own = [release for release in runtimes() if release.split(".")[0] == major
           and release_key(release) >= release_key(BUILT_WITH[major])]
    return sorted(own, key=lambda release: (release != NATIVE[major], release_key(release)))


@dataclass(frozen=True)
class Way:
    """How a program meets a runtime: as it is, through the stub, or through the drop-in."""

    name: str  # native, stub, drop-in
    runtime: str

    def program(self, name: str) -> Path:
        return HERE / (name if self.name == "stub" else f"{name}-native")

    def environment(self) -> dict[str, str]:
        folder = HERE / f"cuda-{self.runtime}"
        if self.name == "native":
            return environment(folder)
        file = next(folder.iterdir())
        return environment(HERE / ("stubs" if self.name == "stub" else "dropin"),
                           ANYCUDA_CUDART=str(file))


def environment(*folders: Path, **more: str) -> dict[str, str]:
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "CUDA_VISIBLE_DEVICES")
            if name in os.environ}
    keep |= {name: value for name, value in os.environ.items() if name.startswith("NCCL_")}
    system = os.environ.get("LD_LIBRARY_PATH", "")  # where containers have their driver
    path = ":".join([*map(str, folders), *([system] if system else [])])
    return {**keep, "LD_LIBRARY_PATH": path, **more}


@dataclass(frozen=True)
class Outcome:
    """What a process did. `end` is "" if it came to its end by itself, with any exit status."""

    output: str
    status: int
    end: str


def run(command: list[str], env: dict[str, str], timeout: int) -> Outcome:
    try:
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=timeout, errors="replace", text=True)
    except subprocess.TimeoutExpired as late:
        output = late.stdout or b""
        return Outcome(output.decode(errors="replace") if isinstance(output, bytes) else output,
                       -1, f"not finished after {timeout} s")
    end = f"killed by signal {-done.returncode}" if done.returncode < 0 else ""
    return Outcome(done.stdout, done.returncode, end)
