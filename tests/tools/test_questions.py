# SPDX-License-Identifier: Apache-2.0
"""docs/messages.md lists the questions of each library.json."""

import re
import unittest

from abi_support import ROOT
from generate import descriptor


class Page(unittest.TestCase):
    def test_lists_the_questions_of_every_library(self):
        page = (ROOT / "docs/messages.md").read_text(encoding="utf-8")
        section = page.split("\n## Questions\n")[1].split("\n## ")[0]
        rows = {name: tuple(re.findall(r"`(\w+)`", functions))
                for name, functions in re.findall(r"^\| (\w+) \| (`.*) \|$", section, re.M)}
        self.assertEqual(rows, {file.parent.name: descriptor.load(file).questions
                                for file in (ROOT / "stubs").glob("*/library.json")
                                if descriptor.load(file).questions not in ((), (descriptor.ALL,))})
        self.assertIn("| nvtx | every function |", section)


if __name__ == "__main__":
    unittest.main()
