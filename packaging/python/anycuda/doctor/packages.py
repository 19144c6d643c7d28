# SPDX-License-Identifier: Apache-2.0
"""Commands that install packages: facts about package managers, and pure functions that choose."""

from __future__ import annotations

import os
import re
import shlex
from dataclasses import dataclass

from ..analysis.libraries import Library, table

_OLDEST_MAJOR = 11  # of which anycuda knows libraries
# conda-forge's packages; up to 11 one package contains all libraries.
_CONDA_FIRST_MAJOR, _CONDA_OLD = 12, "cudatoolkit=11.8"
# By the tool that created the environment. Each command names the environment: another one may be activated.
_INSTALL = {
    "pip": "{python} -m pip install {packages}",
    "uv": "uv pip install --python {prefix} {packages}",
    "pipx": "{pipx} inject {name} {packages}",
    "conda": "conda install -c conda-forge {packages} -p {prefix}",
    "mamba": "mamba install -c conda-forge {packages} -p {prefix}",
    "micromamba": "micromamba install -c conda-forge {packages} -p {prefix}",
    "pixi": "pixi add --manifest-path {project} {packages}",
    # pixi adds packages to features, which several environments share.
    "pixi of a feature": "# in the manifest of {project}: add {packages} to a feature of the environment {name}",
}
_REPAIR = {
    "pip": "{python} -m pip install --force-reinstall --no-deps {package}",
    "uv": "uv pip install --python {prefix} --reinstall --no-deps {package}",
    "pipx": "{pipx} runpip {name} install --force-reinstall --no-deps {package}",
    "conda": "conda install --force-reinstall -c conda-forge {package} -p {prefix}",
    "mamba": "mamba install --force-reinstall -c conda-forge {package} -p {prefix}",
    "micromamba": "micromamba install --force-reinstall -c conda-forge {package} -p {prefix}",
    "pixi": "pixi reinstall --manifest-path {project} --environment {name}",
}
_UNINSTALL = {
    "pip": "{python} -m pip uninstall -y {package}",
    "uv": "uv pip uninstall --python {prefix} {package}",
    "pipx": "{pipx} runpip {name} uninstall -y {package}",
}
WITH_WHEELS = ("pip", "uv", "pipx")
# NVIDIA's packages for the system have the names of conda-forge's, with the release: cuda-cudart-12-9. Programs other
# than Python find wheels only in activated environments.
_SYSTEM_MINOR = {11: 8, 12: 9, 13: 0}
_NEWEST_MINOR = {12: 9}  # the last release of CUDA 12
_TOOLKIT = "https://developer.nvidia.com/cuda-downloads"
_GUIDE = "https://docs.nvidia.com/datacenter/tesla/driver-installation-guide/"

# By ID in os-release: the distribution's display driver.
_INSTALL_DRIVER = {
    "debian": "sudo apt install nvidia-driver",
    "ubuntu": "sudo ubuntu-drivers install",
    "linuxmint": "sudo ubuntu-drivers install",
    "pop": "sudo apt install system76-driver-nvidia",
    "fedora": "sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda  # from RPM Fusion",
    "arch": "sudo pacman -S nvidia nvidia-utils",
}
# The part of the driver that CUDA programs load.
_INSTALL_DRIVER_LIBRARY = {
    "debian": "sudo apt install libcuda1",
    "ubuntu": "sudo apt install libnvidia-compute-{branch}",
    "fedora": "sudo dnf install xorg-x11-drv-nvidia-cuda-libs  # from RPM Fusion",
    "arch": "sudo pacman -S nvidia-utils",
}
# NVML is in the same package, except in Debian.
_INSTALL_NVML = {**_INSTALL_DRIVER_LIBRARY, "debian": "sudo apt install libnvidia-ml1"}
# For distributions without a driver package (NVIDIA's driver installation guide).
_NVIDIA_DRIVER = {manager: f"sudo {manager} install nvidia-open  # from NVIDIA's repository: {_GUIDE}"
                  for manager in ("apt", "dnf", "zypper")}
_FAMILIES = {"debian": "apt", "ubuntu": "apt", "linuxmint": "apt", "pop": "apt", "fedora": "dnf", "rhel": "dnf",
             "rocky": "dnf", "almalinux": "dnf", "centos": "dnf", "amzn": "dnf", "ol": "dnf", "arch": "pacman",
             "manjaro": "pacman", "opensuse-leap": "zypper", "opensuse-tumbleweed": "zypper", "sles": "zypper"}
_REINSTALL = {
    "apt": "sudo apt install --reinstall {package}",
    "dnf": "sudo dnf reinstall {package}",
    "pacman": "sudo pacman -S {package}",
    "zypper": "sudo zypper install --force {package}",
}
_REMOVE = {"apt": "sudo apt remove {package}", "dnf": "sudo dnf remove {package}",
           "pacman": "sudo pacman -Rs {package}", "zypper": "sudo zypper remove {package}"}
_PROVIDE = {
    "apt": "apt-file search {file}",
    "dnf": "dnf provides {any_file}",
    "pacman": "pacman -F {file}",
    "zypper": "zypper search --provides {file}",
}
_INSTALL_FABRIC = {"apt": "sudo apt install nvidia-fabricmanager-{branch}",
                   "dnf": "sudo dnf install nvidia-fabric-manager-{version}"}
_NO_INSTALLER = "https://www.nvidia.com/drivers"


