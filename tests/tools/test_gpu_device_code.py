# SPDX-License-Identifier: Apache-2.0
"""tests/gpu/device_code.py: the output of its programs, and whether three answers agree."""

import json
import sys
import unittest
from pathlib import Path

GPU = Path(__file__).resolve().parents[1] / "gpu"
sys.path.insert(0, str(GPU))

import device_code  # noqa: E402
from bundle import Outcome  # noqa: E402
from device_code import Check, Program, Run, evaluate, read_checks, read_run  # noqa: E402

PROGRAM = Program("13.0", ("sm_80", "compute_80"))
LINKED = Program("12.4", ("sm_80", "relocatable"))
MESSAGE = ("anycuda: cudart: /x/13.0-sm_80: a GPU of compute capability 9.0 runs no code from one of this file's fat "
           "binaries (sm_80); if these kernels are for that GPU, build them for sm_90 too\n")
RUNS, FAILS = Check(True, "here: runs."), Check(False, "here: does not run. It has no code for sm_90.")


def loaded(way: str, has_message: bool = False) -> Run:
    return Run(way, True, "kernel right", has_message)


def not_loaded(way: str, has_message: bool = True) -> Run:
    return Run(way, False, "failed cudaGetLastError() 209 cudaErrorNoKernelImageForDevice", has_message)


class Programs(unittest.TestCase):
    def test_the_list(self):
        found = device_code.programs((GPU / "device_code_programs.txt").read_text(encoding="utf-8"))
        self.assertEqual(len({program.name for program in found}), len(found))
        self.assertEqual({program.release for program in found}, {"11.8", "12.4", "13.0", "13.5"})
        self.assertIn(Program("13.0", ("sm_80", "compute_80")), found)

    def test_a_native_run_needs_a_driver_of_the_programs_major(self):
        self.assertEqual(device_code.ways_of(PROGRAM, 13), ["native", "11.8", "12.9", "13.0"])
        self.assertEqual(device_code.ways_of(PROGRAM, 12), ["11.8", "12.9"])


class Outcomes(unittest.TestCase):
    def read(self, output: str, status: int = 1, end: str = "") -> tuple:
        run = read_run("native", Outcome("gpu 9.0 driver 13.0 runtime 13.0\n" + output, status, end))
        return run.loads, run.ending

    def test_results(self):
        self.assertEqual(self.read("kernel right\n", 0), (True, "kernel right"))
        self.assertEqual(self.read("kernel wrong\n"), (None, "kernel wrong"))
        line = "failed cudaMalloc(&numbers, sizeof found) 222 cudaErrorUnsupportedPtxVersion"
        self.assertEqual(self.read(line + "\n"), (False, line))

    def test_other_errors_do_not_tell(self):
        line = "failed cudaGetLastError() 100 cudaErrorNoDevice"
        self.assertEqual(self.read(line + "\n"), (None, line))
        self.assertEqual(self.read("", -6, "killed by signal 6"), (None, "killed by signal 6"))
        self.assertEqual(self.read("", 127), (None, "exit status 127 without a result"))

    def test_the_message(self):
        self.assertTrue(read_run("13.0", Outcome(MESSAGE + "kernel right\n", 0, "")).has_message)
        other = "anycuda: cudart: using /x/libcudart.so.13\nkernel right\n"
        self.assertFalse(read_run("13.0", Outcome(other, 0, "")).has_message)

    def test_answers_of_check(self):
        output = json.dumps({"inputs": [{"path": "/x/a", "here": {"runs": None, "text": "here: cannot tell"}}]})
        self.assertEqual(read_checks(output), {"/x/a": Check(None, "here: cannot tell")})
        for broken in "", "anycuda: no", "[]", '{"inputs": [{"path": "/x/a", "here": null}]}', '{"inputs": 1}':
            self.assertEqual(read_checks(broken), {}, broken)


class Agreement(unittest.TestCase):
    def test_all_agree(self):
        self.assertEqual(evaluate(PROGRAM, [loaded("native"), loaded("13.0")], RUNS), [])
        self.assertEqual(evaluate(PROGRAM, [not_loaded("native", False), not_loaded("13.0")], FAILS), [])

    def test_check_is_wrong(self):
        runs = [loaded("native"), loaded("13.0")]
        self.assertEqual(evaluate(PROGRAM, runs, FAILS), [f"anycuda check: {FAILS.text}"])
        self.assertEqual(evaluate(PROGRAM, runs, Check(None, "here: unknown")), ["anycuda check: here: unknown"])
        self.assertEqual(evaluate(PROGRAM, runs, None), ["anycuda check has no answer"])

    def test_the_stub_and_the_runtime_differ(self):
        wrong = evaluate(PROGRAM, [loaded("native"), not_loaded("13.0")], RUNS)
        self.assertEqual(len(wrong), 2, wrong)
        self.assertTrue(wrong[0].startswith("not the same everywhere: native: kernel right; 13.0: failed"), wrong)

    def test_the_message_is_missing_or_unfounded(self):
        silent = [not_loaded("native", False), not_loaded("13.0", False)]
        self.assertEqual(evaluate(PROGRAM, silent, FAILS), ["13.0: no message of the stub"])
        self.assertEqual(evaluate(LINKED, silent, FAILS), [])
        self.assertEqual(evaluate(PROGRAM, [loaded("13.0", True)], RUNS), ["13.0: a message of the stub"])

    def test_a_run_without_a_result(self):
        run = Run("native", None, "killed by signal 11")
        self.assertEqual(evaluate(PROGRAM, [run, loaded("13.0")], RUNS), ["native: killed by signal 11"])
        self.assertIn("native: killed by signal 11", evaluate(PROGRAM, [run], RUNS))


if __name__ == "__main__":
    unittest.main()
