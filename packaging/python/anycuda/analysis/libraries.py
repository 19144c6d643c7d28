# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's libraries, as the build wrote them into matrix.json: those that have a stub, and the others."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from pathlib import Path

from ..elf.read import Image
from ..failure import Failure
from ..matrix import data

NATIVE = "ANYCUDA_NATIVE"  # the version of a reference that was linked to a stub itself: no major is known
# libcudart-5a077122.so.12.0.107, libcudart.45e7f3ed.so.12: the first characters of a hash, as auditwheel and as
# PyTorch's own scripts put them into a name.
_HASHED = re.compile(r"(.+)[-.][0-9a-f]{6,64}(\.so(?:\..*)?)")
# The stubs of TileLang, whose functions have no versions; in older releases they had the names of anycuda's.
_PEERS = {"libstub_cudart.so": "cudart", "libstub_nvrtc.so": "nvrtc", "libstub_cuda.so": "cuda"}


@dataclass(frozen=True)
class Major:
    """CUDA's; several may have the same SONAME (libcusparse.so.12 is of CUDA 12 and 13). `node` is the symbol version
    that callers of this major ask for; functions of the driver, NCCL and nvFatbin 12 have none."""

    number: str
    soname: str
    node: str | None


@dataclass(frozen=True)
class Library:
    """`symbols`: function -> the majors that export it, oldest first. A driver's has the one major "1"; of a library
    with its own releases every function is of the first major that these are for."""

    name: str
    product: str
    stub: str
    is_driver: bool
    file_prefix: str
    majors: dict[str, Major]
    symbols: dict[str, tuple[str, ...]]
    own_releases: bool = False  # numbered apart from CUDA's
    parts: str = ""  # how the names of its other files begin: libcudnn_
    wheels: dict[str, str] = field(default_factory=dict)  # major -> the distribution on PyPI that brings it
    toolkit_extra: str = ""  # of PyPI's cuda-toolkit, which requires that distribution
    companions: tuple[str, ...] = ()  # other libraries in it, numbered as this one: libnvblas
    served_by: str = ""  # the library's own major that serves these callers: cuDNN 9 those of cuDNN 8

    @property
    def stem(self) -> str:
        """libcudart"""
        return self.file_prefix[: -len(".so")]

    def is_part(self, stem: str) -> bool:
        """libcudnn_ops; not libcudnn"""
        return bool(self.parts) and stem.startswith(self.parts)

    @property
    def tells_built_for(self) -> bool:
        """Does what a program asks of it tell the CUDA that the program was built for?"""
        return not (self.is_driver or self.own_releases)

    @property
    def names_tell_major(self) -> bool:
        """Have callers of different CUDAs different SONAMEs to open? Not libcurand.so.10, libnccl.so.2, libcuda.so.1,
        which are the same beside every CUDA."""
        return self.tells_built_for and len({major.soname for major in self.majors.values()}) > 1

    @property
    def records_major(self) -> bool:
        """Does every program that was linked to a major's library in lib/anycuda/link say so by symbol versions?"""
        return self.tells_built_for and all(major.node for major in self.majors.values())

    @property
    def has_cudas_numbers(self) -> bool:
        """Is the number of its SONAME that of CUDA, as libcudart.so.12's? Not that of libcusolver.so.11, of CUDA 12."""
        return all(one.soname.startswith(f"{self.file_prefix}.{one.number}") for one in self.majors.values())

    def like(self, major: str) -> list[str]:
        """The majors with the SONAME of `major`, oldest first: their callers ask for the same version."""
        return [one.number for one in self.majors.values() if one.soname == self.majors[major].soname]

    def first(self, major: str) -> str:
        """Stands for all majors of its SONAME."""
        return self.like(major)[0]

    def label(self, major: str) -> str:
        """12; 12 or 13"""
        return " or ".join(self.like(major))

    def of_file(self, number: str) -> str | None:
        """The major of libcusparse.so.12.5.10, by its 12."""
        start = f"{self.file_prefix}.{number}"
        return next((one.number for one in self.majors.values() if f"{one.soname}.".startswith(f"{start}.")), None)

    @property
    def wheel_stub(self) -> str:
        return f"{wheel_stem(self.name)}.so"


@dataclass(frozen=True)
class Named:
    """What a file's name says. `how` is "named" (NVIDIA's), "renamed" (a bundled copy), "stub" (ours) or
    "peer" (another project's stub); `major` is "" where the name does not tell."""

    library: Library
    how: str
    major: str


