# SPDX-License-Identifier: Apache-2.0
"""How packages and people lay out the libraries of one CUDA, or of two. A layout takes a machine and the CUDAs, the
older first, installs them, and returns the Python that calls the stub."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from machine import LIBRARIES, SITE, Machine
from parts import artifact, place, python

# What a library needs of its CUDA. All have the runtime beside them, too.
_BESIDE = {"cublas": ("cudart",), "cusparse": ("cudart", "nvjitlink"),
           "cusolver": ("cudart", "nvjitlink", "cublas", "cusparse")}
_OWN = ("cudnn", "nccl")  # their releases are not CUDA's, and they have one SONAME for all CUDAs
# NVIDIA's packages for Debian; the others are called like their libraries.
_DEBIAN = {"cudart": "cuda-cudart", "nvrtc": "cuda-nvrtc"}
_DEBIAN_OWN = {"cudart": "libcudart11.0", "nvrtc": "libnvrtc11.2", "cublas": "libcublas11", "curand": "libcurand10",
               "cusolver": "libcusolver11", "cusparse": "libcusparse11"}
_CONDA = {"cudart": "cuda-cudart", "nvrtc": "cuda-nvrtc", "cudnn": "libcudnn", "nccl": "nccl"}


@dataclass
class Part:
    """An artifact: NVIDIA's wheel of one library."""

    name: str
    release: str  # what the expected files call it
    folder: Path
    wheel: str
    version: str

    def files(self) -> list[Path]:
        return sorted(self.folder.glob("nvidia/*/lib/*.so.*"))

    def full_name(self, soname: str) -> str:
        """libcurand.so.10.3.10.19, for libcurand.so.10."""
        version = ".".join(self.version.split(".")[:3]) if self.name == "cudnn" else self.version
        return f"{soname.split('.so')[0]}.so.{version}"


class Cuda:
    """One library (the name of its artifact) of the CUDA of this major, with the libraries that it needs."""

    def __init__(self, library: str, major: int) -> None:
        self.library = library
        self.major = major
        # cuRAND 13.5 needs libcudart.so.13, and so names its major; 13.0 does not.
        self.release = {11: "11.8", 12: "12.9", 13: "13.0" if library == "curand" else "13.5"}[major]
        names = dict.fromkeys((*_BESIDE.get(library, ("cudart",)), library))
        self.parts = [part for name in names if (part := self._part(name)) is not None]

    def _part(self, name: str) -> Part | None:
        release = self.release
        if name in _OWN:
            if self.major == 11:
                return None
            release = {"cudnn": ("9.6", "9.28"), "nccl": ("2.19", "2.32")}[name][self.major - 12]
        elif name == "nvjitlink" and self.major == 11:
            return None
        folder = artifact(f"{name}-{release}")
        wheel, version = next(folder.glob("*.dist-info")).stem.rsplit("-", 1)
        if name in _OWN:  # the cache only has wheels for CUDA 12; those for 13 have the same files, but for their bytes
            wheel, release = wheel.replace("cu12", f"cu{self.major}"), f"{release} for CUDA {self.major}"
        return Part(name, release, folder, wheel, version)

    def name(self, source: Path, plain: bool) -> str:
        """`plain`: the library is called libcurand.so; those that it needs keep their SONAMEs."""
        bare = source.name.split(".so")[0] + ".so"
        return bare if plain and bare.lower() == f"lib{self.library}.so" else source.name

    def toolkit(self) -> list[Part]:
        return [part for part in self.parts if part.name not in _OWN]

    def own(self) -> list[Part]:
        return [part for part in self.parts if part.name in _OWN]


def _put(machine: Machine, source: Path, path: str, part: Part) -> None:
    machine.at(path).unlink(missing_ok=True)  # of another wheel
    machine.register(place(source, machine.at(path)), part.release)


