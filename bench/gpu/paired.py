# SPDX-License-Identifier: Apache-2.0
"""What pairs of measurements say about a ratio. Nothing here measures."""

import itertools
import random
import statistics
from dataclasses import dataclass
from functools import cached_property

CONFIDENCE = 0.95
RESAMPLES = 4000


def centre(values: list[float]) -> float:
    """The Hodges-Lehmann estimate: the median of all means of two. One odd process hardly moves it."""
    return statistics.median((a + b) / 2 for a, b in itertools.combinations_with_replacement(values, 2))


@dataclass(frozen=True)
class Comparison:
    """The same launches measured in two ways, pair by pair: without the stub, with it. A pair is of one process."""

    name: str
    pairs: list[tuple[float, float]]

    @cached_property
    def ratio(self) -> float:
        return centre([stub / direct for direct, stub in self.pairs])

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the ratio: bootstrap over the pairs."""
        ratios = [stub / direct for direct, stub in self.pairs]
        drawn = random.Random(0)
        found = sorted(centre(drawn.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
        cut = round(RESAMPLES * (1 - CONFIDENCE) / 2)
        return found[cut], found[-cut - 1]

    def verdict(self, limit: float) -> str:
        """`within` only if the whole interval is: what noise may have made shows nothing."""
        low, high = self.interval
        return "within" if high <= limit else "above" if low > limit else "undecided"


def markdown(comparisons: list[Comparison], limit: float,
             heads: tuple[str, str, str] = ("launches", "without, ns", "with, ns"), form: str = ".0f") -> str:
    lines = [f"| {heads[0]} | pairs | {heads[1]} | {heads[2]} | ratio | 95% interval | at most {limit} |",
             "|---|---|---|---|---|---|---|"]
    for c in comparisons:
        direct, stub = (statistics.median(column) for column in zip(*c.pairs))
        low, high = c.interval
        lines.append(f"| {c.name} | {len(c.pairs)} | {direct:{form}} | {stub:{form}} | {c.ratio:.4f} | "
                     f"{low:.4f} to {high:.4f} | {c.verdict(limit)} |")
    return "\n".join(lines) + "\n"
