# SPDX-License-Identifier: Apache-2.0
"""`anycuda matrix` at a keyboard and in a pipe, on a matrix as the build makes it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path
from unittest import mock

from abi_support import ROOT, real
from matrix_support import anycuda, built, rows_of

KINDS = ("direct", "renamed", "adapted", "emulated", "absent", "rejected")


def matrix(*arguments: str, terminal: bool = False) -> str:
    """What the command prints; it must succeed and complain of nothing."""
    status, out, err = anycuda("matrix", "--file", str(built()), *arguments, terminal=terminal)
    assert (status, err) == (0, ""), (status, err)
    return out


def table(*arguments: str) -> list[list[str]]:
    """The lines of the table without its headings, split into words."""
    return [line.split() for line in matrix(*arguments).splitlines()
            if line and ": " not in line and not line.startswith("function ")]


class Table(unittest.TestCase):
    def test_releases_and_callers_that_get_the_same_are_one_line(self):
        self.assertEqual(matrix("--symbol", "cudaMalloc"), (
            "cudart: CUDA runtime, libcudart_stub.so\n"
            "function    built for  on         kind\n"
            "cudaMalloc  11,12,13   11.7-13.5  direct\n"))

    def test_what_is_called_and_why_stands_behind_the_kind(self):
        self.assertEqual(matrix("--symbol", "nvrtcGetNVVM", "--caller", "12", "--runtime", "13"), (
            "nvrtc: NVRTC (runtime compiler), libnvrtc_stub.so\n"
            "function      built for  on         kind     calls          why\n"
            "nvrtcGetNVVM  12         13.0-13.5  renamed  nvrtcGetLTOIR  "
            "the name that replaced it, the same from 12.0 on\n"))

    def test_an_adapter_that_calls_the_function_itself_says_no_more(self):
        (line,) = table("--symbol", "cudaPointerGetAttributes", "--caller", "12", "--runtime", "13")
        self.assertEqual(line[2:4], ["13.0-13.5", "adapted"])
        self.assertNotIn("cudaPointerGetAttributes", line[4:])

    def test_a_cell_says_from_which_release_on_it_works(self):
        self.assertEqual(table("--symbol", "cudaLibraryLoadData", "--caller", "12", "--runtime", "12"), [
            ["cudaLibraryLoadData", "12", "12.0-12.6", "absent", "not", "before", "12.8"],
            ["cudaLibraryLoadData", "12", "12.8-12.9", "direct"],
        ])

    def test_releases_apart_are_not_a_range(self):
        lines = table("--symbol", "cudaGetExportTable", "--caller", "12", "--kind", "rejected")
        self.assertEqual(lines[0][2], "11.7-11.8,13.0-13.5")

    def test_driver_range_excludes_the_newest_header(self):
        self.assertEqual(table("--symbol", "cuInit"), [["cuInit", "any", "515-615,13.5", "direct"]])
        self.assertEqual(table("--symbol", "cuFuncLoad", "--kind", "absent")[0][:4],
                         ["cuFuncLoad", "any", "515-545", "absent"])

    def test_columns_are_aligned(self):
        lines = matrix("--library", "nvrtc").splitlines()[1:]
        start = lines[0].index("kind")
        self.assertEqual({line[start:].split()[0] for line in lines[1:]} - set(KINDS), set())

    def test_nothing_left_is_said(self):
        self.assertEqual(matrix("--library", "cuda", "--kind", "rejected"), "no cell matches the selection\n")


class Selecting(unittest.TestCase):
    def cells(self, *arguments: str) -> list[dict]:
        return json.loads(matrix("--json", *arguments))["cells"]

    def test_each_option_keeps_what_it_names(self):
        for arguments, keep in (
            (("--library", "nvrtc"), lambda c: c["library"] == "nvrtc"),
            (("--symbol", "*Graph*Node"), lambda c: c["symbol"].endswith("Node")),
            (("--caller", "12", "--library", "cudart"), lambda c: c["caller"] == "12"),
            (("--runtime", "12.3"), lambda c: c["runtimes"] == ["12.3"]),
            (("--runtime", "13"), lambda c: all(r[:3] == "13." for r in c["runtimes"])),
            (("--kind", "absent"), lambda c: c["kind"] == "absent"),
        ):
            found = self.cells(*arguments)
            self.assertTrue(found and all(map(keep, found)), arguments)
            # All of them: with the rest they are the whole.
            if arguments[0] in ("--library", "--symbol", "--kind"):
                self.assertEqual(len(found), len([c for c in self.cells() if keep(c)]), arguments)

    def test_several_values(self):
        one = {c["symbol"] for c in self.cells("--symbol", "cudaFree,cudaMalloc")}
        self.assertEqual(one, {"cudaFree", "cudaMalloc"})
        self.assertEqual({c["kind"] for c in self.cells("--kind", "absent", "--kind", "renamed")},
                         {"absent", "renamed"})

    def test_the_drivers_functions_are_for_every_caller(self):
        self.assertTrue(self.cells("--library", "cuda", "--caller", "11"))

    def test_unknown_filter_error_lists_the_known_values(self):
        for arguments, expected in (
            (("--library", "cudrt"), "unknown library 'cudrt': use one of cublas, cublaslt, cudart, cudnn, cudnn8, "),
            (("--caller", "12.4"), "unknown caller's major '12.4': use one of 11, 12, 13, any"),
            (("--runtime", "12.7"), "unknown runtime '12.7': use one of 11.7, 11.8, 12.0"),
            (("--runtime", "12.7"), "615 (or a major: 11, 12, 13)"),
            (("--library", "nvjitlink", "--runtime", "11.8"), "unknown runtime '11.8': use one of 12.0"),
            (("--kind", "broken"), "unknown kind 'broken': use one of direct, renamed"),
            (("--symbol", "cudaMaloc"), "'cudaMaloc': did you mean cudaMalloc"),
            (("--library", "nvrtc", "--symbol", "cudaFree"), "no function of nvrtc matches 'cudaFree'"),
            (("--markdown", "--kind", "absent"), "--markdown prints the page of the whole matrix"),
        ):
            status, out, err = anycuda("matrix", "--file", str(built()), *arguments)
            self.assertEqual((status, out), (2, ""), arguments)
            self.assertTrue(err.startswith("anycuda matrix: ") and expected in err, err)


class Json(unittest.TestCase):
    def test_the_schema(self):
        text = json.loads(matrix("--json"))
        self.assertEqual(set(text), {"schema", "anycuda", "libraries", "cells"})
        self.assertEqual((text["schema"], text["anycuda"]), (1, "1.2.3"))
        self.assertEqual(text["libraries"]["cudart"], {
            "product": "CUDA runtime", "stub": "libcudart_stub.so", "is_driver": False,
            "status": {"absent": 302, "rejected": 801}, "callers": ["11", "12", "13"], "own_releases": False,
            "runtimes": real("cudart").versions})
        for cell in text["cells"]:
            self.assertEqual(list(cell), ["library", "symbol", "caller", "runtimes", "kind", "target",
                                          "function", "needs", "since", "driver", "reason"])
            self.assertEqual(len({runtime.split(".")[0] for runtime in cell["runtimes"]}), 1, cell)
            self.assertIn(cell["kind"], KINDS)

    def test_answers_equal_the_generators(self):
        found = {}
        for cell in json.loads(matrix("--json", "--library", "cudart"))["cells"]:
            for runtime in cell["runtimes"]:
                found[cell["symbol"], cell["caller"], runtime] = (cell["kind"], cell["reason"])
        made = {(symbol, caller, release): (answer.kind, answer.reason)
                for (symbol, caller), row in rows_of("cudart").items()
                for release, answer in zip(real("cudart").versions, row)}
        self.assertEqual(found, made)


class Summary(unittest.TestCase):
    def test_counts(self):
        counts = json.loads(matrix("--summary", "--json"))["counts"]
        made = Counter((caller, release, answer.kind)
                       for (_, caller), row in rows_of("cudart").items()
                       for release, answer in zip(real("cudart").versions, row))
        found = Counter({(c["caller"], c["runtime"], kind): number for c in counts
                        if c["library"] == "cudart" for kind, number in c["kinds"].items()})
        self.assertEqual(+found, +made)

    def test_the_text_folds_releases_with_equal_counts(self):
        lines = matrix("--summary", "--library", "nvrtc", "--caller", "11").splitlines()
        self.assertEqual(lines[0].split(), ["library", "built", "for", "on", *KINDS, "cells"])
        self.assertEqual(lines[1].split(), ["nvrtc", "11", "11.7-11.8", "18", *"00000", "18"])


class Terminals(unittest.TestCase):
    WORDS = ("--symbol", "nvrtcGetNVVM", "--caller", "12")

    def printed(self, **environment: str) -> str:
        values = {"TERM": "xterm", "COLUMNS": "100", **environment}
        with mock.patch.dict(os.environ, values):
            return matrix(*self.WORDS, terminal=True)

    def test_colours_only_on_a_terminal(self):
        self.assertIn("\033[32mrenamed\033[0m", self.printed(NO_COLOR="").replace(" ", ""))
        self.assertNotIn("\033", self.printed(NO_COLOR="1"))
        self.assertNotIn("\033", self.printed(NO_COLOR="", TERM="dumb"))
        self.assertNotIn("\033", matrix(*self.WORDS))

    def test_long_reason_is_wrapped_only_on_a_terminal(self):
        with mock.patch.dict(os.environ, {"COLUMNS": "90", "NO_COLOR": "1"}):
            wrapped = matrix("--symbol", "cudaGetExportTable", terminal=True).splitlines()
            plain = matrix("--symbol", "cudaGetExportTable").splitlines()
        self.assertLessEqual(max(map(len, wrapped)), 90)
        self.assertGreater(len(wrapped), len(plain))
        self.assertGreater(max(map(len, plain)), 90)


class Process(unittest.TestCase):
    """The command as it is installed: bin/anycuda, share/anycuda/."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        share = self.folder / "share" / "anycuda"
        shutil.copytree(ROOT / "packaging" / "python" / "anycuda", share / "anycuda",
                        ignore=shutil.ignore_patterns("__pycache__"))
        (self.folder / "bin").mkdir()
        shutil.copy2(ROOT / "packaging" / "bin" / "anycuda", self.folder / "bin")
        self.matrix = share / "matrix.json"
        shutil.copy(built(), self.matrix)

    def run_it(self, *arguments: str) -> subprocess.CompletedProcess:
        link = self.folder / "elsewhere"
        link.unlink(missing_ok=True)
        link.symlink_to(self.folder / "bin" / "anycuda")
        return subprocess.run([sys.executable, "-B", link, *arguments], capture_output=True, text=True,
                              cwd="/", env=self.environment())

    def environment(self) -> dict[str, str]:
        """Without what would change how Python finds packages or buffers."""
        return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}

    def test_it_needs_no_database_and_may_be_linked(self):
        done = self.run_it("matrix", "--symbol", "cudaFree")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("cudaFree", done.stdout)
        self.assertTrue(os.access(self.folder / "bin" / "anycuda", os.X_OK))

    def test_a_reader_that_has_seen_enough(self):
        # What fits into Python's buffer fails when that is flushed, and what does not, before.
        for arguments in (("--symbol", "cudaFree"), ()):
            read, write = os.pipe()
            os.close(read)
            done = subprocess.run(
                [sys.executable, "-B", self.folder / "bin" / "anycuda", "matrix", *arguments],
                stdout=write, stderr=subprocess.PIPE, text=True, env=self.environment())
            os.close(write)
            self.assertEqual((done.returncode, done.stderr), (141, ""), arguments)

    def test_a_file_that_is_not_there_or_no_matrix(self):
        for text, expected in ((None, "matrix.json is missing in"), ("{", "is not valid JSON"),
                               ('{"format": 99}', "is not a matrix of format 1"), ("[]", "is not a matrix")):
            self.matrix.unlink(missing_ok=True)
            if text is not None:
                self.matrix.write_text(text)
            done = self.run_it("matrix")
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertTrue(done.stderr.startswith("anycuda matrix: ") and expected in done.stderr,
                            done.stderr)
        self.assertIn("No such file", self.run_it("matrix", "--file", "/none").stderr)

    def test_help_and_unknown_words(self):
        self.assertIn("matrix", self.run_it("--help").stdout)
        self.assertIn("--runtime RELEASE", self.run_it("matrix", "--help").stdout)
        self.assertEqual([self.run_it(*arguments).returncode for arguments in ((), ("x",), ("matrix", "x"))],
                         [2, 2, 2])


if __name__ == "__main__":
    unittest.main()
