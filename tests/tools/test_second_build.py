# SPDX-License-Identifier: Apache-2.0
"""A build of a built tree does nothing: each rule makes the files that it declares."""

import re
import subprocess
import unittest

from build_folder import BUILD

# A step of make ("[ 12%] Building ...") or of ninja ("[3/9] Linking ..."). Both look for new files first.
_STEP = re.compile(r"^\[ *\d+(?:%|/\d+)\] (?!Built target|Re-checking globbed directories)(.*)", re.M)


class SecondBuild(unittest.TestCase):
    def build(self) -> list[str]:
        done = subprocess.run(["cmake", "--build", BUILD, "--target", "all", "tests"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout[-2000:] + done.stderr[-2000:])
        return _STEP.findall(done.stdout)

    def test_does_nothing(self) -> None:
        self.build()  # the rest, if a part of the tree is built
        self.assertEqual(self.build(), [])


if __name__ == "__main__":
    unittest.main()
