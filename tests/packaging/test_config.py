# SPDX-License-Identifier: Apache-2.0
"""`anycuda config` on a made-up installation."""

import argparse
import contextlib
import io
import json
import shlex
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import abi_support  # noqa: F401  (puts packaging/ on the path)
from anycuda import config, failure, installation
from anycuda.config import flags
from build_folder import BUILD


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

    def output(self, *arguments: str) -> str:
        parser = argparse.ArgumentParser()
        config.add_arguments(parser)
        found = installation.load(self.root / "installation.json")
        out = io.StringIO()
        with mock.patch.object(installation, "find", lambda: found), contextlib.redirect_stdout(out):
            self.assertEqual(config.run(parser.parse_args(arguments)), 0)
        return out.getvalue()

    def test_prints_what_is_asked_for_in_that_order(self):
        self.assertEqual(self.output("--cmake-dir", "--stubs"), f"{self.root}/lib/cmake\n{self.root}/lib\n")

    def test_missing_and_never_installed_folders_are_refused(self):
        with self.assertRaisesRegex(failure.Failure, "no include folder: .*include is missing"):
            self.output("--include")
        with self.assertRaisesRegex(failure.Failure, "no link folder: it was built without"):
            self.output("--link-dir")

    def test_build_folder_is_reported_as_one(self):
        path = self.root / "installation.json"
        text = json.loads(path.read_text(encoding="utf-8"))
        del text["folders"]["cmake"], text["folders"]["include"]
        path.write_text(json.dumps(text), encoding="utf-8")
        with self.assertRaisesRegex(failure.Failure, "no cmake folder: it belongs to a build folder, .*cmake "
                                                     "--install"):
            self.output("--cmake-dir")
        self.assertEqual(self.output("--stubs"), f"{self.root}/lib\n")

    def test_without_options_names_all_that_there_is(self):
        (self.root / "include").mkdir()
        lines = [line.split() for line in self.output().splitlines()]
        self.assertEqual([line[0] for line in lines], ["--stubs", "--include", "--cmake-dir"])


class Flags(unittest.TestCase):
    """On the build's own link libraries."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="with blank ")
        self.addCleanup(folder.cleanup)
        self.include = Path(folder.name).resolve()
        self.lib = BUILD.resolve() / "lib"
        folders = {"stubs": self.lib, "link": self.lib / "link", "include": self.include}
        self.found = installation.Installation("1", "x86_64", folders)

    def output(self, *arguments: str) -> str:
        parser = argparse.ArgumentParser()
        config.add_arguments(parser)
        out = io.StringIO()
        with mock.patch.object(installation, "find", lambda: self.found), contextlib.redirect_stdout(out):
            self.assertEqual(config.run(parser.parse_args(arguments)), 0)
        return out.getvalue()

    def test_flags_are_one_line_for_the_shell(self):
        line = self.output("--rpath", "--cflags", "--libs", "12")
        self.assertEqual(line.count("\n"), 1)
        self.assertEqual(shlex.split(line), [f"-I{self.include}", "-DANYCUDA_BUILT_FOR=12", f"-L{self.lib}/link/12",
                                             "-lcudart", f"-Wl,-rpath,{self.lib}"])

    def test_libraries_by_the_names_of_their_stubs(self):
        arguments = shlex.split(self.output("--libs", "--library", "nvrtc,nvjitlink,nvtx", "--library", "cuda", "12"))
        self.assertEqual(arguments, [f"-L{self.lib}/link/12", f"-L{self.lib}", "-lnvrtc", "-lnvJitLink", "-lnvToolsExt",
                                     "-lcuda_stub"])

    def test_the_compilers_own_include_folder_is_left_out(self):
        with mock.patch.object(flags, "_SYSTEM_INCLUDES", (self.include,)):
            self.assertEqual(self.output("--cflags", "13"), "-DANYCUDA_BUILT_FOR=13\n")

    def test_unanswerable_query_is_reported(self):
        for arguments, sentence in ((("--libs",), "need the CUDA major"), (("12",), "add --cflags, --libs or --rpath"),
                                    (("--library", "cudart"), "add --cflags, --libs or --rpath"),
                                    (("--cflags", "--rpath", "--library", "nvrtc", "12"), "add --libs, or leave out"),
                                    (("--libs", "--library", "nvjitlink", "11"), "for CUDA 11: pass 12 or 13 as MAJOR"),
                                    (("--libs", "--library", "../x", "12"), "no library '../x': .* cublas, .*nvrtc")):
            with self.subTest(arguments), self.assertRaisesRegex(failure.Failure, sentence):
                self.output(*arguments)

    def test_a_damaged_library_is_named(self):
        link = self.include / "link"
        (link / "12").mkdir(parents=True)
        whole = (self.lib / "link/12/libcudart.so").read_bytes()
        self.found.folders["link"] = link
        for content in (b"", b"!<arch>\n", whole[:1000]):
            (link / "12/libcudart.so").write_bytes(content)
            with self.subTest(len(content)), self.assertRaisesRegex(failure.Failure, "libcudart.so.*; install anycuda"):
                self.output("--libs", "12")


if __name__ == "__main__":
    unittest.main()
