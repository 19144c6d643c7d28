# SPDX-License-Identifier: Apache-2.0
"""Where this machine has the maths libraries: its toolkit, and the wheels beside PyTorch."""

import glob
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path

# The number behind .so of CUDA 13's libraries; they differ from one another.
CUDA_13 = {"libcudart": "13", "libcublas": "13", "libcublasLt": "13", "libcufft": "12", "libcurand": "10",
           "libcusolver": "12", "libcusparse": "12", "libnvjpeg": "13", "libnvJitLink": "13", "libnvrtc": "13",
           "libcudnn": "9", "libnccl": "2", "libcusolverMg": "12", "libnvfatbin": "13", "libnvidia-ml": "1",
           "libnvToolsExt": "1"}


def toolkit_folders() -> list[Path]:
    """Where a search without any variable comes to. The driver's folder may be on LD_LIBRARY_PATH, and more with it."""
    named = os.environ.get("LD_LIBRARY_PATH", "").split(":")
    found = [*named, *glob.glob("/usr/local/cuda/lib64"), *glob.glob("/usr/local/cuda-13*/lib64"),
             *glob.glob("/usr/local/cuda*/targets/*-linux/lib"), *glob.glob("/usr/lib/*-linux-gnu")]
    return [Path(folder) for folder in found if folder]


def wheel_folders() -> list[Path]:
    """Of NVIDIA's wheels for CUDA 13, which have one folder together; cuDNN and NCCL have one each."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return []
    parents = spec.submodule_search_locations if spec else None
    return [folder for parent in parents or [] if (Path(parent) / "cu13").is_dir() for name in ("cu13", "cudnn", "nccl")
            if (folder := Path(parent) / name / "lib").is_dir()]


def find(name: str, folders: list[Path]) -> Path | None:
    """The file of a library of CUDA 13."""
    for folder in folders:
        if (file := folder / f"{name}.so.{CUDA_13[name]}").exists():
            return file
    return None


@dataclass(frozen=True)
class Place:
    """One CUDA of this machine: its name, its folders, and what LD_LIBRARY_PATH must have for a program to find it."""

    name: str
    folders: tuple[Path, ...]
    library_path: tuple[Path, ...]

    def has(self, names: list[str]) -> bool:
        return all(find(name, list(self.folders)) for name in names)


def places() -> list[Place]:
    wheels = tuple(wheel_folders())
    all_of_them = [Place("toolkit", tuple(toolkit_folders()), ())]
    if wheels:
        all_of_them.append(Place("wheels", wheels, wheels))
    return all_of_them


def wrong_maps(files: list[str], numbers: dict[str, str] = CUDA_13) -> list[str]:
    """What is not as it should be of the CUDA libraries of a process: one file of each, with these numbers."""
    wrong = []
    seen: dict[str, str] = {}
    for file in files:
        name, _, number = Path(file).name.partition(".so.")
        if name in seen:
            wrong.append(f"two of {name}: {seen[name]} and {file}")
        seen[name] = file
        want = numbers.get(name)
        if want and number.split(".")[0] != want:
            wrong.append(f"{file}: expected {name}.so.{want}")
    return wrong
