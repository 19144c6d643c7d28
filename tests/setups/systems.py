# SPDX-License-Identifier: Apache-2.0
"""Toolkits, drivers, containers, and systems with their own CUDA."""

from __future__ import annotations

from machine import LIBRARIES, SITE
from process import Program, Python
from pytorch import torch_library
from row import DRIVER, LATE_VARIABLES, NO_MAJOR, Group

setups = Group("Toolkits, containers, systems")
_TOOLKIT = "replica: the layout of NVIDIA's installer"
_VENV = "`python -m venv`"
_IMAGE = "replica: layout, dpkg's lists, ld.so.conf and variables of the image"
_UBI = "replica: layout, ld.so.conf and variables of the image; a database that rpm has written"


def _lib(release: str, folder: str = "/usr/local/cuda-") -> str:
    return f"{release} {folder}{release}"


@setups("Toolkits 12.9 and 13.0 from runfiles, /usr/local/cuda links to 12.9; C++ program", _TOOLKIT,
        _lib("13.0"), "none", "-",
        "The stub treats the system as one environment, and uses the newest CUDA in it. /usr/local/cuda only selects "
        "the default nvcc.",
        NO_MAJOR)
def two_toolkits(machine):
    machine.local_toolkits("13.0", "12.9")
    return Program()


@setups("Toolkits 12.4 and 13.0 in ld.so.cache, driver 550 (CUDA 12.4); C++ program", _TOOLKIT, _lib("12.4"),
        f"{_lib('12.4')}; {_lib('13.0')}", "-", "The newest CUDA that the driver supports is used.",
        NO_MAJOR)
def driver(machine):
    machine.local_toolkits("12.4", "13.0").driver(550)
    machine.ldconfig("/usr/local/cuda-13.0/lib64", "/usr/local/cuda-12.4/lib64")
    return Program()


@setups("Toolkit 13.5 and a venv with wheel 12.9; C++ program, venv activated", f"{_VENV}; {_TOOLKIT}",
        "12.9 wheel ~/app/.venv", _lib("13.5"), "-", "A program that is not Python uses the activated environment.",
        NO_MAJOR)
def toolkit_and_wheels(machine):
    machine.venv("~/app/.venv")
    machine.wheel(f"~/app/.venv/{SITE}", "12.9").env(VIRTUAL_ENV="~/app/.venv")
    machine.local_toolkits("13.5").ldconfig("/usr/local/cuda/lib64")
    return Program()


@setups("CUDA_PATH=/opt/cuda-12.6 and CUDA_HOME=/opt/cuda-13.0; venv without CUDA", f"{_VENV}; {_TOOLKIT}",
        _lib("12.6", "/opt/cuda-"), "none", _lib("12.6", "/opt/cuda-"),
        "CUDA_PATH comes before CUDA_HOME. With ANYCUDA_LOG=warn the stub reports that the two differ.",
        NO_MAJOR)
def variables(machine):
    machine.toolkit("/opt/cuda-12.6", "12.6").toolkit("/opt/cuda-13.0", "13.0")
    machine.env(CUDA_PATH="/opt/cuda-12.6", CUDA_HOME="/opt/cuda-13.0")
    return Python(machine.venv("~/app/.venv"))


@setups("CUDA_HOME=/opt/cuda-12.6, toolkit 13.0 in ld.so.cache; venv without CUDA", f"{_VENV}; {_TOOLKIT}",
        _lib("12.6", "/opt/cuda-"), _lib("13.0"), _lib("13.0"),
        "A variable that the user has set is nearer than the system.",
        LATE_VARIABLES + NO_MAJOR)
def variable_and_system(machine):
    machine.toolkit("/opt/cuda-12.6", "12.6").env(CUDA_HOME="/opt/cuda-12.6")
    machine.local_toolkits("13.0").ldconfig("/usr/local/cuda/lib64")
    return Python(machine.venv("~/app/.venv"))


@setups("LD_LIBRARY_PATH=/usr/local/cuda-12.4/lib64, toolkits 12.4 and 13.0 installed; C++ program", _TOOLKIT,
        _lib("12.4"),
        f"{_lib('12.4')}; {_lib('13.0')}", "-",
        "LD_LIBRARY_PATH comes before the system, both for the stub and for the dynamic linker.",
        NO_MAJOR)
