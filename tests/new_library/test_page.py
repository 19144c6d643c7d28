# SPDX-License-Identifier: Apache-2.0
"""Follows docs/new-library.md, with the page's own commands, for a made-up library: outside of the repository, and
inside a copy of it. The library has what the first contributors stumbled over: structures and counts as results, a
header that the wheels lack, wheels of another layout than nvidia/*/lib."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/new-library.md"
CACHE = Path(os.environ.get("ANYCUDA_CACHE")
             or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "anycuda")

HEADER = """
#include <net/toy_types.h>
typedef enum { TOY_OK = 0, TOY_MISSING = 41, TOY_OLD = 42 } toyStatus;
typedef struct toyError { toyStatus err; int driver; } toyError_t;
toyStatus toyInit(int* count);
toyError_t toyOpen(const struct toyAddress* address);
toyCount_t toyRead(void* data, unsigned long size);
"""
LATER = "toyError_t toyFlush(void);\n"
STAND_IN = "typedef long toyCount_t;\nstruct toyAddress;\n"
LIBRARY = """
struct toyError { int err, driver; };
int toyInit(int* count) { *count = RELEASE; return 0; }
struct toyError toyOpen(const void* address) { return (struct toyError){RELEASE, address != 0}; }
long toyRead(void* data, unsigned long size) { return data != 0 ? (long)size : RELEASE; }
"""
LATER_CODE = "struct toyError toyFlush(void) { return (struct toyError){0, 1}; }\n"
HARVEST = {"headers": ["toy.h"], "prefixes": ["toy", "TOY"], "status_enum": "enum toyStatus", "file": "libtoy.so.*"}
DESCRIPTOR = {
    "name": "toy", "product": "toy", "stub": "libtoy_stub.so", "variable": "ANYCUDA_TOY", "file_prefix": "libtoy.so",
    "install_hint": "install toy (pip install toy-cu13)",
    "majors": {"12": {"soname": "libtoy.so.3", "node": None}, "13": {"soname": "libtoy.so.3", "node": None}},
    "own_releases": True, "wheel_folders": ["toy/lib"], "wheels": {"12": "toy-cu12", "13": "toy-cu13"},
    "status": {"no_library": 41, "absent": 42, "rejected": 42},
    "failing_results": {"toyError_t": {"err": "status", "driver": 0}, "toyCount_t": "-status", "toyStatus": "status"},
    "questions": ["toyInit"], "required_symbols": ["toyInit", "toyOpen", "toyRead"],
}
CLIENT = """
#include <stdio.h>
struct toyError { int err, driver; };
int toyInit(int*);
struct toyError toyOpen(const void*), toyFlush(void);
long toyRead(void*, unsigned long);
int main(void) {
  int count = 7;
  const int status = toyInit(&count);
  const struct toyError opened = toyOpen(&count), flushed = toyFlush();
  printf("%d %d, %d %d, %d %d, %ld\\n", status, count, opened.err, opened.driver, flushed.err, flushed.driver,
         toyRead(0, 5));
  return 0;
}
"""


def commands() -> list[str]:
    """The page's commands, each on one line."""
    blocks = re.findall(r"(?:^ {4,}\S.*\n)+", PAGE.read_text(encoding="utf-8"), re.M)
    lines = [" ".join(line.strip().rstrip("\\").strip() for line in block.splitlines()) for block in blocks]
    return [line for line in lines if line.startswith(("PYTHONPATH=", "cmake "))]


