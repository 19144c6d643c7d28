# SPDX-License-Identifier: Apache-2.0
"""nvJitLink for aarch64 links for callers of its major and of the other."""

import unittest

from emulated import Emulated, library

LINKED = "create 0, a linker\nlink 0 0 0 0, a cubin\ndestroy 0\n"


class Links(Emulated):
    def test_for_callers_of_both_majors(self):
        for built in ("12", "13"):
            for release in ("12.9", "13.5"):
                with self.subTest(built=built, release=release):
                    folder = library(f"aarch64_nvjitlink-{release}").parent
                    self.assertEqual(self.run_program(f"link_{built}", libraries=[folder]),
                                     f"version 0 {release}\n{LINKED}")

    def test_without_one_it_reports_an_internal_error(self):
        self.assertEqual(self.run_program("link_13"), "version 6 0.0\ncreate 6, none\n")


if __name__ == "__main__":
    unittest.main()
