# SPDX-License-Identifier: Apache-2.0
"""Commands that install packages: pure functions that choose those of data/packages.json."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass

from ..analysis.libraries import Library, table
from ..kind import Kind
from .containers import ContainerKind
from .data import read

_OLDEST_MAJOR = 11  # of which anycuda knows libraries
# conda-forge's packages; up to 11 one package contains all libraries.
_CONDA_FIRST_MAJOR, _CONDA_OLD = 12, "cudatoolkit=11.8"
# NVIDIA's packages for the system have the names of conda-forge's, with the release: cuda-cudart-12-9. Programs other
# than Python find wheels only in activated environments.
_SYSTEM_MINOR = {11: 8, 12: 9, 13: 0}
_NEWEST_MINOR = {12: 9}  # the last release of CUDA 12
_TOOLKIT = "https://developer.nvidia.com/cuda-downloads"
_NO_INSTALLER = "https://www.nvidia.com/drivers"


class Manager(Kind):
    """What installs packages into an environment: the tool that created it."""

    PIP = "pip"
    UV = "uv"
    PIPX = "pipx"
    CONDA = "conda"
    MAMBA = "mamba"
    MICROMAMBA = "micromamba"
    PIXI = "pixi"
    SYSTEM = "system"  # the distribution's, for programs outside environments

    @property
    def has_wheels(self) -> bool:
        return self in (Manager.PIP, Manager.UV, Manager.PIPX)

    @property
    def has_conda_packages(self) -> bool:
        return not self.has_wheels and self is not Manager.SYSTEM


class Purpose(Kind):
    """What a command of data/packages.json is for."""

    INSTALL = "install"
    INSTALL_INTO_FEATURE = "install_into_feature"  # of pixi: several environments share a feature
    REPAIR = "repair"
    UNINSTALL = "uninstall"
    REINSTALL = "reinstall"
    REMOVE = "remove"
    PROVIDE = "provide"  # search for the package of a file
    DRIVER = "driver"
    DRIVER_LIBRARY = "driver_library"
    NVML = "nvml"
    FABRIC_MANAGER = "fabric_manager"


@dataclass(frozen=True)
class Installer:
    """What installs into an environment. `python`: the interpreter."""

    manager: Manager
    prefix: str = ""
    python: str = ""

    def command(self, purpose: Purpose, **texts: str) -> str:
        """Each command names the environment, since another one may be activated."""
        prefix = self.prefix.rstrip("/")
        home = prefix.partition("/venvs/")[0]
        pipx = "pipx" if re.search(r"/\.local/(share/)?pipx\Z", home) else f"PIPX_HOME={shlex.quote(home)} pipx"
        if self.manager is Manager.PIXI and purpose is Purpose.INSTALL and not prefix.endswith("/.pixi/envs/default"):
            purpose = Purpose.INSTALL_INTO_FEATURE
        return _commands("environments", self.manager)[purpose].format(
            pipx=pipx, prefix=shlex.quote(prefix), name=shlex.quote(os.path.basename(prefix)),
            python=shlex.quote(self.python or f"{prefix}/bin/python"),
            project=shlex.quote(prefix.partition("/.pixi/")[0]), **texts)


def _commands(section: str, name: str) -> dict[str, str]:
    """The commands of an environment's manager, of a distribution (by ID in os-release), or of a family of
    distributions, which have the same package manager. A purpose without a command is left out."""
    commands: dict[str, str] = read("packages")[section].get(name, {})
    return commands


def _family(distribution: str) -> str:
    return _commands("distributions", distribution).get("family", "")


def _family_command(distribution: str, purpose: Purpose) -> str:
    return _commands("families", _family(distribution)).get(purpose, "")


def _about(name: str) -> Library:
    return table().libraries[name]


def is_installable(name: str) -> bool:
    """Does a package have it? The driver's libraries come with the driver."""
    return name in table().libraries and bool(_about(name).wheels)


