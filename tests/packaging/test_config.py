"""`anycuda config` on an installation that is made up."""

import argparse
import contextlib
import io
import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import abi_support  # noqa: F401  (puts packaging/ on the path)
from anycuda import config, failure, installation


class Config(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = Path(temporary.name).resolve()
        for name in ("lib", "lib/cmake"):
            (self.root / name).mkdir()
        folders = {"stubs": "lib", "cmake": "lib/cmake", "include": "include"}
        text = {"version": "1", "cpu": "x86_64", "folders": folders}
        (self.root / "installation.json").write_text(json.dumps(text), encoding="utf-8")

    def said(self, *words: str) -> str:
        parser = argparse.ArgumentParser()
        config.add_arguments(parser)
        found = installation.load(self.root / "installation.json")
        out = io.StringIO()
        with mock.patch.object(installation, "find", lambda: found), contextlib.redirect_stdout(out):
            self.assertEqual(config.run(parser.parse_args(words)), 0)
        return out.getvalue()

    def test_prints_what_is_asked_for_in_that_order(self):
        self.assertEqual(self.said("--cmake-dir", "--stubs"), f"{self.root}/lib/cmake\n{self.root}/lib\n")

    def test_refuses_a_folder_that_is_gone_and_one_that_this_installation_never_had(self):
        with self.assertRaisesRegex(failure.Failure, "no folder of include: .*include is missing"):
            self.said("--include")
        with self.assertRaisesRegex(failure.Failure, "no folder of link: it was made without"):
            self.said("--link-dir")

    def test_a_build_folder_is_told_as_one(self):
        path = self.root / "installation.json"
        text = json.loads(path.read_text(encoding="utf-8"))
        del text["folders"]["cmake"], text["folders"]["include"]
        path.write_text(json.dumps(text), encoding="utf-8")
        with self.assertRaisesRegex(failure.Failure, "no folder of cmake: it is of a build folder, .*cmake --install"):
            self.said("--cmake-dir")
        self.assertEqual(self.said("--stubs"), f"{self.root}/lib\n")

    def test_without_options_names_all_that_there_is(self):
        (self.root / "include").mkdir()
        lines = [line.split() for line in self.said().splitlines()]
        self.assertEqual([line[0] for line in lines], ["--stubs", "--include", "--cmake-dir"])


if __name__ == "__main__":
    unittest.main()
