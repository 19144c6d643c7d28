# SPDX-License-Identifier: Apache-2.0
"""Installs CUDA 12.4 that tests must ignore: a toolkit, a driver, a conda environment, wheels of the user, and the
variables that lead to them. A test that reads one of them gets CUDA 12.4 and fails.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

RELEASE = "12.4"
SYSTEM = "usr/lib/x86_64-linux-gnu"
# Makes a build or test that runs it fail.
TRAP = "#!/bin/sh\necho 'the planted CUDA was used:' \"$0\" >&2\nexit 99\n"
MODULE = "raise ImportError('a module of the planted environment was imported')\n"


def variables(home: str) -> dict[str, str]:
    """Variables that CUDA and conda users set in their shells, and anycuda's own settings."""
    toolkit = "/usr/local/cuda"
    return {
        "PATH": f"/opt/conda/bin:{toolkit}/bin:/usr/local/bin:/usr/bin:/bin",
        "CUDA_HOME": toolkit, "CUDA_PATH": toolkit, "CUDACXX": f"{toolkit}/bin/nvcc", "NVCC_APPEND_FLAGS": "--planted",
        "LD_LIBRARY_PATH": f"{toolkit}/lib64:/opt/conda/lib", "LIBRARY_PATH": f"{toolkit}/lib64",
        "CPATH": f"{toolkit}/include",
        "CMAKE_PREFIX_PATH": "/opt/conda",
        "CONDA_PREFIX": "/opt/conda", "VIRTUAL_ENV": "/opt/conda", "PYTHONPATH": "/opt/planted",
        "CUDA_VISIBLE_DEVICES": "7", "ANYCUDA_CUDART": f"{toolkit}/lib64/libcudart.so.12", "ANYCUDA_COMPAT": "strict",
        "ANYCUDA_STUB_COMPAT": "strict", "ANYCUDA_API_COMPAT": "off",
        "ANYCUDA_CROSS_MAJOR": "reject", "ANYCUDA_LOG": "debug", "XDG_CACHE_HOME": f"{home}/planted-cache",
    }


def plant(root: Path, cache: Path, home: str) -> None:
    """`cache`: the fetched artifacts, from which the libraries are copied."""

    def artifact(name: str) -> Path:
        return next((cache / name).glob("*/"))

    toolkit = root / f"usr/local/cuda-{RELEASE}"
    libraries = toolkit / "targets/x86_64-linux/lib"
    libraries.mkdir(parents=True)
    for name in (f"cudart-{RELEASE}", f"nvrtc-{RELEASE}", f"nvjitlink-{RELEASE}"):
        for path in artifact(name).glob("nvidia/*/lib/*.so*"):
            shutil.copy(path, libraries)
    (headers,) = artifact(f"cudart-{RELEASE}").glob("nvidia/*/include")
    shutil.copytree(headers, toolkit / "targets/x86_64-linux/include")
    for name, target in (("lib64", "targets/x86_64-linux/lib"), ("include", "targets/x86_64-linux/include")):
        (toolkit / name).symlink_to(target)
    script(toolkit / "bin/nvcc", TRAP)
    (root / "usr/local/cuda").symlink_to(toolkit.name)
    (root / "etc/ld.so.conf.d/cuda.conf").write_text("/usr/local/cuda/lib64\n")

    # Debian's own packages have these in the system's folders.
    script(root / "usr/bin/nvcc", TRAP)
    for path in headers.glob("cuda*.h"):
        shutil.copy(path, root / "usr/include")
    for path in artifact("driver-550").glob("lib*.so*"):
        shutil.copy(path, root / SYSTEM, follow_symlinks=False)

    (root / "opt/conda/lib").mkdir(parents=True)
    (root / "opt/conda/conda-meta").mkdir()
    (root / "opt/conda/conda-meta/history").touch()
    shutil.copy(libraries / "libcudart.so.12", root / "opt/conda/lib")
    (root / "opt/conda/bin").mkdir()
    (root / "opt/conda/bin/python3").symlink_to("/usr/bin/python3")

    for name in ("anycuda", "artifacts", "packaging", "scikit_build_core", "shtab"):
        script(root / f"opt/planted/{name}/__init__.py", MODULE)
    for python in (root / "usr/lib").glob("python3.*"):
        site = root / home.lstrip("/") / ".local/lib" / python.name / "site-packages"
        shutil.copytree(next(artifact("cudart-13.5").glob("nvidia")), site / "nvidia")
    script(root / home.lstrip("/") / "planted-cache/anycuda/cudart-13.5/planted", TRAP)
    subprocess.run(["chroot", root, "/sbin/ldconfig"], check=True)


def script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
