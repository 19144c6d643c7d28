# SPDX-License-Identifier: Apache-2.0
"""The situation that a driver's answer shows: pure functions of the answer and of the computer."""

from __future__ import annotations

import os
import re

from .containers import ContainerKind
from .findings import Driver
from .hint import is_on_path
from .machine import Machine, is_compat
from .situation import Situation

# The status of cuDriverGetVersion or cuInit (cuda.h, cudaError_enum).
STUB_LIBRARY, OUT_OF_MEMORY, NO_DEVICE, INVALID_DEVICE = 34, 2, 100, 101
SYSTEM_NOT_READY, DRIVER_MISMATCH, COMPAT_NOT_SUPPORTED, UNKNOWN = 802, 803, 804, 999

# Statuses that have the same meaning from every source.
BY_STATUS = {
    STUB_LIBRARY: Situation.STUB_LIBRARY,
    805: Situation.MPS_CONNECTION,
    806: Situation.MPS_RPC,
    807: Situation.MPS_NOT_READY,
    808: Situation.MPS_CLIENTS,
    809: Situation.MPS_CONNECTIONS,
    810: Situation.MPS_TERMINATED,
}

# Answers of a driver library that belongs to an image instead of the loaded kernel module.
_OF_THE_IMAGE = (STUB_LIBRARY, DRIVER_MISMATCH, COMPAT_NOT_SUPPORTED, UNKNOWN)


def container_without_gpus(machine: Machine) -> Situation:
    """The situation of a container that was started without GPUs, by the kind of the container."""
    return Situation(machine.container_kind or ContainerKind.UNKNOWN)


def situation_of(status: int, driver: Driver, machine: Machine) -> Situation:
    if machine.lacks_nv and status in _OF_THE_IMAGE:
        return _without_gpu(machine)
    if status in BY_STATUS:
        return BY_STATUS[status]
    visible = "CUDA_VISIBLE_DEVICES" in machine.variables
    if status == SYSTEM_NOT_READY:
        return Situation.FABRIC_MANAGER_OF_HOST if machine.container else Situation.FABRIC_MANAGER
    if status == COMPAT_NOT_SUPPORTED:
        return _compat(driver, machine)
    if status == DRIVER_MISMATCH:
        return Situation.MISMATCH_COMPAT if _has_compat(driver) else _mismatch(driver, machine)
    if status == OUT_OF_MEMORY:
        return (Situation.ADDRESS_SPACE if machine.address_space >= 0 else
                Situation.OVERCOMMIT if machine.overcommit == "2" else Situation.OUT_OF_MEMORY)
    if status == INVALID_DEVICE:
        if visible:
            return Situation.INVALID_VISIBLE_DEVICE
        invalid = Situation.INVALID_DEVICE_OF_CONTAINER if machine.container else Situation.INVALID_DEVICE
        return _access(machine) or invalid
    if status == UNKNOWN:
        return _unknown(machine)
    if status not in (0, NO_DEVICE):
        return _access(machine) or (Situation.WSL_ERROR if machine.wsl else Situation.OTHER_ERROR)
    return _no_device(driver, machine, visible)


def _without_gpu(machine: Machine) -> Situation:
    """The situation of a container without GPUs."""
    if machine.container_kind is ContainerKind.APPTAINER and not machine.lacks_nv:
        return Situation.HOST_WITHOUT_GPU
    return container_without_gpus(machine)


def _no_device(driver: Driver, machine: Machine, visible: bool) -> Situation:
    """The driver works and sees no GPU: it is missing, not given to the container, or hidden. Causes that remain
    without CUDA_VISIBLE_DEVICES come first."""
    absent = None if machine.ended else _absent(driver, machine)
    if absent:
        return absent
    if machine.hidden_gpus is not None and machine.has_gpu:
        return Situation.GPU_HIDDEN if machine.present_gpus else Situation.GPU_PERHAPS_HIDDEN
    if machine.ended:
        return Situation.OTHER_ERROR
    if machine.lacks_nv:
        return _without_gpu(machine)
    if machine.wsl:
        return Situation.WSL_WITHOUT_GPU
    return Situation.GPU_PERHAPS_HIDDEN if visible else Situation.GPU_UNUSABLE


def _absent(driver: Driver, machine: Machine) -> Situation | None:
    if machine.container and not has_devices(machine):
        return _without_gpu(machine)
    if machine.wsl:
        shadowed = machine.wsl_driver and "/wsl/" not in driver.path and not machine.container
        return Situation.WSL_SHADOWED if shadowed else None
    if not machine.kernel_driver:
        return _without_module(machine)
    return _access(machine)


def _without_module(machine: Machine) -> Situation:
    drivers = {gpu.driver for gpu in machine.present_gpus}
    if "nouveau" in drivers:
        return Situation.NOUVEAU
    if drivers == {"vfio-pci"}:
        return Situation.PASSED_THROUGH
    return Situation.MODULE_NOT_LOADED if machine.present_gpus else Situation.NO_GPU


def _has_compat(driver: Driver) -> bool:
    return is_compat(driver.path) or is_compat(driver.file)


def _compat(driver: Driver, machine: Machine) -> Situation:
    """A driver library that is newer than the kernel module tries forward compatibility, and answers 804 if the GPU
    does not support it: cuda-compat's library, or the installed one after an update whose module is not loaded yet."""
    if _has_compat(driver):
        return Situation.COMPAT_NOT_SUPPORTED
    if {driver.path, driver.file} & set(machine.mounted_compat):
        return Situation.COMPAT_MOUNTED
    return _mismatch(driver, machine)


def _mismatch(driver: Driver, machine: Machine) -> Situation:
    if machine.container:
        mounted = {driver.path, driver.file} & set(machine.mounted_drivers)
        return Situation.MISMATCH_MOUNTED if mounted else Situation.MISMATCH_IN_IMAGE
    if machine.wsl:
        return Situation.MISMATCH_IN_WSL if "/wsl/" in driver.path else Situation.WSL_SHADOWED
    on_path = is_on_path(machine.variables.get("LD_LIBRARY_PATH", ""), os.path.dirname(driver.path))
    return Situation.MISMATCH_BY_PATH if on_path else Situation.MISMATCH


def _unknown(machine: Machine) -> Situation:
    if machine.ended:
        return Situation.OTHER_ERROR
    if machine.wsl:
        return Situation.WSL_ERROR
    if "nvidia-uvm" not in machine.devices:
        return _without_gpu(machine) if machine.container else Situation.UVM_MISSING
    return _access(machine) or (Situation.ACCESS_LOST if machine.container else Situation.UVM_LOST)


def _access(machine: Machine) -> Situation | None:
    """The problem of the device files, if any (NVIDIA driver README, "Configuring Device Files")."""
    if machine.ended or machine.wsl or not machine.kernel_driver:
        return None
    if denied_device(machine):
        return Situation.DEVICE_DENIED
    if has_devices(machine):
        return None
    return _without_gpu(machine) if machine.container else Situation.DEVICE_MISSING


def denied_device(machine: Machine) -> str:
    """A GPU's device file that this user may not open."""
    return next((name for name, error in machine.devices.items()
                 if error and re.match(r"nvidia([0-9]+|ctl|-uvm)\Z", name)), "")


def has_devices(machine: Machine) -> bool:
    """Are there device files with a kernel driver? Those without one are leftovers, such as an image's."""
    return bool("nvidiactl" in machine.devices and machine.kernel_driver) or machine.wsl_device
