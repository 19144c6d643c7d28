# SPDX-License-Identifier: Apache-2.0
"""Does the doctor agree with the stubs? On each of a set of machines, programs built for each major, and Python
through the stub, load the files that the doctor predicted."""

import re
import unittest
from pathlib import Path

from build_folder import BUILD, with_real_libraries
from doctor_support import PROGRAMS, Machine, library, library_file, place

LOADED_BY_A_CALL = Path(__file__).with_name("loaded_by_a_call.py")
STEPS = {"cudart": ["count"], "nvrtc": ["version"], "nvjitlink": ["create"]}
FILES = {"cudart": "libcudart.so", "nvrtc": "libnvrtc.so", "nvjitlink": "libnvJitLink.so"}
CALLS = {"cudart": "cudaGetDeviceCount", "nvrtc": "nvrtcVersion", "nvjitlink": "nvJitLinkVersion"}


def machines(test: unittest.TestCase):
    """Name and machine: those of the issue, and what people's computers look like besides."""
    def some(*releases: str, library: str = "cudart") -> Machine:
        machine = Machine(test)
        for release in releases:
            machine.wheel(library, release)
        return machine

    yield "nothing", some()
    yield "no driver, all", some("11.8", "12.9", "13.5")
    yield "535 and all", some("11.8", "12.9", "13.5").driver(535)
    yield "550 and 13.5", some("13.5").driver(550)
    yield "reject", some("11.8", "13.5").env(ANYCUDA_CROSS_MAJOR="reject")
    yield "strict", some("12.9").driver(535).env(ANYCUDA_COMPAT="strict")
    yield "the stubs' mode", some("12.9").driver(535).env(ANYCUDA_STUB_COMPAT="strict", ANYCUDA_API_COMPAT="off")
    yield "checks off", some("13.5").driver(535).env(ANYCUDA_COMPAT="off")
    yield "forward compatibility", some("13.5").driver(535).env(ANYCUDA_DRIVER_COMPAT="assume_forward_compat")
    yield "wrong setting", some("12.9").env(ANYCUDA_COMPAT="lenient")
    machine = some("13.5")
    place(library_file("cudart", "12.9"), machine.root / "path/libcudart.so.12")
    yield "library path and wheel", machine.env(LD_LIBRARY_PATH=str(machine.root / "path"))
    machine = some("13.5")
    place(library_file("cudart", "11.8"), machine.root / "own/libcudart.so.11.0")
    yield "named file", machine.env(ANYCUDA_CUDART=str(machine.root / "own/libcudart.so.11.0"))
    yield "named file that does not exist", some("12.9").env(ANYCUDA_CUDART="/nowhere")
    machine = Machine(test)
    for release, major in (("12.9", "12"), ("13.5", "13")):
        place(library_file("cudart", release), machine.root / f"usr/local/cuda-{release}/lib64/libcudart.so.{major}")
    yield "toolkits", machine.driver(550)
    machine = some("12.9")
    (machine.site / "nvidia/cu13/lib").mkdir(parents=True)
    (machine.site / "nvidia/cu13/lib/libcudart.so.13").write_bytes(b"\x7fELF")
    yield "a broken one", machine
    yield "nvrtc", some("12.9", "13.5", library="nvrtc").driver(550)
    yield "nvjitlink", some("12.9", "13.5", library="nvjitlink").driver(535)


@with_real_libraries
class Agreement(unittest.TestCase):
    maxDiff = None

    def test_programs_built_for_each_major_load_what_the_doctor_says(self):
        compared = 0
        for name, machine in machines(self):
            report = machine.json_report("--native", "--library", ",".join(STEPS))
            for kind, steps in STEPS.items():
                for caller, answer in library(report, kind)["answers"].items():
                    program = PROGRAMS / f"call_{kind}-{caller}"
                    if not caller.isdigit():
                        continue
                    done = machine.run([program, *steps, f"loaded:{FILES[kind]}"])
                    loaded = re.findall(r"^loaded: (.*)$", done.stdout, re.M)
                    self.assertEqual(loaded, [answer["path"] or "none"], (name, kind, caller, done.stderr))
                    compared += 1
        self.assertGreater(compared, 100)

    def test_python_loads_through_the_stub_what_the_doctor_says(self):
        compared = 0
        for name, machine in machines(self):
            report = machine.json_report("--library", ",".join(STEPS))
            for kind in STEPS:
                for caller, answer in library(report, kind)["answers"].items():
                    stub = BUILD / "lib" / library(report, kind)["stub"]
                    symbol_version = self.symbol_version(kind, caller)
                    done = machine.run([machine.python, LOADED_BY_A_CALL, stub, CALLS[kind], symbol_version,
                                        FILES[kind]])
                    self.assertEqual(done.stdout, answer["path"] + "\n", (name, kind, caller, done.stderr))
                    compared += 1
        self.assertGreater(compared, 150)

    def symbol_version(self, kind: str, caller: str) -> str:
        prefix = "libnvJitLink" if kind == "nvjitlink" else f"lib{kind}"
        odd = {("cudart", "11"): "11.0", ("nvrtc", "11"): "11.2"}
        return f"{prefix}.so.{odd.get((kind, caller), caller)}" if caller.isdigit() else "ANYCUDA_NATIVE"
