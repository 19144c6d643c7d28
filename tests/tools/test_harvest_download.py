# SPDX-License-Identifier: Apache-2.0
"""The harvest's download of a library's wheels: what it asks pip for."""

from __future__ import annotations

import subprocess
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

import abi_support  # noqa: F401  (puts stubs/tools on Python's path)
from harvest import sources


class Download(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "small-1.0"
        self.command: list[str] = []

    def pip(self, command: list[object]) -> subprocess.CompletedProcess[str]:
        self.command = [str(word) for word in command]
        with zipfile.ZipFile(Path(self.command[self.command.index("-d") + 1]) / "small.whl", "w") as wheel:
            wheel.writestr("nvidia/small.h", "")
        return subprocess.CompletedProcess(self.command, 0)

    def test_accepts_wheels_with_every_name_of_their_tag(self) -> None:
        with mock.patch.object(sources.subprocess, "run", self.pip):
            sources._download(self.folder, "small==1.0 --hash=sha256:0")
        self.assertTrue((self.folder / "nvidia/small.h").is_file())
        asked = [after for word, after in zip(self.command, self.command[1:]) if word == "--platform"]
        for tag in ("manylinux1", "manylinux2014", "manylinux_2_17", "manylinux_2_27", "manylinux_2_28",
                    "manylinux_2_34"):
            self.assertIn(f"{tag}_x86_64", asked)


if __name__ == "__main__":
    unittest.main()
