# SPDX-License-Identifier: Apache-2.0
"""The common parts of the tests of this folder: paths, the machines that a program runs on, and the checks of a
built file."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from anycuda.elf import read

PROJECTS = Path(__file__).parent / "projects"
SETTINGS = json.loads(Path(os.environ["ANYCUDA_USAGE"]).read_text(encoding="utf-8"))
PREFIX = Path(SETTINGS["prefix"])
LIBRARIES = PREFIX / SETTINGS["libdir"]
RELEASE = {"11": "11.8", "12": "12.9", "13": "13.5"}
NVCC = {"11": "11.8", "12": "12.4", "13": "13.0"}
NODE = {"11": "libcudart.so.11.0", "12": "libcudart.so.12", "13": "libcudart.so.13"}
NVRTC_NODE = {"11": "libnvrtc.so.11.2", "12": "libnvrtc.so.12", "13": "libnvrtc.so.13"}
# Another major than the program's. (The runtime of 11.8 does not report its version without a driver.)
OTHER = {"11": "12.9", "12": "13.5", "13": "12.9"}


def artifact(name: str) -> Path:
    """The folder of a real CUDA artifact; a test that needs a missing one is skipped with the reason."""
    folder = SETTINGS["artifacts"].get(name)
    if not folder:
        raise unittest.SkipTest(f"the artifact {name} could not be fetched")
    return Path(folder)


def includes(major: str) -> list[str]:
    release = RELEASE[major]
    folders = [f for name in ("cudart", "crt", "nvrtc") for f in artifact(f"{name}-{release}").glob("nvidia/*/include")]
    return sorted(set(map(str, folders)))


def nvcc(major: str) -> list:
    """The beginning of a command."""
    return [artifact(f"nvcc-{NVCC[major]}") / "bin/nvcc", "-allow-unsupported-compiler",
            "-ccbin", SETTINGS["nvcc_host"]]


def run(command: list, environment: dict[str, str] | None = None, expect: int | None = 0,
        cwd: Path | None = None) -> str:
    """The output of a command, both streams together; `expect` None: that it fails."""
    result = subprocess.run([str(c) for c in command], env=environment, cwd=cwd, text=True, timeout=300,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    wrong = result.returncode == 0 if expect is None else result.returncode != expect
    if wrong:
        raise AssertionError(f"{' '.join(map(str, command))}\nended with {result.returncode}:\n{result.stdout}")
    return result.stdout


def fence(root: Path | str) -> dict[str, str]:
    """What hides a CUDA of this computer from a program: tests/support/README.md."""
    library = os.environ.get("ANYCUDA_FENCE")
    return {"LD_AUDIT": library, "ANYCUDA_TEST_FENCE": str(root)} if library else {}


def with_headers(major: str) -> dict[str, str]:
    """For builds that take the compiler's flags from a variable."""
    return {"CXXFLAGS": " ".join(f"-isystem {folder}" for folder in includes(major))}


def on_machine(program: Path | list, *libraries: str, **variables: str) -> str:
    """What a program, or a command, prints on a machine that has the CUDA libraries of these artifacts, and no
    others."""
    command = program if isinstance(program, list) else [program]
    with tempfile.TemporaryDirectory() as root:
        environment = {"ANYCUDA_SYSTEM_ROOT": root, "ANYCUDA_LOG": "off", "PATH": "/usr/bin:/bin", **fence(root),
                       **variables}
        folders = [folder for name in libraries for folder in artifact(name).glob("nvidia/*/lib")]
        paths = [*filter(None, [variables.get("LD_LIBRARY_PATH")]), *map(str, folders)]
        if paths:
            environment["LD_LIBRARY_PATH"] = ":".join(paths)
        return run(command, environment, cwd=Path(command[0]).parent)


def cmake(project: str, build: Path, *definitions: str, expect: int | None = 0,
          environment: dict[str, str] | None = None) -> str:
    return run([SETTINGS["cmake"], "-S", PROJECTS / project, "-B", build, "-G", SETTINGS["generator"],
                f"-DCMAKE_CXX_COMPILER={SETTINGS['cxx']}", f"-DCMAKE_PREFIX_PATH={PREFIX}",
                *definitions], {**os.environ, **(environment or {})}, expect)


def build_all(build: Path, *arguments: str, expect: int | None = 0) -> str:
    return run([SETTINGS["cmake"], "--build", build, "--parallel", "2", *arguments], expect=expect)


class Usage(unittest.TestCase):
    """A test of one way of using anycuda, in a temporary folder."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="usage-", dir=SETTINGS["work"])
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name)

    def check_program(self, program: Path, major: str) -> None:
        """Linked to the stub for its headers' major, it starts without CUDA and works on another major."""
        image = read.read(program)
        self.assertIn("libcudart_stub.so", image.needed)
        self.assertEqual(image.versions_needed["libcudart_stub.so"], [NODE[major]])
        self.assertFalse([n for n in image.needed if n.startswith("libcudart.so")], "NVIDIA's own is linked too")
        self.check_runs(program, major)

    def check_static(self, file: Path, exports: list[str]) -> None:
        """It has the stub inside: nothing to load, and nothing of it to be seen from outside."""
        image = read.read(file)
        self.assertFalse([n for n in image.needed if "cuda" in n or "nvrtc" in n or "stdc++" in n], image.needed)
        seen = {s.name for s in image.exports()}
        self.assertEqual(sorted(seen - {"_init", "_fini", "__bss_start", "_edata", "_end"}), sorted(exports))

    def check_cxx(self, links: Path, graphs: Path) -> None:
        """They start without CUDA and get the error of that, and work, or are refused for another reason, with some."""
        self.assertRegex(on_machine(links), "refused: .*nvJitLink")
        self.assertRegex(on_machine(links, "nvjitlink-12.9"), "linked [1-9][0-9]+ bytes")
        self.assertIn("graph 3\n", on_machine(graphs))

    def check_runs(self, program: Path, major: str) -> None:
        self.assertIn(f"built {major}: 35 0 cudaErrorInsufficientDriver", on_machine(program))
        other = OTHER[major]
        number = int(other.split(".")[0]) * 1000 + int(other.split(".")[1]) * 10
        self.assertIn(f"built {major}: 0 {number} cudaSuccess", on_machine(program, f"cudart-{other}"))


class ByMajor:
    """Beside Usage: what check(major) tests has to hold for each CUDA's headers. A test each, so that they run beside
    one another."""

    def test_11(self) -> None:
        self.check("11")

    def test_12(self) -> None:
        self.check("12")

    def test_13(self) -> None:
        self.check("13")
