# SPDX-License-Identifier: Apache-2.0
"""The CUDA releases for which a driver is too old: the rule of the stubs (compat/rules/driver_rule.cc) for drivers that
the command line names. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from ..analysis.gpus import Facts
from ..failure import Failure
from ..matrix.data import major_of

VARIABLE, _DECLARED = "ANYCUDA_DRIVER_COMPAT", "assume_forward_compat"
DECLARATION = f"{VARIABLE}={_DECLARED}"


@dataclass(frozen=True)
class TooOld:
    """`releases`: CUDA releases of one major. `drivers`: branches that run none of them. `needs`: the first branch that
    runs them; 0: unknown."""

    releases: tuple[str, ...]
    drivers: tuple[int, ...]
    needs: int


def too_old(releases: Iterable[str], branches: Sequence[int], facts: Facts) -> tuple[TooOld, ...]:
    """`releases`: oldest first."""
    groups = []
    for major, alike in groupby(releases, key=major_of):
        late = tuple(branch for branch in branches if not _runs(major, branch, facts))
        if late:
            groups.append(TooOld(tuple(alike), late, facts.driver_for_major(int(major))))
    return tuple(groups)


def with_a_driver(releases: Iterable[str], branches: Sequence[int], facts: Facts) -> tuple[str, ...]:
    """The releases that at least one of the drivers runs."""
    return tuple(release for release in releases if any(_runs(major_of(release), branch, facts) for branch in branches))


def with_a_release(branches: Iterable[str], releases: Sequence[str], facts: Facts) -> tuple[str, ...]:
    """The drivers that run at least one of the releases."""
    majors = set(map(major_of, releases))
    return tuple(branch for branch in branches if any(_runs(major, int(branch), facts) for major in majors))


def _runs(major: str, branch: int, facts: Facts) -> bool:
    return 0 < facts.driver_for_major(int(major)) <= branch


def is_declared(value: str) -> bool:
    """Does this value of the variable declare that NVIDIA's forward-compatibility package is in use?"""
    if value not in ("", _DECLARED):
        raise Failure(f'invalid {VARIABLE}="{value}": expected {_DECLARED}; set it to {_DECLARED}, or unset it')
    return bool(value)


def sentence(old: TooOld, releases: str) -> str:
    """CUDA 13.0-13.5 does not run on driver 535, since it needs driver 580 or newer"""
    return f"CUDA {releases} does not run on driver {_listed(old.drivers)}, since it needs {_newer(old.needs)}"


def declared(old: TooOld, releases: str) -> str:
    return f"on driver {_listed(old.drivers)}, CUDA {releases} needs cuda-compat, which {DECLARATION} declares"


def hint(groups: Sequence[TooOld], facts: Facts) -> str:
    """What to do."""
    oldest = min(branch for old in groups for branch in old.drivers)
    release, needs = facts.cuda_of_driver(oldest), [old.needs for old in groups]
    other = f", or a CUDA that driver {oldest} runs (CUDA {release.cuda[0]} or older)" if release else ""
    return (f"Install {_newer(max(needs) if all(needs) else 0)}{other}. If NVIDIA's forward-compatibility package "
            f"(cuda-compat) is in use, set {DECLARATION}.")


def _newer(branch: int) -> str:
    return f"driver {branch} or newer" if branch else "a newer driver"


def _listed(branches: Iterable[int]) -> str:
    return ", ".join(map(str, branches))
