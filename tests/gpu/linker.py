# SPDX-License-Identifier: Apache-2.0
"""The Linker (linker/) with each nvJitLink that is here, and with none.

The machine's own, and those of the bundle: folders nvjitlink-<release>, with the NVRTC of the same release in
nvrtc-<release> where it is of another major than the driver (LTO-IR is linked within a major).
"""

import ctypes
import tempfile
from pathlib import Path

import bundle
import checks
from log import Log

PROGRAM = bundle.HERE / "linker" / "linker_gpu"


def file_in(folder: Path, pattern: str) -> Path | None:
    return next(iter(sorted(folder.glob(pattern))), None)


def releases() -> list[str]:
    return sorted((folder.name.removeprefix("nvjitlink-") for folder in bundle.HERE.glob("nvjitlink-*")),
                  key=bundle.release_key)


def environment_with(release: str) -> dict[str, str]:
    linker = file_in(bundle.HERE / f"nvjitlink-{release}", "libnvJitLink.so.*")
    more = {"ANYCUDA_NVJITLINK": str(linker)}
    compiler = file_in(bundle.HERE / f"nvrtc-{release}", "libnvrtc.so.*")
    if compiler and bundle.release_key(release)[0] != bundle.driver_release()[0]:
        more["ANYCUDA_NVRTC"] = str(compiler)
    return bundle.environment(bundle.HERE / "stubs", **more)


def mapped(name: str) -> str:
    """The file of a library that this process can open by its name."""
    ctypes.CDLL(name)
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return next(line.split(maxsplit=5)[5] for line in lines if name.split(".so")[0] in line)


def environment_without(root: str) -> dict[str, str] | None:
    """A machine with this driver and an NVRTC, and no nvJitLink; None where no NVRTC is known."""
    folders = [Path("/usr/local/cuda/lib64"), *sorted(bundle.HERE.glob("nvrtc-*"))]
    compilers = [found for folder in folders if (found := file_in(folder, "libnvrtc.so.1[0-9]"))]
    if not compilers:
        return None
    return {**bundle.environment(), "LD_LIBRARY_PATH": str(bundle.HERE / "stubs"), "ANYCUDA_SYSTEM_ROOT": root,
            "ANYCUDA_CUDA": mapped("libcuda.so.1"), "ANYCUDA_NVRTC": str(compilers[0])}


def run(log: Log, checked: bool = False) -> int:
    if bundle.driver_release() == (0, 0):
        log.say("linker: skipped, this machine has no driver")
        return 0
    own = bundle.environment(bundle.HERE / "stubs")
    quick = ["cycles", "inputs", "rules", "failing", "workers", "cached", "libraries"]
    failures = checks.run("linker, nvJitLink as it is", PROGRAM, own, log)
    failures += sum(checks.example(name, own, log) for name in ("linker", "linker_library"))
    for release in releases():
        failures += checks.run(f"linker, nvJitLink {release}", PROGRAM, environment_with(release), log, None, quick)
        failures += checks.example("linker", environment_with(release), log, f", nvJitLink {release}")
    with tempfile.TemporaryDirectory() as root:
        env = environment_without(root)
        if env is None:
            log.say("linker without nvJitLink: skipped, no NVRTC is known by its file")
        else:
            failures += checks.run("linker, no nvJitLink", PROGRAM, env, log, None, quick)
    if checked:
        checker = checks.memcheck()
        if not checker:
            log.say("linker: memcheck skipped: compute-sanitizer is not installed")
            return failures
        # What is destroyed after main() is a leak for the checker.
        topics = [topic for topic in checks.topics_of(PROGRAM, own) if topic != "library_at_exit"]
        failures += checks.run("linker, nvJitLink as it is", PROGRAM, own, log, checker, topics)
    return failures
