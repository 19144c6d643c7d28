# SPDX-License-Identifier: Apache-2.0
"""What the harvest knows of a library: its harvest.json."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from abi_support import ROOT
from generate.abi_text import FormatError
from harvest import libraries

ROW = {"headers": ["small.h"], "prefixes": ["small"], "status_enum": "enum smallResult"}


class RowFile(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "small"
        self.folder.mkdir()
        self.file = self.folder / "harvest.json"

    def read(self, **changes: object) -> libraries.LibraryRow:
        self.file.write_text(json.dumps({**ROW, **changes}))
        return libraries.read(self.folder)

    def test_has_the_fields_of_a_row(self) -> None:
        row = self.read(modes=[[], ["-DSMALL"]], beside=["cudart-12.9"], file="libsmall.so.*")
        self.assertEqual((row.name, row.headers, row.source, row.driver), ("small", ("small.h",), "small", False))
        self.assertEqual((row.modes, row.beside), (((), ("-DSMALL",)), ("cudart-12.9",)))
        hash(row)

    def test_that_is_wrong_is_refused_with_its_name(self) -> None:
        for changes, words in (({"header": "small.h"}, "unknown keys: header$"),
                               ({"headers": "small.h"}, "headers must be"),
                               ({"driver": 1}, "driver must be"),
                               ({"releases": ["1.0"]}, "releases must be an object")):
            with self.subTest(changes=changes), self.assertRaisesRegex(FormatError, f"harvest.json: {words}"):
                self.read(**changes)
        for text, words in (("{", "Expecting"), ("[]", "one JSON object"), ("{}", "missing keys: headers, prefixes")):
            self.file.write_text(text)
            with self.subTest(text=text), self.assertRaisesRegex(FormatError, words):
                libraries.read(self.folder)

    def test_makes_the_library_known_to_the_command(self) -> None:
        self.file.write_text(json.dumps(ROW))
        for options, words in (([], "no row for small"), (["--folder", str(self.folder)], "nothing to read")):
            done = subprocess.run(
                [sys.executable, "-m", "harvest", *options, "add", "--library", "small", "--version", "1.0"],
                env={**os.environ, "PYTHONPATH": f"{ROOT}/stubs/tools:{ROOT}/packaging/python"},
                capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
