# SPDX-License-Identifier: Apache-2.0
"""The world of Python's tests: tests/support/README.md says what it is."""

import os
import sys
import unittest

from build_folder import BUILD, with_real_libraries


class World(unittest.TestCase):
    def test_environment_is_not_the_callers(self):
        self.assertEqual(os.environ["HOME"], str(BUILD / "world" / "home"))
        for name in ("CUDA_HOME", "CUDA_PATH", "LD_LIBRARY_PATH", "CONDA_PREFIX", "VIRTUAL_ENV", "XDG_CACHE_HOME"):
            self.assertNotIn(name, os.environ)

    @with_real_libraries
    def test_python_has_no_packages(self):
        found = [path for path in sys.path if "site-packages" in path or "dist-packages" in path]
        if sys.prefix.startswith(os.environ["ANYCUDA_CACHE"]):
            self.assertEqual(found, [])
        else:
            self.skipTest(f"{sys.executable} runs the tests, since the fetched Python is missing")


if __name__ == "__main__":
    unittest.main()
