# SPDX-License-Identifier: Apache-2.0
"""Programs built for each CUDA, on the real runtimes for aarch64. No driver is installed: a real runtime returns 35."""

import unittest

from emulated import DROPINS, MAJORS, STUBS, Emulated, library

RELEASES = sorted(MAJORS.values())
NUMBERS = {"11.8": "35 -1", "12.9": "0 12090", "13.5": "0 13050"}  # 11.8 asks the driver first
WORDS = "CUDA driver version is insufficient for CUDA runtime version"


def runtime(release: str):
    return library(f"aarch64_cudart-{release}")


class Runtimes(Emulated):
    def test_answer_callers_of_every_major(self):
        for release in RELEASES:
            for built in MAJORS:
                with self.subTest(built=built, release=release):
                    output = self.lines(f"calls_{built}", "versions", "errors", "structure",
                                        libraries=[runtime(release).parent])
                    adapted = release == "11.8" and built != "11"  # by an adapter: since 12 it needs no driver
                    self.assertEqual(output["runtime"], "0 11080" if adapted else NUMBERS[release])
                    self.assertEqual(output["driver"], "0 0")
                    self.assertEqual(output["35"], f"cudaErrorInsufficientDriver, {WORDS}")
                    self.assertEqual(output["devices"], "35, then 35")
                    self.assertEqual(output["channel"], "8 16 24 32 2")

    def test_the_newest_that_is_there_is_taken(self):
        output = self.lines("calls_11", "versions", libraries=[runtime(r).parent for r in RELEASES])
        self.assertEqual(output["runtime"], NUMBERS["13.5"])

    def test_bind_now_binds_all_functions_at_once(self):
        for built in MAJORS:
            output = self.lines(f"calls_{built}", "versions", libraries=[runtime("12.9").parent], LD_BIND_NOW="1")
            self.assertEqual(output["runtime"], NUMBERS["12.9"])

    def test_missing_function_is_absent_and_its_output_zero(self):
        output = self.lines("calls_13", "failing", libraries=[runtime("11.8").parent])
        self.assertEqual(output["library"], "302 0, then 302")

    def test_callers_without_versions_get_the_runtime_itself(self):
        for release in RELEASES:
            output = self.lines("by_name", str(STUBS / "libcudart_stub.so"), libraries=[runtime(release).parent])
            self.assertEqual(output, {"runtime": NUMBERS[release], "35": WORDS})

    def test_a_dropin_stands_for_nvidias_library(self):
        for release in ("12.9", "13.5"):
            output = self.lines("by_name", "libcudart.so.12", libraries=[DROPINS], ANYCUDA_CUDART=str(runtime(release)))
            self.assertEqual(output["runtime"], NUMBERS[release])


class WithoutCuda(Emulated):
    def test_calls_say_so_and_zero_their_outputs(self):
        for built in MAJORS:
            output = self.lines(f"calls_{built}", "versions", "errors", "structure", "failing", LD_BIND_NOW="1")
            self.assertEqual(output["runtime"], "35 0")
            self.assertEqual(output["driver"], "0 0")
            self.assertEqual(output["35"], f"cudaErrorInsufficientDriver, {WORDS}")
            self.assertEqual(output["channel"], "0 0 0 0 0")
            self.assertEqual(output["memory"], "35 0 0")
        self.assertEqual(output["library"], "35 0, then 35")

    def test_an_output_in_the_eighth_register_is_zeroed(self):
        self.assertEqual(self.lines("calls_12", "failing")["batch"], "35 0")

    def test_the_one_message_names_what_was_looked_for(self):
        self.run_program("calls_12", "failing", ANYCUDA_LOG="error")
        self.assertIn("for a program built for CUDA 12", self.stderr)

    def test_library_for_another_cpu_is_passed_over(self):
        self.run_program("calls_12", "versions", ANYCUDA_LOG="error", ANYCUDA_CUDART="/bin/sh")
        self.assertIn("built for another CPU architecture", self.stderr)


if __name__ == "__main__":
    unittest.main()