def is_wheel_of(wheel: str, name: str) -> bool:
    """Is nvidia-nccl-cu12 a wheel of nccl? Those of other majors than the known ones differ in the number only."""
    base = re.sub(r"-cu\d+\Z", "", wheel)
    return is_installable(name) and base in {re.sub(r"-cu\d+\Z", "", other) for other in _about(name).wheels.values()}


def is_cuda_wheel(wheel: str) -> bool:
    return any(is_wheel_of(wheel, name) for name in table().libraries)


def is_optional(name: str) -> bool:
    """NVTX: without it every call does nothing, as programs expect."""
    return name in table().libraries and _about(name).is_optional


def is_of_another(name: str) -> bool:
    """cuDNN 9 serves the callers of cuDNN 8, and has its own hint."""
    return name in table().libraries and bool(_about(name).served_by)


def has_own_releases(name: str) -> bool:
    return name in table().libraries and _about(name).own_releases


def newest_of_own_releases(name: str) -> int:
    """The newest CUDA for which a library with its own releases exists; 0 for others."""
    return max(map(int, _about(name).wheels), default=0) if is_installable(name) and _about(name).own_releases else 0


def _first_release(name: str) -> tuple[int, int]:
    """The library's first release, if it came with a later CUDA major than the oldest known one, otherwise (0, 0)."""
    numbers = _about(name).first_release.split(".") if is_installable(name) else []
    major, minor = (int(numbers[0]), int(numbers[1])) if len(numbers) > 1 else (0, 0)
    return (major, minor) if major > _OLDEST_MAJOR else (0, 0)


def first_major_beyond(name: str, driver_cuda: str) -> int:
    """The library's first major if it is newer than the driver, otherwise 0."""
    first, _ = _first_release(name)
    return first if driver_cuda and int(driver_cuda.split(".")[0]) < first else 0


def library(name: str, where: Installer, driver_cuda: str, newest: int, distribution: str = "") -> str:
    """The command that installs a release of the library for this driver: of the driver's CUDA, or else the newest."""
    major_of_driver = int(driver_cuda.split(".")[0]) if driver_cuda else newest
    major = min(major_of_driver, newest)
    version = _not_before_first(name, driver_cuda if major_of_driver == major and driver_cuda else str(major))
    if where.manager is Manager.SYSTEM:
        return _system_command(name, version, distribution)
    if "." not in version and major in _NEWEST_MINOR:
        version = f"{major}.{_NEWEST_MINOR[major]}"
    needed = wheel(name, major) if where.manager.has_wheels else _conda_package(name, major, f" cuda-version={version}")
    return needed and where.command(Purpose.INSTALL, packages=needed)


def _not_before_first(name: str, version: str) -> str:
    """The version, or the library's first one. A driver also runs nvFatbin of a later minor, since it makes no call to
    the driver."""
    major, _, minor = version.partition(".")
    first_major, first = _first_release(name)
    return f"{major}.{first}" if int(major) == first_major and minor and int(minor) < first else version


def _system_command(name: str, version: str, distribution: str) -> str:
    family = _family(distribution)
    if not _family_command(distribution, Purpose.DRIVER):  # NVIDIA has no packages for it
        return f"# {_TOOLKIT}"
    major, _, minor = version.partition(".")
    release = f"{major}-{minor or _SYSTEM_MINOR.get(int(major), 0)}"
    names = _about(name).packages
    if family not in names and ("conda" not in names or _about(name).own_releases):
        return ""
    package = names[family].format(major=major, release=release) if family in names else f"{names['conda']}-{release}"
    note = f", {names['note'].format(major=major)}" if "note" in names else ""
    return f"sudo {family} install {package}  # from NVIDIA's repository{note}: {_TOOLKIT}"


def repair(name: str, where: Installer, major: int) -> str:
    """The command that installs a conda package of the library again over a damaged one."""
    package = _conda_package(name, major).split("=")[0]
    return package and where.command(Purpose.REPAIR, package=package)


