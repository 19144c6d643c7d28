# SPDX-License-Identifier: Apache-2.0
"""What the dynamic linker reports as missing, and its owner; which CUDA references the stubs lack."""

import os
import unittest
from pathlib import Path
from unittest import mock

from anycuda.analysis.libraries import Library, Major, Product, Table
from anycuda.elf.read import Image
from anycuda.elf.symbols import Symbol
from wheelreach import command, companions, dlopen_errors, measure, references, unpack
from wheelreach.dlopen_errors import Lack


def library(name: str, prefix: str, sonames: dict[str, str], symbols: tuple[str, ...], own: bool = False) -> Library:
    majors = {number: Major(number, soname, soname) for number, soname in sonames.items()}
    return Library(name, name, f"{prefix[:-3]}_stub.so", False, prefix, majors, {one: tuple(majors) for one in symbols},
                   own)


TABLE = Table({
    "cudart": library("cudart", "libcudart.so", {"11": "libcudart.so.11.0", "12": "libcudart.so.12"}, ("cudaMalloc",)),
    "curand": library("curand", "libcurand.so", {"11": "libcurand.so.10", "12": "libcurand.so.10"}, ()),
    "cudnn": library("cudnn", "libcudnn.so", {"11": "libcudnn.so.9", "12": "libcudnn.so.9"}, (), own=True),
}, {"cupti": ("libcupti.so.12",), "cutensor": ("libcutensor.so.2",)}, products=(
    Product(False, "cutensor", ("libcutensor",)), Product(False, "custatevec", ("libcustatevec",))))
# In a wheel each stub has a hash in its name.
STUB_NAME = "libanycuda_cudart-459ebea8.so"


class Parse(unittest.TestCase):
    def test_missing_library_is_named(self):
        message = "libcudart.so.12: cannot open shared object file: No such file or directory"
        self.assertEqual(dlopen_errors.parse(message), Lack("library", "libcudart.so.12"))

    def test_undefined_symbol_with_and_without_version(self):
        self.assertEqual(dlopen_errors.parse("/a b/x.so: undefined symbol: cudaMalloc, version libcudart.so.12"),
                         Lack("symbol", "cudaMalloc", "libcudart.so.12"))
        self.assertEqual(dlopen_errors.parse("/x.so: undefined symbol: _ZN3c105ErrorE"),
                         Lack("symbol", "_ZN3c105ErrorE"))
        self.assertEqual(
            dlopen_errors.parse("/x.so: symbol cudaMalloc, version libcudart.so.12 not defined in file y.so with link "
                                "time reference"), Lack("symbol", "cudaMalloc", "libcudart.so.12"))

    def test_missing_version_is_named(self):
        self.assertEqual(dlopen_errors.parse("/lib/libc.so.6: version `GLIBC_2.99' not found (required by /x.so)"),
                         Lack("version", "GLIBC_2.99"))

    def test_process_that_ended_is_a_crash(self):
        self.assertEqual(dlopen_errors.parse("ended with -11"), Lack("crash", "-11"))

    def test_fault_of_the_file_itself_is_separate(self):
        message = "ended with -11 in x.so"
        self.assertTrue(dlopen_errors.is_fault_in(message, [image()]))
        self.assertFalse(dlopen_errors.is_fault_in("ended with -11 in y.so", [image()]))
        self.assertFalse(dlopen_errors.is_fault_in("ended with -11", [image()]))
        self.assertEqual(dlopen_errors.parse(message), Lack("crash", "-11 in x.so"))
        self.assertEqual(dlopen_errors.parse(message + dlopen_errors.BOUND), Lack("constructor", "-11 in x.so"))

    def test_other_message_is_kept_without_folders(self):
        self.assertEqual(dlopen_errors.parse("/a/b/x.so: invalid ELF header"),
                         Lack("other", "x.so: invalid ELF header"))


