"""PyPI's distributions of CUDA's libraries: which of them a requirement is of, and the CUDA that it ties to. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..wheels import requirement as requirements
from ..wheels.metadata import Field
from ..wheels.names import normal
from ..wheels.requirement import Requirement, major_of
from .libraries import Library, Table

TOOLKIT = "cuda-toolkit"  # a metapackage, whose extras require the libraries
# The number of these is CUDA's.
_BY_VERSION = (TOOLKIT, "cuda-bindings", "cuda-python")
# Without a suffix from CUDA 13 on, as those of the libraries in library.json; of NVTX only headers are left.
_PLAIN = frozenset((
    "nvidia-cuda-cccl", "nvidia-cuda-crt", "nvidia-cuda-culibos", "nvidia-cuda-cuobjdump", "nvidia-cuda-cupti",
    "nvidia-cuda-cuxxfilt", "nvidia-cuda-nvcc", "nvidia-cuda-nvdisasm", "nvidia-cuda-opencl",
    "nvidia-cuda-profiler-api", "nvidia-cuda-sanitizer-api", "nvidia-cufile", "nvidia-npp", "nvidia-nvml-dev",
    "nvidia-nvtx", "nvidia-nvvm"))
_PLAIN_MAJOR = "13"
_SUFFIX = re.compile(r"-(?:cu|cuda)(1\d)\d?x?")  # nvidia-cublas-cu12, cupy-cuda12x, nvidia-dali-cuda120


@dataclass(frozen=True)
class Part:
    """What a requirement asks for: a distribution, or an extra of cuda-toolkit. `libraries`: those that have a stub."""

    name: str
    libraries: tuple[Library, ...]


@dataclass(frozen=True)
class Pin:
    """A requirement that is of one CUDA."""

    requirement: Requirement
    major: str
    parts: tuple[Part, ...]

    @property
    def is_toolkit(self) -> bool:
        return self.requirement.normal == TOOLKIT

    @property
    def majors(self) -> list[str]:
        """Those for which PyPI has its libraries."""
        return sorted({major for part in self.parts for library in part.libraries for major in library.wheels}, key=int)


def pin_of(requirement: Requirement, table: Table) -> Pin | None:
    """None for a requirement that any CUDA fulfils."""
    name = requirement.normal
    if name in _BY_VERSION:
        major = major_of(requirement.version)
        parts = tuple(Part(extra, _of_extra(extra, major, table)) for extra in requirement.extras
                      ) if name == TOOLKIT else ()
        return Pin(requirement, major, parts or (Part(name, ()),)) if major else None
    found = {major: library for library in table.libraries.values() for major, wheel in library.wheels.items()
             if wheel == name}
    major = next(iter(found), "") or _by_name(name)
    return Pin(requirement, major, (Part(name, brought_by(name, table)),)) if major else None


def pins(fields: list[Field], table: Table) -> list[tuple[int, Pin]]:
    """Those of METADATA that hold without an extra, by the places of their fields."""
    found = []
    for number, one in enumerate(fields):
        parsed = requirements.parse(one.value) if one.name == "requires-dist" else None
        pin = pin_of(parsed, table) if parsed and not parsed.belongs_to_extra else None
        if pin:
            found.append((number, pin))
    return found


def brought_by(name: str, table: Table) -> tuple[Library, ...]:
    """The libraries of a distribution."""
    return tuple(library for library in table.libraries.values() if normal(name) in library.wheels.values())


def _by_name(name: str) -> str:
    found = _SUFFIX.search(name)
    return found[1] if found and found.end() == len(name) else _PLAIN_MAJOR if name in _PLAIN else ""


def _of_extra(extra: str, major: str, table: Table) -> tuple[Library, ...]:
    return tuple(library for library in table.libraries.values()
                 if library.toolkit_extra == normal(extra) and major in library.wheels)


def of_major(pin: Pin, parts: list[Part], major: str, as_toolkit: bool) -> list[str]:
    """The requirements that bring the libraries of `parts` in that major of CUDA."""
    libraries = [library for part in parts for library in part.libraries if major in library.wheels]
    if pin.is_toolkit and as_toolkit:
        extras = dict.fromkeys(library.toolkit_extra for library in libraries)
        return [f"{TOOLKIT}[{','.join(extras)}]=={major}.*"] if extras else []
    return list(dict.fromkeys(library.wheels[major] for library in libraries))
