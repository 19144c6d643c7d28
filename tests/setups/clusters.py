# SPDX-License-Identifier: Apache-2.0
"""Clusters: the CUDA of modules, Spack, EasyBuild, Nix and the HPC SDK."""

from __future__ import annotations

from machine import SITE
from process import Program, Python
from row import LATE_VARIABLES, NO_MAJOR, Group

setups = Group("Clusters, Spack, Nix")
_SPACK = "/opt/spack/opt/spack/linux-zen3/cuda-12.9.0-4x5ghd7kq2"
_SPACK_PICK = f"12.9 {_SPACK}"
_NIX = "/nix/store/9x3vkzqg-cuda12.9-cuda_cudart-12.9.79-lib"
_NIX_PYTHON = "/nix/store/5w07wfs2-python3-3.11.9"
_NIX_ENV = "/nix/store/0c1h5x9b-python3-3.11.9-env"
_NIX_SITE = """
import os, site, sys
site.addsitedir(os.environ.pop("NIX_PYTHONPATH"))
sys.prefix = sys.exec_prefix = os.environ.pop("NIX_PYTHONPREFIX")
site.PREFIXES.insert(0, sys.prefix)
"""
_HPC = "/opt/nvidia/hpc_sdk/Linux_x86_64/25.9/cuda"
_SYSTEM = "13.5 /usr/local/cuda-13.5"


def _other_toolkit(machine):
    return machine.local_toolkits("13.5").ldconfig("/usr/local/cuda/lib64")


@setups("Spack: C++ program with DT_RPATH to its cuda@12.9; toolkit 13.5; no package loaded", "replica: Spack's layout",
        _SPACK_PICK, f"{_SPACK_PICK}; {_SYSTEM}", "-", "The program's DT_RPATH names this toolkit.",
        NO_MAJOR)
def spack(machine):
    machine.toolkit(_SPACK, "12.9")
    _other_toolkit(machine)
    return Program("/opt/spack/opt/spack/linux-zen3/app-1.0-7h2jq/bin/app", rpath=f"{_SPACK}/lib64")


@setups("Spack: C++ program with DT_RPATH to its cuda@12.9; LD_LIBRARY_PATH has toolkit 13.5",
        "replica: Spack's layout", _SPACK_PICK, f"{_SPACK_PICK}; {_SYSTEM}", "-",
        "DT_RPATH comes before LD_LIBRARY_PATH, both for the stub and for the dynamic linker.",
        NO_MAJOR)
def spack_and_module(machine):
    program = spack(machine)
    machine.env(LD_LIBRARY_PATH="/usr/local/cuda-13.5/lib64")
    return program


@setups("Spack: `spack load cuda@12.9`, system's Python; toolkit 13.5", "replica: Spack's layout and variables",
        _SPACK_PICK, _SYSTEM, _SYSTEM, "`spack load` sets CUDA_HOME, which the stub searches before the system.",
        LATE_VARIABLES + NO_MAJOR)
def spack_load(machine):
    machine.toolkit(_SPACK, "12.9")
    _other_toolkit(machine)
    machine.env(CUDA_HOME=_SPACK, CMAKE_PREFIX_PATH=_SPACK).path_first(f"{_SPACK}/bin")
    return Python(machine.prefix("/usr", debian=True))


@setups("Nix: C++ program with DT_RUNPATH into /nix/store, driver 550 in /run/opengl-driver",
        "replica: the store's layout",
        f"12.9 {_NIX}/lib", f"12.9 {_NIX}/lib", "-", "The program's DT_RUNPATH names the folder of this CUDA.")
def nix(machine):
    machine.runtime(f"{_NIX}/lib", "12.9").driver(550, "/run/opengl-driver/lib")
    return Program("/nix/store/5k2hq-app-1.0/bin/app", runpath=f"/run/opengl-driver/lib:{_NIX}/lib")


@setups("Nix: `python3.withPackages`, ctypes; wheel 12.9 in the environment",
        "replica: the store's layout, the wrapper's variables, nixpkgs' sitecustomize.py", "none", "none",
        f"12.9 wheel {_NIX_ENV}",
        "Known limit: sitecustomize.py changes sys.prefix and sys.path in the running Python, and the stub does not "
        "see these changes. For an extension module in the environment the stub searches the folders above the module, "
        "and finds the wheel.", "cuda-pathfinder calls site.getsitepackages() of this Python, which sitecustomize.py "
        "has also changed.")
