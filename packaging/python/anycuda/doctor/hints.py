"""What would help: pure functions of what was found. A hint says why, what to do, and the commands
for it, which are for the reader to run."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field

from .findings import Answer, Driver, Findings, Library
from .machine import Machine
from .verdict import RUNTIME, name_of_caller

# The wheel of a library: its name, which carries the major up to 12 (nvidia-cuda-runtime-cu12) and is
# asked for by version from 13 on (PyPI).
_WHEELS = {"cudart": "nvidia-cuda-runtime", "nvrtc": "nvidia-cuda-nvrtc", "nvjitlink": "nvidia-nvjitlink"}
_FIRST_PLAIN_MAJOR = 13
_DRIVER_PACKAGES = {  # by ID in os-release
    "debian": ["sudo apt install nvidia-driver"],
    "ubuntu": ["sudo ubuntu-drivers install"],
    "fedora": ["sudo dnf install akmod-nvidia xorg-x11-drv-nvidia-cuda  # from RPM Fusion"],
    "arch": ["sudo pacman -S nvidia nvidia-utils"],
}
_BROKEN = ("not_elf", "truncated", "core_symbol_missing", "other_architecture", "open_failed")


@dataclass
class Hint:
    why: str
    what: str
    commands: list[str] = field(default_factory=list)


def hints_for(findings: Findings, machine: Machine) -> list[Hint]:
    found = [*_settings(findings)]
    for library in findings.libraries:
        if not library.is_driver:
            found += _library(library, findings.driver)
    found += _driver(findings.driver, machine)
    return found


def _settings(findings: Findings) -> list[Hint]:
    return [
        Hint(f"{setting.name}={setting.value} is not understood",
             f"set it to {setting.values}, or unset it" if setting.values else "correct its name, or unset it",
             [f"unset {setting.name}"])
        for setting in findings.settings if not setting.understood
    ]


def _library(library: Library, driver: Driver) -> list[Hint]:
    found = []
    # A setting that is not understood has its own hint.
    nothing = {caller: answer for caller, answer in library.answers.items()
               if not (answer.path or answer.ended or answer.refused)}
    if nothing:
        answers = list(nothing.values())
        found.append(Hint(_who_gets_nothing(library, list(nothing)), _hint(answers),
                          _install(library, driver, answers)))
    for answer in {answer.last_step: answer for answer in library.answers.values() if answer.ended}.values():
        found.append(Hint(
            f"looking for the {library.short}: {answer.ended}",
            f"a program would end there too; the last step was: {answer.last_step or 'none'}"))
    return found + [_file(candidate.path, candidate.state) for candidate in library.candidates
                    if candidate.state == "unreadable" or candidate.state in _BROKEN]


def _who_gets_nothing(library: Library, callers: list[str]) -> str:
    if len(callers) < len(library.answers):
        return f"a program built for {' or '.join(map(name_of_caller, callers))} gets no {library.short}"
    return f"{'a program' if library.name == RUNTIME else 'a program that uses it'} gets no {library.short}"


def _hint(answers: list[Answer]) -> str:
    return "; ".join(dict.fromkeys(answer.advice for answer in answers))


def _install(library: Library, driver: Driver, answers: list[Answer]) -> list[str]:
    """A release that this driver runs. Where what is there is refused for another reason than its
    version, installing does not help."""
    said = _hint(answers)
    if library.name not in _WHEELS or "install" not in said:
        return []
    newest = max(int(caller) for caller in library.answers if caller.isdigit())
    known = int(driver.cuda.split(".")[0]) if driver.cuda else newest
    return [f"pip install {wheel(library.name, min(known, newest))}"]


def wheel(library: str, major: int) -> str:
    name = _WHEELS[library]
    return shlex.quote(f"{name}=={major}.*") if major >= _FIRST_PLAIN_MAJOR else f"{name}-cu{major}"


def _file(path: str, state: str) -> Hint:
    if state == "unreadable":
        return Hint(f"{path} cannot be read", "let this user read it and enter the folders above it",
                    [f"namei -l {shlex.quote(path)}"])
    return Hint(f"{path} is damaged, or not for this machine", "install its package again, or remove it")


def _driver(driver: Driver, machine: Machine) -> list[Hint]:
    if driver.ended:
        return [Hint(f"asking the driver: {driver.ended}",
                     f"the last step was: {driver.last_step or 'none'}; install the driver again, or restart")]
    if not driver.path:
        return [_no_driver(machine)]
    failed = driver.failed_call
    if driver.problem or failed is not None or not driver.gpus:
        return [_no_gpu(driver, machine)]
    return []


def _no_driver(machine: Machine) -> Hint:
    why = "no driver library (libcuda.so.1) was found"
    if machine.wsl:
        return Hint(why, "install NVIDIA's driver in Windows: WSL gets it from there", ["wsl --update  # in Windows"])
    if machine.container:
        return Hint(why, "start the container with the host's driver and GPUs",
                    ["docker run --gpus all ...", "podman run --device nvidia.com/gpu=all ..."])
    return Hint(why, "install NVIDIA's display driver, and restart", _DRIVER_PACKAGES.get(machine.distribution, []))


def _no_gpu(driver: Driver, machine: Machine) -> Hint:
    failed = driver.failed_call
    said = f"{failed.name}: {failed.error or failed.status}" if failed is not None else driver.problem or "it sees none"
    why = f"the driver gives no GPU ({said})"
    if machine.hidden_gpus is not None:
        return Hint(why, f"CUDA_VISIBLE_DEVICES={machine.hidden_gpus} hides GPUs", ["unset CUDA_VISIBLE_DEVICES"])
    if failed is not None and failed.error == "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH":
        return Hint(why, "library and kernel module of the driver are of different releases: restart",
                    ["cat /proc/driver/nvidia/version", "sudo reboot"])
    if machine.container and not machine.kernel_driver:
        return Hint(why, "start the container with the host's GPUs", ["docker run --gpus all ..."])
    if not machine.kernel_driver:
        return Hint(why, "the driver's kernel module is not loaded, or there is no NVIDIA GPU",
                    ["lspci | grep -i nvidia", "sudo modprobe nvidia"])
    return Hint(why, "look at what the driver says of its GPUs", ["nvidia-smi", "sudo dmesg | grep -i nvrm"])