class Owner(unittest.TestCase):
    def test_of_a_library(self):
        for file, owner in (("libcudart.so.12", "CUDA"), ("libcudart-5a077122.so.12.0.107", "CUDA"),
                            ("libcupti.so.12", "NVIDIA"), ("libcustatevec.so.1", "NVIDIA"),
                            ("libtorch_cuda.so", "PyTorch"), ("libc10.so", "PyTorch"),
                            ("libpython3.9.so.1.0", "Python"), ("libOpenMM.so", "another package"),
                            ("libcap.so.2", "another package")):
            with self.subTest(file=file):
                self.assertEqual(dlopen_errors.owner(Lack("library", file), TABLE), owner)

    def test_of_a_symbol(self):
        for name, version, owner in (("cudaMalloc", "", "CUDA"), ("unknown", "libcudart.so.12", "CUDA"),
                                     ("_ZN3c105ErrorE", "", "PyTorch"), ("_ZNK2at10TensorBase4sizeEv", "", "PyTorch"),
                                     ("PyLong_FromLong", "", "Python"), ("Provider_GetHost", "", "another package")):
            with self.subTest(name=name):
                self.assertEqual(dlopen_errors.owner(Lack("symbol", name, version), TABLE), owner)

    def test_of_a_version(self):
        for name, owner in (("GLIBC_2.99", "system"), ("CXXABI_1.3.15", "system"), ("libcudart.so.12", "CUDA"),
                            ("OPENSSL_3.0.0", "another package")):
            with self.subTest(name=name):
                self.assertEqual(dlopen_errors.owner(Lack("version", name), TABLE), owner)


def symbol(name: str, version: str = "", defined: bool = False, weak: bool = False) -> Symbol:
    return Symbol(name, version, "", True, defined, 0, 0, 1 if defined else 0, weak, True)


def image(*symbols: Symbol, needed: tuple[str, ...] = (STUB_NAME,)) -> Image:
    return Image(Path("x.so"), "x86_64", "shared", needed=list(needed), symbols=list(symbols))


class References(unittest.TestCase):
    STUBS = {STUB_NAME: image(symbol("cudaMalloc", "libcudart.so.12", defined=True), needed=())}

    def missing(self, *symbols: Symbol, **options) -> list[str]:
        return references.missing(image(*symbols, **options), self.STUBS, TABLE)

    def test_same_name_and_version_is_in_the_stub(self):
        self.assertEqual(self.missing(symbol("cudaMalloc", "libcudart.so.12"), symbol("cudaMalloc")), [])

    def test_other_version_or_name_is_missing(self):
        self.assertEqual(self.missing(symbol("cudaMalloc", "libcudart.so.11.0"), symbol("cudaNew", "libcudart.so.12")),
                         ["cudaMalloc@libcudart.so.11.0", "cudaNew@libcudart.so.12"])

    def test_stub_that_the_file_does_not_need_does_not_count(self):
        self.assertEqual(self.missing(symbol("cudaMalloc"), needed=("libc10.so",)), ["cudaMalloc"])

    def test_copy_that_stays_in_the_wheel_counts(self):
        copy = image(symbol("cudaMalloc", "libcudart.so.11.0", defined=True), needed=())
        file = image(symbol("cudaMalloc", "libcudart.so.11.0"), needed=("libcudart-5a077122.so.11.0",))
        self.assertEqual(references.missing(file, {"libcudart-5a077122.so.11.0": copy}, TABLE), [])

    def test_weak_and_foreign_references_do_not_count(self):
        self.assertEqual(self.missing(symbol("cudaNew", "libcudart.so.12", weak=True), symbol("malloc")), [])

    def test_count_is_of_cuda_functions(self):
        self.assertEqual(references.count(image(symbol("cudaMalloc"), symbol("malloc")), TABLE), 1)

    def test_unstubbed_libraries_are_those_outside_the_wheel(self):
        file = image(needed=(STUB_NAME, "libcupti.so.12", "libcutensor.so.2", "libcudart.so.12", "libc.so.6"))
        self.assertEqual(references.unstubbed(file, frozenset(["libcutensor.so.2"]), TABLE),
                         ["libcupti.so.12", "libcudart.so.12"])


class Absent(unittest.TestCase):
    def test_failing_functions_are_counted_once_for_each_release(self):
        def cell(symbol: str, kind: str, *runtimes: str, fails: bool = True) -> dict:
            return {"symbol": symbol, "kind": kind, "runtimes": list(runtimes), "fails": fails}

        cells = [cell("a", "absent", "12.0", "12.9"), cell("a", "absent", "13.5"), cell("b", "rejected", "12.9"),
                 cell("b", "rejected", "12.9"), cell("c", "unchecked", "12.9"),
                 cell("d", "absent", "13.5", fails=False), cell("e", "absent", "12.8", "nccl-2.28")]
        self.assertEqual(measure.absent({"cells": cells}), {"12.9": 2, "13.5": 1})