def nix_python(machine):
    command = machine.prefix(_NIX_PYTHON)
    machine.file(f"{_NIX_PYTHON}/lib/python3.11/sitecustomize.py", _NIX_SITE).wheel(f"{_NIX_ENV}/{SITE}", "12.9")
    machine.env(NIX_PYTHONPATH=f"{_NIX_ENV}/{SITE}", NIX_PYTHONPREFIX=_NIX_ENV)
    return Python(command)


@setups("EasyBuild: module CUDA/12.9 (LD_LIBRARY_PATH, CUDA_HOME, CUDA_PATH), C++ program; toolkit 13.5",
        "replica: EasyBuild's layout and variables", "12.9 /apps/software/CUDA/12.9.1",
        f"12.9 /apps/software/CUDA/12.9.1; {_SYSTEM}", "-",
        "The module sets LD_LIBRARY_PATH, which the stub searches before the system.", NO_MAJOR)
def easybuild(machine):
    _module(machine)
    return Program()


@setups("EasyBuild: module CUDA/12.9 (LD_LIBRARY_PATH, CUDA_HOME, CUDA_PATH), venv with wheel 13.0; toolkit 13.5",
        "`python -m venv`; replica: EasyBuild's layout and variables",
        "13.0 wheel ~/app/.venv", f"12.9 /apps/software/CUDA/12.9.1; {_SYSTEM}",
        "13.0 wheel ~/app/.venv", "In a Python process Python's packages come before LD_LIBRARY_PATH.", NO_MAJOR)
def easybuild_venv(machine):
    _module(machine)
    command = machine.venv("~/app/.venv")
    machine.wheel(f"~/app/.venv/{SITE}", "13.0").env(VIRTUAL_ENV="~/app/.venv")
    return Python(command)


def _module(machine):
    home = "/apps/software/CUDA/12.9.1"
    machine.toolkit(home, "12.9").env(LD_LIBRARY_PATH=f"{home}/lib64", CUDA_HOME=home, CUDA_PATH=home, EBROOTCUDA=home)
    return _other_toolkit(machine)


@setups("Modules cuda/12.4 and then cuda/13.0 loaded without unloading the first; C++ program",
        "replica: a module's variables",
        "13.0 /apps/cuda/13.0",
        "12.4 /apps/cuda/12.4; 13.0 /apps/cuda/13.0", "-",
        "The stub treats all folders of LD_LIBRARY_PATH as one environment, and uses the newest CUDA in it, whatever "
        "the order of the folders.",
        NO_MAJOR)
def two_modules(machine):
    machine.toolkit("/apps/cuda/12.4", "12.4").toolkit("/apps/cuda/13.0", "13.0")
    machine.env(LD_LIBRARY_PATH="/apps/cuda/12.4/lib64:/apps/cuda/13.0/lib64", CUDA_HOME="/apps/cuda/13.0")
    return Program()


@setups("HPC SDK 25.9 with CUDA 12.9 and 13.0, module nvhpc loaded; C++ program",
        "replica: the SDK's layout and variables",
        f"12.9 {_HPC}/12.9", f"12.9 {_HPC}/12.9", "-",
        "The module sets LD_LIBRARY_PATH, which the stub searches before the system.")
def hpc_module(machine):
    _hpc_sdk(machine)
    machine.env(LD_LIBRARY_PATH=f"{_HPC}/12.9/lib64", NVHPC_CUDA_HOME=f"{_HPC}/12.9")
    return Program()


@setups("HPC SDK 25.9 with CUDA 12.9 and 13.0, nothing loaded; C++ program", "replica: the SDK's layout",
        f"13.0 {_HPC}/13.0", "none", "-",
        "The stub searches the SDK's folders as a part of the system, and uses the newest CUDA of the system.",
        NO_MAJOR)
def hpc(machine):
    _hpc_sdk(machine)
    return Program()


@setups("HPC SDK, NVHPC_CUDA_HOME set, venv without CUDA", "`python -m venv`; replica: the SDK's layout",
        f"12.9 {_HPC}/12.9", "none", "none", "NVHPC_CUDA_HOME names this toolkit.",
        LATE_VARIABLES + NO_MAJOR)
def hpc_variable(machine):
    _hpc_sdk(machine)
    machine.env(NVHPC_CUDA_HOME=f"{_HPC}/12.9")
    return Python(machine.venv("~/app/.venv"))


def _hpc_sdk(machine):
    machine.toolkit(f"{_HPC}/12.9", "12.9").toolkit(f"{_HPC}/13.0", "13.0")
    machine.link(f"{_HPC}/lib64", "13.0/lib64")
