# SPDX-License-Identifier: Apache-2.0
"""examples/preload: its session, command by command, gives what its README shows."""

import os
import shutil
import subprocess
import unittest
from pathlib import Path

from build_folder import BUILD
from doctor_support import ROOT, Machine
from analysis_support import artifact, with_real_libraries

EXAMPLE = ROOT / "examples" / "preload"
_PROMPT, _INDENT = "    $ ", "    "


def session(text: str) -> list[tuple[str, str]]:
    """(command, what it prints) in the order of a page."""
    steps: list[tuple[str, list[str]]] = []
    open_ = False
    for line in text.splitlines():
        if line.startswith(_PROMPT):
            steps.append((line[len(_PROMPT):], []))
            open_ = True
        elif open_ and (line.startswith(_INDENT) or not line):
            steps[-1][1].append(line[len(_INDENT):])
        else:
            open_ = False
    return [(command, "\n".join(lines).rstrip("\n")) for command, lines in steps]


def toolkit(folder: Path, release: str) -> Path:
    """The artifacts of a release as a toolkit has them: include, lib64."""
    for name in (f"cudart-{release}", f"crt-{release}"):
        for source in artifact(name).glob("nvidia/*/*"):
            target = folder / ("lib64" if source.name == "lib" else source.name)
            shutil.copytree(source, target, dirs_exist_ok=True, copy_function=os.link)
    return folder


@with_real_libraries
class Session(unittest.TestCase):
    maxDiff = None

    def test_every_command_prints_what_the_page_shows(self):
        if shutil.which("g++") is None:
            self.skipTest("no g++")
        machine = Machine(self)
        work = machine.root / "preload"
        shutil.copytree(EXAMPLE, work)
        names = {"CUDA_12": toolkit(machine.root / "12", "12.9"), "CUDA_13": toolkit(machine.root / "13", "13.5"),
                 "ANYCUDA_LIB": machine.root / "lib"}
        names["ANYCUDA_LIB"].symlink_to(BUILD / "lib")  # LD_PRELOAD holds no blank, and the build's path may have one
        machine.env(**{name: str(path) for name, path in names.items()})
        machine.env(PATH=f"{BUILD / 'bin'}:{os.environ['PATH']}", CCACHE_DISABLE="1")
        del machine.variables["VIRTUAL_ENV"]
        steps = session((EXAMPLE / "README.md").read_text(encoding="utf-8"))
        self.assertGreater(len(steps), 8)
        for command, shown in steps:
            done = subprocess.run(["bash", "-c", command], cwd=work, env=machine.variables, capture_output=True,
                                  text=True, timeout=120)
            printed = done.stdout.rstrip("\n")
            for name, path in names.items():
                printed = printed.replace(str(path), f"${name}")
            self.assertEqual(printed, shown, f"$ {command}\n{done.stderr}")


if __name__ == "__main__":
    unittest.main()