def library_path(machine):
    machine.local_toolkits("12.4", "13.0").ldconfig("/usr/local/cuda/lib64")
    machine.env(LD_LIBRARY_PATH="/usr/local/cuda-12.4/lib64")
    return Program()


@setups("Container nvidia/cuda:12.9-runtime, wheel 13.0 in the system's Python, driver 550 from the host",
        _IMAGE,
        _lib("12.9"), _lib("12.9"), "13.0 wheel /usr/local",
        "The wheel is nearer than the system, but the driver does not support CUDA 13.",
        DRIVER)
def runtime_container_with_wheels(machine):
    _runtime_image(machine)
    command = machine.prefix("/usr", debian=True)
    machine.wheel("/usr/local/lib/python3.11/dist-packages", "13.0").file("/usr/lib/python3/dist-packages/README.txt")
    return Python(command)


def _runtime_image(machine, release="12.9", package="12.9.79-1"):
    """As `docker run --gpus all nvidia/cuda:12.9.1-runtime-ubuntu22.04` shows it."""
    lib = _runtime_files(machine, release, LIBRARIES)
    files = [machine.named(path) for path in sorted(machine.at(lib).iterdir())]
    machine.dpkg(f"cuda-cudart-{release.replace('.', '-')}", package, *files)


def _runtime_files(machine, release, driver):
    lib = f"/usr/local/cuda-{release}/targets/x86_64-linux/lib"
    # No headers, no libcudart.so.
    machine.runtime(lib, release, names=2)
    machine.link(f"/usr/local/cuda-{release}/lib64", "targets/x86_64-linux/lib")
    machine.link("/usr/local/cuda", f"cuda-{release}").driver(550, driver)
    machine.ldconfig("/usr/local/cuda/targets/x86_64-linux/lib", "/usr/local/nvidia/lib", "/usr/local/nvidia/lib64",
                     driver)
    machine.env(LD_LIBRARY_PATH="/usr/local/nvidia/lib:/usr/local/nvidia/lib64", NVIDIA_REQUIRE_CUDA=f"cuda>={release}")
    return lib


@setups("Container nvidia/cuda:12.9-runtime, driver 550 from the host; C++ program",
        _IMAGE, _lib("12.9"), _lib("12.9"), "-",
        "Driver 550 (CUDA 12.4) also runs CUDA 12.9, by NVIDIA's minor-version compatibility.")
def runtime_container(machine):
    _runtime_image(machine)
    return Program()


@setups("Container nvidia/cuda:12.4-runtime, driver 550 from the host, ANYCUDA_COMPAT=strict; C++ program", _IMAGE,
        _lib("12.4"), _lib("12.4"), "-",
        "The name of the file has the exact version, which strict mode needs; the image has no cuda.h.")
def strict_container(machine):
    _runtime_image(machine, "12.4", "12.4.127-1")
    machine.env(ANYCUDA_COMPAT="strict")
    return Program()


@setups("Container nvidia/cuda:12.4-runtime-ubi9, driver 550 from the host, ANYCUDA_COMPAT=strict; C++ program", _UBI,
        _lib("12.4"), _lib("12.4"), "-",
        "The name of the file has the exact version, which strict mode needs.")
def strict_ubi9(machine):
    _runtime_files(machine, "12.4", "/usr/lib64")
    machine.env(ANYCUDA_COMPAT="strict")
    return Program()


_NGC = "replica: layout and variables of the image, torch's layout without NVIDIA's wheels"


@setups("Container nvcr.io/nvidia/pytorch:24.05, driver 535 from the host; torch imported after the first call", _NGC,
        _lib("12.4"), _lib("12.4"), _lib("12.4"),
        "The image has one CUDA, in the system's folders. The image's torch uses the same CUDA.")
