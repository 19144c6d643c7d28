# SPDX-License-Identifier: Apache-2.0
"""The option --python of make.py."""

import argparse
import sys
import tempfile
import unittest
from pathlib import Path

from wheelreach import options


class Interpreter(unittest.TestCase):
    def test_a_link_to_a_python_is_its_version_and_file(self):
        with tempfile.TemporaryDirectory() as folder:
            link = Path(folder) / "some python"
            link.symlink_to(sys.executable)
            self.assertEqual(options.interpreter(str(link)),
                             (f"{sys.version_info.major}.{sys.version_info.minor}", Path(sys.executable).resolve()))

    def test_other_program_is_refused_with_its_message(self):
        with tempfile.TemporaryDirectory() as folder:
            script = Path(folder) / "python3.9"
            script.write_text("#!/bin/sh\necho no version 3.9 here >&2\nexit 127\n")
            script.chmod(0o755)
            with self.assertRaisesRegex(argparse.ArgumentTypeError, "no version 3.9 here"):
                options.interpreter(str(script))
            with self.assertRaisesRegex(argparse.ArgumentTypeError, "No such file"):
                options.interpreter(str(script) + ".gone")


if __name__ == "__main__":
    unittest.main()
