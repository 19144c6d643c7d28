"""What would help where the driver is missing or gives no GPU: pure functions of what was found."""

from __future__ import annotations

import os
import re
import shlex

from . import advice, packages
from .advice import DRIVER_CALL, DRIVER_LIBRARY
from .environment import Environment
from .findings import Driver, Tried
from .hint import Hint, hint, is_on_path, missing_dependency, without_folder
from .machine import Machine, PresentGpu

_ROW_OF_STATE = {
    "truncated": "driver_truncated", "missing": "driver_dangling", "unreadable": "driver_unreadable",
    "open_failed": "driver_not_opened", "not_elf": "driver_damaged", "core_symbol_missing": "driver_damaged",
    "other_library": "driver_damaged", "not_a_file": "driver_damaged", "out_of_memory": "driver_not_read",
    "other_file_opened": "driver_other_file", "has_tokens": "driver_has_tokens",
    "other_architecture": "driver_other_cpu",
}  # the rows of a file, the most telling first
# Answers of a driver library that belongs to an image and not to the loaded kernel module.
_OF_THE_IMAGE = (advice.STUB_LIBRARY, advice.DRIVER_MISMATCH, advice.COMPAT_NOT_SUPPORTED, advice.UNKNOWN)
# Libraries that come with the driver. Tegra's (Jetson) are called libnvrm_gpu.so and the like.
_DRIVERS_OWN = re.compile(r"lib(nvidia-|cuda\.so|cudadebugger|nvrm|nvos|nvsci|nvcucompat|nvdc|nvimp)")


def driver_hints(driver: Driver, machine: Machine, environment: Environment) -> list[Hint]:
    if driver.ended:
        return [hint(DRIVER_LIBRARY, "driver_crash", f"The driver does not answer: {driver.ended}.",
                     step=driver.last_step or "none")]
    if not driver.path:
        return [_no_library(driver, machine, environment)]
    if driver.problem or driver.failed_call is not None or not driver.gpus:
        return [_no_gpu(driver, machine)]
    return []


def _no_library(driver: Driver, machine: Machine, environment: Environment) -> Hint:
    named = machine.variables.get("ANYCUDA_CUDA")
    files = sorted((one for one in driver.tried if one.state in _ROW_OF_STATE),
                   key=lambda one: list(_ROW_OF_STATE).index(one.state))
    if named and driver.tried:
        return hint(DRIVER_LIBRARY, "driver_setting", f"The driver library {named} cannot be used.",
                    variable="ANYCUDA_CUDA", reason=driver.tried[0].reason)
    stays = next((one for one in driver.tried if one.stays_open), None)
    if stays is not None:
        return hint(DRIVER_LIBRARY, "driver_stays_open", f"The driver library {stays.path} cannot be used.",
                    {"without_folder": _without(os.path.dirname(stays.path), machine)}, reason=stays.reason)
    own = next((one.path for one in driver.tried if one.state == "anycuda_stub"), "")
    cause = _without_driver(files, own, machine, environment)
    stub = next((one for one in driver.tried if one.state == "link_stub"), None)
    # With --nv the host's driver comes before the stub.
    return cause if stub is None or machine.lacks_nv else _beside_stub(stub.path, cause, machine)


def _beside_stub(path: str, cause: Hint, machine: Machine) -> Hint:
    """The search passes over the stub: the hint has both, the missing driver and the stub in its place."""
    folder = os.path.dirname(path)
    on_path = is_on_path(machine.variables.get("LD_LIBRARY_PATH", ""), folder)
    where = "LD_LIBRARY_PATH" if on_path else "the dynamic linker's path"
    return Hint(f"{DRIVER_CALL['stub_library'].cause.format(path=path)} {cause.why}",
                f"{cause.what} Take {folder} out of {where}.", [*cause.commands, _without(folder, machine)],
                "stub_library", cause.source)


def _without_driver(files: list[Tried], stub: str, machine: Machine, environment: Environment) -> Hint:
    """`files`: the refused ones, the most telling first. `stub`: an anycuda stub in a driver's place."""
    if files and files[0].state != "other_architecture":
        return _bad_file(files[0], machine)
    failed = "No driver library (libcuda.so.1) was found."
    if stub:
        failed = f"No driver library (libcuda.so.1) was found but {stub}, an anycuda stub, which needs one."
    denied = next((one for one in environment.denied if _may_hold_driver(one.path, machine)), None)
    if denied is not None:
        return hint(advice.LIBRARIES, "folder_denied", failed, path=denied.path, blocker=denied.blocker)
    if machine.container and not machine.wsl and not machine.lacks_nv and _has_devices(machine):
        return hint(DRIVER_LIBRARY, "driver_not_mounted", failed, {"with_compute": _with_compute(machine)},
                    capabilities=machine.variables.get("NVIDIA_DRIVER_CAPABILITIES", "not set"))
    if machine.container:
        return hint(advice.WITHOUT_GPU, _container(machine), failed)
    if machine.wsl and machine.wsl_driver:
        rest = machine.variables.get("LD_LIBRARY_PATH")
        return hint(DRIVER_LIBRARY, "driver_not_listed_in_wsl", failed,
                    {"and_library_path": ":" + shlex.quote(rest) if rest else ""})
    if machine.wsl:
        return hint(DRIVER_LIBRARY, "driver_missing_in_wsl", failed)
    install = {"install": packages.install_driver(machine.distribution)}
    if files:
        return hint(DRIVER_LIBRARY, "driver_other_cpu", failed, install, path=files[0].path)
    if machine.present_gpus:
        return hint(DRIVER_LIBRARY, "driver_missing_for_gpu", failed, install, gpus=_gpus(machine.present_gpus))
    return hint(DRIVER_LIBRARY, "driver_missing", failed, install)


