# SPDX-License-Identifier: Apache-2.0
"""The examined computer: pure functions of the probes' answers (compat/doctor/machine_facts.cc) and the variables."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..kind import Kind
from .containers import ContainerKind, kind_of_container, mounted_files
from .examined import Python, is_conda_base
from .questions import Outcome
from .records import RecordKind

# In the order of the search (compat/search/machine/roots.cc).
TOOLKIT_VARIABLES = ("CUDA_PATH", "CUDA_HOME", "CUDA_ROOT", "CUDATOOLKIT_HOME", "CUDAToolkit_ROOT", "NVHPC_CUDA_HOME")
_VARIABLES = ("LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX", *TOOLKIT_VARIABLES,
              "CUDA_VISIBLE_DEVICES", "CUDA_MPS_PIPE_DIRECTORY", "NVIDIA_VISIBLE_DEVICES",
              "NVIDIA_DRIVER_CAPABILITIES", "ANYCUDA_CUDA")


class AskedAs(Kind):
    """The kind of program in whose place the doctor searches."""

    PYTHON = "python"
    NATIVE = "native"  # any other program


@dataclass
class PresentGpu:
    """A GPU in the computer, visible to CUDA or not. `driver`: the kernel's driver, "" if unknown."""

    address: str
    name: str = ""
    uuid: str = ""
    driver: str = ""


@dataclass
class Machine:
    system: str  # Debian GNU/Linux 12 (bookworm)
    distribution: str  # debian
    kernel: str
    libc: str
    asked_as: AskedAs
    python: str
    executable: str
    kernel_driver: str  # 535.309.01; "" if the driver's kernel module is not loaded
    container: bool
    wsl: bool
    variables: dict[str, str]  # the set variables that name a place of CUDA
    container_kind: ContainerKind = ContainerKind.NONE
    present_gpus: list[PresentGpu] = field(default_factory=list)
    devices: dict[str, int] = field(default_factory=dict)  # nvidiactl -> the errno of opening it, 0 if it may be opened
    wsl_driver: bool = False  # /usr/lib/wsl/lib/libcuda.so.1
    wsl_device: bool = False  # /dev/dxg
    apptainer_driver: bool = False  # /.singularity.d/libs/libcuda.so.1, from the host
    nouveau: bool = False  # its module is loaded
    address_space: int = -1  # bytes that this process may use, -1: no limit
    overcommit: str = ""  # vm.overcommit_memory
    mounted_drivers: list[str] = field(default_factory=list)  # the driver's files that are mounted one by one
    ended: str = ""  # how the probes failed; the facts are then incomplete
    mounted_compat: list[str] = field(default_factory=list)  # the mounted files that come from the image's cuda-compat
    note: str = ""  # why it is this Python, or why not the activated one
    unused_base: str = ""  # the activated base of conda, if this Python is another's

    @property
    def has_gpu(self) -> bool:
        """Is there a GPU? Without one, the driver's kernel module does not stay loaded (NVRM: No NVIDIA GPU found)."""
        return bool(self.present_gpus or self.kernel_driver or (self.wsl and self.wsl_device))

    @property
    def lacks_nv(self) -> bool:
        """Is it an Apptainer container that was started without --nv (or --nvccli, which mounts the files)? Its /dev is
        the host's, so the device files do not show it."""
        return self.container_kind is ContainerKind.APPTAINER and not self.apptainer_driver and not self.mounted_drivers

    @property
    def hidden_gpus(self) -> str | None:
        """The value of CUDA_VISIBLE_DEVICES, if it hides every GPU."""
        value = self.variables.get("CUDA_VISIBLE_DEVICES")
        return value if value is not None and hides_all(value, self.present_gpus) else None


def hides_all(value: str, gpus: list[PresentGpu]) -> bool:
    """Does CUDA_VISIBLE_DEVICES hide all GPUs? Only devices before the first invalid entry are visible (CUDA
    Programming Guide). Entries are indices, UUIDs of GPUs, which may be shortened, and MIG instances, which are unknown
    here."""
    first = value.split(",")[0].strip()
    if re.match(r"[0-9]+\Z", first):
        return bool(gpus) and int(first) >= len(gpus)
    if first.startswith("GPU-"):
        return bool(gpus) and all(gpu.uuid and not gpu.uuid.startswith(first) for gpu in gpus)
    return not first.startswith("MIG-")


