# SPDX-License-Identifier: Apache-2.0
"""Wheels beside PyTorch: what is installed, the facts in mapped files and messages of the dynamic linker, verdicts,
the page."""

import unittest

from test_reach_errors import TABLE
from wheelreach import torch_each, torch_install, torch_opening, torch_page, torch_verdict
from wheelreach.torch_verdict import Failure, Result, Side

CUDART = "torch:nvidia/cuda_runtime/lib/libcudart.so.12"
ANSWERS = {"cudart": [[0, 12080], [0, 12080]]}
C10 = "_ZN3c104cuda5checkEv"


def result(*failures: Failure, **options) -> Result:
    side = Side(3, list(failures), **{"files": {"libcudart": [CUDART]}, "answers": ANSWERS, **options})
    return Result("2.9.1", "12.8", "thing==1", built_for=["12"], native=Side(3), repaired=side)


def lacks_torch(file: str = "a/x.so") -> Failure:
    return Failure(file, C10, "PyTorch", [], 2)


class Install(unittest.TestCase):
    def test_cuda_is_read_from_version_py(self):
        self.assertEqual(torch_install.cuda_of("__all__ = ['cuda']\ncuda: Optional[str] = '13.0'\nhip = None"), "13.0")
        self.assertEqual(torch_install.cuda_of("cuda = '12.8'\n"), "12.8")
        self.assertEqual(torch_install.cuda_of("cuda: Optional[str] = None\n"), "")

    def test_requirements_without_extras_and_triton(self):
        metadata = ("Name: torch\nRequires-Dist: sympy>=1.13\n"
                    "Requires-Dist: triton==3.5.1; platform_system == 'Linux'\n"
                    'Requires-Dist: opt-einsum>=3.3; extra == "opt-einsum"\n\nRequires-Dist: not-a-header\n')
        self.assertEqual(torch_install.needed(torch_install.requirements(metadata)), ["sympy>=1.13"])

    def test_torch_that_a_wheel_asks_for(self):
        self.assertEqual(torch_install.torch_asked(["numpy", "torch (>=2.14.0)"]), ">=2.14.0")
        self.assertEqual(torch_install.torch_asked(["torchvision==1", "torch<=2.12.1,>=2.0.0"]), "<=2.12.1,>=2.0.0")
        self.assertEqual(torch_install.torch_asked(['torch==2.9.1; extra == "all"']), "")


class Lacks(unittest.TestCase):
    TRACE = ("\tlibcudart.so.12 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n"
             "undefined symbol: cudaMalloc, version libcudart.so.12\t(/w/x.so)\n"
             f"undefined symbol: {C10}\t(/w/x.so)\n"
             "symbol cudaFree, version libcudart.so.12 not defined in file s.so with link time reference\t(/w/x.so)\n"
             "undefined symbol: PyLong_Type\t(/w/x.so)\nundefined symbol: other\t(/w/y.so)\n")

    def test_trace_lists_everything_that_the_file_lacks(self):
        libraries, symbols = torch_opening.lacks_of(self.TRACE, "/w/x.so")
        self.assertEqual(libraries, ["libcudart.so.12"])
        self.assertEqual(symbols, [(C10, ""), ("cudaFree", "libcudart.so.12"), ("cudaMalloc", "libcudart.so.12")])

    def test_failure_of_torch_that_hides_one_of_cuda_is_cudas(self):
        message = f"/w/x.so: undefined symbol: {C10}"
        one = torch_verdict.failure("x.so", message, [], [(C10, ""), ("cudaMalloc", "libcudart.so.12")], TABLE)
        self.assertEqual((one.owner, one.cuda, one.torch), ("PyTorch", ["cudaMalloc"], 1))
        self.assertEqual(torch_verdict.evaluate(result(one)).kind, torch_verdict.FAILS)