def _may_hold_driver(path: str, machine: Machine) -> bool:
    """Can the folder have a driver? Folders of environments and toolkits cannot."""
    return (is_on_path(machine.variables.get("LD_LIBRARY_PATH", ""), path)
            or re.search(r"/usr/(lib|lib64|local/nvidia)(/|\Z)", path) is not None)


def _bad_file(file: Tried, machine: Machine) -> Hint:
    failed = f"The driver library {file.path} cannot be loaded."
    if machine.lacks_nv:  # --nv puts the host's driver before the image's file
        return hint(advice.WITHOUT_GPU, "apptainer", failed)
    row, missing = _ROW_OF_STATE[file.state], missing_dependency(file.reason, file.path)
    reason = file.reason.replace("the dynamic linker refused it: ", "")
    if row == "driver_not_opened" and missing:
        own = _DRIVERS_OWN.match(os.path.basename(missing)) is not None
        row = ("driver_dependency" if not own else
               "driver_part_not_mounted" if machine.container else "driver_part_missing")
    elif row == "driver_dangling":
        row = _row_of_missing(file, machine)
    elif row in ("driver_truncated", "driver_damaged") and machine.container:
        row = "driver_of_the_image"
    elif row in ("driver_truncated", "driver_damaged") and machine.wsl and "/wsl/lib" in file.path:
        row = "driver_of_windows"
    ready = {"reinstall": packages.reinstall(machine.distribution, file.path), "start": _start(machine),
             "install": packages.install_driver(machine.distribution),
             "provide": packages.provide(machine.distribution, missing), "with_compute": _with_compute(machine)}
    return hint(DRIVER_LIBRARY, row, failed, ready, path=file.path, size=file.size, reason=reason, missing=missing,
                target=file.target, folder=os.path.dirname(file.path))


def _row_of_missing(file: Tried, machine: Machine) -> str:
    """Of a dangling link, and of a name that only /etc/ld.so.cache has."""
    if not file.target:
        return "driver_listed_in_container" if machine.container else "driver_listed_only"
    if machine.container:
        has_gpus = _has_devices(machine) and not machine.wsl
        return "driver_dangling_not_mounted" if has_gpus else "driver_dangling_in_container"
    return "driver_dangling_in_wsl" if machine.wsl and "/wsl/lib" in file.path else "driver_dangling"


def _no_gpu(driver: Driver, machine: Machine) -> Hint:
    failed = driver.failed_call
    status = failed.status if failed is not None else driver.status
    answer = (f"{failed.name} reports {failed.error} ({status})" if failed is not None and failed.error else
              f"{failed.name} reports error {status}" if failed is not None else
              driver.problem or "it sees none")
    folder = os.path.dirname(driver.path)
    ready = {
        "without_folder": _without(folder, machine), "restart": _restart(machine),
        "update": packages.install_driver(machine.distribution),
        "remove_driver": packages.remove_driver(machine.distribution, driver.path),
        "install_fabric": packages.install_fabric(machine.distribution, machine.kernel_driver),
    }
    row = situation_of(status, driver, machine)
    table = advice.WITHOUT_GPU if row == "without_gpu" else DRIVER_CALL
    denied = next((name for name, error in machine.devices.items() if error and _is_gpu_device(name)), "nvidiactl")
    return hint(
        table, _container(machine) if row == "without_gpu" else row, f"The driver gives no GPU: {answer}.", ready,
        path=driver.path, device=f"/dev/{denied if row == 'device_denied' else 'dxg'}", limit=_size(machine),
        visible=machine.variables.get("CUDA_VISIBLE_DEVICES", ""), gpus=_gpus(machine.present_gpus),
        pipe=machine.variables.get("CUDA_MPS_PIPE_DIRECTORY") or "/tmp/nvidia-mps", versions=_versions(driver, machine),
        version=f", {machine.kernel_driver}" if machine.kernel_driver else "")


def situation_of(status: int, driver: Driver, machine: Machine) -> str:
    """The row of DRIVER_CALL for the driver's answer; "without_gpu" is a container without GPUs."""
    row = _situation_of(status, driver, machine)
    with_nv = machine.container_kind == "apptainer" and not machine.lacks_nv
    return "host_without_gpu" if row == "without_gpu" and with_nv else row


