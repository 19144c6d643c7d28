# SPDX-License-Identifier: Apache-2.0
"""One CUDA in a process: machines on which several are mixed, and each order in which a process may call the stubs of
the runtime, of NVRTC and of nvJitLink. one_release.txt has the majors of each machine, by the stubs and by
cuda-pathfinder; ANYCUDA_UPDATE_PAGE=1 writes it again."""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from build_folder import artifact, build_file
from machine import SITE, Machine
from parts import compiled, place

CALLS = {"cudart": "cudaRuntimeGetVersion", "nvrtc": "nvrtcVersion", "nvjitlink": "nvJitLinkVersion"}
ALL = tuple(CALLS)
VENV = f"~/venv/{SITE}"
PATHFINDER = {"cudart": "cudart", "nvrtc": "nvrtc", "nvjitlink": "nvJitLink"}
TABLE = Path(__file__).with_name("one_release.txt")
_PROCESS = """
import ctypes, sys
by, loaded, folder, *order = sys.argv[1:]
for path in filter(None, loaded.split(":")):
    ctypes.CDLL(path)
calls = [call.split("=") for call in order]
if by == "stubs":
    stubs = {name: ctypes.CDLL(f"{folder}/lib{name}_stub.so") for name, _ in sorted(calls)}
    room = (ctypes.c_uint64 * 2)()
    for name, function in calls:
        getattr(stubs[name], function)(ctypes.byref(room), ctypes.byref(room, 8))
else:
    sys.path.append(folder)
    from cuda.pathfinder import DynamicLibNotFoundError, load_nvidia_dynamic_lib
    for _, name in calls:
        try:
            load_nvidia_dynamic_lib(name)
        except DynamicLibNotFoundError:
            pass
print(*sorted({line.split(maxsplit=5)[-1].strip() for line in open("/proc/self/maps") if "/lib" in line}), sep="\\n")
"""