def ngc(machine):
    machine.local_toolkits("12.4").driver(535).driver(550, "/usr/local/cuda/compat/lib", ml=False)
    torch_library(machine, "/usr/local/lib/python3.11/dist-packages", "libcudart.so.12")
    machine.ldconfig("/usr/local/cuda/lib64", "/usr/local/nvidia/lib", "/usr/local/nvidia/lib64")
    machine.env(LD_LIBRARY_PATH="/usr/local/cuda/compat/lib:/usr/local/nvidia/lib:/usr/local/nvidia/lib64",
                CUDA_HOME="/usr/local/cuda", CUDA_VERSION="12.4.1.003")
    return Python(machine.prefix("/usr", debian=True), after="import torch")


@setups("Container nvcr.io/nvidia/pytorch:24.05, driver 535 from the host, ANYCUDA_COMPAT=strict; torch "
        "imported after the first call", _NGC, _lib("12.4"), _lib("12.4"), _lib("12.4"),
        "The image's LD_LIBRARY_PATH puts cuda-compat's driver (550, CUDA 12.4) before the host's (535, CUDA 12.2). "
        "So the runtime is not newer than the driver's CUDA, and strict mode accepts it.")
def ngc_strict(machine):
    python = ngc(machine)
    machine.env(ANYCUDA_COMPAT="strict")
    return python


@setups("Kubernetes pod, driver 550 of the GPU Operator in /run/nvidia/driver; venv with wheels 12.9 and 13.5",
        "`python -m venv`; replica: the Operator's folders", "12.9 wheel ~/app/.venv", "none", "13.5 wheel ~/app/.venv",
        "The stub finds the driver where the Operator puts it. This driver does not support CUDA 13.",
        DRIVER + NO_MAJOR)
def operator(machine):
    return _wheels_of_two_majors(machine.driver(550, f"/run/nvidia/driver{LIBRARIES}"))


def _wheels_of_two_majors(machine):
    command = machine.venv("~/app/.venv")
    machine.wheel(f"~/app/.venv/{SITE}", "12.9").wheel(f"~/app/.venv/{SITE}", "13.5")
    return Python(command)


@setups("NixOS, driver 550 in /run/opengl-driver; venv with wheels 12.9 and 13.5",
        "`python -m venv`; replica: NixOS's folder", "12.9 wheel ~/app/.venv", "none", "13.5 wheel ~/app/.venv",
        "The stub finds the driver where NixOS puts it. This driver does not support CUDA 13.", DRIVER + NO_MAJOR)
def nixos(machine):
    return _wheels_of_two_majors(machine.driver(550, "/run/opengl-driver/lib"))


@setups("Container python:3.11 (Docker's), `pip install` brought wheel 12.8; driver 550 from the host",
        "replica: the image's layout",
        "12.8 wheel /usr/local", "none", "12.8 wheel /usr/local", "The interpreter's prefix is /usr/local.", NO_MAJOR)
def python_image(machine):
    command = machine.driver(550).prefix("/usr/local")
    machine.wheel(f"/usr/local/{SITE}", "12.8").ldconfig()
    return Python(command)


@setups("Colab: system's Python, driver 550 in /usr/lib64-nvidia by LD_LIBRARY_PATH, toolkits 12.4 and 13.0",
        "replica: folders and variables", _lib("12.4"), f"{_lib('12.4')}; {_lib('13.0')}", _lib("13.0"),
        "The stub uses the system's newest CUDA that the driver supports. LD_LIBRARY_PATH leads to the "
        "driver.", DRIVER + NO_MAJOR)
def colab(machine):
    machine.driver(550, "/usr/lib64-nvidia").local_toolkits("12.4", "13.0")
    machine.ldconfig("/usr/local/cuda-12.4/lib64", "/usr/local/cuda-13.0/lib64")
    machine.env(LD_LIBRARY_PATH="/usr/local/nvidia/lib:/usr/local/nvidia/lib64:/usr/lib64-nvidia")
    return Python(machine.prefix("/usr", debian=True))


@setups("Apptainer --nv: container with toolkit 12.9, the host's home with wheel 13.5 in ~/.local, driver 535",
        "replica: the image's layout, /.singularity.d/libs, variables", _lib("12.9"), _lib("12.9"),
        "13.5 wheel ~/.local",
        "Python has the user site of the host's home in sys.path, but the driver does not support CUDA 13.",
        DRIVER)
