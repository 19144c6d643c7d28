"""The wheel for PyPI, built from this build folder (packaging/wheel/build.py), as pip and auditwheel see it."""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from emulated import BUILD, WHERE

ROOT = Path(__file__).resolve().parents[2]
NAME = "anycuda-{version}-py3-none-manylinux2014_aarch64.manylinux_2_17_aarch64.whl"


def built(out: Path) -> Path:
    environment = dict(os.environ, SOURCE_DATE_EPOCH="1735689600",
                       PYTHONPATH=os.environ["PYTHONPATH"] + ":" + WHERE["scikit-build"])
    words = [sys.executable, ROOT / "packaging" / "wheel" / "build.py", "--cpu", "aarch64", "--out", out,
             "--build", BUILD.parent]  # fmt: skip
    result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=500)
    assert result.returncode == 0, result.stdout + result.stderr
    return next(out.glob("*.whl"))


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="aarch64-wheel-")
        cls.addClassCleanup(temporary.cleanup)
        cls.folder = Path(temporary.name)
        cls.wheel = built(cls.folder / "first")
        cls.tree = cls.folder / "tree"
        with zipfile.ZipFile(cls.wheel) as archive:
            archive.extractall(cls.tree)

    def test_is_for_manylinux2014(self):
        version = json.loads((self.tree / "anycuda" / "installation.json").read_text())["version"]
        self.assertEqual(self.wheel.name, NAME.format(version=version))
        about = next(self.tree.glob("*.dist-info"))
        tags = [line for line in (about / "WHEEL").read_text().splitlines() if line.startswith("Tag: ")]
        self.assertEqual(sorted(tags), ["Tag: py3-none-manylinux2014_aarch64", "Tag: py3-none-manylinux_2_17_aarch64"])
        said = (about / "METADATA").read_text(encoding="utf-8")
        for line in (f"Version: {version}", "Requires-Python: >=3.8", "License-Expression: Apache-2.0"):
            self.assertIn(line + "\n", said)
        self.assertIn("anycuda = anycuda.__main__:main", (about / "entry_points.txt").read_text())

    def test_the_same_sources_give_the_same_bytes(self):
        again = built(self.folder / "second")
        self.assertEqual(hashlib.sha256(again.read_bytes()).hexdigest(),
                         hashlib.sha256(self.wheel.read_bytes()).hexdigest())

    def test_its_command_knows_where_its_files_are(self):
        def said(*words: str) -> str:
            environment = {"PYTHONPATH": str(self.tree), "PYTHONDONTWRITEBYTECODE": "1"}
            result = subprocess.run([sys.executable, "-m", "anycuda", *words], env=environment, capture_output=True,
                                    text=True, cwd=self.folder)  # fmt: skip
            self.assertEqual(result.returncode, 0, result.stderr)
            return result.stdout

        self.assertRegex(said("matrix", "--symbol", "cudaMalloc"), r"cudaMalloc +11,12,13 +11\.7-[\d.]+ +direct")
        folder = Path(said("config", "--cmake-dir").strip())
        self.assertTrue((folder / "anycudaConfig.cmake").is_file(), folder)
        self.assertTrue((Path(said("config", "--stubs").strip()) / "libcudart_stub.so").is_file())

    def test_pip_installs_it_for_that_cpu_and_no_other(self):
        def install(platform: str) -> subprocess.CompletedProcess:
            return subprocess.run(
                [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--no-deps", "--no-index",
                 "--only-binary=:all:", "--platform", platform, "--target", self.folder / platform, self.wheel],
                capture_output=True, text=True)  # fmt: skip

        if subprocess.run([sys.executable, "-m", "pip", "--version"], capture_output=True).returncode != 0:
            self.skipTest(f"{sys.executable} has no pip (Debian package python3-pip)")
        right = install("manylinux2014_aarch64")
        self.assertEqual(right.returncode, 0, right.stderr)
        self.assertTrue((self.folder / "manylinux2014_aarch64" / "anycuda" / "lib" / "libcudart_stub.so").is_file())
        wrong = install("manylinux2014_x86_64")
        self.assertNotEqual(wrong.returncode, 0)
        self.assertIn("not a supported wheel on this platform", wrong.stderr)


if __name__ == "__main__":
    unittest.main()