def _install(machine: Machine, folder: str, parts: list[Part]) -> list[str]:
    """libcurand.so.10.3.10.19 and the two links to it: their paths."""
    paths = []
    for part in parts:
        for source in part.files():
            full = part.full_name(source.name)
            _put(machine, source, f"{folder}/{full}", part)
            paths.append(f"{folder}/{full}")
            for link in (source.name, source.name.split(".so")[0] + ".so"):
                machine.at(f"{folder}/{link}").unlink(missing_ok=True)
                machine.link(f"{folder}/{link}", full)
                paths.append(f"{folder}/{link}")
    return paths


def _copy(machine: Machine, folder: str, cuda: Cuda, plain: bool) -> None:
    for part in cuda.parts:
        for source in part.files():
            _put(machine, source, f"{folder}/{cuda.name(source, plain)}", part)


def _header(machine: Machine, cuda: Cuda, folder: str) -> None:
    place(next(artifact(f"cudart-{cuda.release}").rglob("cuda.h")), machine.at(f"{folder}/cuda.h"))


def _toolkit(machine: Machine, root: str, cuda: Cuda, parts: list[Part], header: bool = True) -> None:
    target = f"{root}/targets/x86_64-linux"
    _install(machine, f"{target}/lib", parts)
    machine.link(f"{root}/lib64", "targets/x86_64-linux/lib")
    if header:
        _header(machine, cuda, f"{target}/include")
        machine.link(f"{root}/include", "targets/x86_64-linux/include")


def _pip(machine: Machine, site: str, cuda: Cuda) -> None:
    """As pip leaves the wheels. Those of cuDNN and NCCL for CUDA 13 replace the files of those for 12, whose metadata
    stays."""
    for part in cuda.parts:
        about, lines = f"{site}/{part.wheel}-{part.version}.dist-info", []
        for source in [*part.files(), *part.folder.glob("nvidia/*/include/cuda.h")]:
            inside = source.relative_to(part.folder)
            _put(machine, source, f"{site}/{inside}", part)
            lines.append(f"{inside},,{source.stat().st_size}\n")
        shutil.copytree(next(part.folder.glob("*.dist-info")), machine.at(about))
        metadata = machine.at(f"{about}/METADATA")
        machine.file(f"{about}/INSTALLER", "pip\n").file(
            f"{about}/METADATA", metadata.read_text(encoding="utf-8").replace("-cu12", f"-cu{cuda.major}"))
        if not machine.at(f"{about}/RECORD").exists():  # the cache has none of cuDNN and NCCL
            machine.file(f"{about}/RECORD", "".join(lines))


def _folders(machine: Machine, variable: str, folders: list[str]) -> str:
    """The newest first."""
    machine.env(**{variable: ":".join(reversed(folders))})
    return str(python())


def _next(release: str) -> str:
    """12.10 after 12.9, 13 after 12."""
    *before, last = release.split(".")
    return ".".join([*before, str(int(last) + 1)])


# ---- the layouts

def wheels(machine: Machine, cudas: list[Cuda], venv: str = "~/app/.venv") -> str:
    machine.file(f"{venv}/pyvenv.cfg", f"home = {python().parent}\ninclude-system-site-packages = false\n")
    machine.at(f"{venv}/bin").mkdir()
    machine.at(f"{venv}/bin/python").symlink_to(python())
    for cuda in cudas:
        _pip(machine, f"{venv}/{SITE}", cuda)
    return str(machine.at(f"{venv}/bin/python"))


def wheels_below_another_cuda(machine: Machine, cudas: list[Cuda]) -> str:
    return wheels(machine, cudas, "~/cuda-11.8/app/.venv")


def python_path(machine: Machine, cudas: list[Cuda]) -> str:
    folders = ["~/libs-a", "~/libs-b"][:len(cudas)]
    for cuda, folder in zip(cudas, folders):
        _pip(machine, folder, cuda)
    return _folders(machine, "PYTHONPATH", folders)


