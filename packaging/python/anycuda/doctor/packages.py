"""The command that installs something here: facts of package managers, and pure functions that choose."""

from __future__ import annotations

import shlex

# The wheel of a library: its name, which carries the major up to 12 (nvidia-cuda-runtime-cu12) and is
# asked for by version from 13 on (PyPI).
_WHEELS = {"cudart": "nvidia-cuda-runtime", "nvrtc": "nvidia-cuda-nvrtc", "nvjitlink": "nvidia-nvjitlink"}
_FIRST_PLAIN_MAJOR = 13
# conda-forge's packages; up to 11 one package has all of them.
_CONDA = {"cudart": "cuda-cudart", "nvrtc": "cuda-nvrtc", "nvjitlink": "libnvjitlink"}
_CONDA_FIRST_MAJOR, _CONDA_OLD = 12, "cudatoolkit=11.8"
_CONDA_INSTALL = {
    "conda": "conda install -c conda-forge {packages} -p {prefix}",
    "mamba": "mamba install -c conda-forge {packages} -p {prefix}",
    "micromamba": "micromamba install -c conda-forge {packages} -p {prefix}",
    "pixi": "pixi add {packages}",
}
_NEWEST_MINOR = {12: 9}  # CUDA 12 ended with it
INSTALLABLE = tuple(_WHEELS)

# By ID in os-release: the distribution's display driver.
_INSTALL_DRIVER = {
    "debian": "sudo apt install nvidia-driver",
    "ubuntu": "sudo ubuntu-drivers install",
    "fedora": "sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda  # from RPM Fusion",
    "arch": "sudo pacman -S nvidia nvidia-utils",
}
_FAMILIES = {"debian": "apt", "ubuntu": "apt", "linuxmint": "apt", "pop": "apt", "fedora": "dnf", "rhel": "dnf",
             "rocky": "dnf", "almalinux": "dnf", "centos": "dnf", "amzn": "dnf", "ol": "dnf", "arch": "pacman",
             "manjaro": "pacman", "opensuse-leap": "zypper", "opensuse-tumbleweed": "zypper", "sles": "zypper"}
_REINSTALL = {
    "apt": 'sudo apt install --reinstall "$(dpkg -S {path} | cut -d: -f1)"',
    "dnf": 'sudo dnf reinstall "$(rpm -qf {path})"',
    "pacman": 'sudo pacman -S "$(pacman -Qoq {path})"',
    "zypper": 'sudo zypper install --force "$(rpm -qf --qf %{{NAME}} {path})"',
}
_PROVIDE = {
    "apt": "apt-file search {file}",
    "dnf": "dnf provides {any_file}",
    "pacman": "pacman -F {file}",
    "zypper": "zypper search --provides {file}",
}
_REMOVE_DRIVER = {
    "apt": "sudo apt remove 'libnvidia-compute-*' libcuda1",
    "dnf": "sudo dnf remove 'nvidia-driver-cuda-libs' 'xorg-x11-drv-nvidia-cuda-libs'",
}
_INSTALL_FABRIC = {"apt": "sudo apt install nvidia-fabricmanager-{branch}",
                   "dnf": "sudo dnf install nvidia-fabric-manager-{version}"}
_NO_INSTALLER = "https://www.nvidia.com/drivers"


def library(name: str, manager: str, prefix: str, driver_cuda: str, newest: int) -> str:
    """Installs a release of the library that this driver runs: of the driver's own CUDA, else the newest."""
    known = int(driver_cuda.split(".")[0]) if driver_cuda else newest
    major = min(known, newest)
    if manager == "pip":
        return f"pip install {wheel(name, major)}"
    version = driver_cuda if known == major and driver_cuda else str(major)
    if "." not in version and major in _NEWEST_MINOR:
        version = f"{major}.{_NEWEST_MINOR[major]}"
    packages = f"{_CONDA[name]} cuda-version={version}" if major >= _CONDA_FIRST_MAJOR else _CONDA_OLD
    return _CONDA_INSTALL[manager].format(packages=packages, prefix=shlex.quote(prefix))


def repair(name: str, manager: str, prefix: str, major: int) -> str:
    """Installs the library's package again over a damaged one."""
    if manager == "pip":
        return f"pip install --force-reinstall --no-deps {wheel(name, major)}"
    if manager == "pixi":
        return "pixi reinstall"
    package = _CONDA[name] if major >= _CONDA_FIRST_MAJOR else _CONDA_OLD.split("=")[0]
    return f"{manager} install --force-reinstall -c conda-forge {package} -p {shlex.quote(prefix)}"


def wheel(name: str, major: int) -> str:
    wheel_name = _WHEELS[name]
    return shlex.quote(f"{wheel_name}=={major}.*") if major >= _FIRST_PLAIN_MAJOR else f"{wheel_name}-cu{major}"


def install_driver(distribution: str) -> str:
    return _INSTALL_DRIVER.get(distribution, f"# the package of your distribution, or {_NO_INSTALLER}")


def reinstall(distribution: str, path: str) -> str:
    command = _REINSTALL.get(_FAMILIES.get(distribution, ""))
    return command.format(path=shlex.quote(path)) if command else "# by the package manager that installed it"


def provide(distribution: str, file: str) -> str:
    """Names the package that has the file."""
    command = _PROVIDE.get(_FAMILIES.get(distribution, ""), "ldconfig -p | grep {file}")
    return command.format(file=shlex.quote(file), any_file=shlex.quote(f"*/{file}"))


def remove_driver(distribution: str, path: str) -> str:
    return _REMOVE_DRIVER.get(_FAMILIES.get(distribution, ""), f"rm {shlex.quote(path)}")


def install_fabric(distribution: str, version: str) -> str:
    """Fabric Manager has the driver's version. NVIDIA's packages are named by the branch, or have its version."""
    command = _INSTALL_FABRIC.get(_FAMILIES.get(distribution, ""))
    return command.format(branch=version.split(".")[0], version=version) if command and version else ""