class ByName(unittest.TestCase):
    def names(self, *strings: str, how: str = "loaded", provides: dict | None = None, unstubbed=()) -> set[str]:
        uses = [{"how": how, "strings": list(strings)}]
        opens = [{"name": name} for name in unstubbed]
        return measure.by_name({"files": [{"provides": provides, "uses": uses, "opens": opens}]}, TABLE)

    def test_library_of_one_cuda_counts(self):
        self.assertEqual(self.names("libcudart.so.12", "libcudart.so.12"), {"libcudart.so.12"})
        self.assertEqual(self.names("libcudart.so.12", provides={"what": "some"}), {"libcudart.so.12"})

    def test_libraries_without_a_major_do_not_count(self):
        self.assertEqual(self.names("libcurand.so.10", "libcudart.so", "libcudnn.so.9", "libcudart.so.%d",
                                    unstubbed=["libcutensor.so.2", "libcupti.so", "libcupti.so.%d"]), set())

    def test_library_without_a_stub_counts(self):
        self.assertEqual(self.names("libcudart.so.12", unstubbed=["libcupti.so.12"]),
                         {"libcudart.so.12", "libcupti.so.12"})

    def test_stubs_and_copies_do_not_count(self):
        self.assertEqual(self.names("libcudart.so.12", provides={"what": "stub"}), set())
        self.assertEqual(self.names("libcudart.so.12", how="named"), set())


class Companions(unittest.TestCase):
    def test_library_that_needs_or_opens_one_of_nvidias_uses_cuda(self):
        for key, value in (("uses", [{"how": "named"}]), ("opens", [{"name": "libcupti.so.12"}]),
                           ("other", ["libcutensor.so.2"])):
            file = {"uses": [], "opens": [], "other": []}
            with self.subTest(key=key):
                self.assertFalse(companions.uses_cuda({"files": [file]}))
                self.assertTrue(companions.uses_cuda({"files": [file, {**file, key: value}]}))

    def test_package_beside_several_wheels_is_repaired_once(self):
        uses = {"files": [{"uses": [{"how": "named"}], "opens": [], "other": []}]}
        first, second = Path("torch.whl"), Path("torchvision.whl")
        with mock.patch.object(command, "check", return_value=uses), mock.patch.object(
                command, "repair", side_effect=lambda _, path, out: command.Repair(out / path.name, "", [])) as repair:
            for wheels in ([first], [first, second]):
                found = companions.repair(Path("once"), wheels, Path("out"))
                self.assertEqual([one.wheel for one in found], [Path("out") / path for path in wheels])
        self.assertEqual([call.args[1] for call in repair.call_args_list], [first, second])


class Command(unittest.TestCase):
    def test_notes_are_the_lines_that_begin_so(self):
        self.assertEqual(command.notes("a.whl\n  changed   x.so\n  note      x.so opens libcudart.so.12 itself\n"),
                         ["x.so opens libcudart.so.12 itself"])

    def test_reason_is_the_last_line_without_progress_and_folders(self):
        text = f"anycuda repair: {os.sep}a/b/x.whl: x.so needs y\nx.whl: reading  10 % of 200 MB: x.so\n"
        self.assertEqual(command.reason(text), "anycuda repair: x.whl: x.so needs y")

    def test_reason_is_the_first_refusal_and_counts_the_others(self):
        text = ("  note      other\n  refused   a.so: damaged\n  refused   b.so needs libcupti.so.12\n"
                "  nothing was written\n")
        self.assertEqual(command.reason(text), "a.so: damaged (and 1 more)")


class Unpack(unittest.TestCase):
    def test_data_folders_go_where_pip_puts_them(self):
        for name, place in (("k2/lib/x.so", f"{unpack.SITE}/k2/lib/x.so"),
                            ("k2-1.data/platlib/k2/x.so", f"{unpack.SITE}/k2/x.so"),
                            ("k2-1.data/data/lib/x.so", "lib/x.so"), ("k2-1.data/scripts/run", "bin/run")):
            with self.subTest(name=name):
                self.assertEqual(unpack.installed_as(name).as_posix(), place)


if __name__ == "__main__":
    unittest.main()
