# SPDX-License-Identifier: Apache-2.0
"""One CUDA in a process: machines on which several are mixed, and each order in which a process may call the stubs of
the runtime, of NVRTC and of nvJitLink."""

from __future__ import annotations

import itertools
import re
import subprocess
import unittest

from build_folder import artifact, build_file
from machine import SITE, Machine
from parts import place, python

CALLS = {"cudart": "cudaRuntimeGetVersion", "nvrtc": "nvrtcVersion", "nvjitlink": "nvJitLinkVersion"}
ALL = tuple(CALLS)
VENV = f"~/venv/{SITE}"
_PROCESS = """
import ctypes, sys
loaded, lib, *order = sys.argv[1:]
for path in filter(None, loaded.split(":")):
    ctypes.CDLL(path)
calls = [call.split("=") for call in order]
stubs = {name: ctypes.CDLL(f"{lib}/lib{name}_stub.so") for name, _ in sorted(calls)}
room = (ctypes.c_uint64 * 2)()
for name, function in calls:
    getattr(stubs[name], function)(ctypes.byref(room), ctypes.byref(room, 8))
print(*sorted({line.split(maxsplit=5)[-1].strip() for line in open("/proc/self/maps") if "/lib" in line}), sep="\\n")
"""


class Mixed(Machine):
    """A machine without a driver, whose Python is in a virtual environment."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []  # by the process itself, before its first call
        self.env(PYTHONPATH=VENV)

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
    "wheels with the runtime of 13 only, the process has a toolkit's 12":
        (lambda it: it.wheels("13.5", "nvjitlink").installed("12.9", *ALL)
         .loads("/usr/local/cuda-12.9/lib64/libcudart.so.12"), 12),
}


class OneRelease(unittest.TestCase):
    def test_each_order_of_calls_opens_libraries_of_one_cuda(self) -> None:
        for title, (prepare, expected) in MACHINES.items():
            machine = Mixed()
            self.addCleanup(machine.close)
            prepare(machine)
            for order in itertools.permutations(CALLS):
                with self.subTest(title, order=order):
                    files = self._mapped(machine, order)
                    majors = {int(re.search(r"\.so\.(\d+)", file)[1]) for file in files}
                    self.assertEqual(len(majors), 1, files)
                    self.assertIn(expected, (0, *majors), files)
                    self.assertEqual(len({re.sub(r".*/|\.so.*", "", file) for file in files}), len(ALL), files)

    def _mapped(self, machine: Mixed, order: tuple[str, ...]) -> list[str]:
        calls = [f"{name}={CALLS[name]}" for name in order]
        done = subprocess.run([python(), "-c", _PROCESS, ":".join(machine.loaded), build_file("lib"), *calls],
                              capture_output=True, text=True, cwd=machine.at("~"), env=machine.variables, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        local = [line for line in done.stdout.splitlines() if line.startswith(str(machine.root))]
        return [line for line in local if "builtins" not in line]


if __name__ == "__main__":
    unittest.main()