def apptainer(machine):
    machine.local_toolkits("12.9").ldconfig("/usr/local/cuda/lib64")
    machine.driver(535, "/.singularity.d/libs").env(LD_LIBRARY_PATH="/.singularity.d/libs", APPTAINER_NAME="app.sif")
    command = machine.prefix("/usr", debian=True)
    machine.wheel(f"~/.local/{SITE}", "13.5")
    return Python(command)


@setups("Apptainer without LD_LIBRARY_PATH: driver 535 in /.singularity.d/libs, wheels 12.9 and 13.5 in a venv",
        f"{_VENV}; replica: /.singularity.d/libs", "12.9 wheel ~/app/.venv", "none", "13.5 wheel ~/app/.venv",
        "The stub finds the driver where Apptainer puts it. This driver does not support CUDA 13.",
        DRIVER + NO_MAJOR)
def apptainer_clean(machine):
    return _wheels_of_two_majors(machine.driver(535, "/.singularity.d/libs"))


@setups("WSL: driver 550 in /usr/lib/wsl/lib, venv with wheels 12.8 and 13.0", f"{_VENV}; replica: WSL's folders",
        "12.8 wheel ~/app/.venv", "none", "13.0 wheel ~/app/.venv", "WSL's driver does not support CUDA 13.",
        DRIVER + NO_MAJOR)
def wsl(machine):
    machine.driver(550, "/usr/lib/wsl/lib").file("/etc/ld.so.conf.d/ld.wsl.conf", "/usr/lib/wsl/lib\n")
    machine.file("/proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@941d701f84f1) #1 SMP\n")
    machine.ldconfig("/usr/lib/wsl/lib")
    command = machine.venv("~/app/.venv")
    machine.wheel(f"~/app/.venv/{SITE}", "12.8").wheel(f"~/app/.venv/{SITE}", "13.0")
    return Python(command)


@setups("Jetson (JetPack): driver in tegra/, toolkits 12.6 and 13.0, venv without CUDA",
        f"{_VENV}; replica: JetPack's folders with x86_64 files, driver 535",
        _lib("12.6"), f"{_lib('12.6')}; {_lib('13.0')}", _lib("13.0"),
        "The stub uses the system's newest CUDA that the driver supports. The driver is in tegra/.", DRIVER + NO_MAJOR)
def jetson(machine):
    machine.driver(535, f"{LIBRARIES}/tegra").local_toolkits("12.6", "13.0")
    machine.file("/etc/nv_tegra_release", "# R36 (release), REVISION: 4.3, GCID: 38968081, BOARD: generic\n")
    machine.ldconfig("/usr/local/cuda-12.6/lib64", "/usr/local/cuda-13.0/lib64")
    return Python(machine.venv("~/app/.venv"))


@setups("Arch's package cuda (/opt/cuda, in no variable); C++ program", "replica: the package's layout",
        "12.9 /opt/cuda", "none", "-", "/opt/cuda is one of the system's toolkits.", NO_MAJOR)
def arch(machine):
    machine.toolkit("/opt/cuda", "12.9")
    return Program()


@setups("Debian's libcudart12 and libcuda1; C++ program",
        "replica: the packages' layout and lists", f"12.4 {LIBRARIES}", f"12.4 {LIBRARIES}", "-",
        "The system's library folder has the runtime.")
def debian(machine):
    _libcudart12(machine).ldconfig()
    return Program()


def _libcudart12(machine):
    machine.runtime(LIBRARIES, "12.4", names=2).driver(550, f"{LIBRARIES}/nvidia/current")
    files = (f"{LIBRARIES}/libcudart.so.12{end}" for end in ("", ".4.127"))
    return machine.dpkg("libcudart12", "12.4.127~12.4.1-2", *files)


@setups("Debian's libcudart12 12.4 and NVIDIA's toolkit 13.0; driver 550 in nvidia/current; system's Python",
        "replica: the packages' layout and lists", f"12.4 {LIBRARIES}", f"12.4 {LIBRARIES}; {_lib('13.0')}",
        _lib("13.0"),
        "The stub uses the system's newest CUDA that the driver supports.", DRIVER + NO_MAJOR)
def debian_and_toolkit(machine):
    _libcudart12(machine).local_toolkits("13.0").ldconfig("/usr/local/cuda/lib64")
    return Python(machine.prefix("/usr", debian=True))