def repair_wheel(where: Installer, name: str, version: str) -> str:
    """The command that installs the same version of a wheel again."""
    return where.command(Purpose.REPAIR, package=shlex.quote(f"{name}=={version}"))


def uninstall_wheel(where: Installer, name: str) -> str:
    return where.command(Purpose.UNINSTALL, package=shlex.quote(name))


def _conda_package(name: str, major: int, release: str = "") -> str:
    """"": conda-forge's package of it is unknown."""
    if major < _CONDA_FIRST_MAJOR and not _about(name).own_releases:
        return _CONDA_OLD
    package = _about(name).packages.get("conda", "")
    return package and package + release


def wheel(name: str, major: int) -> str:
    """What pip installs. Since 13, the metapackage pins libraries whose numbers are not CUDA's."""
    about = _about(name)
    package = about.wheels.get(str(major)) or about.wheels[max(about.wheels, key=int)]
    if re.search(r"-cu\d+$", package):
        return re.sub(r"\d+$", str(major), package)
    if about.toolkit_extra and not about.has_number_of(str(major)):
        package = f"cuda-toolkit[{about.toolkit_extra}]"
    return shlex.quote(f"{package}=={major}.*")


def install_driver(distribution: str) -> str:
    """The distribution's display driver, or NVIDIA's package (NVIDIA's driver installation guide)."""
    command = _commands("distributions", distribution).get(Purpose.DRIVER)
    return command or _family_command(distribution, Purpose.DRIVER) or (
        f"# install your distribution's driver package, or use {_NO_INSTALLER}")


def install_driver_library(distribution: str, version: str) -> str:
    """The part of the driver that CUDA programs load."""
    return _part_of_driver(Purpose.DRIVER_LIBRARY, distribution, version)


def install_nvml(distribution: str, version: str) -> str:
    return _part_of_driver(Purpose.NVML, distribution, version)


def _part_of_driver(purpose: Purpose, distribution: str, version: str) -> str:
    command = _commands("distributions", distribution).get(purpose, "")
    if not command or "{branch}" in command and not version:
        return f"# install this part of NVIDIA's driver{version and f' {version}'}: {_NO_INSTALLER}"
    return command.format(branch=version.split(".")[0])


def update_driver(distribution: str, container: ContainerKind, wsl: bool) -> str:
    """The command that updates the driver: for a container on its host, for WSL in Windows."""
    if wsl:
        return f"# in Windows: {_NO_INSTALLER}"
    if container:
        return f"# on the {'node' if container is ContainerKind.KUBERNETES else 'host'}: {_NO_INSTALLER}"
    return install_driver(distribution)


def reinstall(distribution: str, path: str, owner: str) -> str:
    """The command that reinstalls the distribution's package `owner`, or a remark if no package contains the file."""
    command = _family_command(distribution, Purpose.REINSTALL) if owner else ""
    return command.format(package=shlex.quote(owner)) or (
        f"# no package contains {path}: install it again by what installed it, or remove it")


def provide(distribution: str, file: str) -> str:
    """The command that finds the package with the file."""
    command = _family_command(distribution, Purpose.PROVIDE) or "ldconfig -p | grep {file}"
    return command.format(file=shlex.quote(file), any_file=shlex.quote(f"*/{file}"))


def remove_driver(distribution: str, path: str, owner: str) -> str:
    command = _family_command(distribution, Purpose.REMOVE) if owner else ""
    return command.format(package=shlex.quote(owner)) or f"rm {shlex.quote(path)}"


def install_fabric(distribution: str, version: str) -> str:
    """The command that installs Fabric Manager, in the driver's version. NVIDIA's packages have the branch in their
    name, or its version."""
    command = _family_command(distribution, Purpose.FABRIC_MANAGER)
    return command.format(branch=version.split(".")[0], version=version) if command and version else ""
