# SPDX-License-Identifier: Apache-2.0
"""A real Python is started in a virtual environment in all the ways that leave its name unusual: the stub, loaded by
ctypes, picks the environment's CUDA. Others are in reach, should it not see the environment."""

from __future__ import annotations

import shutil
import subprocess
import unittest
from pathlib import Path

from case import MachineCase
from parts import python
from process import Python
from row import described

_VENV = "12.9 wheel ~/app/.venv"
_ELSEWHERE = "import os; os.chdir('/')"
_STARTS = {  # what a shell runs with the arguments of Python, and what Python runs before the first call
    "a PATH with a slash at its end": ('PATH="$HOME/app/.venv/bin/:$PATH"; exec python "$@"', ""),
    "a relative PATH, then another folder": ('cd ~/app; PATH=".venv/bin/:$PATH"; exec python "$@"', _ELSEWHERE),
    "two slashes": ('exec ~/app/.venv/bin//python "$@"', ""),
    "its own folder": ('cd ~/app/.venv/bin; exec ./python "$@"', ""),
    "its own folder, then another": ('cd ~/app/.venv/bin; exec ./python "$@"', _ELSEWHERE),
    "dots within the name": ('exec ~/app/.venv/./bin/./python "$@"', ""),
    "two dots within the name": ('cd ~/other; exec ../app/.venv/bin/../bin/python "$@"', ""),
    "a relative name, then another folder": ('cd ~/app; exec .venv/bin/python "$@"', _ELSEWHERE),
    "a link to the environment": ('exec ~/current/bin/python "$@"', ""),
    "a relative name through the link, then another folder": ('cd ~; exec current/bin/python "$@"', _ELSEWHERE),
}


class Starts(MachineCase):
    def _environment(self, base: Path) -> None:
        """12.9 in the environment; 13.5 in the user's packages, 13.0 in the system."""
        self.machine.tool(base, "-m", "venv", "--without-pip", self.machine.at("~/app/.venv"))
        version = subprocess.run([base, "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"],
                                 check=True, capture_output=True, text=True).stdout.strip()
        self.machine.wheel(f"~/app/.venv/lib/{version}/site-packages", "12.9")
        self.machine.wheel(f"~/.local/lib/{version}/site-packages", "13.5").local_toolkits("13.0")
        self.machine.link("~/current", "~/app/.venv").file("~/other/empty")

    def _pick(self, process: Python) -> str:
        return described(self.machine, process.ask(self.machine, "anycuda"))

    def _check(self, base: Path) -> None:
        self._environment(base)
        for name, (script, before) in _STARTS.items():
            with self.subTest(name):
                # The shell's own $1 is the name that Python gives it to start.
                runner = ("/bin/sh", "-c", f"shift; {script}", "sh")
                self.assertEqual(self._pick(Python("python", before=before, runner=runner)), _VENV)

    def test_of_the_tests_own_python(self) -> None:
        self._check(python())

    def test_of_the_python_of_this_machine(self) -> None:
        found = shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin")
        if found is None:
            self.skipTest("this machine has no python3")
        asked = subprocess.run([found, "-c", "import venv"], capture_output=True, text=True)
        if asked.returncode != 0:
            self.skipTest(f"{found} has no module venv: {asked.stderr.strip()[-200:]}")
        self._check(Path(found))

    def test_outside_the_environment_the_users_packages_are_in_reach(self) -> None:
        self._environment(python())
        runner = ("/bin/sh", "-c", f'shift; exec "{python()}" "$@"', "sh")
        self.assertEqual(self._pick(Python("python", runner=runner)), "13.5 wheel ~/.local")


if __name__ == "__main__":
    unittest.main()
