# SPDX-License-Identifier: Apache-2.0
"""compat/catalogue/generate.py: the catalogue in the repository is whole, and a faulty row is refused with
file and line.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CATALOGUE = ROOT / "compat" / "catalogue"
TARGET = ["--target", "x86_64-linux", "--multiarch", "x86_64-linux-gnu"]


def load():
    spec = importlib.util.spec_from_file_location("catalogue_generate", CATALOGUE / "generate.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


generate = load()

GOOD = """# A comment.
default packaging toolkit
default wheels    nvidia/cu13/lib
default roots     lib64 targets/{target}/lib
default system    usr/lib/{multiarch}

cudart  # another
    groups  cudart
    files   libcudart.so.13
            libcudart.so.12
    wheels  + nvidia/cuda_runtime/lib
    from    nvidia-cuda-runtime nvidia-cuda-runtime-cu12

tool
    packaging other
    files   libtool.so
    wheels  -
    roots   tool-*/lib +
"""
DISTRIBUTIONS = "nvidia-cuda-runtime       toolkit\nnvidia-cuda-runtime-cu12  toolkit\n"


class CatalogueCase(unittest.TestCase):
    """A folder with a catalogue in it."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name in generate.KINDS:
            self.write(name, "")
        self.write("dynamic_libraries.txt", GOOD)
        self.write("distributions.txt", DISTRIBUTIONS)
        self.output = self.folder / "build" / "table.inc"

    def test_packages_are_checked(self) -> None:
        good = "# a comment\nconda  cuda-cudart*  toolkit\ndpkg   libcudart#    source\n"
        self.write("packages.txt", good)
        self.table()
        for line in (
            "conda a", "rpm a own", "conda a source", "conda a name", "dpkg a toolkit",
            "dpkg A source", "dpkg *a source", "dpkg a source x",
        ):
            with self.subTest(line):
                self.write("packages.txt", good + line + "\n")
                status, output = self.run_tool()
                self.assertEqual(status, 1)
                self.assertIn("packages.txt:4", output)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")

    def run_tool(self) -> tuple[int, str]:
        text = io.StringIO()
        with contextlib.redirect_stderr(text):
            status = generate.main([str(self.folder), str(self.output), *TARGET])
        return status, text.getvalue()

    def table(self) -> str:
        self.assertEqual(self.run_tool(), (0, ""))
        return self.output.read_text(encoding="utf-8")

    def refuses(self, old: str, new: str, line: int, why: str) -> None:
        """The good rows with one change."""
        self.assertIn(old, GOOD)
        self.write("dynamic_libraries.txt", GOOD.replace(old, new, 1))
        self.refused(f"dynamic_libraries.txt:{line}", why)

    def refused(self, where: str, why: str) -> None:
        status, text = self.run_tool()
        self.assertEqual(status, 1)
        self.assertIn(f"{self.folder}/{where}: ", text)
        self.assertIn(why, text)
        self.assertFalse(self.output.exists(), "a table was written all the same")


class TheCatalogue(unittest.TestCase):
    def test_is_whole(self) -> None:
        words = {"target": "x86_64-linux", "multiarch": "x86_64-linux-gnu"}
        catalogue = generate.Catalogue(CATALOGUE, words)
        self.assertEqual(catalogue.errors, [])
        self.assertGreater(len(catalogue.components), 100)

    def test_distributions_and_folders_have_the_same_majors(self) -> None:
        """Up to CUDA 12 each wheel has its own folder; from 13 on they share nvidia/cu13."""
        words = {"target": "x86_64-linux", "multiarch": "x86_64-linux-gnu"}
        for piece in generate.Catalogue(CATALOGUE, words).components:
            if piece.values["packaging"] != ["toolkit"]:
                continue
            folders = piece.values["wheels"]
            with self.subTest(piece=piece.name, kind=piece.kind):
                of_13 = [name for name in piece.values["from"] if not re.search(r"-cu1[12]$", name)]
                older = [name for name in piece.values["from"] if name not in of_13]
                self.assertEqual(bool(of_13), any(f.startswith("nvidia/cu13/") for f in folders))
                self.assertEqual(bool(older), any(not f.startswith("nvidia/cu13/") for f in folders))


