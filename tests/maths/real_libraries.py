# SPDX-License-Identifier: Apache-2.0
"""The real libraries that the tests of this folder compare the stubs with."""

import os
from dataclasses import dataclass
from pathlib import Path

import small_library

RELEASES = ("11.8", "12.9", "13.5")
# Library: its artifact's name, and its releases.
LIBRARIES = {"cublas": ("cublas", RELEASES), "cublaslt": ("cublas", RELEASES), "cufft": ("cufft", RELEASES),
             "curand": ("curand", RELEASES), "cusolver": ("cusolver", RELEASES), "cusolvermg": ("cusolver", RELEASES),
             "cusparse": ("cusparse", RELEASES), "nvjpeg": ("nvjpeg", RELEASES),
             "nvfatbin": ("nvfatbin", RELEASES[1:]), "cudnn": ("cudnn", ("9.6", "9.28")),
             "nccl": ("nccl", ("2.19", "2.32"))}
BESIDE = ("cublas", "cudart", "cusparse", "nvjitlink", "nvrtc")  # what these libraries need of a release of CUDA
CUDA_OF_OWN_RELEASES = "12.9"


@dataclass(frozen=True)
class Real:
    library: str
    release: str
    path: Path
    folders: tuple[Path, ...]  # its own, and those of the libraries that it needs


def _artifacts() -> dict[str, Path]:
    """Those of this build: lines of "name, tab, folder, tab, reason"."""
    lines = Path(os.environ["ANYCUDA_ARTIFACTS"]).read_text(encoding="utf-8").splitlines()
    return {name: Path(folder) for name, folder, _ in (line.split("\t") for line in lines) if folder}


def real_files(library: str) -> list[Real]:
    """Of each release; none where one of them could not be fetched."""
    artifact, releases = LIBRARIES[library]
    artifacts = _artifacts()
    found = []
    for release in releases:
        folder = artifacts.get(f"{artifact}-{release}")
        if not folder:
            return []
        path, = folder.glob(f"nvidia/*/lib/{small_library.described(library).file_prefix}.*")
        cuda = release if releases == RELEASES or library == "nvfatbin" else CUDA_OF_OWN_RELEASES
        beside = [one for name in BESIDE if f"{name}-{cuda}" in artifacts
                  for one in artifacts[f"{name}-{cuda}"].glob("nvidia/*/lib")]
        found.append(Real(library, release, path, tuple(dict.fromkeys((path.parent, *beside)))))
    return found


def missing() -> str:
    """Why a test is skipped; empty where all files are there."""
    names = [library for library in LIBRARIES if not real_files(library)]
    return f"not fetched: the libraries of {', '.join(names)}" if names else ""


def stub(library: str) -> str:
    return small_library.described(library).stub


def linked(library: str, caller: str) -> str:
    """What a program of that major is linked with, in the build's lib/."""
    about = small_library.described(library)
    return f"link/{caller}/{about.file_prefix}" if about.has_symbol_versions else about.stub