@dataclass(frozen=True)
class Product:
    """Libraries without a stub. `of_cuda`: of CUDA or cuDNN itself. `distribution`: on PyPI, without the -cu12 of its
    name; "" where none is known. `libraries`: how the names of their files begin."""

    of_cuda: bool
    distribution: str
    libraries: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """`drivers`: branch -> the CUDA release that it came with. `static_runtimes`: CUDA release -> a string that the
    runtimes from this release on have in them (static_runtime.py). Both the oldest first."""

    libraries: dict[str, Library]
    others: dict[str, tuple[str, ...]]  # nppc -> its SONAMEs
    drivers: dict[str, str] = field(default_factory=dict)
    static_runtimes: dict[str, str] = field(default_factory=dict)
    products: tuple[Product, ...] = ()

    def of_node(self, node: str) -> tuple[Library, str] | None:
        """libcudart.so.12 -> (cudart, "12")"""
        return self._nodes.get(node)

    def of_symbol(self, name: str) -> Library | None:
        return self._symbols.get(name)

    def of_string(self, file: str) -> Library:
        """Of a name that begins like a library's: the library that it names, else the first of that stem."""
        named = self.named(file)
        stem = file.partition(".so")[0]
        return named.library if named else next(one for one in self.libraries.values() if one.stem == stem)

    def named(self, file: str) -> Named | None:
        """What DT_NEEDED or DT_SONAME `file` is, if it is of a library that has a stub. Not one of a major
        without a stub (libcudart.so.10.2)."""
        if file not in self._known:
            self._known[file] = self._named(file)
        return self._known[file]

    def _named(self, file: str) -> Named | None:
        for library in self.libraries.values():
            for major in library.majors.values():
                if file == major.soname:
                    return Named(library, "named", major.number)
            if file == library.file_prefix:
                return Named(library, "named", "")
            if _unhashed(file) in (library.stub, library.wheel_stub):  # the first in wheels of older releases
                return Named(library, "stub", "")
            if _PEERS.get(file) == library.name:
                return Named(library, "peer", "")
            if _unhashed(file) != file and _unhashed(file).partition(".so")[0] == library.stem:
                renamed = self._renamed(library, _unhashed(file))
                if renamed:  # libcudnn.so.9 is of one library, libcudnn.so.8 of another
                    return renamed
        return None

    def has_no_stub(self, file: str) -> bool:
        """libnppc.so.12, libnppc-3b81d170.so.12.0.2; a major or a part of a library that has one, for which there is
        none: libcudart.so.10.2, libcudnn_ops.so.9"""
        stem, dot, _ = _unhashed(file).partition(".so")
        if not dot or self.named(file) is not None:
            return False
        return stem in self.unstubbed_stems or any(
            self.is_beyond_stub(file, library) for library in self.libraries.values())

    def is_of_cuda(self, file: str) -> bool:
        """Of CUDA or cuDNN itself, with a stub or without: libcublas.so.12, libcudnn_ops.so.9, libnppc.so.12; not
        NVIDIA's other products, which use CUDA as programs do."""
        stem, dot, _ = _unhashed(file).partition(".so")
        if not dot or stem in self._other_products:
            return False
        return self.named(file) is not None or self.has_no_stub(file)

    def ties_to_cuda(self, file: str) -> bool:
        """Is its name of one CUDA? Not libcutensor.so.2, libcudnn_ops.so.9 and libnccl.so.2, which have numbers of
        their own, the same beside every CUDA; nor libcupti.so, which has none."""
        return self.cuda_of(file) is not None

    def cuda_of(self, file: str) -> str | None:
        """The CUDA that a name is of: "12" of libnppc.so.12 and libcublas.so.12, "12 or 13" of libcusparse.so.12; "" of
        libcudnn.so.7, which is of few CUDAs and has another number; None of a name that is the same beside every
        CUDA."""
        stem, _, number = _unhashed(file).partition(".so")
        first = number.lstrip(".").partition(".")[0]
        if stem in self._other_products or not first or any(one.is_part(stem) for one in self.libraries.values()):
            return None
        of_stem = [one for one in self.libraries.values() if stem in (one.stem, *one.companions)]
        if stem in self._stems and not of_stem:
            return first if first in self._cuda_majors else None
        known = [(one, major) for one in of_stem if (major := one.of_file(first)) is not None]
        if not of_stem or any(one.is_driver for one in of_stem):
            return None
        if known:
            library, major = known[0]
            return library.label(major) if library.names_tell_major else None
        return first if of_stem[0].has_cudas_numbers else ""

    def is_beyond_stub(self, file: str, library: Library) -> bool:
        """libcudart.so.10.2, libcudnn_ops.so.9: the library, of a major that has no stub, or one of another library; or
        a part of it."""
        stem, dot, _ = _unhashed(file).partition(".so")
        named = self.named(file)
        if named and named.library is library:
            return False
        return stem == library.stem or bool(dot) and library.is_part(stem)

    def _renamed(self, library: Library, plain: str) -> Named | None:
        """By libcudart.so.12.0.107; the driver's number is its branch."""
        number = plain[len(library.file_prefix) + 1:].split(".")[0]
        if library.is_driver:
            return Named(library, "renamed", next(iter(library.majors)))
        major = library.of_file(number) if number else ""  # a major without a stub: None
        return Named(library, "renamed", major) if major is not None else None

    @functools.cached_property
    def _known(self) -> dict[str, Named | None]:
        """The answers of named(): it is asked about the same file once for each library."""
        return {}

    @functools.cached_property
    def _nodes(self) -> dict[str, tuple[Library, str]]:
        return {major.node: (library, library.first(major.number))
                for library in self.libraries.values() for major in library.majors.values() if major.node}

    @functools.cached_property
    def _symbols(self) -> dict[str, Library]:
        # cudnn8 has the names of cuDNN, which comes first and keeps them.
        return {symbol: library for library in reversed(self.libraries.values()) for symbol in library.symbols}

    @functools.cached_property
    def _cuda_majors(self) -> frozenset[str]:
        return frozenset(major for one in self.libraries.values() if not one.is_driver for major in one.majors)

    def product_of(self, file: str) -> str:
        """The distribution of a library without a stub, without its -cu12: cutensor of libcutensor.so.2. "" where none
        is known."""
        found = [start for start in self._distributions if file.startswith(start)]
        return self._distributions[max(found, key=len)] if found else ""

    @functools.cached_property
    def _distributions(self) -> dict[str, str]:
        return {start: one.distribution for one in self.products for start in one.libraries}

    @functools.cached_property
    def _other_products(self) -> frozenset[str]:
        """The stems of cuTENSOR's, TensorRT's and other products' libraries."""
        return frozenset(stem for one in self.products if not one.of_cuda for stem in one.libraries)

    @functools.cached_property
    def unstubbed_stems(self) -> frozenset[str]:
        """libnppc, libnvinfer"""
        return self._stems | self._other_products

    @property
    def unstubbed_sonames(self) -> tuple[str, ...]:
        return tuple(soname for sonames in self.others.values() for soname in sonames)

    @functools.cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(soname.partition(".so")[0] for soname in self.unstubbed_sonames)


