# SPDX-License-Identifier: Apache-2.0
"""Hints for a missing driver or a driver without a GPU: pure functions of the findings."""

from __future__ import annotations

import os
import re
import shlex

from . import containers, packages
from .driver_situation import container_without_gpus, denied_device, has_devices, situation_of
from .environment import Environment
from .findings import Driver, Library, Tried
from .hint import Hint, hint, is_on_path, missing_dependency, read_problem, without_folder, without_hint
from .machine import Machine, PresentGpu, is_compat
from .outcomes import FileState, column
from .situation import Situation, text_of

# Libraries that come with the driver. Tegra's (Jetson) are named libnvrm_gpu.so and the like.
_DRIVERS_OWN = re.compile(r"lib(nvidia-|cuda\.so|cudadebugger|nvrm|nvos|nvsci|nvcucompat|nvdc|nvimp)")

# Hints that already say which driver library is wrong.
_NAMES_THE_LIBRARY = (Situation.MISMATCH_BY_PATH, Situation.MISMATCH_COMPAT, Situation.WSL_SHADOWED)

NVML = "nvml"
_MPS_PIPE = "/tmp/nvidia-mps"  # if CUDA_MPS_PIPE_DIRECTORY is not set


def driver_hints(driver: Driver, machine: Machine, environment: Environment) -> list[Hint]:
    hints = _driver_hints(driver, machine, environment)
    if not any(given.situation in _NAMES_THE_LIBRARY for given in hints):
        hints = _hidden_driver(driver, machine, environment) or hints
    hidden = machine.hidden_gpus is not None and machine.present_gpus
    if hints and hidden and not any("CUDA_VISIBLE_DEVICES" in given.why for given in hints):
        hints.append(_about_answer(Situation.GPU_HIDDEN, "The GPUs are also hidden.", driver, machine, environment))
    return hints


def _driver_hints(driver: Driver, machine: Machine, environment: Environment) -> list[Hint]:
    if driver.ended:
        return [hint(Situation.DRIVER_CRASH, f"The driver does not answer: {driver.ended}.",
                     step=driver.last_step or "none")]
    if not driver.path:
        return [_no_library(driver, machine, environment)]
    if driver.problem or driver.failed_call is not None or not driver.gpus:
        return [_no_gpu(driver, machine, environment)]
    return []


def _hidden_driver(driver: Driver, machine: Machine, environment: Environment) -> list[Hint]:
    """A hint on a driver library that hides a newer one, by the numbers in the files' names. The library of the loaded
    kernel module is the right one, even if it is the older one."""
    own, newer = _release(driver.file), max(driver.others, key=_numbers, default="")
    newest, of_module = _release(newer), bool(newer) and _release(newer) == machine.kernel_driver
    if not own or _numbers(newer) <= _numbers(driver.file) or is_compat(newer) or is_compat(driver.file):
        return []
    if own == machine.kernel_driver or driver.gpus and not of_module:
        return []
    return [hint(Situation.DRIVER_HIDDEN, f"The driver library {driver.path} is old.",
                 {"without_folder": _without(os.path.dirname(driver.path), machine),
                  "remove_driver": packages.remove_driver(machine.distribution, driver.path,
                                                          environment.owner(driver.path))},
                 version=own, newer=newer, newest=newest,
                 why="the loaded kernel module belongs to" if of_module else "supports a newer CUDA")]


def _release(file: str) -> str:
    """535.104.05 of libcuda.so.535.104.05"""
    version = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)?)\Z", file)
    return version[1] if version else ""


def _numbers(file: str) -> list[int]:
    return [int(part) for part in _release(file).split(".") if part]


def nvml_hints(driver: Driver, library: Library | None, machine: Machine) -> list[Hint]:
    """Hints for a driver without NVML: a package or a container capability is missing."""
    if library is None or library.candidates or any(answer.path or answer.ended or answer.refused
                                                    for answer in library.answers.values()):
        return []
    failed = "No libnvidia-ml.so.1 was found."
    if machine.container and not machine.wsl and not machine.lacks_nv:
        return [hint(Situation.NVML_NOT_MOUNTED, failed, {"with_compute": _with_compute(machine)},
                     capabilities=machine.variables.get("NVIDIA_DRIVER_CAPABILITIES", "not set"))]
    install = packages.install_nvml(machine.distribution, machine.kernel_driver)
    return [hint(Situation.NVML_MISSING, failed, {"install_library": install})]


def _no_library(driver: Driver, machine: Machine, environment: Environment) -> Hint:
    named = machine.variables.get("ANYCUDA_CUDA")
    states = list(column("state", "driver"))  # the most informative first
    files = sorted((file for file in driver.tried if file.state in states), key=lambda file: states.index(file.state))
    if named and driver.tried:
        return hint(Situation.DRIVER_SETTING, f"The driver library {named} cannot be used.",
                    variable="ANYCUDA_CUDA", reason=without_hint(driver.tried[0].reason))
    stays = next((file for file in driver.tried if file.stays_open), None)
    if stays is not None:
        return hint(Situation.DRIVER_STAYS_OPEN, f"The driver library {stays.path} cannot be used.",
                    {"without_folder": _without(os.path.dirname(stays.path), machine)}, reason=stays.reason)
    own = next((file.path for file in driver.tried if file.state is FileState.ANYCUDA_STUB), "")
    cause = _without_driver(files, own, machine, environment)
    stub = next((file for file in driver.tried if file.state is FileState.LINK_STUB), None)
    # With --nv the host's driver precedes the stub.
    return cause if stub is None or machine.lacks_nv else _beside_stub(stub.path, cause, machine)


