# SPDX-License-Identifier: Apache-2.0
"""PyPI's distributions of CUDA's libraries: which one a requirement names, and the CUDA to which it ties. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from ..kind import Kind
from ..wheels import requirement as requirements
from ..wheels.metadata import Field
from ..wheels.names import normal
from ..wheels.requirement import Requirement, floor_of, major_of
from .describe_kernels import listed
from .libraries import Library, Table
from .package_facts import facts

TOOLKIT = "cuda-toolkit"  # a metapackage; its extras require the libraries
_PLAIN_MAJOR = "13"
_SONAME_NUMBER = re.compile(r"\.so\.(\d+)")
_SUFFIX = re.compile(r"-(?:cu|cuda)(1\d)\d?x?")  # nvidia-cublas-cu12, cupy-cuda12x, nvidia-dali-cuda120
_EXTRA = re.compile(r"(?:cu|cuda)-?(1\d)\d?x?(?:-.+)?")  # numba-cuda[cu12], jax[cuda12], x[cuda12-local]
_ALL = "all"  # of cuda-toolkit's extras


class WhyStays(Kind):
    """Why a requirement without a library that has a stub stays."""

    NO_STUB = "anycuda has no stub for it"
    ALL = "it also brings libraries without a stub"
    TOOLKIT = "it brings no library itself, but pip refuses packages that require another cuda-toolkit beside it"
    EXTRA = "only that project knows which libraries it needs"


@dataclass(frozen=True)
class Part:
    """The target of a requirement: a distribution, or an extra of cuda-toolkit. `libraries`: those with a stub.
    `stays`: why the requirement stays if no library has a stub."""

    name: str
    libraries: tuple[Library, ...]
    stays: WhyStays = WhyStays.NO_STUB


@dataclass(frozen=True)
class Pin:
    """A requirement of one CUDA."""

    requirement: Requirement
    major: str
    parts: tuple[Part, ...]

    @property
    def is_toolkit(self) -> bool:
        return self.requirement.normal == TOOLKIT

    @property
    def majors(self) -> list[str]:
        """The majors for which PyPI has its libraries."""
        return sorted({major for part in self.parts for library in part.libraries for major in library.wheels}, key=int)


def pin_of(requirement: Requirement, table: Table) -> Pin | None:
    """The requirement's pin; None if any CUDA satisfies it."""
    name = requirement.normal
    if name in facts().with_cudas_version:
        major = major_of(requirement.version)
        return Pin(requirement, major, _parts(requirement, major, table)) if major else None
    major = next((major for library in table.libraries.values() for major, wheel in library.wheels.items()
                  if wheel == name), "") or _by_name(name)
    if major:
        return Pin(requirement, major, (Part(name, brought_by(name, table)),))
    return _by_extra(requirement)


def pins(fields: list[Field], table: Table) -> list[tuple[int, Pin]]:
    """The pins in METADATA outside extras, with the positions of their fields."""
    pins_ = []
    for number, field in enumerate(fields):
        parsed = requirements.parse(field.value) if field.name == "requires-dist" else None
        pin = pin_of(parsed, table) if parsed and not parsed.belongs_to_extra else None
        if pin:
            pins_.append((number, pin))
    return pins_


def brought_by(name: str, table: Table) -> tuple[Library, ...]:
    """The libraries of a distribution."""
    return tuple(library for library in table.libraries.values() if normal(name) in library.wheels.values())


def for_tie(file: str, table: Table) -> str:
    """The distribution with a library that ties files to one CUDA: nvidia-npp-cu12 for libnppc.so.12; "" if
    unknown."""
    major = table.cuda_of(file)
    stem = file.partition(".so")[0]
    for library in table.libraries.values():
        if stem in (library.stem, *library.companions):
            return library.wheels.get(major or "", "")
    name = next((name for start, name in facts().of_unstubbed.items() if stem.startswith(start)), "")
    return f"{name}{'' if major == _PLAIN_MAJOR else f'-cu{major}'}" if name and major else ""


def with_packages(files: Iterable[str], table: Table) -> str:
    """libcutensor.so.2, libnppc.so.12 and libnpps.so.12 (nvidia-npp-cu12)"""
    packages: dict[str, list[str]] = {}
    for file in files:
        packages.setdefault(for_tie(file, table), []).append(file)
    return ", ".join(f"{listed(alike)} ({package})" if package else ", ".join(alike)
                     for package, alike in packages.items())


def _by_name(name: str) -> str:
    match = _SUFFIX.search(name)
    return match[1] if match and match.end() == len(name) else _PLAIN_MAJOR if name in facts().plain_since_13 else ""


def _parts(requirement: Requirement, major: str, table: Table) -> tuple[Part, ...]:
    if requirement.normal != TOOLKIT:
        return Part(requirement.normal, ()),
    if _ALL in map(normal, requirement.extras):  # `all` still brings the libraries of the other extras
        return tuple(Part(extra, (), WhyStays.ALL) for extra in requirement.extras)
    return tuple(Part(extra, _of_extra(extra, major, table)) for extra in requirement.extras
                 ) or (Part(TOOLKIT, (), WhyStays.TOOLKIT),)


def _by_extra(requirement: Requirement) -> Pin | None:
    """The pin for another project with an extra for each CUDA."""
    majors = {extra: match[1] for extra in requirement.extras if (match := _EXTRA.fullmatch(normal(extra)))}
    parts = tuple(Part(extra, (), WhyStays.EXTRA) for extra in majors)
    return Pin(requirement, next(iter(majors.values())), parts) if len(set(majors.values())) == 1 else None


def _of_extra(extra: str, major: str, table: Table) -> tuple[Library, ...]:
    return tuple(library for library in table.libraries.values()
                 if library.toolkit_extra == normal(extra) and major in library.wheels)


def of_major(pin: Pin, parts: list[Part], major: str) -> list[str]:
    """The requirements that bring the libraries of `parts` for a CUDA major. They name each library's distribution,
    even if the pin names cuda-toolkit: a remaining requirement, or one of a dependency, may hold cuda-toolkit at the
    pin's CUDA, and then pip could not install another one. A library that also serves the callers of an earlier one
    (cuDNN 9) covers both."""
    libraries = [library for part in parts for library in part.libraries
                 if major in library.wheels and not library.served_by]
    return list(dict.fromkeys(library.wheels[major] + _versions(library, major, pin)
                              for library in libraries))


def _number(soname: str) -> int:
    match = _SONAME_NUMBER.search(soname)
    if match is None:
        raise ValueError(f"{soname} has no number")
    return int(match[1])


def _versions(library: Library, major: str, pin: Pin) -> str:
    """A distribution's version begins with the number of its library's SONAME. If the name carries no CUDA, a later
    CUDA has a higher number, and the versions below the first one are empty placeholders. A library with its own
    numbers (cuDNN, NCCL) keeps the pin's lower bound, except for an earlier CUDA, whose releases end before those of a
    later one. The number 0 says nothing about the version."""
    number = _number(library.majors[major].soname)
    if library.own_releases:
        keeps = pin.requirement.normal in library.wheels.values() and int(major) >= int(pin.major)
        floor = floor_of(pin.requirement.version) if keeps else ""
        if number == 0:  # libcufile.so.0 is of cuFile 1.x
            return f">={floor}" if floor else ""
        return f">={floor},<{number + 1}" if floor.split(".")[0] == str(number) else f"=={number}.*"
    return "" if _SUFFIX.search(library.wheels[major]) else f"=={number}.*"