class Files(unittest.TestCase):
    def files(self, *paths: str) -> dict[str, list[str]]:
        return torch_verdict.cuda_files(list(paths), "/t", "/w", TABLE)

    def test_libraries_of_cuda_by_place_without_stubs(self):
        self.assertEqual(self.files("/t/nvidia/cuda_runtime/lib/libcudart.so.12",
                                    "/w/x.libs/libanycuda_cudart-0a1b2c.so",
                                    "/w/x.libs/libcudart-5a077122.so.12.0.107", "/lib/libc.so.6", "/o/libcupti.so.12"),
                         {"libcudart": [CUDART, "wheel:x.libs/libcudart-5a077122.so.12.0.107"],
                          "libcupti": ["/o/libcupti.so.12"]})

    def test_folder_that_begins_alike_is_another(self):
        self.assertEqual(self.files("/torch/libcudart.so.12"), {"libcudart": ["/torch/libcudart.so.12"]})

    def test_process_with_most_files_counts(self):
        two = {"libcudart": [CUDART, "wheel:a.so"]}
        self.assertEqual(torch_verdict.most([{"libcudart": [CUDART]}, two, {"libcudart": [CUDART]}]), two)

    def test_process_with_another_file_than_torchs_counts(self):
        other = {"libcudart": ["/usr/lib/libcudart.so.12"]}
        self.assertEqual(torch_verdict.most([{"libcudart": [CUDART]}, other]), other)


class Verdicts(unittest.TestCase):
    def test_all_open_and_stubs_answer_with_torchs_cuda(self):
        one = torch_verdict.evaluate(result())
        self.assertEqual((one.kind, one.why), (torch_verdict.OPENS, []))

    def test_torch_function_is_another_torch(self):
        one = torch_verdict.evaluate(result(lacks_torch()))
        self.assertEqual(one.kind, torch_verdict.ABI)
        self.assertIn(C10, one.why[0])

    def test_torch_function_excuses_no_failure_of_cuda(self):
        one = torch_verdict.evaluate(result(lacks_torch(), Failure("a/y.so", "libcudart.so.12", "CUDA")))
        self.assertEqual((one.kind, one.why[0]), (torch_verdict.FAILS, "1 file: libcudart.so.12"))

    def test_library_without_a_stub_is_cudas(self):
        one = torch_verdict.evaluate(result(Failure("x.so", "libcupti.so.12", "NVIDIA")))
        self.assertEqual(one.kind, torch_verdict.FAILS)

    def test_other_package(self):
        one = torch_verdict.evaluate(result(Failure("a/x.so", "libOpenMM.so", "another package")))
        self.assertEqual((one.kind, one.why), (torch_verdict.OTHER, ["x.so: another package: libOpenMM.so"]))

    def test_two_files_of_a_library_fail(self):
        one = torch_verdict.evaluate(result(files={"libcudart": [CUDART, "wheel:a/libcudart-5a077122.so.12"]}))
        self.assertEqual((one.kind, one.why[0]), (torch_verdict.FAILS, "2 files of libcudart"))

    def test_file_from_elsewhere_fails(self):
        one = torch_verdict.evaluate(result(files={"libcudart": ["/usr/lib/libcudart.so.12"]}))
        self.assertEqual(one.kind, torch_verdict.FAILS)

    def test_only_copy_of_the_wheel_is_named(self):
        one = torch_verdict.evaluate(result(files={"libnvjpeg": ["wheel:a/libnvjpeg.8dd2b5e6.so.12"]}))
        self.assertEqual((one.kind, one.why), (torch_verdict.OPENS, [
            "goes on using the wheel's copy libnvjpeg.8dd2b5e6.so.12"]))

    def test_answers(self):
        for name, answers, kind in (
                ("another version", [[0, 12080], [0, 13000]], torch_verdict.FAILS),
                ("the same error", [[35, 0], [35, 0]], torch_verdict.FAILS),
                ("torch has no such library", [[35, 0], None], torch_verdict.OPENS),
                ("properties", [[0, 13, 0, 1, 0, 0], [0, 13, 0, 1, 0, 0]], torch_verdict.OPENS),
                ("error of a property", [[0, 13, 7, 1, 0, 0], [0, 13, 7, 1, 0, 0]], torch_verdict.FAILS)):
            with self.subTest(name):
                self.assertEqual(torch_verdict.evaluate(result(answers={"cudart": answers})).kind, kind)

    def test_uncalled_stubs_fail(self):
        self.assertEqual(torch_verdict.evaluate(result(answers={})).kind, torch_verdict.FAILS)

    def test_program_fails_only_with_the_wheels_torch(self):
        self.assertEqual(torch_verdict.evaluate(result(program="RuntimeError: x")).kind, torch_verdict.FAILS)
        self.assertEqual(torch_verdict.evaluate(result(lacks_torch(), program="RuntimeError: x")).kind,
                         torch_verdict.ABI)
        self.assertEqual(torch_verdict.evaluate(result(program="")).kind, torch_verdict.OPENS)

    def test_failed_download_is_not_measured(self):
        one = torch_verdict.evaluate(Result("2.9.1", "12.8", "thing==1", failed="no such wheel"))
        self.assertEqual((one.kind, one.why), (torch_verdict.UNKNOWN, ["no such wheel"]))