class Table(CatalogueCase):
    def test_has_the_rows_by_kind_and_name(self) -> None:
        nvcc, bin2c = (f"{name}\n files {name}\n roots bin\n" for name in ("nvcc", "Bin2c"))
        self.write("programs.txt", f"default packaging toolkit\n{nvcc}{bin2c}")
        rows = re.findall(r'^    \{"([^"]+)", Kind::(\w+)', self.table(), re.MULTILINE)
        self.assertEqual(
            rows,
            [("cudart", "dynamic_library"), ("tool", "dynamic_library"), ("Bin2c", "program"), ("nvcc", "program")],
        )

    def test_values_go_on_in_the_next_line(self) -> None:
        self.assertIn('{"libcudart.so.13", "libcudart.so.12"}', self.table())

    def test_has_what_a_library_needs(self) -> None:
        self.assertNotIn("kNeeds", self.table())
        self.write("dynamic_libraries.txt", GOOD.replace("    wheels  -\n", "    wheels  -\n    needs librt.so.1\n"))
        self.assertIn('{"librt.so.1"}', self.table())

    def test_stubbed_library_has_the_descriptors_sonames(self) -> None:
        self.write("dynamic_libraries.txt", GOOD.replace("libtool.so", "{cudart} libtool.so"))
        self.assertIn('{"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libtool.so"}', self.table())

    def test_plus_stands_for_the_default_and_words_are_filled_in(self) -> None:
        table = self.table()
        self.assertIn('{"nvidia/cu13/lib", "nvidia/cuda_runtime/lib"}', table)
        self.assertIn('{"tool-*/lib", "lib64", "targets/x86_64-linux/lib"}', table)
        self.assertIn('{"usr/lib/x86_64-linux-gnu"}', table)

    def test_minus_is_an_empty_list(self) -> None:
        row = next(line for line in self.table().splitlines() if line.startswith('    {"tool"'))
        self.assertIn("Packaging::other, {nullptr, 0}", row)  # groups
        self.assertIn("{nullptr, 0}, {kRoots", row)  # wheels, and no distribution
        self.assertTrue(row.endswith("{nullptr, 0}},"))

    def test_a_default_holds_from_where_it_stands(self) -> None:
        self.write("dynamic_libraries.txt", GOOD + "\ndefault system -\nlast\n    files liblast.so\n    wheels -\n")
        row = next(line for line in self.table().splitlines() if line.startswith('    {"last"'))
        self.assertTrue(row.endswith("{nullptr, 0}, {nullptr, 0}},"), row)


