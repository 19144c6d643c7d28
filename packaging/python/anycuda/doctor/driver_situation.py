# SPDX-License-Identifier: Apache-2.0
"""Selects the row of hint_table.py for a driver's answer: pure functions of the answer and of the computer."""

from __future__ import annotations

import os
import re

from . import hint_table
from .findings import Driver
from .hint import is_on_path
from .machine import Machine, is_compat

# Answers of a driver library that belongs to an image instead of the loaded kernel module.
_OF_THE_IMAGE = (hint_table.STUB_LIBRARY, hint_table.DRIVER_MISMATCH, hint_table.COMPAT_NOT_SUPPORTED,
                 hint_table.UNKNOWN)


def situation_of(status: int, driver: Driver, machine: Machine) -> str:
    """The row of DRIVER_CALL for the driver's answer; "without_gpu" is a container without GPUs."""
    row = _situation_of(status, driver, machine)
    with_nv = machine.container_kind == "apptainer" and not machine.lacks_nv
    return "host_without_gpu" if row == "without_gpu" and with_nv else row


def _situation_of(status: int, driver: Driver, machine: Machine) -> str:
    if machine.lacks_nv and status in _OF_THE_IMAGE:
        return "without_gpu"
    if status in hint_table.BY_STATUS:
        return hint_table.BY_STATUS[status]
    visible = "CUDA_VISIBLE_DEVICES" in machine.variables
    if status == hint_table.SYSTEM_NOT_READY:
        return "fabric_manager_of_host" if machine.container else "fabric_manager"
    if status == hint_table.COMPAT_NOT_SUPPORTED:
        return _compat(driver, machine)
    if status == hint_table.DRIVER_MISMATCH:
        return "mismatch_compat" if _has_compat(driver) else _mismatch(driver, machine)
    if status == hint_table.OUT_OF_MEMORY:
        return ("address_space" if machine.address_space >= 0 else
                "overcommit" if machine.overcommit == "2" else "out_of_memory")
    if status == hint_table.INVALID_DEVICE:
        if visible:
            return "invalid_visible_device"
        return _access(machine) or ("invalid_device_of_container" if machine.container else "invalid_device")
    if status == hint_table.UNKNOWN:
        return _unknown(machine)
    if status not in (0, hint_table.NO_DEVICE):
        return _access(machine) or ("wsl_error" if machine.wsl else "other_error")
    return _no_device(driver, machine, visible)


def _no_device(driver: Driver, machine: Machine, visible: bool) -> str:
    """The driver works and sees no GPU: it is missing, not given to the container, or hidden. Causes that remain
    without CUDA_VISIBLE_DEVICES come first."""
    absent = "" if machine.ended else _absent(driver, machine)
    if absent:
        return absent
    if machine.hidden_gpus is not None and machine.has_gpu:
        return "gpu_hidden" if machine.present_gpus else "gpu_perhaps_hidden"
    if machine.ended:
        return "other_error"
    if machine.lacks_nv:
        return "without_gpu"
    if machine.wsl:
        return "wsl_without_gpu"
    return "gpu_perhaps_hidden" if visible else "gpu_unusable"


def _absent(driver: Driver, machine: Machine) -> str:
    if machine.container and not has_devices(machine):
        return "without_gpu"
    if machine.wsl:
        shadowed = machine.wsl_driver and "/wsl/" not in driver.path and not machine.container
        return "wsl_shadowed" if shadowed else ""
    if not machine.kernel_driver:
        return _without_module(machine)
    return _access(machine)


def _without_module(machine: Machine) -> str:
    drivers = {gpu.driver for gpu in machine.present_gpus}
    if "nouveau" in drivers:
        return "nouveau"
    if drivers == {"vfio-pci"}:
        return "passed_through"
    return "module_not_loaded" if machine.present_gpus else "no_gpu"


def _has_compat(driver: Driver) -> bool:
    return is_compat(driver.path) or is_compat(driver.file)


def _compat(driver: Driver, machine: Machine) -> str:
    """A driver library that is newer than the kernel module tries forward compatibility, and answers 804 if the GPU
    does not support it: cuda-compat's library, or the installed one after an update whose module is not loaded yet."""
    if _has_compat(driver):
        return "compat_not_supported"
    if {driver.path, driver.file} & set(machine.mounted_compat):
        return "compat_mounted"
    return _mismatch(driver, machine)


def _mismatch(driver: Driver, machine: Machine) -> str:
    if machine.container:
        mounted = {driver.path, driver.file} & set(machine.mounted_drivers)
        return "mismatch_mounted" if mounted else "mismatch_in_image"
    if machine.wsl:
        return "mismatch_in_wsl" if "/wsl/" in driver.path else "wsl_shadowed"
    on_path = is_on_path(machine.variables.get("LD_LIBRARY_PATH", ""), os.path.dirname(driver.path))
    return "mismatch_by_path" if on_path else "mismatch"


def _unknown(machine: Machine) -> str:
    if machine.ended:
        return "other_error"
    if machine.wsl:
        return "wsl_error"
    if "nvidia-uvm" not in machine.devices:
        return "without_gpu" if machine.container else "uvm_missing"
    return _access(machine) or ("access_lost" if machine.container else "uvm_lost")


def _access(machine: Machine) -> str:
    """The problem of the device files, or "" (NVIDIA driver README, "Configuring Device Files")."""
    if machine.ended or machine.wsl or not machine.kernel_driver:
        return ""
    if denied_device(machine):
        return "device_denied"
    return "" if has_devices(machine) else "without_gpu" if machine.container else "device_missing"


def denied_device(machine: Machine) -> str:
    """A GPU's device file that this user may not open."""
    return next((name for name, error in machine.devices.items()
                 if error and re.match(r"nvidia([0-9]+|ctl|-uvm)\Z", name)), "")


def has_devices(machine: Machine) -> bool:
    """Are there device files with a kernel driver? Those without one are leftovers, such as an image's."""
    return bool("nvidiactl" in machine.devices and machine.kernel_driver) or machine.wsl_device