def _situation_of(status: int, driver: Driver, machine: Machine) -> str:
    if machine.lacks_nv and status in _OF_THE_IMAGE:
        return "without_gpu"
    if status in advice.BY_STATUS:
        return advice.BY_STATUS[status]
    visible = "CUDA_VISIBLE_DEVICES" in machine.variables
    if status == advice.SYSTEM_NOT_READY:
        return "fabric_manager_of_host" if machine.container else "fabric_manager"
    if status == advice.DRIVER_MISMATCH:
        return _mismatch(driver, machine)
    if status == advice.OUT_OF_MEMORY:
        return ("address_space" if machine.address_space >= 0 else
                "overcommit" if machine.overcommit == "2" else "out_of_memory")
    if status == advice.INVALID_DEVICE:
        return "invalid_visible_device" if visible else _access(machine) or "invalid_device"
    if status == advice.UNKNOWN:
        return _unknown(machine)
    if status not in (0, advice.NO_DEVICE):
        return _access(machine) or "other_error"
    return _no_device(driver, machine, visible)


def _no_device(driver: Driver, machine: Machine, visible: bool) -> str:
    """The driver works and sees no GPU: hidden, not given to the container, or not there."""
    if machine.hidden_gpus is not None and machine.has_gpu:
        return "gpu_hidden" if machine.present_gpus else "gpu_perhaps_hidden"
    if machine.ended:
        return "other_error"
    if machine.lacks_nv or (machine.container and not _has_devices(machine)):
        return "without_gpu"
    if machine.wsl and not machine.container:
        shadowed = machine.wsl_driver and "/wsl/" not in driver.path
        return "wsl_shadowed" if shadowed else "wsl_without_gpu"
    if not machine.kernel_driver:
        return _without_module(machine)
    return _access(machine) or ("gpu_perhaps_hidden" if visible else "gpu_unusable")


def _without_module(machine: Machine) -> str:
    drivers = {gpu.driver for gpu in machine.present_gpus}
    if "nouveau" in drivers:
        return "nouveau"
    if drivers == {"vfio-pci"}:
        return "passed_through"
    return "module_not_loaded" if machine.present_gpus else "no_gpu"


def _mismatch(driver: Driver, machine: Machine) -> str:
    if "/compat" in os.path.dirname(driver.path):
        return "mismatch_compat"
    if machine.container:
        mounted = {driver.path, driver.file} & set(machine.mounted_drivers)
        return "mismatch_mounted" if mounted else "mismatch_in_image"
    on_path = is_on_path(machine.variables.get("LD_LIBRARY_PATH", ""), os.path.dirname(driver.path))
    return "mismatch_by_path" if on_path else "mismatch"


def _unknown(machine: Machine) -> str:
    if machine.ended or machine.wsl:
        return "other_error"
    if "nvidia-uvm" not in machine.devices:
        return "without_gpu" if machine.container else "uvm_missing"
    return _access(machine) or ("access_lost" if machine.container else "uvm_lost")


def _access(machine: Machine) -> str:
    """What is wrong with the device files, "" if nothing is (NVIDIA driver README, "Configuring Device Files")."""
    if machine.ended or machine.wsl or not machine.kernel_driver:
        return ""
    if any(error for name, error in machine.devices.items() if _is_gpu_device(name)):
        return "device_denied"
    return "" if _has_devices(machine) else "without_gpu" if machine.container else "device_missing"


def _is_gpu_device(name: str) -> bool:
    return re.match(r"nvidia([0-9]+|ctl|-uvm)\Z", name) is not None


def _has_devices(machine: Machine) -> bool:
    """A device file without the kernel's driver is left over, as from an image."""
    return bool("nvidiactl" in machine.devices and machine.kernel_driver) or machine.wsl_device


def _gpus(gpus: list[PresentGpu]) -> str:
    names = dict.fromkeys(gpu.name for gpu in gpus if gpu.name)
    count = f"{len(gpus)} NVIDIA GPU{'' if len(gpus) == 1 else 's'}"
    return f"{count} ({', '.join(names)})" if names else count


def _versions(driver: Driver, machine: Machine) -> str:
    own = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)?)\Z", driver.file)
    return f"{own[1] if own else 'unknown'} and {machine.kernel_driver or 'unknown'}"


def _size(machine: Machine) -> str:
    return f"{machine.address_space / 2**30:.1f} GiB"


def _start(machine: Machine) -> str:
    return advice.WITHOUT_GPU[_container(machine)].commands[0] if machine.container else ""


def _container(machine: Machine) -> str:
    return machine.container_kind or "container"


def _with_compute(machine: Machine) -> str:
    return advice.WITH_COMPUTE_BY.get(machine.container_kind, advice.WITH_COMPUTE)


def _restart(machine: Machine) -> str:
    return advice.RESTART.get(machine.container_kind, "# start the container again")


def _without(folder: str, machine: Machine) -> str:
    value = machine.variables.get("LD_LIBRARY_PATH", "")
    if is_on_path(value, folder):
        return without_folder(value, folder)
    return f"grep -rn {shlex.quote(folder)} /etc/ld.so.conf /etc/ld.so.conf.d  # remove it there, then: sudo ldconfig"
