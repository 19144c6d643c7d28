"""docs/verdicts.md from the results of wheels, and the list that it is made from."""

import unittest
from pathlib import Path

from wheelreach import verdict_page, wheel_list
from wheelreach.verdict import Failure, Opening, Result
from wheelreach.verdict_page import Row

LIST = Path(__file__).resolve().parents[2] / "tools" / "reach" / "verdict_wheels.txt"


class Page(unittest.TestCase):
    def test_rows_in_the_order_of_names_and_counts_by_kind(self):
        text = verdict_page.make([
            Row("b==1", size=1_500_000, kind="tied", text="tied to CUDA 12 by libcupti.so.12 (a.so)", repair="refuses"),
            Row("a==2", size=40_000, kind="free", text="free", failing=3, repair="repairs", loads="2 of 2"),
            Row("c==3", failed="no matching distribution")], "2026-01-02", "0a1b2c3")
        self.assertIn("of 2 wheels of PyPI", text)
        self.assertIn("| a==2 | 0.0 | free | 3 | repairs | 2 of 2 |\n"
                      "| b==1 | 1.5 | tied to CUDA 12 by libcupti.so.12 (a.so) | - | refuses | - |\n", text)
        self.assertIn("## Left out\n\n- c==3: no matching distribution\n", text)
        self.assertTrue(text.endswith("## Counts\n\n- free: 1\n- tied: 1\n"), text)

    def test_loading_is_told_by_situation_where_it_differs(self):
        def result(**failures: list[str]) -> Result:
            return Result("a==1", situations={
                name: Opening(2, [Failure("a.so", "library", what, "CUDA") for what in failures.get(name, [])])
                for name in ("none", "only")})

        self.assertEqual(verdict_page.loads(result()), "2 of 2")
        self.assertEqual(verdict_page.loads(result(none=["libc10.so"], only=["libc10.so"])),
                         "1 of 2 (lacking: libc10.so)")
        self.assertEqual(verdict_page.loads(result(only=["libx.so"])), "none: 2 of 2, only: 1 of 2 (lacking: libx.so)")
        self.assertEqual(verdict_page.loads(Result("a==1", failed="no room")), "")

    def test_the_list_is_of_the_form_of_the_other_lists(self):
        self.assertEqual(len(wheel_list.parse(LIST.read_text())), 60)


if __name__ == "__main__":
    unittest.main()
