# SPDX-License-Identifier: Apache-2.0
"""The distribution, version and tags in a wheel's file name. By hand, since the command has no dependencies;
tests/packaging/test_requirements_agree.py compares it with the library `packaging`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..failure import Failure

_FORM = re.compile(r"(?P<distribution>[^-/]+)-(?P<version>[^-/]+)(?:-(?P<build>\d[^-/]*))?"
                   r"-(?P<python>[^-/]+)-(?P<abi>[^-/]+)-(?P<platform>[^-/]+)\.whl")
_OLD_MANYLINUX = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}


@dataclass(frozen=True)
class WheelName:
    file: str
    distribution: str
    version: str
    platforms: tuple[str, ...]
    tags: str = ""  # PYTHON-ABI-PLATFORM

    def with_build_tag(self, tag: str) -> str:
        """The file name with this build tag."""
        return f"{self.distribution}-{self.version}-{tag}-{self.tags}.whl"

    @property
    def glibc(self) -> tuple[int, int] | None:
        """The oldest glibc that its tag claims; None without a claim (linux_x86_64)."""
        versions = [version for version in map(_glibc, self.platforms) if version]
        return min(versions) if versions else None

    @property
    def is_musl(self) -> bool:
        return all(platform.startswith("musllinux") for platform in self.platforms)


def parse(file: str) -> WheelName:
    parts = _FORM.fullmatch(file)
    if not parts:
        raise Failure(f"{file} is not named like a wheel, NAME-VERSION-PYTHON-ABI-PLATFORM.whl: name a wheel, or "
                      "restore its original name")
    return WheelName(file, parts["distribution"], parts["version"], tuple(parts["platform"].split(".")),
                     "-".join((parts["python"], parts["abi"], parts["platform"])))


def is_build_tag(text: str) -> bool:
    """Is it a build tag by the standard, which must begin with a digit?"""
    return bool(re.fullmatch(r"\d[A-Za-z0-9_.]*", text))


def same(name: str, other: str) -> bool:
    """Do both name the same project? Runs of - _ . are equal, and case is ignored (PEP 503)."""
    return normal(name) == normal(other)


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _glibc(platform: str) -> tuple[int, int] | None:
    version = re.match(r"manylinux_(\d+)_(\d+)_", platform)
    if version:
        return int(version[1]), int(version[2])
    return _OLD_MANYLINUX.get(platform.partition("_")[0])
