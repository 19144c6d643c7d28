# SPDX-License-Identifier: Apache-2.0
"""PyTorch of PyPI, with the wheels of NVIDIA and the packages of Python that its import needs, in a folder."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from email.parser import HeaderParser
from pathlib import Path

_SECONDS = 900
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_CUDA = re.compile(r"^cuda(?:: [^=]*)? = '(\d+\.\d+)", re.MULTILINE)
# Compiles for GPUs, and `import torch` goes without it: 600 MB.
_LEFT_OUT = "triton"
# What `import torchvision` needs beside torch.
_ALSO = ("numpy", "pillow")


class InstallError(Exception):
    pass


def install(version: str, folder: Path) -> None:
    """Downloads some 3 GB and unpacks 7 GB. A folder that is there is whole, and is kept."""
    if folder.exists():
        return
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    _pip(part, "--no-deps", f"torch=={version}")
    metadata = next(part.glob("torch-*.dist-info/METADATA")).read_text(errors="replace")
    _pip(part, *needed(requirements(metadata)), *_ALSO)
    part.rename(folder)


def cuda(folder: Path) -> str:
    """"12.8": the CUDA that this torch was built for."""
    return cuda_of((folder / "torch" / "version.py").read_text())


def cuda_of(text: str) -> str:
    """Of torch/version.py; "" for a torch without CUDA."""
    found = _CUDA.search(text)
    return found[1] if found else ""


def requirements(metadata: str) -> list[str]:
    return HeaderParser().parsestr(metadata).get_all("Requires-Dist") or []


def needed(wanted: list[str]) -> list[str]:
    """What to install beside torch: without extras, and without what its import goes without."""
    return [requirement for requirement in wanted
            if not re.search(r";.*\bextra\s*==", requirement) and project(requirement) != _LEFT_OUT]


def torch_asked(wanted: list[str]) -> str:
    """"==2.9.1": the torch that a wheel requires; "" where it requires none."""
    for requirement in wanted:
        if project(requirement) == "torch" and not re.search(r";.*\bextra\s*==", requirement):
            return re.sub(r"[\s()]", "", requirement.partition(";")[0])[len("torch"):]
    return ""


def project(requirement: str) -> str:
    """nvidia_nccl.cu12==2 -> nvidia-nccl-cu12"""
    found = _NAME.match(requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def _pip(target: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-cache-dir",
               "--root-user-action", "ignore", "--no-compile", "--only-binary", ":all:", "--upgrade", "--target",
               str(target), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        raise InstallError(f"pip install took more than {_SECONDS} seconds") from None
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR:")]
        raise InstallError(errors[-1].removeprefix("ERROR: ") if errors else f"pip ended with {done.returncode}")