def is_compat(path: str) -> bool:
    """Is it of NVIDIA's cuda-compat: /usr/local/cuda-12.4/compat/, NGC's compat/lib/, conda's PREFIX/cuda-compat/?"""
    return re.search(r"[/-]compat/", path) is not None


def machine_of(outcome: Outcome, native: bool, variables: Mapping[str, str], python: Python) -> Machine:
    texts = {fact.text("name"): fact.text("text") for fact in outcome.records_of(RecordKind.FACT)}
    release = {name: value.strip("\"'")
               for name, value in re.findall(r"^(\w+)=(.*)$", texts.get("os_release", ""), re.M)}
    container = kind_of_container(texts, set(texts), variables)
    drivers = {point: source for point, source in mounted_files(texts.get("mounts", "")).items()
               if "/libcuda.so" in point}
    return Machine(
        system=release.get("PRETTY_NAME", platform.system()),
        distribution=release.get("ID", ""),
        kernel=f"{platform.system()} {platform.release()}",
        libc=" ".join(platform.libc_ver()),
        asked_as=AskedAs.NATIVE if native else AskedAs.PYTHON,
        python=python.version,
        executable=python.executable,
        kernel_driver=_kernel_driver(texts.get("kernel_driver", "")),
        container=bool(container),
        wsl="microsoft" in texts.get("kernel", "").lower(),
        variables={name: variables[name] for name in _VARIABLES if name in variables},
        container_kind=container,
        present_gpus=_present_gpus(outcome),
        devices={device.text("name"): device.number("error") for device in outcome.records_of(RecordKind.DEVICE)},
        wsl_driver="wsl_driver" in texts,  # of these files only the existence matters
        wsl_device="wsl_device" in texts,
        apptainer_driver="apptainer_driver" in texts,
        nouveau="nouveau" in texts,
        address_space=_address_space(outcome),
        overcommit=texts.get("overcommit", "").strip(),
        mounted_drivers=list(drivers),
        ended=outcome.ended,
        mounted_compat=[point for point, source in drivers.items() if is_compat(source)],
        note=python.note,
        unused_base="" if native else _unused_base(variables, python),
    )


def _address_space(outcome: Outcome) -> int:
    return next((limit.number("bytes") for limit in outcome.records_of(RecordKind.LIMIT)
                 if limit.text("name") == "address_space"), -1)


def _unused_base(variables: Mapping[str, str], python: Python) -> str:
    base = variables.get("CONDA_PREFIX", "")
    is_other = os.path.normpath(base) != os.path.normpath(python.prefix)
    return base if base and is_other and is_conda_base(base, variables) else ""


def _kernel_driver(text: str) -> str:
    version = re.search(r"Kernel Module.*?\s(\d+\.\d+(?:\.\d+)?)\s", text)
    return version[1] if version else ""


def _present_gpus(outcome: Outcome) -> list[PresentGpu]:
    gpus: dict[str, PresentGpu] = {}
    for record in outcome.records_of(RecordKind.PCI_GPU):
        address = record.text("address")
        gpus[address] = PresentGpu(address, driver=record.text("driver"))
    for record in outcome.records_of(RecordKind.DRIVER_GPU):
        gpu = gpus.setdefault(record.text("address"), PresentGpu(record.text("address")))
        about = dict(re.findall(r"^([\w ]+):[ \t]*(\S.*?)[ \t]*$", record.text("text"), re.M))
        gpu.name = about.get("Model", "")
        uuid = about.get("GPU UUID", "")
        gpu.uuid = "" if "?" in uuid else uuid  # question marks: a GPU that was not used yet
        gpu.driver = gpu.driver or "nvidia"
    return [gpus[address] for address in sorted(gpus)]
