# SPDX-License-Identifier: Apache-2.0
"""Commands that install packages: facts about package managers, and pure functions that choose."""

from __future__ import annotations

import os
import shlex

# The wheel of a library on PyPI: up to 12 its name carries the major (nvidia-cuda-runtime-cu12); since 13 the version
# does.
_WHEELS = {"cudart": "nvidia-cuda-runtime", "nvrtc": "nvidia-cuda-nvrtc", "nvjitlink": "nvidia-nvjitlink",
           "nvjpeg": "nvidia-nvjpeg", "cublas": "nvidia-cublas", "cublaslt": "nvidia-cublas", "cufft": "nvidia-cufft",
           "curand": "nvidia-curand", "cusolver": "nvidia-cusolver", "cusolvermg": "nvidia-cusolver",
           "cusparse": "nvidia-cusparse", "cudnn": "nvidia-cudnn", "cudnn8": "nvidia-cudnn", "nccl": "nvidia-nccl",
           "nvfatbin": "nvidia-nvfatbin", "nvtx": "nvidia-nvtx"}
# Libraries with their own releases, for each CUDA: nvidia-nccl-cu13. NVIDIA's packages for the system have other names;
# NCCL's have the CUDA in the version instead of the name.
_CUDNN = {"apt": "cudnn9-cuda-{major}", "dnf": "cudnn9-cuda-{major}", "zypper": "cudnn9-cuda-{major}"}
_OWN_RELEASES = {"cudnn": _CUDNN, "cudnn8": _CUDNN,
                 "nccl": {"apt": "libnccl2", "dnf": "libnccl", "zypper": "libnccl"}}
_CUDA_IN_VERSION = {"nccl": ", a version with +cuda{major}"}
NEWEST_OF_OWN_RELEASES = dict.fromkeys(_OWN_RELEASES, 13)  # the newest CUDA for which they exist
# Since 13: libraries whose versions are not CUDA's are installed by the metapackage, which pins them.
_EXTRAS = {"cufft": "cufft", "curand": "curand", "cusolver": "cusolver", "cusolvermg": "cusolver",
           "cusparse": "cusparse"}
_FIRST_PLAIN_MAJOR = 13
# conda-forge's packages; up to 11 one package contains all libraries.
_CONDA = {"cudart": "cuda-cudart", "nvrtc": "cuda-nvrtc", "nvjitlink": "libnvjitlink", "nvjpeg": "libnvjpeg",
          "cublas": "libcublas", "cublaslt": "libcublas", "cufft": "libcufft", "curand": "libcurand",
          "cusolver": "libcusolver", "cusolvermg": "libcusolver", "cusparse": "libcusparse", "cudnn": "cudnn",
          "cudnn8": "cudnn", "nccl": "nccl", "nvfatbin": "libnvfatbin", "nvtx": "cuda-nvtx"}
_CONDA_FIRST_MAJOR, _CONDA_OLD = 12, "cudatoolkit=11.8"
# By the tool that created the environment: a pip from outside would install into another one.
_INSTALL = {
    "pip": "pip install {packages}",
    "venv": "{prefix}/bin/python -m pip install {packages}",
    "uv": "uv pip install --python {prefix} {packages}",
    "pipx": "pipx inject {name} {packages}",
    "conda": "conda install -c conda-forge {packages} -p {prefix}",
    "mamba": "mamba install -c conda-forge {packages} -p {prefix}",
    "micromamba": "micromamba install -c conda-forge {packages} -p {prefix}",
    "pixi": "pixi add {packages}",
}
_REPAIR = {
    "pip": "pip install --force-reinstall --no-deps {package}",
    "venv": "{prefix}/bin/python -m pip install --force-reinstall --no-deps {package}",
    "uv": "uv pip install --python {prefix} --reinstall --no-deps {package}",
    "pipx": "pipx runpip {name} install --force-reinstall --no-deps {package}",
    "conda": "conda install --force-reinstall -c conda-forge {package} -p {prefix}",
    "mamba": "mamba install --force-reinstall -c conda-forge {package} -p {prefix}",
    "micromamba": "micromamba install --force-reinstall -c conda-forge {package} -p {prefix}",
    "pixi": "pixi reinstall",
}
WITH_WHEELS = ("pip", "venv", "uv", "pipx")
# NVIDIA's packages for the system, by release: cuda-cudart-12-9. Programs other than Python find wheels only in
# activated environments.
_NVIDIA = _CONDA
_SYSTEM_MINOR = {11: 8, 12: 9, 13: 0}
_NEWEST_MINOR = {12: 9}  # the last release of CUDA 12
_FIRST_MAJOR = {"nvjitlink": 12, "nvfatbin": 12}
_FIRST_MINOR = {("nvfatbin", 12): 4}
INSTALLABLE = tuple(_WHEELS)
HARMLESS = ("nvtx",)  # without NVTX every call does nothing, as programs expect, so it need not be installed
SAME_PACKAGE = ("cudnn8",)  # cuDNN 9 serves its callers, and has its own hint
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
# The package that owns a file. Of Debian's alternatives it owns the target, not the link.
_OWNER = {"apt": '"$(dpkg -S {file} | cut -d: -f1)"', "dnf": '"$(rpm -qf {file})"',
          "pacman": '"$(pacman -Qoq {file})"', "zypper": '"$(rpm -qf --qf %{{NAME}} {file})"'}