def _beside_stub(path: str, cause: Hint, machine: Machine) -> Hint:
    """A hint on a missing driver and the stub in its place, which the search skips."""
    folder = os.path.dirname(path)
    on_path = is_on_path(machine.variables.get("LD_LIBRARY_PATH", ""), folder)
    where = "LD_LIBRARY_PATH" if on_path else "the dynamic linker's path"
    return Hint(f"{text_of(Situation.STUB_LIBRARY).cause.format(path=path)} {cause.why}",
                f"{cause.what} Take {folder} out of {where}.", [*cause.commands, _without(folder, machine)],
                Situation.STUB_LIBRARY, cause.source)


def _without_driver(files: list[Tried], stub: str, machine: Machine, environment: Environment) -> Hint:
    """`files`: the refused ones, the most informative first. `stub`: an anycuda stub in a driver's place."""
    if files and files[0].state is not FileState.OTHER_ARCHITECTURE:
        return _bad_file(files[0], machine, environment)
    failed = "No driver library (libcuda.so.1) was found."
    if stub:
        failed = f"No driver library (libcuda.so.1) was found: {stub} is an anycuda stub, which needs the driver's own."
    denied = next((folder for folder in environment.denied if _may_hold_driver(folder.path, machine)), None)
    if denied is not None:
        return hint(Situation.FOLDER_DENIED, failed, path=denied.path, blocker=denied.blocker)
    if machine.container and not machine.wsl and not machine.lacks_nv and has_devices(machine):
        return hint(Situation.DRIVER_NOT_MOUNTED, failed, {"with_compute": _with_compute(machine)},
                    capabilities=machine.variables.get("NVIDIA_DRIVER_CAPABILITIES", "not set"))
    if machine.container:
        return hint(container_without_gpus(machine), failed)
    if machine.wsl and machine.wsl_driver:
        rest = machine.variables.get("LD_LIBRARY_PATH")
        return hint(Situation.DRIVER_NOT_LISTED_IN_WSL, failed,
                    {"and_library_path": ":" + shlex.quote(rest) if rest else ""})
    if machine.wsl:
        windows = packages.update_driver(machine.distribution, machine.container_kind, machine.wsl)
        return hint(Situation.DRIVER_MISSING_IN_WSL, failed, {"install": windows})
    return _not_installed(failed, files, machine)


def _not_installed(failed: str, files: list[Tried], machine: Machine) -> Hint:
    """`files`: those for another CPU, in the driver's place."""
    install = {"install": packages.install_driver(machine.distribution)}
    if files:
        return hint(Situation.DRIVER_OTHER_CPU, failed, install, path=files[0].path)
    if machine.kernel_driver:
        library = packages.install_driver_library(machine.distribution, machine.kernel_driver)
        return hint(Situation.DRIVER_LIBRARY_MISSING, failed, {"install_library": library},
                    module=machine.kernel_driver)
    if machine.present_gpus:
        return hint(Situation.DRIVER_MISSING_FOR_GPU, failed, install, gpus=_gpus(machine.present_gpus))
    return hint(Situation.DRIVER_MISSING, failed, install)


def _may_hold_driver(path: str, machine: Machine) -> bool:
    """Can the folder contain a driver? Folders of environments and toolkits cannot."""
    return (is_on_path(machine.variables.get("LD_LIBRARY_PATH", ""), path)
            or re.search(r"/usr/(lib|lib64|local/nvidia)(/|\Z)", path) is not None)


def _bad_file(file: Tried, machine: Machine, environment: Environment) -> Hint:
    failed = f"The driver library {file.path} cannot be loaded."
    if machine.lacks_nv:  # --nv gives the host's driver precedence over the image's file
        return hint(Situation.APPTAINER, failed)
    missing = missing_dependency(file.reason, file.path)
    reason = without_hint(file.reason.replace("the dynamic linker refused it: ", ""))
    situation = _situation_of(file, missing, machine)
    if situation is Situation.DRIVER_UNREADABLE:
        problem, reason = read_problem(reason)
        situation = _unreadable(problem, machine)
    ready = {"reinstall": packages.reinstall(machine.distribution, file.path, environment.owner(file.path)),
             "start": _start(machine),
             "install": packages.install_driver(machine.distribution),
             "provide": packages.provide(machine.distribution, missing), "with_compute": _with_compute(machine)}
    return hint(situation, failed, ready, path=file.path, size=file.size, reason=reason, missing=missing,
                target=file.target, folder=os.path.dirname(file.path))


