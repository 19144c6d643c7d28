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
# Where the distribution has none of its own: NVIDIA's driver installation guide.
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
# The package that has a file: no package has the link of Debian's alternatives, but the file behind it.
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
    command = _INSTALL_DRIVER.get(distribution) or _NVIDIA_DRIVER.get(_FAMILIES.get(distribution, ""))
    return command or f"# the package of your distribution, or {_NO_INSTALLER}"


def update_driver(distribution: str, container: str, wsl: bool) -> str:
    """The driver of a container is its host's, that of WSL is Windows'."""
    if wsl:
        return f"# in Windows: {_NO_INSTALLER}"
    if container:
        return f"# on the {'node' if container == 'kubernetes' else 'host'}: {_NO_INSTALLER}"
    return install_driver(distribution)


def reinstall(distribution: str, path: str, links: bool = True) -> str:
    """`links`: they are followed, to the file that a package has."""
    return _with_package(_REINSTALL, distribution, path, links) or "# by the package manager that installed it"


def _with_package(commands: dict[str, str], distribution: str, path: str, links: bool) -> str:
    family = _FAMILIES.get(distribution, "")
    if family not in commands:
        return ""
    quoted = shlex.quote(path)
    owner = _OWNER[family].format(file=f'"$(realpath {quoted})"' if links else quoted)
    return commands[family].format(package=owner)


def provide(distribution: str, file: str) -> str:
    """Names the package that has the file."""
    command = _PROVIDE.get(_FAMILIES.get(distribution, ""), "ldconfig -p | grep {file}")
    return command.format(file=shlex.quote(file), any_file=shlex.quote(f"*/{file}"))


def remove_driver(distribution: str, path: str) -> str:
    return _with_package(_REMOVE, distribution, path, True) or f"rm {shlex.quote(path)}"


def install_fabric(distribution: str, version: str) -> str:
    """Fabric Manager has the driver's version. NVIDIA's packages are named by the branch, or have its version."""
    command = _INSTALL_FABRIC.get(_FAMILIES.get(distribution, ""))
    return command.format(branch=version.split(".")[0], version=version) if command and version else ""
