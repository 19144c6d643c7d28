# SPDX-License-Identifier: Apache-2.0
"""The driver's stub on the driver library for aarch64 (535), on a machine without a GPU, and without any driver."""

import unittest
from pathlib import Path

from emulated import WHERE, Emulated, library

DRIVER = Path(WHERE["aarch64_driver-535"])
NO_DEVICE, MISMATCH, NOT_SUPPORTED, UNKNOWN = "100", "803", "804", "999"


class Driver(Emulated):
    def test_the_real_library_answers(self):
        output = self.lines("driver", libraries=[DRIVER])
        self.assertEqual(output["version"], "0 12020")
        # The kernel of this computer may run a driver, which no test can hide: then it is another version.
        self.assertIn(output["init"], (NO_DEVICE, MISMATCH, NOT_SUPPORTED, UNKNOWN))
        self.assertEqual(output["count"].split()[0], "3")  # not initialized
        self.assertEqual(output["memory"], "3")
        self.assertEqual(output["name"], "0 CUDA_ERROR_NO_DEVICE")
        self.assertEqual(output["address"], "0 given")

    def test_the_runtime_finds_it(self):
        output = self.lines("calls_12", "versions", libraries=[library("aarch64_cudart-12.9").parent, DRIVER])
        self.assertEqual(output["driver"], "0 12020")

    def test_without_one_the_stub_answers(self):
        output = self.lines("driver")
        self.assertEqual(output["init"], NO_DEVICE)
        self.assertEqual(output["count"], "3 zero")  # as the real library says: not initialized
        self.assertEqual(output["memory"], "3")


if __name__ == "__main__":
    unittest.main()
