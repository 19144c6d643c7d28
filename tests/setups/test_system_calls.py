# SPDX-License-Identifier: Apache-2.0
"""SECURITY.md lists the system calls of a stub: those that first calls make, and no others."""

from __future__ import annotations

import json
import os
import re
import subprocess
import textwrap
import unittest
from pathlib import Path

from first_calls import RUNS, Run, remove_code
from machine import Machine
from parts import HERE, ROOT, compiled
from system_calls import made, strace

PAGE = ROOT / "SECURITY.md"
_LIST = re.compile(r"(\n## System calls of a stub\n\n[^\n]+\n\n)((?: {4}[^\n]+\n)+)")
_WIDTH = 150  # of the page's lines
_NOT_PERMITTED = 125  # filtered.c
_SIGSYS = 31


def listed() -> list[str]:
    found = _LIST.search(PAGE.read_text(encoding="utf-8"))
    return found[2].split() if found else []


def write_list(names: set[str]) -> None:
    lines = textwrap.indent(textwrap.fill(" ".join(sorted(names)), _WIDTH - 4), "    ") + "\n"
    PAGE.write_text(_LIST.sub(lambda found: found[1] + lines, PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def other_calls() -> dict[str, str]:
    """What the runs need not make, with the reason: calls of other versions of glibc."""
    return json.loads((HERE / "other_system_calls.json").read_text(encoding="utf-8"))


def named_in_sources() -> set[str]:
    """What the stubs call without libc, some of it only while threads wait for each other or for some owners of
    files."""
    folders = [ROOT / folder for folder in ("loader", "compat/base", "compat/search", "stubs")]
    files = [file for folder in folders for file in folder.rglob("*.cc")]
    return {name for file in files for name in re.findall(r"\bSYS_(\w+)", file.read_text(encoding="utf-8"))}


def on_a_machine(run: Run, has_code: bool) -> tuple[Machine, list[str]]:
    machine = Machine()
    try:
        command = run.build(machine)
        if not has_code:
            remove_code(machine)
    except BaseException:
        machine.close()
        raise
    return machine, command


class SystemCalls(unittest.TestCase):
    numbers: dict[str, int] = {}  # of the calls that the runs make

    @classmethod
    def setUpClass(cls) -> None:
        strace()
        for run in RUNS:
            machine, command = on_a_machine(run, has_code=False)
            try:
                calls, output = made(machine, command)
            finally:
                machine.close()
            cls.numbers.update(calls)
            if run.result not in output.splitlines():
                raise AssertionError(f"{run.name}: {output}, expected {run.result}")

    def test_are_all_on_the_page(self) -> None:
        expected = {*self.numbers, *named_in_sources(), *other_calls()}
        if os.environ.get("ANYCUDA_UPDATE_PAGE"):
            write_list(expected)
        names = listed()
        self.assertEqual((sorted(expected.difference(names)), sorted(set(names) - expected)), ([], []),
                         "the calls missing in SECURITY.md, and the superfluous calls in it; to write the list again: "
                         "ANYCUDA_UPDATE_PAGE=1, then look at it")
        self.assertEqual(names, sorted(names))

    def test_are_enough_beside_the_librarys_own(self) -> None:
        """A seccomp filter permits the page's list, and the calls of the same program with the same libraries opened
        by their full paths."""
        filtered = compiled("filtered.c")
        for run in filter(lambda run: run.direct, RUNS):
            machine, command = on_a_machine(run, has_code=True)
            self.addCleanup(machine.close)
            own = set(made(machine, run.directly(machine, command), whole=True)[0].values())
            of_stub = {self.numbers[name] for name in listed() if name in self.numbers}
            with self.subTest(run.name):
                self.assertEqual(self._status(machine, filtered, own | of_stub, command), 0)
                self.assertEqual(self._status(machine, filtered, own, command), -_SIGSYS)

    def _status(self, machine: Machine, filtered: Path, permitted: set[int], command: list[str]) -> int:
        numbers = ",".join(map(str, sorted(permitted)))
        done = subprocess.run([filtered, numbers, *command], cwd=machine.at("~"), env=machine.variables,
                              capture_output=True, text=True, timeout=60)
        if done.returncode == _NOT_PERMITTED:
            self.skipTest(done.stderr.strip())
        return done.returncode


if __name__ == "__main__":
    unittest.main()