def is_anycudas(image: Image) -> bool:
    """A stub or a drop-in: each defines this version, those of libraries without versions (NCCL, NVML) too. A file that
    a stub was linked into does not."""
    return NATIVE in image.versions_defined


def wheel_stem(library: str) -> str:
    """What a stub's name in wheels begins with; a hash follows. Without "libcudart": vLLM, SGLang and FlashInfer take
    the first mapped file whose name has that for the runtime."""
    return f"libanycuda_{library}"


def _unhashed(file: str) -> str:
    found = _HASHED.fullmatch(file)
    return found[1] + found[2] if found else file


@functools.cache
def table(path: Path | None = None) -> Table:
    """Of `path`, a matrix.json; by default the installed one."""
    text = data.read(path)
    try:
        libraries = {name: _library(name, about) for name, about in text["libraries"].items()}
        return Table(libraries, {name: tuple(sonames) for name, sonames in text["others"].items()},
                     {str(row["driver"]): row["cuda"] for row in text["device_code"]["releases"] if row["driver"]},
                     dict(text["static_runtimes"]),
                     tuple(Product(row["of_cuda"], row["distribution"], tuple(row["libraries"]))
                           for row in text["products"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{path or data.find()} lacks {error}: it was made for another anycuda") from None


def _library(name: str, about: dict) -> Library:
    majors = {number: Major(number, row["soname"], row["node"]) for number, row in about["majors"].items()}
    callers: dict[str, list[str]] = {}
    for symbol, caller, _ in about["rows"]:
        callers.setdefault(symbol, []).append(caller if caller in majors else next(iter(majors)))
    symbols = {symbol: tuple(sorted(found, key=int)) for symbol, found in callers.items()}
    return Library(name, about["product"], about["stub"], about["is_driver"], about["file_prefix"], majors, symbols,
                   about["own_releases"], about["parts"], about["wheels"], about["toolkit_extra"],
                   tuple(about["companions"]), about["served_by"])
