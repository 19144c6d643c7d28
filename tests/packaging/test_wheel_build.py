# SPDX-License-Identifier: Apache-2.0
"""What packaging/wheel/build.py looks for in a wheel before it calls it done, on wheels that are made up, and its
message about missing packages. Its own result is tested by tests/wheel/test_wheel.py."""

import json
import platform
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

from build_folder import BUILD, with_drop_ins
from abi_support import ROOT

sys.path.insert(0, str(ROOT / "packaging" / "wheel"))

import inspection  # noqa: E402

CPU = platform.machine()


@with_drop_ins
class Inspection(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="wheel-")
        self.addCleanup(temporary.cleanup)
        self.wheel = Path(temporary.name) / "anycuda.whl"

    def findings(self, changes: dict | None = None, cpu: str = CPU, runnable: bool = True, folders=()) -> list[str]:
        """`changes`: name in the wheel -> content; None takes it out."""
        content = dict.fromkeys(inspection.PROMISED, b"")
        for name in inspection.SHIPPED:
            built = name.replace("anycuda/lib/", "").replace("anycuda/", "")
            content[name] = (BUILD / "lib" / built).read_bytes()
        content["anycuda/installation.json"] = json.dumps({"cpu": CPU}).encode()
        content.update(changes or {})
        with zipfile.ZipFile(self.wheel, "w") as archive:
            for name, data in content.items():
                if data is not None:
                    info = zipfile.ZipInfo(re.sub("^share/", "anycuda-0.1.0.data/data/share/", name))
                    info.external_attr = (0o755 if runnable else 0o644) << 16
                    archive.writestr(info, data)
        return inspection.of_wheel(self.wheel, cpu, folders, floor=False)

    def test_a_whole_wheel_is_fit(self):
        self.assertEqual(self.findings(), [])

    def test_a_missing_file_is_named(self):
        name = "anycuda/lib/anycuda/dropin/libcudart.so.12"
        self.assertEqual(self.findings({name: None}), [f"it has no {name}"])

    def test_what_a_build_left_behind_is_named(self):
        self.assertEqual(self.findings({"anycuda/__pycache__/x.cpython-311.pyc": b""}),
                         ["it has anycuda/__pycache__/x.cpython-311.pyc, which must not be in the wheel"])

    def test_a_library_for_another_cpu_is_named(self):
        other = bytearray((BUILD / "lib" / "libcuda_stub.so").read_bytes())
        other[18] = 62 if other[18] == 183 else 183  # e_machine
        found = self.findings({"anycuda/lib/libcuda_stub.so": bytes(other)})
        self.assertEqual(len(found), 1, found)
        self.assertRegex(found[0], r"libcuda_stub\.so is for (aarch64|x86_64)")

    def test_a_wheel_that_says_another_cpu_is_refused(self):
        found = self.findings({"anycuda/installation.json": b'{"cpu": "riscv64"}'})
        self.assertEqual(found, [f"installation.json is for riscv64, not {CPU}"])

    def test_a_soft_library_is_named_with_what_is_soft(self):
        soft = (BUILD / "lib" / "link" / "12" / "libcudart.so").read_bytes()
        name = "anycuda/lib/libcudart_stub.so"
        found = self.findings({name: soft})
        self.assertTrue([x for x in found if x.startswith(f"{name}: functions are bound lazily")], found)

    def test_a_folder_of_the_build_is_named(self):
        name = "anycuda/lib/anycuda/link/12/libcudart.so"
        found = self.findings({name: b"debug information of /build/here/entries.S"}, folders=("/build/here",))
        self.assertEqual(found, [f"{name}: it contains /build/here, a folder of the machine where it was built"])

    def test_a_program_that_may_not_run_is_named(self):
        wanted = [f"anycuda/lib/anycuda/{name} is not executable"
                  for name in ("anycuda-doctor-native", "anycuda-device-code")]
        self.assertEqual(self.findings(runnable=False), wanted)


class MissingPackages(unittest.TestCase):
    def message(self, folder: str) -> str:
        """The message of build.py in a Python without packages, with this folder as PATH."""
        done = subprocess.run([sys.executable, "-I", "-S", ROOT / "packaging" / "wheel" / "build.py"],
                              env={"PATH": folder}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        return done.stderr

    def test_the_packages_are_named(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertIn("`pip install scikit-build-core shtab ziglang`", self.message(folder))

    def test_an_installed_zig_is_enough(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "zig").touch(0o755)
            self.assertIn("`pip install scikit-build-core shtab`", self.message(folder))


if __name__ == "__main__":
    unittest.main()
