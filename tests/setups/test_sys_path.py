# SPDX-License-Identifier: Apache-2.0
"""A real Python's sys.path decides: the stub picks the wheel in the first of its folders that has one, whatever
Python's options and variables are, and whatever the program has changed since."""

from __future__ import annotations

import subprocess
import unittest
from pathlib import Path

from build_folder import build_file
from case import MachineCase
from machine import SITE
from parts import python
from process import Python

# What runs before the stub's first call: it notes what Python itself says.
_NOTE = """
import os
with open(os.environ["NOTE"], "w") as note:
    note.write(next((path for path in sys.path if os.path.isdir(path + "/nvidia/cuda_runtime")), "none"))
"""
_ARGUMENTS = """
import ctypes
fields = open("/proc/self/stat").read().rsplit(")", 1)[1].split()
first, last = int(fields[45]), int(fields[46])
ctypes.memset(first, 0, last - first)
ctypes.memmove(first, b"ray::IDLE", 9)
"""
_VARIABLES = """
os.environ.update(PYTHONPATH=os.environ["HOME"] + "/libs", PYTHONNOUSERSITE="1")
"""
_BASE, _OPEN, _LINKED, _CLOSED = (f"{prefix}/bin/python" for prefix in ("/opt/base", "~/open", "~/linked", "~/closed"))
_LIBS = {"PYTHONPATH": "libs"}


class SysPath(MachineCase):
    def _environments(self) -> None:
        """12.4 in the base, 12.6 in the user's packages, 12.8 in a folder for PYTHONPATH; CUDA 13 in the system."""
        machine = self.machine
        base = machine.prefix("/opt/base")
        machine.venv("~/open", "--system-site-packages", "--copies", base=base)
        machine.venv("~/closed", "--copies", base=base)
        machine.link("~/linked", "~/open")
        machine.wheel(f"/opt/base/{SITE}", "12.4").wheel(f"~/.local/{SITE}", "12.6").wheel("~/libs", "12.8")
        machine.wheel("~/mine/" + SITE, "12.9").wheel("~/other/libs", "13.0").local_toolkits("13.5")
        machine.env(NOTE="/tmp/note")

    def _check(self, command: str, options: tuple[str, ...] = (), before: str = "", runner: tuple[str, ...] = (),
               **variables: str) -> str:
        """The folder that both say, as it is on the machine."""
        machine = self.machine
        kept = dict(machine.variables)
        machine.variables.update(variables)
        try:
            picked = Python(command, options, before=_NOTE + before, runner=runner).ask(machine, "anycuda")
        finally:
            machine.variables = kept
        note = machine.at("/tmp/note").read_text()
        self.assertEqual(len(picked), 1, (command, options, variables))
        folder = str(Path(picked[0]).resolve()).partition("/nvidia/cuda_runtime/")[0]
        if note == "none":
            self.assertIn("/usr/local/cuda-13.5/", folder)
        else:
            self.assertEqual(folder, str(Path(note).resolve()), (command, options, variables))
        return folder if note == "none" else machine.named(folder)

    def test_decides_whatever_the_options_and_variables_are(self) -> None:
        self._environments()
        variables = ({}, _LIBS, {"PYTHONPATH": "~/libs"}, {"PYTHONNOUSERSITE": "1"},
                     {"PYTHONUSERBASE": str(self.machine.at("~/mine"))}, {"PYTHONUSERBASE": "mine"})
        for command in (_BASE, _OPEN, _LINKED, _CLOSED):
            for option in ("-B", "-s", "-E", "-I", "-sE"):
                for some in variables:
                    with self.subTest(command=command, option=option, variables=some):
                        self._check(command, (option,), **some)

    def test_has_the_base_of_a_copied_environment_through_a_link(self) -> None:
        self._environments()
        self.assertEqual(self._check(_LINKED, ("-s",)), f"/opt/base/{SITE}")

    def test_has_the_variables_user_base_with_option_e(self) -> None:
        self._environments()
        found = self._check(_BASE, ("-E",), PYTHONUSERBASE=str(self.machine.at("~/mine")))
        self.assertEqual(found, f"~/mine/{SITE}")

    def test_has_relative_entries_of_the_folder_where_python_started(self) -> None:
        self._environments()
        for before in ("", "os.chdir('/')"):
            for stale in ("~", "~/other"):
                with self.subTest(before=before, stale=stale):
                    runner = ("/usr/bin/env", f"PWD={self.machine.at(stale)}")  # a shell would correct it
                    found = self._check(_CLOSED, before=before, runner=runner, **_LIBS)
                    self.assertEqual(found, "~/libs")
        runner = ("/bin/sh", "-c", 'cd ~/libs && exec "$@"', "sh")
        for entry in (".", ":/nowhere", "/nowhere:"):
            with self.subTest(entry):
                self.assertEqual(self._check(_CLOSED, runner=runner, PYTHONPATH=entry), "~/libs")

    def test_has_a_relative_home_below_the_folder_where_python_started(self) -> None:
        self._environments()
        for before in ("", "os.chdir('/')"):
            with self.subTest(before=before):
                runner = ("/usr/bin/env", f"PWD={self.machine.at('~')}")  # as a shell exports it
                found = self._check(_BASE, ("-s",), before=before, runner=runner, PYTHONHOME="../../opt/base")
                self.assertEqual(found, f"/opt/base/{SITE}")

    def test_is_what_it_was_at_the_start(self) -> None:
        self._environments()
        self.assertEqual(self._check(_OPEN, before=_VARIABLES), f"~/.local/{SITE}")
        self.assertEqual(self._check(_OPEN, ("-s",), before=_ARGUMENTS), f"/opt/base/{SITE}")

    def test_has_site_packages_or_dist_packages_but_not_both(self) -> None:
        self._environments()
        self.machine.wheel("/opt/base/lib/python3.11/dist-packages", "13.5")
        self.assertEqual(self._check(_BASE, ("-s",)), f"/opt/base/{SITE}")

    def test_of_the_running_program_is_not_searched_and_the_message_says_so(self) -> None:
        self.machine.wheel("~/zipped/wheel", "12.9")
        code = ("import ctypes, sys; sys.path.insert(0, sys.argv[1]); stub = ctypes.CDLL(sys.argv[2]); "
                "stub.cudaRuntimeGetVersion(ctypes.byref(ctypes.c_int())); print(stub.cudaDeviceReset())")
        done = subprocess.run([python(), "-c", code, self.machine.at("~/zipped/wheel"),
                               build_file("lib/libcudart_stub.so")], capture_output=True, text=True, check=True,
                              cwd=self.machine.at("~"), env=self.machine.variables, timeout=60)
        self.assertEqual(done.stdout.strip(), "35")
        self.assertIn("to the library's full path; folders that a program adds to sys.path are not searched (in a PEX: "
                      "use pex --venv).\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
