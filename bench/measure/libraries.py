# SPDX-License-Identifier: Apache-2.0
"""What is measured: the real libraries, the stubs, and the peers, each as one row of data."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# TILELANG: that project's stubs. SHIM: made by the method of Implib.so (see shims.py).
REAL, OURS, TILELANG, SHIM = "real", "ours", "TileLang", "shim"


@dataclass(frozen=True)
class Library:
    """One shared library under measurement."""

    title: str
    kind: str
    family: str  # cudart, nvrtc, nvjitlink or cuda
    path: Path
    version: str = "-"  # of the package it came in


@dataclass(frozen=True)
class Family:
    """What is the same for all libraries of one kind."""

    real: tuple[tuple[str, str, str], ...]  # title, artifact, file name pattern
    compared: str  # the title of the real one the stub is put in front of
    stub: str
    dropin: str  # the drop-in that stands in for `compared`
    variable: str  # the environment variable that names the real file to the stub
    warm: tuple[str, ...]  # cheap functions that keep no state between calls
    first: str  # a function that needs the library and no driver
    asks_driver: str = ""  # one that asks the driver, where there is one
    needs: tuple[str, ...] = ()  # titles of the real ones that `compared` needs, found on LD_LIBRARY_PATH
    tilelang: str | None = None
    tilelang_first: str = ""  # the same for TileLang's stub, which has few functions


def _of_the_toolkit(name: str, releases: tuple[str, ...], compared: str, artifact: str = "", **more: Any) -> Family:
    """A library of these releases; what its files and variable are called is in its descriptor."""
    about = json.loads((ROOT / "stubs" / name / "library.json").read_text(encoding="utf-8"))
    soname = {release: about["majors"][release.partition(".")[0]]["soname"] for release in releases}
    return Family(
        real=tuple((f"{name} {release}", f"{artifact or name}-{release}", soname[release]) for release in releases),
        compared=f"{name} {compared}", stub=about["stub"], dropin=soname[compared], variable=about["variable"],
        **more)


def _of_own_release(name: str, release: str, soname: str, function: str) -> Family:
    """A library whose releases are numbered apart from CUDA's."""
    title = f"{name} {release}"
    return Family(real=((title, f"{name}-{release}", soname),), compared=title, stub=f"lib{name}_stub.so",
                  dropin=soname, variable=f"ANYCUDA_{name.upper()}", warm=(function,), first=function)


FAMILIES = {
    "cudart": _of_the_toolkit(
        "cudart", ("11.8", "12.9", "13.5"), "12.9",
        warm=("cudaGetLastError", "cudaPeekAtLastError", "cudaGetErrorString", "cudaRuntimeGetVersion"),
        first="cudaRuntimeGetVersion", asks_driver="cudaGetDeviceCount",
        tilelang="libstub_cudart.so", tilelang_first="cudaGetLastError"),
    "nvrtc": _of_the_toolkit(
        "nvrtc", ("11.8", "12.9", "13.5"), "12.9", warm=("nvrtcVersion",), first="nvrtcVersion",
        tilelang="libstub_nvrtc.so", tilelang_first="nvrtcVersion"),
    "nvjitlink": _of_the_toolkit(
        "nvjitlink", ("12.9", "13.5"), "12.9", warm=("nvJitLinkVersion",), first="nvJitLinkVersion"),
    "cufft": _of_the_toolkit("cufft", ("12.9",), "12.9", warm=("cufftGetVersion",), first="cufftGetVersion"),
    "curand": _of_the_toolkit("curand", ("12.9",), "12.9", warm=("curandGetVersion",), first="curandGetVersion"),
    "cublas": _of_the_toolkit("cublas", ("12.9",), "12.9", needs=("cublaslt 12.9",), warm=("cublasGetCudartVersion",),
                              first="cublasGetCudartVersion"),
    "cublaslt": _of_the_toolkit("cublaslt", ("12.9",), "12.9", artifact="cublas", warm=("cublasLtGetVersion",),
                                first="cublasLtGetVersion"),
    "cusolver": _of_the_toolkit("cusolver", ("12.9",), "12.9", warm=("cusolverGetVersion",),
                                needs=("cublas 12.9", "cublaslt 12.9", "cusparse 12.9", "nvjitlink 12.9"),
                                first="cusolverGetVersion"),
    "cusparse": _of_the_toolkit("cusparse", ("12.9",), "12.9", needs=("nvjitlink 12.9",),
                                warm=("cusparseGetErrorName",),
                                first="cusparseGetErrorName"),
    "nvjpeg": _of_the_toolkit("nvjpeg", ("12.9",), "12.9", warm=("nvjpegGetProperty",), first="nvjpegGetProperty"),
    "nvfatbin": _of_the_toolkit("nvfatbin", ("12.9",), "12.9", warm=("nvFatbinVersion",), first="nvFatbinVersion"),
    "nvtx": _of_the_toolkit("nvtx", ("11.8",), "11.8", warm=("nvtxRangePop",), first="nvtxRangePop"),
    "cusolvermg": _of_the_toolkit("cusolvermg", ("12.9",), "12.9", artifact="cusolver",
                                  warm=("cusolverMgDestroyGrid",),
                                  needs=("cublas 12.9", "cublaslt 12.9", "cusparse 12.9", "nvjitlink 12.9"),
                                  first="cusolverMgDestroyGrid"),
    "cudnn": _of_own_release("cudnn", "9.28", "libcudnn.so.9", "cudnnGetVersion"),
    # What stands in front of cuDNN 9 for a program of cuDNN 8; the direct call is that of a program of 9.
    "cudnn8": Family(
        real=(("cudnn 9.28 under 8", "cudnn-9.28", "libcudnn.so.9"),), compared="cudnn 9.28 under 8",
        stub="libcudnn8_stub.so", dropin="libcudnn.so.8", variable="ANYCUDA_CUDNN8", warm=("cudnnGetVersion",),
        first="cudnnGetVersion"),
    "nccl": _of_own_release("nccl", "2.32", "libnccl.so.2", "ncclGetVersion"),
    "nvml": Family(
        real=(("nvml 535", "driver-535", "libnvidia-ml.so.1"),), compared="nvml 535", stub="libnvml_stub.so",
        dropin="libnvidia-ml.so.1", variable="ANYCUDA_NVML", warm=("nvmlShutdown",), first="nvmlShutdown"),
    "cuda": Family(
        real=(("libcuda 535", "driver-535", "libcuda.so.1"),),
        compared="libcuda 535", stub="libcuda_stub.so", dropin="libcuda.so.1",
        variable="ANYCUDA_CUDA", warm=("cuDriverGetVersion", "cuGetErrorName"),
        first="cuDriverGetVersion",
        tilelang="libstub_cuda.so", tilelang_first="cuGetErrorName"),
}