def conda(machine: Machine, cudas: list[Cuda]) -> str:
    """An environment has one CUDA: of two environments, LD_LIBRARY_PATH has the folders."""
    prefixes = ["/opt/conda/envs/a", "/opt/conda/envs/b"][:len(cudas)]
    for cuda, prefix in zip(cudas, prefixes):
        machine.conda_package(prefix, "cuda-version", cuda.release, [])
        for part in cuda.parts:
            target = "targets/x86_64-linux/lib"
            names = [Path(path).name for path in _install(machine, f"{prefix}/{target}", [part])]
            for name in names:
                machine.link(f"{prefix}/lib/{name}", f"../{target}/{name}")
            need = str(cuda.major) if part.name in _OWN else cuda.release
            machine.conda_package(prefix, _CONDA.get(part.name, f"lib{part.name}"), part.version,
                                  [f"{folder}/{name}" for folder in ("lib", target) for name in names],
                                  f"cuda-version >={need},<{_next(need)}.0a0")
    if len(cudas) == 1:
        return str(machine.at(machine.conda(prefixes[0])))
    return _folders(machine, "LD_LIBRARY_PATH", [f"{prefix}/lib" for prefix in prefixes])


def _local(machine: Machine, cudas: list[Cuda], own: str, dpkg: bool) -> str:
    """/usr/local/cuda-12.9, with cuDNN and NCCL in the folder `own`: of those, the newer replaces the older."""
    for cuda in cudas:
        root = f"/usr/local/cuda-{cuda.release}"
        _toolkit(machine, root, cuda, [], header=not dpkg)
        for part in cuda.parts:
            paths = _install(machine, own if part.name in _OWN else f"{root}/targets/x86_64-linux/lib", [part])
            if dpkg:
                release = cuda.release.replace(".", "-")
                name = {"cudnn": f"libcudnn9-cuda-{cuda.major}", "nccl": "libnccl2"}.get(
                    part.name, f"{_DEBIAN.get(part.name, f'lib{part.name}')}-{release}")
                machine.dpkg(name, f"{part.version}-1{f'+cuda{cuda.release}' if part.name == 'nccl' else ''}", *paths)
    machine.ldconfig(*(f"/usr/local/cuda-{cuda.release}/lib64" for cuda in reversed(cudas)), own)
    return str(python())


def debian(machine: Machine, cudas: list[Cuda]) -> str:
    """NVIDIA's packages of the libraries, without those of the headers."""
    return _local(machine, cudas, LIBRARIES, dpkg=True)


def rpm(machine: Machine, cudas: list[Cuda]) -> str:
    """The whole toolkits, in no database of packages."""
    return _local(machine, cudas, "/usr/lib64", dpkg=False)


def debian_own(machine: Machine, cudas: list[Cuda]) -> str:
    """Debian's CUDA 11.8, where the others have 12.9; beside it NVIDIA's packages of CUDA 13."""
    for part in Cuda(cudas[0].library, 11).parts:
        machine.dpkg(_DEBIAN_OWN[part.name], f"{part.version}~11.8.0-5~deb12u1",
                     *_install(machine, LIBRARIES, [part]))
    return debian(machine, cudas[1:])


def modules(machine: Machine, cudas: list[Cuda]) -> str:
    """cuDNN and NCCL have been unpacked into the toolkit's folder."""
    for cuda in cudas:
        _toolkit(machine, f"/apps/cuda/{cuda.release}", cuda, cuda.parts)
    return _folders(machine, "LD_LIBRARY_PATH", [f"/apps/cuda/{cuda.release}/lib64" for cuda in cudas])


def modules_plain_names(machine: Machine, cudas: list[Cuda]) -> str:
    for cuda in cudas:
        _copy(machine, f"/apps/cuda/{cuda.release}/lib64", cuda, plain=True)
        _header(machine, cuda, f"/apps/cuda/{cuda.release}/include")
    return _folders(machine, "LD_LIBRARY_PATH", [f"/apps/cuda/{cuda.release}/lib64" for cuda in cudas])