def _situation_of(file: Tried, missing: str, machine: Machine) -> Situation:
    """`missing`: a library that the file needs, and that the dynamic linker does not find."""
    situation = Situation(column("state", "driver")[file.state])
    if situation is Situation.DRIVER_NOT_OPENED and missing:
        if _DRIVERS_OWN.match(os.path.basename(missing)) is None:
            return Situation.DRIVER_DEPENDENCY
        return Situation.DRIVER_PART_NOT_MOUNTED if machine.container else Situation.DRIVER_PART_MISSING
    if situation is Situation.DRIVER_DANGLING:
        return _situation_of_missing(file, machine)
    if situation in (Situation.DRIVER_TRUNCATED, Situation.DRIVER_DAMAGED):
        if machine.container:
            return Situation.DRIVER_OF_THE_IMAGE
        if machine.wsl and "/wsl/lib" in file.path:
            return Situation.DRIVER_OF_WINDOWS
    return situation


def _unreadable(problem: Situation, machine: Machine) -> Situation:
    """`problem`: of read_problem()."""
    if problem is Situation.LINK_LOOP:
        return Situation.DRIVER_LINK_LOOP_IN_CONTAINER if machine.container else Situation.DRIVER_LINK_LOOP
    return Situation.DRIVER_READ_ERROR if problem is Situation.READ_ERROR else Situation.DRIVER_UNREADABLE


def _situation_of_missing(file: Tried, machine: Machine) -> Situation:
    """For a dangling link, or for a name that only /etc/ld.so.cache has."""
    if not file.target:
        return Situation.DRIVER_LISTED_IN_CONTAINER if machine.container else Situation.DRIVER_LISTED_ONLY
    if machine.container:
        has_gpus = has_devices(machine) and not machine.wsl
        return Situation.DRIVER_DANGLING_NOT_MOUNTED if has_gpus else Situation.DRIVER_DANGLING_IN_CONTAINER
    return Situation.DRIVER_DANGLING_IN_WSL if machine.wsl and "/wsl/lib" in file.path else Situation.DRIVER_DANGLING


def _no_gpu(driver: Driver, machine: Machine, environment: Environment) -> Hint:
    failed = driver.failed_call
    status = failed.status if failed is not None else driver.status
    answer = (f"{failed.name} reports {failed.error} ({status})" if failed is not None and failed.error else
              f"{failed.name} reports error {status}" if failed is not None else
              driver.problem or "it reports none")
    return _about_answer(situation_of(status, driver, machine), f"The driver offers no GPU: {answer}.", driver,
                         machine, environment)


def _about_answer(situation: Situation, failed: str, driver: Driver, machine: Machine, environment: Environment
                  ) -> Hint:
    variables, pipe = machine.variables, machine.variables.get("CUDA_MPS_PIPE_DIRECTORY")
    ready = {
        "without_folder": _without(os.path.dirname(driver.path), machine),
        "restart": containers.about(machine.container_kind).restart,
        "update": packages.update_driver(machine.distribution, machine.container_kind, machine.wsl),
        "remove_driver": packages.remove_driver(machine.distribution, driver.path, environment.owner(driver.path)),
        "install_fabric": packages.install_fabric(machine.distribution, machine.kernel_driver),
        "without_mps": "unset CUDA_MPS_PIPE_DIRECTORY" if pipe else f"mv {_MPS_PIPE} {_MPS_PIPE}.unused",
    }
    device = (denied_device(machine) or "nvidiactl") if situation is Situation.DEVICE_DENIED else "dxg"
    return hint(
        situation, failed, ready,
        path=driver.path, device=f"/dev/{device}", limit=_size(machine), pipe=pipe or _MPS_PIPE,
        visible=variables.get("CUDA_VISIBLE_DEVICES", ""), gpus=_gpus(machine.present_gpus),
        versions=_versions(driver, machine), of_host=" of the host" if machine.container else "",
        version=f", {machine.kernel_driver}" if machine.kernel_driver else "")


def _gpus(gpus: list[PresentGpu]) -> str:
    names = dict.fromkeys(gpu.name for gpu in gpus if gpu.name)
    count = f"{len(gpus)} NVIDIA GPU{'' if len(gpus) == 1 else 's'}"
    return f"{count} ({', '.join(names)})" if names else count


def _versions(driver: Driver, machine: Machine) -> str:
    versions = _release(driver.file) or "unknown", machine.kernel_driver or "unknown"
    return f" ({' and '.join(versions)})" if versions[0] != versions[1] else ""


def _size(machine: Machine) -> str:
    return f"{machine.address_space / 2**30:.1f} GiB"


def _start(machine: Machine) -> str:
    return text_of(container_without_gpus(machine)).commands[0] if machine.container else ""


def _with_compute(machine: Machine) -> str:
    return containers.about(machine.container_kind).with_compute


def _without(folder: str, machine: Machine) -> str:
    value = machine.variables.get("LD_LIBRARY_PATH", "")
    if is_on_path(value, folder):
        return without_folder(value, folder)
    return f"grep -rn {shlex.quote(folder)} /etc/ld.so.conf /etc/ld.so.conf.d  # remove it there, then: sudo ldconfig"