def keep_families(names: list[str]) -> None:
    """Forgets the other families, but for what these need, and for cudart and cuda, which promises are about."""
    kept = {"cudart", "cuda", *names}
    kept |= {title.split(" ")[0] for name in names for title in FAMILIES[name].needs}
    for name in set(FAMILIES) - kept:
        del FAMILIES[name]


def describes_error(function: str) -> bool:
    return "GetError" in function


def first_argument(function: str) -> int | None:
    """What a warm call of `function` is given first; None is a buffer of the program's own."""
    if describes_error(function):
        return 2  # an error that each release has: out of memory
    return 0 if "Destroy" in function else None


def first_function(library: Library) -> str:
    """The function whose first call is measured in `library`."""
    family = FAMILIES[library.family]
    return family.tilelang_first if library.kind == TILELANG else family.first


class Artifacts:
    """Unpacked folders of real libraries: given one by one, or fetched into the cache."""

    def __init__(self, given: dict[str, Path], cache: Path | None):
        wanted = [artifact for family in FAMILIES.values() for _, artifact, _ in family.real]
        self._folders = dict(given)
        self._versions: dict[str, str] = {}
        self._fetch([artifact for artifact in [*wanted, "tilelang"] if artifact not in given], cache)

    def _fetch(self, artifacts: list[str], cache: Path | None) -> None:
        if not artifacts:
            return
        where = ["--cache", str(cache)] if cache else []
        # Its progress, and why an artifact cannot be had, go to our standard error.
        tool = str(ROOT / "tools" / "fetch" / "fetch.py")
        done = subprocess.run([sys.executable, tool, *where, "get", *artifacts], text=True,
                              stdout=subprocess.PIPE)
        for line in done.stdout.splitlines():
            name, _, folder = line.partition(" ")
            if name in artifacts and Path(folder).is_dir():
                self._folders[name] = Path(folder)
                self._versions[name] = _version(Path(folder))

    def version(self, artifact: str) -> str:
        """Version of the package that `artifact` was taken from, where that is known."""
        return self._versions.get(artifact, "-")

    def file(self, artifact: str, name: str) -> Path | None:
        """The file `name` of `artifact`, wherever in the artifact it is."""
        folder = self._folders.get(artifact)
        return next(iter(sorted(folder.rglob(name))), None) if folder else None


def _version(folder: Path) -> str:
    """Of the first file that it was made from, by the cache's stamp."""
    stamp = json.loads((folder / ".anycuda-piece.json").read_text())
    if "newer" in stamp:
        return str(next(iter(stamp["newer"].values())))
    name: str = next(iter(stamp["files"]))
    return name.split("_" if name.endswith(".deb") else "-")[1]


def collect(artifacts: Artifacts, stubs: Path | None, wheel: Path | None) -> tuple[list[Library], list[str]]:
    """Every library that is there, and a sentence for each that is not."""
    found: list[Library] = []
    absent: list[str] = []

    def add(title: str, kind: str, family: str, path: Path | None, artifact: str = "") -> None:
        if path is not None and path.is_file():
            found.append(Library(title, kind, family, path, artifacts.version(artifact)))
        elif artifact:
            absent.append(f"{title}: left out, artifact {artifact} is not there")
        else:
            absent.append(f"{title}: left out, it was not found in the folder of --stubs or --wheel-stubs")

    for name, family in FAMILIES.items():
        for title, artifact, file in family.real:
            add(title, REAL, name, artifacts.file(artifact, file), artifact)
        stub = stubs / family.stub if stubs else None
        dropin = stubs / "dropin" / family.dropin if stubs else None
        add(f"stub {name}", OURS, name, stub)
        add(f"drop-in {family.dropin}", OURS, name, dropin)
        if wheel:
            add(f"wheel's stub {name}", OURS, name, wheel / family.stub)
        if family.tilelang:
            add(f"TileLang {family.tilelang}", TILELANG, name,
                artifacts.file("tilelang", family.tilelang), "tilelang")
    return found, absent