def hpc_sdk(machine: Machine, cudas: list[Cuda]) -> str:
    """cuDNN, which it lacks, is beside NCCL."""
    folders = []
    for cuda in cudas:
        root = "/opt/nvidia/hpc_sdk/Linux_x86_64/25.9"
        maths = [part for part in cuda.toolkit() if part.name in ("cublas", "curand", "cusolver", "cusparse")]
        _toolkit(machine, f"{root}/cuda/{cuda.release}", cuda, [part for part in cuda.toolkit() if part not in maths])
        _toolkit(machine, f"{root}/math_libs/{cuda.release}", cuda, maths, header=False)
        _install(machine, f"{root}/comm_libs/{cuda.release}/nccl/lib", cuda.own())
        folders += [f"{root}/cuda/{cuda.release}/lib64", f"{root}/math_libs/{cuda.release}/lib64",
                    f"{root}/comm_libs/{cuda.release}/nccl/lib"]
    return _folders(machine, "LD_LIBRARY_PATH", folders)


def easybuild(machine: Machine, cudas: list[Cuda]) -> str:
    folders = []
    for cuda in cudas:
        home = f"/apps/software/CUDA/{cuda.release}.0"
        _install(machine, f"{home}/lib", cuda.toolkit())
        machine.link(f"{home}/lib64", "lib")
        _header(machine, cuda, f"{home}/include")
        folders.append(f"{home}/lib")
        for part in cuda.own():
            name = {"cudnn": "cuDNN", "nccl": "NCCL"}[part.name]
            tools = "" if part.name == "cudnn" else "GCCcore-13.3.0-"
            folder = f"/apps/software/{name}/{part.version}-{tools}CUDA-{cuda.release}.0/lib"
            _install(machine, folder, [part])
            folders.append(folder)
    return _folders(machine, "LD_LIBRARY_PATH", folders)


def spack(machine: Machine, cudas: list[Cuda]) -> str:
    folders = []
    for cuda in cudas:
        store = "/opt/spack/opt/spack/linux-zen3"
        _toolkit(machine, f"{store}/cuda-{cuda.release}.0-4x5ghd7kq{cuda.major}", cuda, cuda.toolkit())
        folders.append(f"{store}/cuda-{cuda.release}.0-4x5ghd7kq{cuda.major}/lib64")
        for part in cuda.own():
            version = f"{part.version}-{cuda.major}" if part.name == "cudnn" else f"{part.version}-1"
            folder = f"{store}/{part.name}-{version}-o3lqz7ad{cuda.major}/lib"
            _install(machine, folder, [part])
            folders.append(folder)
    return _folders(machine, "LD_LIBRARY_PATH", folders)


def link_farm(machine: Machine, cudas: list[Cuda]) -> str:
    """cuda-13.5/lib64 and include have links into a pool, whose names say nothing."""
    for cuda, pool in zip(cudas, ("/pool/7c", "/pool/1f")):
        _copy(machine, pool, cuda, plain=False)
        _header(machine, cuda, pool)
        for file in machine.at(pool).iterdir():
            folder = "include" if file.suffix == ".h" else "lib64"
            machine.link(f"/opt/cuda-{cuda.release}/{folder}/{file.name}", f"{pool}/{file.name}")
    return _folders(machine, "LD_LIBRARY_PATH", [f"/opt/cuda-{cuda.release}/lib64" for cuda in cudas])


def copies(machine: Machine, cudas: list[Cuda]) -> str:
    """One folder. Of two CUDAs, the newer's library has the name without a number; the older's is installed last."""
    for cuda in reversed(cudas):
        _copy(machine, "/srv/libs", cuda, plain=cuda is cudas[-1])
    return _folders(machine, "LD_LIBRARY_PATH", ["/srv/libs"])


LAYOUTS: dict[str, Callable[[Machine, list[Cuda]], str]] = {
    "wheels": wheels, "wheels in ~/cuda-11.8": wheels_below_another_cuda, "wheels by PYTHONPATH": python_path,
    "conda": conda, "Debian, NVIDIA's": debian, "Debian's own": debian_own, "RPM": rpm, "module": modules,
    "module, plain names": modules_plain_names, "HPC SDK": hpc_sdk, "EasyBuild": easybuild, "Spack": spack,
    "link farm": link_farm, "plain copies": copies}
