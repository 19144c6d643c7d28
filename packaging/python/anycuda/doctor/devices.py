# SPDX-License-Identifier: Apache-2.0
"""The driver and the GPUs of this machine, and whether they load device code. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..analysis import gpus, kernels
from ..analysis.gpus import Facts
from ..analysis.kernels import Kernels, Needs, Reply
from .findings import Driver


@dataclass(frozen=True)
class Devices:
    """`branch`: 0 if unknown. `gpus`: their architectures (90 for sm_90). `lacking`: a missing driver or GPU, in
    words."""

    branch: int = 0
    gpus: tuple[int, ...] = ()
    lacking: str = ""


def of_driver(driver: Driver) -> Devices:
    architectures = {int(gpu.compute_capability.replace(".", "")) for gpu in driver.gpus}
    # A driver without NVML tells only its CUDA; the oldest branch of this CUDA is assumed.
    release = gpus.facts().release(gpus.version(driver.cuda)) if "." in driver.cuda else None
    branch = driver.branch or (release.driver if release else 0)
    return Devices(branch, tuple(sorted(architectures)), driver.obstacle)


def replies(code: Kernels, needs: Needs | None, runtimes: Mapping[str, int], devices: Devices, facts: Facts
            ) -> list[Reply]:
    """A reply for each kind of GPU. `runtimes`: file -> the oldest branch for its static CUDA runtime."""
    if devices.branch:
        return [kernels.reply(code, gpu, devices.branch, runtimes, facts) for gpu in devices.gpus or (0,)]
    newer = ", possibly a newer one" if needs and needs.unknown else " or newer"
    needed = f"The device code needs driver {needs.driver}{newer}." if needs and needs.driver else ""
    if not devices.lacking:
        return [Reply(0, 0, None, False, {f"{needed} The branch of the driver is unknown.".strip(): []})]
    if needed:
        return [Reply(0, 0, False, False, {needed: []})]
    return [] if code.files else [kernels.reply(code, 0, 0, {}, facts)]
