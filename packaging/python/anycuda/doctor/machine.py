"""The machine that is asked about, as far as a reader of a report wants to know it."""

from __future__ import annotations

import os
import platform
import re
import sys
from dataclasses import dataclass
from pathlib import Path

_PLACES = ("LD_LIBRARY_PATH", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", "CUDA_PATH", "CUDA_HOME",
           "CUDA_VISIBLE_DEVICES")


@dataclass
class Machine:
    system: str  # Debian GNU/Linux 12 (bookworm)
    distribution: str  # debian
    kernel: str
    libc: str
    asked_as: str  # "python" or "native"
    python: str
    executable: str
    kernel_driver: str  # 535.309.01, "" where the driver's kernel module is not loaded
    container: bool
    wsl: bool
    variables: dict[str, str]  # those that say where CUDA is, as far as they are set

    @property
    def hidden_gpus(self) -> str | None:
        """What CUDA_VISIBLE_DEVICES says, if it hides every GPU."""
        value = os.environ.get("CUDA_VISIBLE_DEVICES")
        return value if value is not None and re.match(r"(-1|NoDevFiles)?\s*(,|\Z)", value) else None


def this_machine(native: bool) -> Machine:
    release = _os_release()
    return Machine(
        release.get("PRETTY_NAME", platform.system()),
        release.get("ID", ""),
        f"{platform.system()} {platform.release()}",
        " ".join(platform.libc_ver()),
        "native" if native else "python",
        platform.python_version(),
        sys.executable,
        _kernel_driver(),
        any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv")),
        "microsoft" in platform.release().lower(),
        {name: os.environ[name] for name in _PLACES if name in os.environ},
    )


def _os_release() -> dict[str, str]:
    text = _read("/etc/os-release")
    return {name: value.strip("\"'") for name, value in re.findall(r"^(\w+)=(.*)$", text, re.M)}


def _kernel_driver() -> str:
    found = re.search(r"Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s", _read("/proc/driver/nvidia/version"))
    return found[1] if found else ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="backslashreplace")
    except OSError:
        return ""