@dataclass(frozen=True)
class Installer:
    """What installs into an environment. `manager`: one of the tables above, or system. `python`: the interpreter."""

    manager: str
    prefix: str = ""
    python: str = ""

    def fill(self, commands: dict[str, str], **texts: str) -> str:
        prefix = self.prefix.rstrip("/")
        home = prefix.partition("/venvs/")[0]
        pipx = "pipx" if re.search(r"/\.local/(share/)?pipx\Z", home) else f"PIPX_HOME={shlex.quote(home)} pipx"
        of_feature = self.manager == "pixi" and commands is _INSTALL and not prefix.endswith("/.pixi/envs/default")
        return commands["pixi of a feature" if of_feature else self.manager].format(
            pipx=pipx, prefix=shlex.quote(prefix), name=shlex.quote(os.path.basename(prefix)),
            python=shlex.quote(self.python or f"{prefix}/bin/python"),
            project=shlex.quote(prefix.partition("/.pixi/")[0]), **texts)


def _about(name: str) -> Library:
    return table().libraries[name]


def is_installable(name: str) -> bool:
    """Does a package have it? The driver's libraries come with the driver."""
    return name in table().libraries and bool(_about(name).wheels)


def is_wheel_of(wheel: str, name: str) -> bool:
    """Is nvidia-nccl-cu12 a wheel of nccl? Those of other majors than the known ones differ in the number only."""
    base = re.sub(r"-cu\d+\Z", "", wheel)
    return is_installable(name) and base in {re.sub(r"-cu\d+\Z", "", one) for one in _about(name).wheels.values()}


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
    known = int(driver_cuda.split(".")[0]) if driver_cuda else newest
    major = min(known, newest)
    version = _not_before_first(name, driver_cuda if known == major and driver_cuda else str(major))
    if where.manager == "system":
        return _of_system(name, version, distribution)
    if "." not in version and major in _NEWEST_MINOR:
        version = f"{major}.{_NEWEST_MINOR[major]}"
    needed = wheel(name, major) if where.manager in WITH_WHEELS else _of_conda(name, major, f" cuda-version={version}")
    return needed and where.fill(_INSTALL, packages=needed)


def _not_before_first(name: str, version: str) -> str:
    """The version, or the library's first one. A driver also runs nvFatbin of a later minor, since it makes no call to
    the driver."""
    major, _, minor = version.partition(".")
    first_major, first = _first_release(name)
    return f"{major}.{first}" if int(major) == first_major and minor and int(minor) < first else version


def _of_system(name: str, version: str, distribution: str) -> str:
    family = _FAMILIES.get(distribution, "")
    if family not in _NVIDIA_DRIVER:
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
    package = _of_conda(name, major).split("=")[0]
    return package and where.fill(_REPAIR, package=package)


def repair_wheel(where: Installer, name: str, version: str) -> str:
    """The command that installs the same version of a wheel again."""
    return where.fill(_REPAIR, package=shlex.quote(f"{name}=={version}"))


def uninstall_wheel(where: Installer, name: str) -> str:
    return where.fill(_UNINSTALL, package=shlex.quote(name))


def _of_conda(name: str, major: int, release: str = "") -> str:
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
    command = _INSTALL_DRIVER.get(distribution) or _NVIDIA_DRIVER.get(_FAMILIES.get(distribution, ""))
    return command or f"# install your distribution's driver package, or use {_NO_INSTALLER}"


def install_driver_library(distribution: str, version: str) -> str:
    return _of_driver(_INSTALL_DRIVER_LIBRARY, distribution, version)


def install_nvml(distribution: str, version: str) -> str:
    return _of_driver(_INSTALL_NVML, distribution, version)


def _of_driver(commands: dict[str, str], distribution: str, version: str) -> str:
    command = commands.get(distribution, "")
    if not command or "{branch}" in command and not version:
        return f"# install this part of NVIDIA's driver{version and f' {version}'}: {_NO_INSTALLER}"
    return command.format(branch=version.split(".")[0])


def update_driver(distribution: str, container: str, wsl: bool) -> str:
    """The command that updates the driver: for a container on its host, for WSL in Windows."""
    if wsl:
        return f"# in Windows: {_NO_INSTALLER}"
    if container:
        return f"# on the {'node' if container == 'kubernetes' else 'host'}: {_NO_INSTALLER}"
    return install_driver(distribution)


def reinstall(distribution: str, path: str, owner: str) -> str:
    """The command that reinstalls the distribution's package `owner`, or a remark if no package contains the file."""
    command = _REINSTALL.get(_FAMILIES.get(distribution, ""), "") if owner else ""
    return command.format(package=shlex.quote(owner)) or (
        f"# no package contains {path}: install it again by what installed it, or remove it")


def provide(distribution: str, file: str) -> str:
    """The command that finds the package with the file."""
    command = _PROVIDE.get(_FAMILIES.get(distribution, ""), "ldconfig -p | grep {file}")
    return command.format(file=shlex.quote(file), any_file=shlex.quote(f"*/{file}"))


def remove_driver(distribution: str, path: str, owner: str) -> str:
    command = _REMOVE.get(_FAMILIES.get(distribution, ""), "") if owner else ""
    return command.format(package=shlex.quote(owner)) or f"rm {shlex.quote(path)}"


def install_fabric(distribution: str, version: str) -> str:
    """The command that installs Fabric Manager, in the driver's version. NVIDIA's packages have the branch in their
    name, or its version."""
    command = _INSTALL_FABRIC.get(_FAMILIES.get(distribution, ""))
    return command.format(branch=version.split(".")[0], version=version) if command and version else ""
