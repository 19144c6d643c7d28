# SPDX-License-Identifier: Apache-2.0
"""NVRTC for aarch64 compiles for callers of another major."""

import unittest

from emulated import Emulated, library


class Compiles(Emulated):
    def compile(self, built: str, release: str) -> str:
        return self.run_program(f"compile_{built}", libraries=[library(f"aarch64_nvrtc-{release}").parent])

    def test_for_a_newer_caller(self):
        self.assertEqual(self.compile("13", "11.8"),
                         "version 0 11.8\ncreate 0, a program\ncompile 0 0 0\nPTX with the kernel\n")

    def test_for_an_older_caller(self):
        self.assertEqual(self.compile("11", "13.5"),
                         "version 0 13.5\ncreate 0, a program\ncompile 0 0 0\nPTX with the kernel\n")

    def test_without_one_it_says_so(self):
        self.assertEqual(self.run_program("compile_13"), "version 11 0.0\ncreate 11, none\n")


if __name__ == "__main__":
    unittest.main()