class Mixed(Machine):
    """A machine without a driver, whose Python is in a virtual environment."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []  # by the process itself, before its first call
        self.python = self.at(self.venv("~/venv"))

    def env(self, **variables: str) -> Mixed:
        self.variables.update({name: self.joined(*value.split(":")) for name, value in variables.items()})
        return self

    def wheels(self, release: str, *names: str) -> Mixed:
        for name in names:
            folder = artifact(f"{name}-{release}")
            for file in folder.glob("nvidia/*/lib/*.so.*"):
                place(file, self.at(VENV) / file.relative_to(folder))
        return self

    def installed(self, release: str, *names: str, root: str = "") -> Mixed:
        folder = root or f"/usr/local/cuda-{release}"
        for name in names:
            for file in artifact(f"{name}-{release}").glob("nvidia/*/lib/*.so.*"):
                place(file, self.at(f"{folder}/lib64/{file.name}"))
        return self

    def loads(self, *paths: str) -> Mixed:
        self.loaded += [str(self.at(path)) for path in paths]
        return self


# What is on the machine, and the CUDA that all libraries are of; 0: of any, but of one.
MACHINES = {
    "wheels of 12 and a stray runtime of 13":
        (lambda it: it.wheels("12.9", *ALL).wheels("13.5", "cudart"), 12),
    "wheels of 12 and of 13": (lambda it: it.wheels("12.9", *ALL).wheels("13.5", *ALL), 13),
    "wheels of 12, and of 13 without NVRTC":
        (lambda it: it.wheels("12.9", *ALL).wheels("13.5", "cudart", "nvjitlink"), 12),
    "wheels of 13, and of 12 without nvJitLink":
        (lambda it: it.wheels("12.9", "cudart", "nvrtc").wheels("13.5", *ALL), 13),
    "wheels of both, the process has the runtime of 12":
        (lambda it: it.wheels("12.9", *ALL).wheels("13.5", *ALL)
         .loads(f"{VENV}/nvidia/cuda_runtime/lib/libcudart.so.12"), 12),
    "wheels of both, the process has NVRTC of 12":
        (lambda it: it.wheels("12.9", *ALL).wheels("13.5", *ALL)
         .loads(f"{VENV}/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"), 12),
    "wheels of both, a variable names the runtime of 12":
        (lambda it: it.wheels("12.9", *ALL).wheels("13.5", *ALL)
         .env(ANYCUDA_CUDART=f"{VENV}/nvidia/cuda_runtime/lib/libcudart.so.12"), 12),
    "wheels of both, a variable names NVRTC of 12":
        (lambda it: it.wheels("12.9", *ALL).wheels("13.5", *ALL)
         .env(ANYCUDA_NVRTC=f"{VENV}/nvidia/cuda_nvrtc/lib/libnvrtc.so.12"), 12),
    "toolkits of 12 and 13, 13 without nvJitLink":
        (lambda it: it.installed("12.9", *ALL).installed("13.5", "cudart", "nvrtc"), 12),
    "toolkits of 12 and 13, CUDA_HOME with the runtime of 12 only":
        (lambda it: it.installed("12.9", *ALL).installed("13.5", *ALL)
         .installed("12.9", "cudart", root="/opt/home").env(CUDA_HOME="/opt/home"), 0),
    "toolkits of 12 and 13, the process has nvJitLink of 12":
        (lambda it: it.installed("12.9", *ALL).installed("13.5", *ALL)
         .loads("/usr/local/cuda-12.9/lib64/libnvJitLink.so.12"), 12),
    "wheels with nvJitLink of 13 only, the process has a toolkit's runtime of 12":
        (lambda it: it.wheels("13.5", "nvjitlink").installed("12.9", *ALL)
         .loads("/usr/local/cuda-12.9/lib64/libcudart.so.12"), 12),
    "wheels of 12, toolkit of 13": (lambda it: it.wheels("12.9", *ALL).installed("13.5", *ALL), 12),
    "wheels of 13, LD_LIBRARY_PATH with the runtime of 12":
        (lambda it: it.wheels("13.5", *ALL).installed("12.9", "cudart", root="/opt/module")
         .env(LD_LIBRARY_PATH="/opt/module/lib64"), 13),
    "wheels of 12, CUDA_HOME with 13":
        (lambda it: it.wheels("12.9", *ALL).installed("13.5", *ALL, root="/opt/home").env(CUDA_HOME="/opt/home"), 12),
    "LD_LIBRARY_PATH with 12, then with 13":
        (lambda it: it.installed("12.9", *ALL, root="/opt/old").installed("13.5", *ALL, root="/opt/new")
         .env(LD_LIBRARY_PATH="/opt/old/lib64:/opt/new/lib64"), 13),
    "LD_LIBRARY_PATH with 12, and with 13 without NVRTC":
        (lambda it: it.installed("12.9", *ALL, root="/opt/old")
         .installed("13.5", "cudart", "nvjitlink", root="/opt/new")
         .env(LD_LIBRARY_PATH="/opt/new/lib64:/opt/old/lib64"), 12),
    "CUDA_HOME with 12, toolkits of 12 and 13, the process has NVRTC of 13":
        (lambda it: it.installed("12.9", *ALL).installed("13.5", *ALL)
         .installed("12.9", *ALL, root="/opt/home").env(CUDA_HOME="/opt/home")
         .loads("/usr/local/cuda-13.5/lib64/libnvrtc.so.13"), 13),
    "wheels of 12, a toolkit of 13, the process has the toolkit's nvJitLink":
        (lambda it: it.wheels("12.9", *ALL).installed("13.5", *ALL)
         .loads("/usr/local/cuda-13.5/lib64/libnvJitLink.so.13"), 13),
    "wheels of 13 without the runtime, a variable names a toolkit's runtime of 12":
        (lambda it: it.wheels("13.5", "nvrtc", "nvjitlink").installed("12.9", *ALL)
         .env(ANYCUDA_CUDART="/usr/local/cuda-12.9/lib64/libcudart.so.12"), 12),
}


def mapped(machine: Mixed, by: str, order: tuple[str, ...]) -> dict[str, int]:
    """The libraries that the process has afterwards, and their majors; -1 for a library in two majors."""
    names, folder = (CALLS, build_file("lib")) if by == "stubs" else (PATHFINDER, artifact("cuda-pathfinder"))
    calls = [f"{name}={names[name]}" for name in order]
    done = subprocess.run([machine.python, "-c", _PROCESS, by, ":".join(machine.loaded), folder, *calls],
                          capture_output=True, text=True, cwd=machine.at("~"), env=machine.variables, timeout=60)
    if done.returncode:
        raise AssertionError(done.stderr)
    found: dict[str, int] = {}
    for line in done.stdout.splitlines():
        file = re.search(r"/lib(\w+)\.so\.(\d+)", line)
        if line.startswith(str(machine.root)) and file is not None:
            found[file[1]] = -1 if file[1] in found else int(file[2])
    return found


ORDERS = tuple(itertools.permutations(CALLS))
# Of cuda-pathfinder the first and the last are enough to show whether the order matters.
ASKED = {"stubs": ORDERS, "pathfinder": ORDERS[::len(ORDERS) - 1]}


def processes(title: str) -> dict[str, list[dict[str, int]]]:
    machine = Mixed()
    try:
        MACHINES[title][0](machine)
        return {by: [mapped(machine, by, order) for order in orders] for by, orders in ASKED.items()}
    finally:
        machine.close()


def cell(found: list[dict[str, int]]) -> str:
    """"12", "12+13" if a process mixes them, "12 or 13" if the order of the calls decides."""
    return " or ".join(sorted({"+".join(map(str, sorted({*files.values()}))) or "none" for files in found}))


class OneRelease(unittest.TestCase):
    def test_each_order_of_calls_opens_libraries_of_one_cuda(self) -> None:
        compiled("system_audit.c", "-shared", "-fPIC")  # once, before the machines are made side by side
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            found = dict(zip(MACHINES, pool.map(processes, MACHINES)))
        for title, (_, expected) in MACHINES.items():
            for order, files in zip(ORDERS, found[title]["stubs"]):
                with self.subTest(title, order=order):
                    self.assertEqual(len(files), len(ALL), files)
                    self.assertEqual(len(set(files.values())), 1, files)
                    self.assertIn(expected, (0, *files.values()), files)
        lines = ["machine | majors by the stubs | by cuda-pathfinder"]
        lines += [f"{title} | {cell(one['stubs'])} | {cell(one['pathfinder'])}" for title, one in found.items()]
        if os.environ.get("ANYCUDA_UPDATE_PAGE"):
            TABLE.write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.assertEqual(TABLE.read_text(encoding="utf-8").splitlines(), lines)


if __name__ == "__main__":
    unittest.main()
