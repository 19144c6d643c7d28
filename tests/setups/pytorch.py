# SPDX-License-Identifier: Apache-2.0
"""PyTorch's wheels: their runtime comes as a wheel of NVIDIA's, which libtorch_cuda.so finds by its DT_RPATH."""

from __future__ import annotations

import shutil

from machine import SITE, Machine
from parts import artifact, compiled, patchelf
from process import Python
from row import CONDA_RPATH, DRIVER, NO_MAJOR, Group

setups = Group("PyTorch")
_VENV = "~/app/.venv"
_MADE = "`python -m venv`; torch: replica of the layout, NVIDIA's wheel as torch's metadata pins it"
_TOOLKIT = "13.5 /usr/local/cuda-13.5"
# torch's version, the wheel that its metadata requires, and where that puts the runtime
_TORCH = {"12.6": ("2.7.1", "nvidia-cuda-runtime-cu12==12.6.77", "cuda_runtime", "libcudart.so.12"),
          "12.8": ("2.8.0", "nvidia-cuda-runtime-cu12==12.8.90", "cuda_runtime", "libcudart.so.12"),
          "13.0": ("2.11.0", "cuda-toolkit[cudart]==13.0.2", "cu13", "libcudart.so.13")}
_LOADED = "The stub uses the runtime that the process has loaded."


def torch_library(machine: Machine, site: str, soname: str, folder: str = "") -> None:
    """torch's package: its library needs the runtime, and finds it in the wheel's `folder`, or as the linker does."""
    machine.file(f"{site}/torch/__init__.py", "import ctypes, os\nctypes.CDLL(os.path.join(os.path.dirname(__file__), "
                                              "'lib/libtorch_cuda.so'), ctypes.RTLD_GLOBAL)\n")
    library = machine.at(f"{site}/torch/lib/libtorch_cuda.so")
    library.parent.mkdir()
    shutil.copy(compiled("torch_cuda.c", "-shared", "-fPIC"), library)
    run_path = f"$ORIGIN/../../nvidia/{folder}/lib:$ORIGIN" if folder else "$ORIGIN"
    patchelf("--add-needed", soname, "--force-rpath", "--set-rpath", run_path, library)


def _torch(machine: Machine, release: str, site: str = f"{_VENV}/{SITE}") -> None:
    version, needed, folder, soname = _TORCH[release]
    torch_library(machine, site, soname, folder)
    machine.file(f"{site}/torch-{version}.dist-info/METADATA",
                 f"Metadata-Version: 2.1\nName: torch\nVersion: {version}\nRequires-Dist: {needed}\n")
    machine.wheel(site, release)
    if "cuda-toolkit" in needed:  # the metapackage, which pins NVIDIA's wheels
        about = next(artifact(f"cuda-toolkit-{release}").glob("*.dist-info"))
        shutil.copytree(about, machine.at(f"{site}/{about.name}"))


def _with_torch(machine: Machine, release: str) -> str:
    command = machine.venv(_VENV)
    _torch(machine, release)
    return command


@setups("torch 2.7.1 (cu126), imported before the first call; toolkit 13.5", _MADE, f"12.6 wheel {_VENV}",
        f"12.6 wheel {_VENV}; {_TOOLKIT}", f"12.6 wheel {_VENV}", _LOADED, NO_MAJOR)
def cu126(machine):
    command = _with_torch(machine, "12.6")
    machine.local_toolkits("13.5").ldconfig("/usr/local/cuda/lib64")
    return Python(command, before="import torch")


@setups("torch 2.8.0 (cu128), imported after the first call; toolkit 13.5", _MADE, f"12.8 wheel {_VENV}",
        f"12.8 wheel {_VENV}; {_TOOLKIT}",
        f"12.8 wheel {_VENV}",
        "The stub finds the interpreter's wheel. torch, imported later, loads the same file, so the process has "
        "one runtime.", NO_MAJOR)
def cu128(machine):
    command = _with_torch(machine, "12.8")
    machine.local_toolkits("13.5").ldconfig("/usr/local/cuda/lib64")
    return Python(command, after="import torch")


@setups("torch 2.11.0 (cu130), imported after the first call; toolkit 12.9 from an environment module", _MADE,
        f"13.0 wheel {_VENV}", f"12.9 /opt/cuda-12.9; 13.0 wheel {_VENV}", f"13.0 wheel {_VENV}",
        "In a Python process Python's packages come before LD_LIBRARY_PATH.",
        NO_MAJOR)
def cu130(machine):
    command = _with_torch(machine, "13.0")
    machine.toolkit("/opt/cuda-12.9", "12.9").env(LD_LIBRARY_PATH="/opt/cuda-12.9/lib64", CUDA_HOME="/opt/cuda-12.9")
    return Python(command, after="import torch")


@setups("torch 2.7.1 (cu126) and another package's wheel 13.5, torch imported first", _MADE, f"12.6 wheel {_VENV}",
        f"12.6 wheel {_VENV}", f"12.6 wheel {_VENV}", _LOADED)
def two_majors(machine):
    command = _with_torch(machine, "12.6")
    machine.wheel(f"{_VENV}/{SITE}", "13.5")
    return Python(command, before="import torch")


@setups("torch 2.7.1 (cu126) and another package's wheel 13.5, torch imported after the first call", _MADE,
        f"12.6 wheel {_VENV}; 13.5 wheel {_VENV}", f"12.6 wheel {_VENV}", f"12.6 wheel {_VENV}; 13.5 wheel {_VENV}",
        "Known limit: the stub cannot know which of the two wheels the program will import. The stub loads "
        "the newest, and torch then loads its own runtime as a second runtime. Import torch before the first call, "
        "or name torch's runtime in ANYCUDA_CUDART.", NO_MAJOR)
def two_majors_torch_last(machine):
    command = _with_torch(machine, "12.6")
    machine.wheel(f"{_VENV}/{SITE}", "13.5")
    return Python(command, after="import torch")


@setups("torch 2.7.1 (cu126), driver 535 (CUDA 12.2), and wheel 13.5 beside it, torch imported after the first call",
        _MADE,
        f"12.6 wheel {_VENV}", f"12.6 wheel {_VENV}", f"12.6 wheel {_VENV}; 13.5 wheel {_VENV}",
        "The driver does not support CUDA 13.",
        DRIVER + NO_MAJOR)
def two_majors_and_a_driver(machine):
    python = two_majors_torch_last(machine)
    machine.driver(535).ldconfig()
    return python


@setups("`pip install torch` (cu128) into an activated conda environment with cuda-cudart 12.9",
        "replica: conda's layout, torch's layout", "12.8 wheel /opt/conda/envs/app", "12.9 /opt/conda/envs/app/lib",
        "12.8 wheel /opt/conda/envs/app",
        "The stub finds the wheel first, since sys.path comes before PREFIX/lib. torch, imported later, finds the same "
        "wheel by torch's DT_RPATH.",
        CONDA_RPATH)
def in_conda(machine):
    command = machine.conda("/opt/conda/envs/app", "12.9")
    _torch(machine, "12.8", f"/opt/conda/envs/app/{SITE}")
    machine.env(CONDA_PREFIX="/opt/conda/envs/app").path_first("/opt/conda/envs/app/bin")
    return Python(command, after="import torch")
