# SPDX-License-Identifier: Apache-2.0
"""installation.json: the trees that have one, a missing one and an invalid one."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from build_folder import BUILD, with_drop_ins
from doctor_support import COMMAND
from analysis_support import anycuda, built  # puts the package on the path

from anycuda import installation
from anycuda.failure import Failure

FOLDERS = {"stubs": "lib", "dropins": "lib/anycuda/dropin", "link": "lib/link"}


class Trees(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name).resolve()

    def written(self, text: object, folder: str = ".") -> Path:
        path = self.root / folder / "installation.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text if isinstance(text, str) else json.dumps(text))
        return path

    def whole(self, **changes) -> dict:
        return {"version": "1.2.3", "cpu": "x86_64", "folders": FOLDERS, **changes}

    def loaded(self) -> installation.Installation:
        for folder in FOLDERS.values():
            (self.root / folder).mkdir(parents=True, exist_ok=True)
        return installation.load(self.written(self.whole()))

    def test_paths_are_relative_to_the_file(self):
        loaded = self.loaded()
        self.assertEqual((loaded.version, loaded.cpu), ("1.2.3", "x86_64"))
        self.assertEqual(loaded.folder("dropins"), self.root / "lib/anycuda/dropin")

    def test_a_tree_may_be_moved(self):
        self.loaded()
        moved = self.root.with_name(self.root.name + "-moved")
        self.addCleanup(shutil.rmtree, moved)
        shutil.copytree(self.root, moved)
        self.assertEqual(installation.load(moved / "installation.json").folder("stubs"), moved / "lib")

    def test_a_stub(self):
        loaded = self.loaded()
        (self.root / "lib" / "libcudart_stub.so").touch()
        self.assertEqual(loaded.stub("cudart"), self.root / "lib" / "libcudart_stub.so")
        with self.assertRaisesRegex(Failure, "libnvrtc_stub.so is missing: install anycuda again"):
            loaded.stub("nvrtc")

    def test_a_folder_that_is_not_there_or_not_named(self):
        loaded = self.loaded()
        with self.assertRaisesRegex(Failure, "has no static folder: it belongs to a build folder, .*cmake "
                                             "--install"):
            loaded.folder("static")
        whole = installation.load(self.written(self.whole(folders={**FOLDERS, "include": "include"})))
        with self.assertRaisesRegex(Failure, "has no static folder: it was built without"):
            whole.folder("static")
        (self.root / "lib/link").rmdir()
        with self.assertRaisesRegex(Failure, "has no link folder: .*/lib/link is missing"):
            loaded.folder("link")

    def test_a_damaged_file(self):
        whole = self.whole()
        for text in ("", "{", "[]", "3", {}, {**whole, "folders": []}, {**whole, "folders": {"stubs": 1}},
                     {key: value for key, value in whole.items() if key != "cpu"}):
            with self.assertRaisesRegex(Failure, "is damaged .*: install anycuda again"):
                installation.load(self.written(text))
        with self.assertRaisesRegex(Failure, "No such file"):
            installation.load(self.root / "none.json")
        with self.assertRaisesRegex(Failure, "Is a directory"):
            installation.load(self.root)

    def test_found_in_the_package_or_its_parent(self):
        package = self.root / "share" / "anycuda"
        for folder in ("share/anycuda", "share"):
            with mock.patch.object(installation, "_PACKAGE", package):
                installation.find.cache_clear()
                self.addCleanup(installation.find.cache_clear)
                path = self.written(self.whole(version=folder), folder)
                self.assertEqual(installation.find().version, folder)
                path.unlink()
        with mock.patch.object(installation, "_PACKAGE", package):
            installation.find.cache_clear()
            with self.assertRaisesRegex(Failure, "installation.json is missing in .*share/anycuda and .*share: "):
                installation.find()


class Version(unittest.TestCase):
    def test_without_an_installation_the_other_commands_work(self):
        with mock.patch.object(installation, "_PACKAGE", Path("/nowhere/at/all")):
            installation.find.cache_clear()
            self.addCleanup(installation.find.cache_clear)
            status, out, err = anycuda("--version")
            self.assertEqual((status, out), (2, ""))
            self.assertTrue(err.startswith("anycuda: installation.json is missing"), err)
            self.assertEqual(anycuda("matrix", "--file", str(built()), "--symbol", "cuInit")[0], 0)


class Built(unittest.TestCase):
    @with_drop_ins
    def test_the_build_folder_has_what_its_file_names(self):
        found = installation.load(BUILD / "share" / "anycuda" / "installation.json")
        self.assertEqual(found.cpu, os.uname().machine)
        with self.assertRaisesRegex(Failure, "no cmake folder: it belongs to a build folder"):
            found.folder("cmake")
        for name in ("cudart", "nvrtc", "nvjitlink", "cuda"):
            self.assertTrue(found.stub(name).is_file())
        self.assertTrue((found.folder("dropins") / "libcudart.so.12").is_file())
        self.assertTrue((found.folder("link") / "12" / "libcudart.so").exists())
        self.assertTrue((found.folder("tools") / "libanycuda_doctor.so").is_file())

    def test_the_command_says_its_version(self):
        done = subprocess.run([sys.executable, COMMAND, "--version"], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"^anycuda \d+\.\d+\.\d+\n$")


if __name__ == "__main__":
    unittest.main()