class Page(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-page-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.wheels = self.folder / "wheels"
        for release in (1, 2):
            self.wheel(release)
        if not (CACHE / "libclang").is_dir():
            self.skipTest(f"{CACHE} does not hold libclang: fetch the artifact")
        (self.wheels / "libclang").symlink_to(CACHE / "libclang")

    def wheel(self, release: int) -> None:
        """Unpacked, as DIR/NAME-<release>."""
        folder = self.wheels / f"toy-{release}.0" / "toy"
        (folder / "include").mkdir(parents=True)
        (folder / "lib").mkdir()
        later = release > 1
        (folder / "include/toy.h").write_text(HEADER + (LATER if later else ""))
        source = self.folder / "toy.c"
        source.write_text(LIBRARY + (LATER_CODE if later else ""))
        self.run_command(f"cc -shared -fPIC -DRELEASE={release} -Wl,-soname,libtoy.so.3 -o {folder}/lib/libtoy.so.3 "
                         f"{source}")

    def run_command(self, command: str, **more: str) -> str:
        done = subprocess.run(command, shell=True, cwd=self.root, text=True, capture_output=True,
                              env={**os.environ, **more})
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        return done.stdout

    root = ROOT

    def write(self, folder: Path) -> None:
        """What the page asks for, in one folder."""
        for name, text in {"harvest.json": json.dumps(HARVEST), "library.json": json.dumps(DESCRIPTOR),
                           "headers/net/toy_types.h": STAND_IN, "abi/releases.txt": "releases for 12 13\n",
                           "abi/outputs.txt": "+ toyInit.count\n"}.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)

    def follow(self, begins: str, **values: str) -> str:
        """The page's command of that beginning, with our names for its placeholders."""
        command = next(line for line in commands() if line.startswith(begins))
        for name, value in {"FOLDER/NAME": f"{self.folder}/libraries/toy", "NAME": "toy", "FOLDER":
                            f"{self.folder}/libraries", "DIR": str(self.wheels), **values}.items():
            command = re.sub(rf"\b{name}\b", value, command)
        return self.run_command(command.replace("python3 ", f"{sys.executable} -B ").replace(" --fetch", ""))

    def check(self, build: Path) -> None:
        """The stub without the library, and on each of its releases."""
        source, program = self.folder / "client.c", self.folder / "client"
        source.write_text(CLIENT)
        self.run_command(f"cc -o {program} {source} {build}/lib/libtoy_stub.so -Wl,-rpath,{build}/lib")
        nowhere = {"ANYCUDA_LOG": "off", "ANYCUDA_SYSTEM_ROOT": str(self.folder / "empty")}
        self.assertEqual(self.run_command(str(program), **nowhere), "41 0, 41 0, 41 0, -41\n")
        for release, answers in ((1, "0 1, 1 1, 42 0, 1\n"), (2, "0 2, 2 1, 0 1, 2\n")):
            file = self.wheels / f"toy-{release}.0/toy/lib/libtoy.so.3"
            self.assertEqual(self.run_command(str(program), ANYCUDA_TOY=str(file), **nowhere), answers)

    def test_outside_of_the_repository(self) -> None:
        self.write(self.folder / "libraries/toy")
        self.follow("PYTHONPATH=")
        build = self.folder / "build"
        self.follow("cmake -B build", build=f"{build} -S {ROOT} -DANYCUDA_FETCH=OFF")
        self.run_command(f"cmake --build {build} --parallel 2 --target toy_stub")
        self.check(build)

    def test_inside_it(self) -> None:
        """The tests that read the descriptors then test the library."""
        self.root = self.folder / "anycuda"
        shutil.copytree(ROOT, self.root, symlinks=True, ignore=shutil.ignore_patterns("build", ".git", "__pycache__"))
        self.write(self.root / "stubs/toy")
        self.follow("PYTHONPATH=", **{"FOLDER/NAME": "stubs/toy"})
        build = self.root / "build"
        self.run_command(f"cmake -B {build} -DANYCUDA_FETCH=OFF -DANYCUDA_INSTALL=OFF")
        self.run_command(f"cmake --build {build} --parallel 2")
        self.check(build)
        for file in ("calls/test_every_call", "calls/test_exports", "packaging/test_hardening",
                     "tools/test_library_folders", "tools/test_maths_facts"):
            self.run_command(f"{sys.executable} -B -m unittest tests/{file}.py", ANYCUDA_BUILD=str(build))
        page = self.run_command(f"{build}/bin/anycuda matrix --markdown")
        self.assertIn("## toy (`libtoy_stub.so`)", page)


if __name__ == "__main__":
    unittest.main()
