# SPDX-License-Identifier: Apache-2.0
"""`anycuda repair --free-requirements` on small wheels: requirements of NVIDIA's libraries become extras."""

import json
import os
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from build_folder import artifact, with_real_libraries
from test_repair import RepairCase, compiled
from wheel_support import anycuda, problems, without_licence

METADATA = "thing-1.0.dist-info/METADATA"
RUNTIME = "Requires-Dist: nvidia-cuda-runtime-cu12==12.9.*\n"
EXTRA = 'Requires-Dist: nvidia-cuda-runtime-cu12==12.9.*; extra == "cuda12"\n'
LIST = {"preload": [{"package": "nvidia-cuda-runtime-cu12", "library": "libcudart.so.12"},
                    {"package": "openblas", "library": "libopenblas.so.0"}]}


@with_real_libraries
class Freed(RepairCase):
    def freed(self, path: Path, *arguments) -> tuple[str, str]:
        """(what it says, METADATA of the result, without anycuda's licence)"""
        done = anycuda("repair", "--free-requirements", "--force", "-w", self.top / "out", *arguments,
                       path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = self.top / "out" / path.name
        self.assertEqual(problems(result), [])
        return done.stdout, without_licence(self.read(result, METADATA).decode())

    def read(self, path: Path, name: str) -> bytes:
        with zipfile.ZipFile(path) as wheel:
            return wheel.read(name)

    def test_what_the_stubs_stand_for_is_an_extra(self):
        path = self.wheel({"thing/a.so": self.library()},
                          metadata=f"{RUNTIME}Requires-Dist: nvidia-cusparselt-cu12\nRequires-Dist: numpy\n")
        before = self.read(path, METADATA).decode()
        output, after = self.freed(path)
        extras = "".join(f"Provides-Extra: cuda{major}\n" for major in (11, 12, 13))
        others = ('Requires-Dist: nvidia-cuda-runtime-cu11; extra == "cuda11"\n'
                  'Requires-Dist: nvidia-cuda-runtime==13.*; extra == "cuda13"\n')
        self.assertEqual(after, before.replace(RUNTIME, extras + EXTRA + others))
        for line in ("freed     nvidia-cuda-runtime-cu12==12.9.* -> extra cuda12",
                     'freed     nvidia-cuda-runtime==13.*; extra == "cuda13" added',
                     "note      the requirement nvidia-cusparselt-cu12 stays: anycuda has no stub for it",
                     'pip install "thing[cuda12]"'):
            self.assertIn(line, output)

    def test_a_dry_run_says_the_same(self):
        path = self.wheel({"thing/a.so": self.library()}, metadata=RUNTIME)
        output, _ = self.freed(path)
        done = anycuda("repair", "--free-requirements", "--dry-run", path)
        (written,) = (line for line in output.splitlines() if line.startswith("  written "))
        self.assertEqual(done.stdout.splitlines(), [line for line in output.splitlines() if line != written])

    def test_without_the_option_nothing_is_freed(self):
        path = self.wheel({"thing/a.so": self.library()}, metadata=RUNTIME)
        anycuda("repair", "-w", self.top / "out", path)
        after = self.read(self.top / "out" / path.name, METADATA).decode()
        self.assertEqual(without_licence(after), self.read(path, METADATA).decode())

    def test_a_repaired_wheel_is_freed_later_and_once(self):
        path = self.wheel({"thing/a.so": self.library()}, metadata=RUNTIME)
        anycuda("repair", "--in-place", path)
        _, after = self.freed(path)
        self.assertIn(EXTRA, after)
        done = anycuda("repair", "--free-requirements", "-w", self.top / "again", self.top / "out" / path.name)
        self.assertIn("nothing to repair", done.stdout)

    def test_opened_name_without_a_drop_in_is_still_required(self):
        opens = compiled('const char* name = "libcudart.so";', self.top / "opens.so")
        path = self.wheel({"thing/a.so": self.library(), "thing/opens.so": opens}, metadata=RUNTIME)
        output, after = self.freed(path)
        self.assertIn("nvidia-cuda-runtime-cu12 stays: thing/opens.so opens libcudart.so", output)
        self.assertEqual(after, self.read(path, METADATA).decode())

    def test_what_a_drop_in_serves_is_an_extra(self):
        """Also where no file is linked to a stub. Without the drop-in the name is NVIDIA's."""
        opens = compiled('const char* name = "libcudart.so.12";', self.top / "opens.so")
        for files in ({"thing/opens.so": opens}, {"thing/a.so": self.library(), "thing/opens.so": opens}):
            path = self.wheel(files, metadata=RUNTIME)
            self.assertIn(EXTRA, self.freed(path)[1])
            output, after = self.freed(path, "--no-drop-ins")
            self.assertIn("nvidia-cuda-runtime-cu12 stays: thing/opens.so opens libcudart.so.12", output)
            self.assertEqual(after, self.read(path, METADATA).decode())

    def test_a_wheel_without_files_for_cuda_keeps_its_requirements(self):
        path = self.wheel({"thing/a.py": b"1"}, metadata=RUNTIME)
        output, _ = self.freed(path)
        self.assertIn("nvidia-cuda-runtime-cu12 stays: no file of the wheel needs a stub", output)
        self.assertEqual((self.top / "out" / path.name).read_bytes(), path.read_bytes())

    def test_beside_a_dropped_one(self):
        path = self.wheel({"thing/a.so": self.library()}, metadata=f"{RUNTIME}Requires-Dist: nvidia-cublas-cu12\n")
        _, after = self.freed(path, "--drop-requirement", "nvidia-cublas-cu12")
        self.assertIn(EXTRA, after)
        self.assertNotIn("cublas", after)

    def test_a_list_of_what_to_load(self):
        """Of the freed distributions only, and only in the files of the package."""
        text = json.dumps(LIST, indent=2).encode()
        asks = b"from importlib.metadata import files\nfiles('nvidia-cuda-runtime-cu12')\nfiles('nvidia-nccl-cu12')\n"
        path = self.wheel({"thing/a.so": self.library(), "thing/load.json": text, "thing/load.py": asks,
                           "thing-1.0.dist-info/sbom.json": text}, metadata=RUNTIME)
        output, _ = self.freed(path)
        result = self.top / "out" / path.name
        self.assertEqual(json.loads(self.read(result, "thing/load.json")), {"preload": LIST["preload"][1:]})
        self.assertEqual(self.read(result, "thing-1.0.dist-info/sbom.json"), text)
        self.assertEqual(self.read(result, "thing/load.py"), asks)
        self.assertIn("freed     thing/load.json no longer loads the libraries of nvidia-cuda-runtime-cu12", output)
        self.assertIn("note      thing/load.py asks for nvidia-cuda-runtime-cu12 by name; pip now installs this "
                      "distribution only with an extra: test the wheel without it", output)

    def test_a_list_of_what_stays_required_is_kept(self):
        text = json.dumps(LIST, indent=2).encode()
        opens = compiled('const char* name = "libcudart.so";', self.top / "opens.so")
        path = self.wheel({"thing/a.so": self.library(), "thing/opens.so": opens, "thing/load.json": text},
                          metadata=RUNTIME)
        self.freed(path)
        self.assertEqual(self.read(self.top / "out" / path.name, "thing/load.json"), text)


@with_real_libraries
class Installed(RepairCase):
    def install(self, *arguments) -> subprocess.CompletedProcess:
        return subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-index",
                               "--dry-run", "--target", self.top / "target", *arguments],
                              capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(artifact("pip"))})

    def test_pip_asks_for_the_libraries_with_an_extra_only(self):
        path = self.wheel({"thing/a.so": self.library()}, metadata=RUNTIME)
        self.assertIn("nvidia-cuda-runtime-cu12==12.9.*", self.install(path).stderr)
        anycuda("repair", "--free-requirements", "--in-place", path)
        done = self.install(path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Would install thing-1.0", done.stdout)
        for extra, wanted in (("cuda12", "nvidia-cuda-runtime-cu12==12.9.*"), ("cuda11", "nvidia-cuda-runtime-cu11"),
                              ("cuda13", "nvidia-cuda-runtime==13.*;")):
            with self.subTest(extra=extra):
                self.assertIn(wanted, self.install(f"thing[{extra}] @ file://{path}").stderr)


if __name__ == "__main__":
    unittest.main()
