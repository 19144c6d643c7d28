# SPDX-License-Identifier: Apache-2.0
"""What the doctor reports about NCCL, whose release only its own text tells."""

from __future__ import annotations

import unittest

from doctor_support import library_file
from parts import place
from situation_support import Computer


class Nccl(unittest.TestCase):
    def test_file_of_two_packages(self):
        computer = Computer(self).works()
        file = computer.site / "nvidia/nccl/lib/libnccl.so.2"
        place(library_file("nccl", "2.19"), file)
        computer.wheel_of(file, "nvidia-nccl-cu11", "2.19.3").wheel_of(file, "nvidia-nccl-cu12", "2.26.2", b"")
        report = computer.json_report("--library", "nccl")
        (hint,) = [one for one in report["help"] if one["situation"] == "two_packages"]
        self.assertIn(f"{file} is in two packages: nvidia-nccl-cu11 2.19.3 and nvidia-nccl-cu12 2.26.2. The file is "
                      "that of nvidia-nccl-cu11 2.19.3", hint["why"])
        pip = f"{computer.python} -m pip"
        self.assertEqual(hint["commands"], [f"{pip} uninstall -y nvidia-nccl-cu11",
                                            f"{pip} install --force-reinstall --no-deps nvidia-nccl-cu12==2.26.2"])

    def test_release_of_nccl_is_read_from_its_text(self):
        computer = Computer(self).works()
        place(library_file("nccl", "2.19"), computer.root / "old/libnccl.so.2")
        computer.env(LD_LIBRARY_PATH=str(computer.root / "old"))
        self.assertRegex(computer.doctor("--library", "nccl").stdout, r"(?m)^  >  2\.19\.3 +12\.3 +its text +taken ")