_PROVIDE = {
    "apt": "apt-file search {file}",
    "dnf": "dnf provides {any_file}",
    "pacman": "pacman -F {file}",
    "zypper": "zypper search --provides {file}",
}
_INSTALL_FABRIC = {"apt": "sudo apt install nvidia-fabricmanager-{branch}",
                   "dnf": "sudo dnf install nvidia-fabric-manager-{version}"}
_NO_INSTALLER = "https://www.nvidia.com/drivers"


def first_major_beyond(name: str, driver_cuda: str) -> int:
    """The library's first major if it is newer than the driver, otherwise 0."""
    first = _FIRST_MAJOR.get(name, 0)
    return first if driver_cuda and int(driver_cuda.split(".")[0]) < first else 0


def library(name: str, manager: str, prefix: str, driver_cuda: str, newest: int, distribution: str = "") -> str:
    """The command that installs a release of the library for this driver: of the driver's CUDA, or else the newest."""
    known = int(driver_cuda.split(".")[0]) if driver_cuda else newest
    major = min(known, newest)
    version = _not_before_first(name, driver_cuda if known == major and driver_cuda else str(major))
    if manager == "system":
        return _of_system(name, version, distribution)
    if "." not in version and major in _NEWEST_MINOR:
        version = f"{major}.{_NEWEST_MINOR[major]}"
    needed = (wheel(name, major) if manager in WITH_WHEELS else
              f"{_CONDA[name]} cuda-version={version}" if _has_conda_package(name, major) else _CONDA_OLD)
    return _INSTALL[manager].format(packages=needed, **_names(prefix))


def _not_before_first(name: str, version: str) -> str:
    """The version, or the library's first one. A driver also runs nvFatbin of a later minor, since it makes no call to
    the driver."""
    major, _, minor = version.partition(".")
    first = _FIRST_MINOR.get((name, int(major)), 0)
    return f"{major}.{first}" if minor and int(minor) < first else version


def _of_system(name: str, version: str, distribution: str) -> str:
    family = _FAMILIES.get(distribution, "")
    if family not in _NVIDIA_DRIVER:
        return f"# {_TOOLKIT}"
    major, _, minor = version.partition(".")
    release = f"{major}-{minor or _SYSTEM_MINOR.get(int(major), 0)}"
    own = _OWN_RELEASES.get(name)
    package = own[family].format(major=major) if own else f"{_NVIDIA[name]}-{release}"
    which = _CUDA_IN_VERSION.get(name, "").format(major=major)
    return f"sudo {family} install {package}  # from NVIDIA's repository{which}: {_TOOLKIT}"


def _names(prefix: str) -> dict[str, str]:
    return {"prefix": shlex.quote(prefix), "name": shlex.quote(os.path.basename(prefix.rstrip("/")))}


def repair(name: str, manager: str, prefix: str, major: int) -> str:
    """The command that installs the library's package again over a damaged one."""
    package = (wheel(name, major) if manager in WITH_WHEELS else
               _CONDA[name] if _has_conda_package(name, major) else _CONDA_OLD.split("=")[0])
    return _REPAIR[manager].format(package=package, **_names(prefix))


def _has_conda_package(name: str, major: int) -> bool:
    return major >= _CONDA_FIRST_MAJOR or name in _OWN_RELEASES


def wheel(name: str, major: int) -> str:
    if major >= _FIRST_PLAIN_MAJOR and name in _EXTRAS:
        return shlex.quote(f"cuda-toolkit[{_EXTRAS[name]}]=={major}.*")
    wheel_name = _WHEELS[name]
    if name in _OWN_RELEASES:
        return f"{wheel_name}-cu{major}"
    return shlex.quote(f"{wheel_name}=={major}.*") if major >= _FIRST_PLAIN_MAJOR else f"{wheel_name}-cu{major}"


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


def reinstall(distribution: str, path: str, links: bool = True) -> str:
    """The command that reinstalls the package of a file. `links`: follow links to the file that a package owns."""
    return (_with_package(_REINSTALL, distribution, path, links)
            or "# reinstall it with the package manager that installed it")


def _with_package(commands: dict[str, str], distribution: str, path: str, links: bool) -> str:
    family = _FAMILIES.get(distribution, "")
    if family not in commands:
        return ""
    quoted = shlex.quote(path)
    owner = _OWNER[family].format(file=f'"$(realpath {quoted})"' if links else quoted)
    return commands[family].format(package=owner)


def provide(distribution: str, file: str) -> str:
    """The command that finds the package with the file."""
    command = _PROVIDE.get(_FAMILIES.get(distribution, ""), "ldconfig -p | grep {file}")
    return command.format(file=shlex.quote(file), any_file=shlex.quote(f"*/{file}"))


def remove_driver(distribution: str, path: str) -> str:
    return _with_package(_REMOVE, distribution, path, True) or f"rm {shlex.quote(path)}"


def install_fabric(distribution: str, version: str) -> str:
    """The command that installs Fabric Manager, in the driver's version. NVIDIA's packages have the branch in their
    name, or its version."""
    command = _INSTALL_FABRIC.get(_FAMILIES.get(distribution, ""))
    return command.format(branch=version.split(".")[0], version=version) if command and version else ""
