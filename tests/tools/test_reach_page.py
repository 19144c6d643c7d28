# SPDX-License-Identifier: Apache-2.0
"""Verdicts on made-up results, and the page of them."""

import re
import unittest

from wheelreach import page, situations, verdict
from wheelreach.verdict import Failure, Opening, Result


def failure(owner: str = "PyTorch", what: str = "libc10.so", file: str = "a/x.so", kind: str = "library", **options):
    return Failure(file, kind, what, owner, **options)


def result(*failures: Failure, name: str = "thing==1", total: int = 3, **options) -> Result:
    """The same failures in every situation."""
    return Result(name, built_for=["12"], needs=["libcudart.so.12"], native=Opening(total, [failure("CUDA")]),
                  situations={one: Opening(total, list(failures)) for one in situations.ALL}, **options)


class Verdicts(unittest.TestCase):
    def test_all_open_is_free(self):
        one = verdict.evaluate(result())
        self.assertEqual((one.kind, one.but, one.why), (verdict.FREE, [], []))

    def test_other_package_missing_is_free_and_named(self):
        one = verdict.evaluate(result(failure(references=2), failure("another package", "libx.so", "a/y.so")))
        self.assertEqual(one.kind, verdict.FREE)
        self.assertEqual(one.why, ["1 file needs PyTorch (libc10.so), every CUDA reference is in the stubs",
                                   "1 file needs other packages (libx.so)"])

    def test_library_of_every_cuda_is_named_in_the_verdict(self):
        one = verdict.evaluate(result(failure("NVIDIA", "libcutensor.so.2",
                                              untied=["libcutensor.so.2", "libnvinfer.so.10"])))
        self.assertEqual((one.kind, one.but), (verdict.BUT, ["libcutensor.so.2", "libnvinfer.so.10"]))

    def test_what_a_drop_in_serves_ties_nothing(self):
        one = verdict.evaluate(result(drop_ins=["libcublas.so.12"]))
        self.assertEqual((one.kind, one.but), ("free", []))
        self.assertIn("opens libcublas.so.12 by name, which the wheel's drop-ins serve", one.why)

    def test_package_beside_it_that_keeps_a_cuda_is_named(self):
        one = verdict.evaluate(result(beside=["b==2"], beside_refused={"b==2": "b.so needs libcupti.so.12"}))
        self.assertEqual((one.kind, one.why), (
            verdict.FREE, ["beside it b==2 is repaired with --partly, since: b.so needs libcupti.so.12"]))

    def test_library_opened_by_name_is_named_in_the_verdict(self):
        one = verdict.evaluate(result(by_name=["libcublas.so.12"]))
        self.assertEqual((one.kind, one.but), (verdict.BUT, ["libcublas.so.12"]))

    def test_library_that_python_names_is_listed(self):
        one = verdict.evaluate(result(notes=[
            "a/b.py names libcudart.so, libcudart.so.12, libcudnn.so.8.1.1: if the file opens this name, it gets "
            "NVIDIA's library",
            "x.so needs libnccl.so.2"]))
        self.assertEqual((one.kind, one.why), (verdict.FREE, ["its Python code names libcudart.so.12"]))

    def test_functions_that_do_not_run_are_counted(self):
        one = verdict.evaluate(result(absent={"12.9": 68, "13.5": 70}))
        self.assertEqual((one.kind, one.why), (verdict.FREE, [
            "of the functions that it uses, some do not run: 68 on 12.9, 70 on 13.5"]))

    def test_library_of_one_cuda_is_not_free(self):
        one = verdict.evaluate(result(failure("NVIDIA", "libcupti.so.12", tied=["libcupti.so.12"]),
                                      refusal="x.so needs it"))
        self.assertEqual(one.kind, verdict.NOT)
        self.assertEqual(one.why, ["needs libcupti.so.12, without a stub",
                                   "repaired with --partly, since: x.so needs it"])

    def test_reference_missing_in_the_stubs_is_not_free(self):
        one = verdict.evaluate(result(failure(lost=["cudaNew@libcudart.so.12"])))
        self.assertEqual((one.kind, one.why), (verdict.NOT, ["the stubs lack cudaNew@libcudart.so.12"]))

    def test_undefined_symbol_of_cuda_is_not_free(self):
        one = verdict.evaluate(result(failure("CUDA", "cudaNew", kind="symbol")))
        self.assertEqual((one.kind, one.why), (verdict.NOT, ["CUDA's cudaNew is not found"]))

    def test_crash_is_not_free(self):
        one = verdict.evaluate(result(failure("another package", "-11", kind="crash")))
        self.assertEqual((one.kind, one.why), (verdict.NOT, ["opening ends the process: x.so (-11)"]))

    def test_crash_as_it_comes_is_not_the_repairs(self):
        one = result(failure("another package", "-6", kind="crash"))
        one.native = Opening(3, [failure("another package", "-6", kind="crash")])
        self.assertEqual((verdict.evaluate(one).kind, verdict.evaluate(one).why),
                         (verdict.FREE, [
                             "opening 1 file ends the process, as it comes too, whether all its functions are found is "
                             "unknown, but it uses none of CUDA's"]))
        one.native = Opening(3, [failure("another package", "-11", kind="crash")])
        self.assertEqual(verdict.evaluate(one).kind, verdict.NOT)

    def test_crash_as_it_comes_says_what_the_files_tell(self):
        one = result(failure("another package", "-6", kind="crash", references=3))
        one.native = Opening(3, [failure("another package", "-6", kind="crash")])
        self.assertIn("but every CUDA reference is in the stubs", verdict.evaluate(one).why[0])
        one.situations["none"].failures[0].lost.append("cudaNew@libcudart.so.12")
        self.assertEqual(verdict.evaluate(one).kind, verdict.NOT)

    def test_constructor_that_expects_its_program_is_named(self):
        one = verdict.evaluate(result(failure("another package", "-11 in x.so", kind="constructor")))
        self.assertEqual((one.kind, one.why), (verdict.FREE, [
            "every function of 1 file is bound, then its own code ends the process (x.so)"]))

    def test_failure_in_one_situation_only_is_not_free(self):
        changed = result()
        changed.situations["13.5"] = Opening(3, [failure("another package", "libx.so")])
        one = verdict.evaluate(changed)
        self.assertEqual((one.kind, one.why), (verdict.NOT, ["does not open in the situation 13.5 only: x.so"]))

    def test_other_runtime_than_the_situations_is_not_free(self):
        self.assertEqual(verdict.evaluate(result(runtimes={"11.8": ""})).why,
                         ["in the situation 11.8 the stub of the runtime opens nothing"])

    def test_wheel_without_cuda_has_nothing_to_free(self):
        self.assertEqual(verdict.evaluate(Result("thing==1", native=Opening(1), situations={"none": Opening(1)})).kind,
                         verdict.NOTHING)

    def test_failed_wheel_is_not_measured(self):
        one = verdict.evaluate(Result("thing==1", failed="no such version"))
        self.assertEqual((one.kind, one.why), (verdict.UNKNOWN, ["no such version"]))


