# SPDX-License-Identifier: Apache-2.0
"""The drivers to check, and hints for device code that they do not load. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis import kernels
from ..analysis.gpus import Facts
from ..analysis.kernels import OnDrivers
from .cells import Asked

_STILL_MADE = 12  # the oldest CUDA whose drivers get hints without --runtime


def branches(asked: Asked, facts: Facts) -> list[int]:
    """The driver branches to check, oldest first; by default those of the selected CUDA releases."""
    named = {*asked.branches, *(() if asked.branches else map(int, asked.drivers))}
    return sorted(named) or list(kernels.branches_of(asked.releases, facts))


def hints(groups: Sequence[OnDrivers], uncovered: Sequence[int], asked: Asked, facts: Facts) -> list[str]:
    """Hints: a compiler for older drivers, if --runtime names them or their CUDA is still supported; and the newer
    GPUs for which the file has no code."""
    oldest = facts.first_of_major(_STILL_MADE)
    late = [group.hint for group in groups
            if group.hint and (asked.runtimes or oldest and group.drivers[-1] >= oldest.driver)]
    lines = late[-1:]
    if uncovered and not asked.runtimes and not asked.of_device_code:
        names = ", ".join(f"sm_{number}" for number in uncovered)
        first = max(facts.gpus[number].first for number in uncovered)
        lines.append(f"It has no code for {names}: add PTX, or cubins with nvcc {first[0]}.{first[1]} or later.")
    return lines
