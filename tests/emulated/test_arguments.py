# SPDX-License-Identifier: Apache-2.0
"""First calls on aarch64: every place that AAPCS64 has for an argument, with libraries that print their arguments."""

import unittest

from emulated import MAJORS, Emulated, fake

FAKES = {"11": "fake_11", "12": "fake_12", "13": "fake_13"}


class FirstCalls(Emulated):
    def test_keep_arguments_results_and_errno(self):
        self.assertEqual(
            self.run_program("arguments", libraries=[fake("fake_arguments")]),
            "1 2 3 4 5 6 7 8 9 10 0.5 1.5 2.5 3.5 4.5 5.5 6.5 7.5 8.5 {11 12 13} {14 15} {16 9.5} "
            "10.25 errno 42 -> 77, errno 42\n6.375\n1 2.5 three 4.5 5 6.5 -> 21\n{21 22 23} {31 15.5}\n",
        )

    def test_can_be_unwound(self):
        output = self.run_program("unwinding", libraries=[fake("fake_arguments")])
        self.assertEqual(output, "constructor 1, call 1\n")


class ByValue(Emulated):
    def lines_of(self, built: str, there: str) -> list[str]:
        return self.run_program(f"calls_{built}", "by_value", libraries=[fake(FAKES[there])]).splitlines()

    def test_structures_reach_every_runtime(self):
        for built in MAJORS:
            for there in MAJORS:
                with self.subTest(built=built, there=there):
                    output = self.lines_of(built, there)
                    self.assertIn("given (1 2 3) (4 5 6) 7 0x8", output)
                    self.assertIn("3D 0 11 12 13", output)
                    self.assertIn("given 31 32 33 34 35 36 37 38 3", output)

    def test_a_device_becomes_a_location_and_a_location_a_device(self):
        for built in ("11", "12"):
            self.assertIn("given 21 3 at {1 22}", self.lines_of(built, "13"))
            self.assertIn("given 21 3 at 22", self.lines_of(built, "12"))
        self.assertIn("given 21 3 at {1 22}", self.lines_of("13", "13"))
        self.assertIn("given 21 3 at 22", self.lines_of("13", "12"))


if __name__ == "__main__":
    unittest.main()
