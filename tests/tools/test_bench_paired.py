# SPDX-License-Identifier: Apache-2.0
"""The statistics of bench/gpu, on pairs whose ratio is known."""

import random
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "gpu"))

from paired import Comparison, centre, markdown  # noqa: E402


def noisy(ratio: float, noise: float = 0.004, count: int = 10, seed: int = 1) -> Comparison:
    drawn = random.Random(seed)
    return Comparison("launch", [(2000 * drawn.gauss(1, noise), 2000 * ratio * drawn.gauss(1, noise))
                                 for _ in range(count)])


class Paired(unittest.TestCase):
    def test_the_centre_of_symmetric_values_is_their_middle(self) -> None:
        self.assertEqual(centre([1.0, 2.0, 3.0]), 2.0)
        self.assertEqual(centre([5.0]), 5.0)

    def test_one_odd_process_hardly_moves_the_ratio(self) -> None:
        plain = noisy(1.0)
        odd = Comparison("launch", plain.pairs[:-1] + [(2000.0, 4000.0)])
        self.assertLess(abs(odd.ratio - plain.ratio), 0.005)

    def test_the_interval_holds_the_true_ratio_nearly_always(self) -> None:
        held = 0
        for seed in range(60):
            low, high = noisy(1.005, seed=seed).interval
            held += low <= 1.005 <= high
        self.assertGreaterEqual(held, 48)
        self.assertLess(held, 60)  # one that always did would be too wide to say anything

    def test_verdicts(self) -> None:
        self.assertEqual(noisy(1.0).verdict(1.01), "within")
        self.assertEqual(noisy(1.03).verdict(1.01), "above")
        self.assertEqual(noisy(1.0, noise=0.05).verdict(1.01), "undecided")
        self.assertEqual(noisy(0.9).verdict(1.01), "within")

    def test_the_table_has_a_row_of_each(self) -> None:
        text = markdown([Comparison("a", [(1000.0, 1001.0)] * 6)], 1.01)
        self.assertIn("| a | 6 | 1000 | 1001 | 1.0010 | 1.0010 to 1.0010 | within |", text)


if __name__ == "__main__":
    unittest.main()