class Refusal(CatalogueCase):
    """Line 7 is cudart's name, line 14 tool's."""

    def test_of_an_unknown_key(self) -> None:
        self.refuses("    groups ", "    group ", 8, "unknown key 'group'")

    def test_of_a_repeated_key(self) -> None:
        self.refuses("    groups  cudart\n", "    files x.so\n", 9, "'files' of cudart is given twice")

    def test_of_a_key_without_a_value(self) -> None:
        self.refuses("    groups  cudart", "    groups", 8, "'groups' has no value")

    def test_of_a_line_before_any_component(self) -> None:
        self.refuses("# A comment.", "    files x", 1, "belongs to no component")

    def test_of_a_name_with_blanks(self) -> None:
        self.refuses("\ntool\n", "\nto ol\n", 14, "'to ol' is not a valid component name")

    def test_of_a_name_that_is_there_already_in_any_case(self) -> None:
        self.refuses("\ntool\n", "\nCUDART\n", 14, "CUDART is already defined at dynamic_libraries.txt:7")

    def test_of_a_wrong_packaging(self) -> None:
        self.refuses("packaging other", "packaging cudnn", 15, "'cudnn' cannot be a value of 'packaging'")

    def test_of_no_packaging(self) -> None:
        self.refuses("default packaging toolkit\n", "", 6, "'packaging' must be one of toolkit, driver, other")

    def test_of_no_files(self) -> None:
        self.refuses("    files   libtool.so\n", "", 14, "tool: no 'files'")

    def test_of_a_file_that_is_there_twice(self) -> None:
        self.refuses("libcudart.so.12", "libcudart.so.13", 7, "'files' has 'libcudart.so.13' twice")

    def test_of_folders_that_lead_elsewhere(self) -> None:
        for folder in ("/usr/lib", "../lib", "a//b", "a/./b", "lib/", 'a"b', "a\\b"):
            with self.subTest(folder=folder):
                self.refuses("+ nvidia/cuda_runtime/lib", folder, 11, "cannot be a value of 'wheels'")

    def test_of_a_file_with_a_star(self) -> None:
        self.refuses("libtool.so", "libtool.so*", 16, "cannot be a value of 'files'")
        self.refuses("libtool.so", "{nostub}", 16, "'{nostub}' cannot be a value of 'files'")

    def test_of_two_stars_in_one_component(self) -> None:
        self.refuses("tool-*/lib", "*tool-*/lib", 18, "may have one '*'")

    def test_of_an_unknown_word_to_fill_in(self) -> None:
        self.refuses("lib64 targets/{target}", "lib64 targets/{cpu}", 4, "'{cpu}'")

    def test_of_a_distribution_that_is_not_listed(self) -> None:
        self.refuses(
            "nvidia-cuda-runtime-cu12", "nvidia-cuda-runtime-cu10", 7, "'from' names nvidia-cuda-runtime-cu10"
        )

    def test_of_a_distribution_that_is_not_normalised(self) -> None:
        self.refuses("nvidia-cuda-runtime-cu12", "nvidia_cuda_runtime", 12, "cannot be a value of 'from'")

    def test_of_wheels_folders_without_a_distribution(self) -> None:
        self.refuses("    wheels  -\n", "", 14, "no distribution")

    def test_of_a_distribution_without_wheels_folders(self) -> None:
        self.refuses("    wheels  -\n", "    wheels  -\n    from nvidia-cuda-runtime\n", 14, "no folder of wheels")

    def test_of_a_component_without_a_folder(self) -> None:
        self.refuses("    roots   tool-*/lib +", "    roots -\n    system -", 14, "no folder is given")

    def test_of_needs_of_what_is_not_opened(self) -> None:
        self.write("programs.txt", "default packaging toolkit\nnvcc\n files nvcc\n roots bin\n needs librt.so.1\n")
        self.refused("programs.txt:2", "only a dynamic library has 'needs'")

    def test_of_needs_that_are_a_path(self) -> None:
        self.refuses("    wheels  -\n", "    wheels  -\n    needs lib/librt.so.1\n", 18, "cannot be a value of 'needs'")

    def test_of_an_unknown_default(self) -> None:
        self.refuses("default roots ", "default files ", 4, "'default' must be followed by")

    def test_of_distributions(self) -> None:
        for text, why in (
            ("x", "expected a distribution, then 'toolkit' or 'own'"),
            ("x toolkit  # why", "expected a distribution, then 'toolkit' or 'own'"),
            ("x driver", "expected a distribution, then 'toolkit' or 'own'"),
            ("X_y own", "is not a normalised distribution name"),
            ("nvidia-cuda-runtime own", "is listed twice"),
        ):
            with self.subTest(text=text):
                self.write("distributions.txt", DISTRIBUTIONS + text + "\n")
                self.refused("distributions.txt:3", why)

    def test_of_a_missing_file(self) -> None:
        (self.folder / "headers.txt").unlink()
        self.refused("headers.txt", "cannot be read")

    def test_of_a_file_that_is_not_text(self) -> None:
        (self.folder / "headers.txt").write_bytes(b"\xff\xfe")
        self.refused("headers.txt", "cannot be read")

    def test_says_all_that_is_wrong_at_once(self) -> None:
        self.write("dynamic_libraries.txt", GOOD.replace("groups ", "group ").replace("libtool.so", "a/../b"))
        output = self.run_tool()[1]
        self.assertEqual(len(re.findall(r"^.*:\d+: ", output, re.MULTILINE)), 3, output)


if __name__ == "__main__":
    unittest.main()