class Questions(unittest.TestCase):
    def test_values_of_both_kinds_of_answers(self):
        def property_of(kind: int, value) -> int:
            value._obj.value = 10 + kind
            return 0

        def version(value) -> int:
            value._obj.value = 12080
            return 0

        self.assertEqual(torch_verdict.values(torch_each.properties(property_of)), [10, 11, 12])
        self.assertEqual(torch_verdict.values(torch_each.numbers(version, 1)), [12080])


class Page(unittest.TestCase):
    def test_row_has_what_each_side_did(self):
        one = result(lacks_torch())
        one.native = Side(3, [Failure("x.so", "libcudart.so.12", "CUDA", ["libcudart.so.12", "cudaMalloc"])])
        row = next(line for line in torch_page.make([one], "2026-01-02", "abc").splitlines() if "| thing" in line)
        self.assertTrue(row.startswith("| thing==1 | 12 | - | 2 of 3 | lacks libcudart.so.12 | 2 of 3 | cudart 12080 | "
                                       "**other torch** |"), row)

    def test_tables_are_in_the_order_of_cuda(self):
        late, early = result(), result()
        late.torch, late.cuda = "2.11.0", "13.0"
        text = torch_page.make([late, early], "2026-01-02", "abc")
        self.assertLess(text.index("## torch 2.9.1, CUDA 12.8"), text.index("## torch 2.11.0, CUDA 13.0"))
        self.assertIn("2 pairs of a wheel and a torch: 2 opens.", text)

    def test_pairs_of_different_cudas_are_counted(self):
        own, whole, partly, failed = result(), result(), result(lacks_torch()), result()
        for one in (whole, partly, failed):
            one.torch, one.cuda = "2.11.0", "13.0"
        whole.native = Side(3, [Failure("x.so", "libcudart.so.12", "CUDA", ["libcudart.so.12"])])
        failed.repaired, failed.failed = None, "no wheel"
        text = torch_page.make([own, whole, partly, failed], "2026-01-02", "abc")
        self.assertTrue(text.endswith(
            "In 3 pairs, torch is for another CUDA than the CUDA that the wheel was built for. In these pairs, 5 of 6 "
            "libraries of the original wheels open, and 5 of 6 libraries of the repaired wheels (a repair leaves out "
            "copies of cudart). Of these pairs, every library opens after the repair in: thing==1 beside torch 2.11.0."
            "\n"), text)
        self.assertNotIn("for another CUDA", torch_page.make([own], "2026-01-02", "abc"))


if __name__ == "__main__":
    unittest.main()
