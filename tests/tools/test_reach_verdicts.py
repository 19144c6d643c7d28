# SPDX-License-Identifier: Apache-2.0
"""docs/verdicts.md from the results of wheels, and the list that it is made from."""

import json
import unittest
from dataclasses import asdict
from pathlib import Path

from wheelreach import verdict_page, wheel_list
from wheelreach.verdict import Failure, Opening, Result
from wheelreach.verdict_page import Row

LIST = Path(__file__).resolve().parents[2] / "tools" / "reach" / "verdict_wheels.txt"


def loaded(*lacks: str, total: int = 2, kind: str = "library", owner: str = "another package", **options) -> Result:
    """The same libraries are lacking in every situation."""
    failures = [Failure("a.so", kind, what, owner) for what in lacks]
    return Result("a==1", situations={name: Opening(total, failures) for name in ("none", "11.8")}, **options)


class Page(unittest.TestCase):
    def test_rows_in_the_order_of_names_and_counts_by_kind(self):
        text = verdict_page.make([
            Row("b==1", size=1_500_000, kind="tied", text="tied to CUDA 12 by libcupti.so.12 (a.so)", repair="refuses"),
            Row("a==2", size=40_000, kind="free", text="free; device code of CUDA 12.9: needs driver 525", failing=3,
                repair="repairs", loaded=loaded()),
            Row("c==3", failed="no matching distribution")], "2026-01-02", "0a1b2c3")
        self.assertIn("for 2 wheels of PyPI", text)
        self.assertIn("\nLoading proves 1 of the verdicts", text)
        self.assertIn("`anycuda repair` changes 1 of these 1 wheels.", text)
        self.assertIn("| a==2 | 0.0 | free | of CUDA 12.9: needs driver 525 | 3 | repairs | **2 of 2** |\n"
                      "| b==1 | 1.5 | tied to CUDA 12 by libcupti.so.12 (a.so) | - | - | refuses "
                      "| not loaded: too large |\n", text)
        self.assertIn("## Left out\n\n- c==3: no matching distribution\n", text)
        self.assertTrue(text.endswith("(json.md#anycuda-check)):\n\n- free: 1\n- tied: 1\n"), text)

    def test_loading_is_proof_where_all_libraries_load_everywhere(self):
        one_fails = Result("a==1", situations={"none": Opening(2), "11.8": loaded("libx.so").situations["11.8"]})
        crash = Result("a==1", situations={"none": Opening(2, [Failure("b/a.so", "crash", "-11 in x.so", "NVIDIA")])})
        for result, text, proved in (
                (loaded(), "**2 of 2**", True),
                (loaded(beside=["b==1", "c==2"]), "**2 of 2** beside b==1, c==2", True),
                (loaded(beside=["b==1", "c==2", "d==3"]), "**2 of 2** beside b==1, c==2 and 1 more", True),
                (loaded("libc10.so"), "1 of 2 (lacking: libc10.so)", False),
                (loaded("PyX_Y", "PyX_Z", kind="symbol", owner="Python", beside=["b==1"]),
                 "0 of 2 beside b==1 (lacking: another Python)", False),
                (loaded("_ZN3c10", kind="symbol", owner="PyTorch"),
                 "1 of 2 (lacking: functions of another PyTorch)", False),
                (one_fails, "none: 2 of 2, 11.8: 1 of 2 (lacking: libx.so)", False),
                (crash, "1 of 2 (ends the process: a.so)", False),
                (loaded(*"abcdef", total=6), "0 of 6 (lacking: a, b, c, d and 2 more)", False),
                (loaded(total=0), "no libraries", False),
                (Result("a==1", failed="no room"), "not loaded: no room", False),
                (None, "not loaded: too large", False)):
            with self.subTest(text=text):
                row = Row("a==1", loaded=result)
                self.assertEqual((verdict_page.loads(row), verdict_page.is_proved(row)), (text, proved))

    def test_loading_does_not_prove_a_tie_or_another_runtime(self):
        self.assertFalse(verdict_page.is_proved(Row("a==1", kind="tied", loaded=loaded())))
        other = loaded(runtimes={"11.8": "libcudart.so.12"})
        self.assertFalse(verdict_page.is_proved(Row("a==1", kind="free", loaded=other)))

    def test_wheel_with_only_device_code(self):
        text = verdict_page.make([Row("a==1", text="device code of CUDA 13.0: needs driver 580")], "2026-01-02", "0a1b")
        self.assertIn("| a==1 | 0.0 | device code | of CUDA 13.0: needs driver 580 |", text)

    def test_row_is_read_from_the_cache_as_it_was_written(self):
        for row in (Row("a==1", "no wheel"), Row("a==1", text="free", loaded=loaded("libc10.so"))):
            self.assertEqual(Row.from_json(json.loads(json.dumps(asdict(row)))), row)


class Current(unittest.TestCase):
    def test_result_is_current_only_for_its_packages_and_python(self):
        entry = wheel_list.parse("a==1 with=b==1")[0]
        result = loaded(beside=["b==1"], python="3.11")
        self.assertTrue(result.is_current(entry, "3.11"))
        self.assertFalse(result.is_current(entry, "3.9"))
        self.assertFalse(result.is_current(wheel_list.parse("a==1 with=b==2")[0], "3.11"))
        self.assertFalse(loaded(beside=["b==1"], python="3.11", failed="no room").is_current(entry, "3.11"))


class List(unittest.TestCase):
    def test_the_list_is_of_the_form_of_the_other_lists(self):
        self.assertEqual(len(wheel_list.parse(LIST.read_text())), 60)


if __name__ == "__main__":
    unittest.main()