class Page(unittest.TestCase):
    RESULTS = [result(name="b==1"), result(failure(), name="a==1", total=5),
               result(failure("NVIDIA", "libcupti.so.12", tied=["libcupti.so.12"]), name="c|d==1"),
               Result("large==1", failed="the wheel has 700 MB")]

    def setUp(self) -> None:
        self.text = page.make(self.RESULTS, "2026-01-02", "abc1234")

    def rows(self) -> list[list[str]]:
        lines = [line for line in self.text.splitlines() if line.startswith("| ")]
        return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]

    def test_names_date_and_commit(self):
        self.assertIn("on 2026-01-02 with the stubs of commit abc1234.", self.text)

    def test_column_is_about_linking_and_refers_to_the_verdicts(self):
        self.assertEqual(self.rows()[0][-2], "linking")
        self.assertIn("The column **linking** is about libraries only", self.text)
        self.assertIn("(verdicts.md)", self.text)

    def test_rows_are_sorted_and_as_long_as_the_head(self):
        rows = self.rows()
        self.assertEqual([row[0] for row in rows[2:]], ["a==1", "b==1", r"c\|d==1"])
        self.assertEqual({len(row) for row in rows}, {10})

    def test_row_counts_what_opens_in_each_situation(self):
        self.assertEqual(self.rows()[2], ["a==1", "12", "libcudart.so.12", "4 of 5", "4 of 5", "4 of 5", "4 of 5",
                                          "4 of 5", "**free**", "1 file needs PyTorch (libc10.so)"])

    def test_row_names_what_lies_beside_the_wheel(self):
        one = result(name="a==1", beside=["b==2", "c==3"])
        self.assertIn("\n| a==1 beside b==2, c==3 | 12 |", page.make([one], "2026-01-02", "abc1234"))
        one.after = ["b/b.so"]
        self.assertIn("\n| a==1 beside b==2, c==3 (b/b.so opened first) |", page.make([one], "2026-01-02", "abc1234"))

    def test_wheel_without_results_is_left_out_with_its_reason(self):
        self.assertIn("## Left out\n\n- large==1: the wheel has 700 MB.\n", self.text)

    def test_counts_every_verdict(self):
        self.assertIn("4 wheels: 2 free, 1 not free, 1 not measured.\n", self.text)
        self.assertIn("Of the 2 free wheels, 2 need a CUDA library before the repair. In 1 of the 2, every library "
                      "opens\nin each situation; in the other 1,", self.text)

    def test_page_without_failures_leaves_nothing_out(self):
        self.assertNotIn("Left out", page.make(self.RESULTS[:1], "2026-01-02", "abc1234"))


if __name__ == "__main__":
    unittest.main()
