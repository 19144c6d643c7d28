# SPDX-License-Identifier: Apache-2.0
"""Packages with CUDA that bring libraries which a wheel's files need: PyTorch, cuTENSOR, RAPIDS. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from ..wheels.requirement import Requirement
from . import distributions, ties
from .libraries import Table
from .package_facts import facts
from .ties import Files

_LIBRARY = re.compile(r"(?:lib)?(.+?)(?:\.cpython-\w+|\.abi3)?(?:-[\w-]+)?\.so(?:\..*)?")
_OF_ONE_CUDA = re.compile(r"-cu(?:da)?1\d\d?x?$")
_LONGEST = 255  # bytes of a file's name on Linux
_SHORTEST = 3  # characters of a package's name that may be the start of a library's name


@dataclass(frozen=True)
class Companion:
    """`package`: "" if no requirement names it; `distribution` is then PyPI's with the libraries, if known.
    `versions`: the versions that the wheel requires, or "". `cuda`: the CUDA of the requirement, "" if it fits every
    CUDA."""

    package: str
    versions: str
    cuda: str
    libraries: tuple[str, ...]
    distribution: str = ""


def find(files: Files, inside: Collection[str], requirements: Iterable[Requirement], table: Table) -> list[Companion]:
    """The companions, in the order of the libraries that the files need from outside the wheel."""
    required = {requirement.normal: requirement for requirement in requirements}
    groups: dict[tuple[str, str], list[str]] = {}
    for _, use in ties.staying(files):
        for library in ties.outside(use, inside):
            package = package_of(library, required, table)
            if package or table.has_no_stub(library) and not table.ties_to_cuda(library):
                groups.setdefault((package, "" if package else distribution_of(library, table)), []).append(library)
    return [_companion(*names, tuple(dict.fromkeys(libraries)), required.get(names[0]), table)
            for names, libraries in groups.items()]


def find_opened(library: str, requirements: Iterable[Requirement], table: Table) -> Companion | None:
    """The companion with an unstubbed library that a file opens; None if unknown."""
    required = {requirement.normal: requirement for requirement in requirements}
    package, distribution = package_of(library, required, table), distribution_of(library, table)
    if not package and not distribution:
        return None
    return _companion(package, "" if package else distribution, (library,), required.get(package), table)


def distribution_of(library: str, table: Table) -> str:
    """libcutensor.so.2 -> cutensor-cuXX, where XX is the CUDA; "" if unknown."""
    product = table.product_of(library)
    return f"{product}-cuXX" if product else ""


def package_of(library: str, required: Collection[str], table: Table) -> str:
    """libc10_cuda.so -> torch; libcutensor.so.2 -> cutensor-cu12, if that is required; "" if unknown."""
    for prefix, package in facts().of_prefix.items():
        if library.startswith(prefix):
            return package
    product = table.product_of(library)
    of_product = [name for name in required if product and (name == product or name.startswith(f"{product}-cu"))]
    if of_product:
        return max(of_product, key=len)
    match = _LIBRARY.fullmatch(library) if len(library) <= _LONGEST else None
    stem = match[1].lower().replace("_", "-") if match else ""
    candidates = [name for name in required if _OF_ONE_CUDA.search(name) and stem and _is_of(stem, name)]
    return max(candidates, key=len, default="")


def _is_of(stem: str, package: str) -> bool:
    """kvikio of libkvikio-cu12, cutensormg of cutensor-cu12, cudnn-ops of nvidia-cudnn-cu12"""
    name = _OF_ONE_CUDA.sub("", package)
    for start in ("nvidia-", "lib"):
        name = name[len(start):] if name.startswith(start) else name
    return len(name) >= _SHORTEST and stem.startswith(name)


def _companion(package: str, distribution: str, libraries: tuple[str, ...], required: Requirement | None, table: Table
               ) -> Companion:
    pin = distributions.pin_of(required, table) if required else None
    return Companion(package, required.version.strip("()") if required else "", pin.major if pin else "", libraries,
                     distribution)
