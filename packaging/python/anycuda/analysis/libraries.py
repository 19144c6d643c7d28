# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's libraries with and without a stub, as the build wrote them into matrix.json."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..elf.read import Image
from ..failure import Failure
from ..kind import Kind
from ..matrix import data

NATIVE = "ANYCUDA_NATIVE"  # the version of a reference that was linked to a stub directly: its major is unknown
# libcudart-5a077122.so.12.0.107, libcudart.45e7f3ed.so.12: the first characters of a hash, as auditwheel and PyTorch's
# scripts put them into a name.
_HASHED = re.compile(r"(.+)[-.][0-9a-f]{6,64}(\.so(?:\..*)?)")
# TileLang's stubs; their functions have no versions, and in older releases they had the names of anycuda's.
_OTHER_STUBS = {"libstub_cudart.so": "cudart", "libstub_nvrtc.so": "nvrtc", "libstub_cuda.so": "cuda"}


@dataclass(frozen=True)
class Major:
    """A CUDA major. Several may have the same SONAME (libcusparse.so.12 belongs to CUDA 12 and 13). `symbol_version`:
    the one that callers of this major reference; functions of the driver, NCCL and nvFatbin 12 have none."""

    number: str
    soname: str
    symbol_version: str | None


@dataclass(frozen=True)
class Library:
    """`symbols`: function -> the majors that export it, oldest first. A driver library has the single major "1"; every
    function of a library with its own releases belongs to the first major of these."""

    name: str
    product: str
    stub: str
    is_driver: bool
    file_prefix: str
    majors: dict[str, Major]
    symbols: dict[str, tuple[str, ...]]
    own_releases: bool = False  # numbered independently of CUDA's
    parts: str = ""  # the prefix of its other files: libcudnn_
    wheels: dict[str, str] = field(default_factory=dict)  # major -> the distribution on PyPI that brings it
    toolkit_extra: str = ""  # the extra of PyPI's cuda-toolkit that requires the distribution
    packages: dict[str, str] = field(default_factory=dict)  # package manager -> package
    first_release: str = ""  # of CUDA, that has the library; "" if its releases are not CUDA's
    is_optional: bool = False  # without it every call does nothing: NVTX
    companions: tuple[str, ...] = ()  # other libraries in the distribution, with the same numbers: libnvblas
    served_by: str = ""  # the library's major that serves these callers: cuDNN 9 serves those of cuDNN 8
    symbol_versions: frozenset[str] = frozenset()  # of its functions, if it has several, which tell no major: cuTENSOR
    driver_bound: bool = False  # it needs a driver that is new enough for its CUDA

    @property
    def stem(self) -> str:
        """libcudart"""
        return self.file_prefix[: -len(".so")]

    def is_part(self, stem: str) -> bool:
        """True for libcudnn_ops; False for libcudnn"""
        return bool(self.parts) and stem.startswith(self.parts)

    @property
    def tells_built_for(self) -> bool:
        """Do a program's references to it tell the CUDA that the program was built for?"""
        return not (self.is_driver or self.own_releases)

    @property
    def names_tell_major(self) -> bool:
        """Do callers of different CUDAs open different SONAMEs? False for libcurand.so.10, libnccl.so.2 and
        libcuda.so.1, which are the same for every CUDA."""
        return self.tells_built_for and len({major.soname for major in self.majors.values()}) > 1

    @property
    def records_major(self) -> bool:
        """Does every program that was linked to a major's library in lib/anycuda/link record the major by symbol
        versions?"""
        return self.tells_built_for and all(major.symbol_version for major in self.majors.values())

    @property
    def has_cudas_numbers(self) -> bool:
        """Is the number of its SONAME CUDA's? True for libcudart.so.12; False for libcusolver.so.11 of CUDA 12."""
        return all(map(self.has_number_of, self.majors))

    def has_number_of(self, major: str) -> bool:
        """has_cudas_numbers, of one major."""
        return major in self.majors and self.majors[major].soname.startswith(f"{self.file_prefix}.{major}")

    def like(self, major: str) -> list[str]:
        """The majors with the SONAME of `major`, oldest first; their callers reference the same version."""
        return [other.number for other in self.majors.values() if other.soname == self.majors[major].soname]

    def first(self, major: str) -> str:
        """The major that represents all majors of its SONAME."""
        return self.like(major)[0]

    def label(self, major: str) -> str:
        """12; 12 or 13"""
        return " or ".join(self.like(major))

    def of_file(self, number: str) -> str | None:
        """The major of libcusparse.so.12.5.10, from its 12."""
        start = f"{self.file_prefix}.{number}"
        return next((major.number for major in self.majors.values() if f"{major.soname}.".startswith(f"{start}.")),
                    None)

    @property
    def wheel_stub(self) -> str:
        return f"{wheel_stem(self.name)}.so"


class Linking(Kind):
    """How a file uses a library. The first four are also what an entry of DT_NEEDED may name."""

    NAMED = "named"  # NVIDIA's SONAME
    RENAMED = "renamed"  # the name of a bundled copy: libcudart-5a077122.so.12.0.107
    STUB = "stub"  # a stub of anycuda's
    PEER = "peer"  # a stub of another project
    UNNAMED = "unnamed"  # no entry of DT_NEEDED provides the used functions; the program that loads the file does
    LOADED = "loaded"  # the file may load it with dlopen; the functions that it looks up are unknown

    @property
    def is_nvidias(self) -> bool:
        return self in (Linking.NAMED, Linking.RENAMED)


@dataclass(frozen=True)
class Named:
    """The library that a file's name stands for. `how`: NAMED, RENAMED, STUB or PEER. `major`: "" if the name does not
    tell it."""

    library: Library
    how: Linking
    major: str


@dataclass(frozen=True)
class Product:
    """Libraries without a stub. `of_cuda`: part of CUDA or cuDNN. `distribution`: its name on PyPI without -cu12; "" if
    unknown. `libraries`: the prefixes of their file names."""

    of_cuda: bool
    distribution: str
    libraries: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """`drivers`: branch -> its CUDA release. `static_runtimes`: CUDA release -> a string that runtimes since this
    release contain (static_runtime.py). Both oldest first."""

    libraries: dict[str, Library]
    others: dict[str, tuple[str, ...]]  # nppc -> its SONAMEs
    drivers: dict[str, str] = field(default_factory=dict)
    static_runtimes: dict[str, str] = field(default_factory=dict)
    products: tuple[Product, ...] = ()

    def of_symbol_version(self, symbol_version: str) -> tuple[Library, str] | None:
        """libcudart.so.12 -> (cudart, "12")"""
        return self._symbol_versions.get(symbol_version)

    def of_symbol(self, name: str) -> Library | None:
        return self._symbols.get(name)

    def of_string(self, file: str) -> Library:
        """The library that a string names; if only the stem matches, the first library of that stem."""
        named = self.named(file)
        stem = file.partition(".so")[0]
        return named.library if named else next(library for library in self.libraries.values() if library.stem == stem)

    def named(self, file: str) -> Named | None:
        """The library that `file`, an entry of DT_NEEDED or DT_SONAME, names, if it has a stub. None for a major
        without a stub (libcudart.so.10.2)."""
        if file not in self._known:
            self._known[file] = self._named(file)
        return self._known[file]

    def _named(self, file: str) -> Named | None:
        for library in self.libraries.values():
            for major in library.majors.values():
                if file == major.soname:
                    return Named(library, Linking.NAMED, major.number)
            if file == library.file_prefix:
                return Named(library, Linking.NAMED, "")
            if _unhashed(file) in (library.stub, library.wheel_stub):  # library.stub in wheels of older releases
                return Named(library, Linking.STUB, "")
            if _OTHER_STUBS.get(file) == library.name:
                return Named(library, Linking.PEER, "")
            if _unhashed(file) != file and _unhashed(file).partition(".so")[0] == library.stem:
                renamed = self._renamed(library, _unhashed(file))
                if renamed:  # libcudnn.so.9 and libcudnn.so.8 are different libraries here
                    return renamed
        return None

    def has_no_stub(self, file: str) -> bool:
        """Is it a library without a stub (libnppc.so.12, libnppc-3b81d170.so.12.0.2), or an unstubbed major or part of
        a library with one (libcudart.so.10.2, libcudnn_ops.so.9)?"""
        stem, dot, _ = _unhashed(file).partition(".so")
        if not dot or self.named(file) is not None:
            return False
        return stem in self.unstubbed_stems or any(
            self.is_beyond_stub(file, library) for library in self.libraries.values())

    def is_of_cuda(self, file: str) -> bool:
        """Is it part of CUDA or cuDNN, with or without a stub (libcublas.so.12, libcudnn_ops.so.9, libnppc.so.12)?
        False for NVIDIA's other products, which use CUDA as programs do."""
        stem, dot, _ = _unhashed(file).partition(".so")
        if not dot or stem in self._other_products:
            return False
        return self.named(file) is not None or self.has_no_stub(file)

    def ties_to_cuda(self, file: str) -> bool:
        """Does its name belong to one CUDA? False for libcutensor.so.2, libcudnn_ops.so.9 and libnccl.so.2, whose
        numbers are the same for every CUDA, and for libcupti.so, which has no number."""
        return self.cuda_of(file) is not None

    def cuda_of(self, file: str) -> str | None:
        """The CUDA of a name: "12" for libnppc.so.12 and libcublas.so.12, "12 or 13" for libcusparse.so.12; "" for
        libcudnn.so.7, which exists for few CUDAs and has its own number; None for a name that is the same for every
        CUDA."""
        stem, _, number = _unhashed(file).partition(".so")
        first = number.lstrip(".").partition(".")[0]
        if not first or stem in self._other_products or any(
                library.is_part(stem) for library in self.libraries.values()):
            return None
        of_stem = [library for library in self.libraries.values() if stem in (library.stem, *library.companions)]
        if stem in self._stems and not of_stem:
            return first if first in self._cuda_majors else None
        numbered = [(library, major) for library in of_stem if (major := library.of_file(first)) is not None]
        if not of_stem or any(library.is_driver for library in of_stem):
            return None
        if numbered:
            library, major = numbered[0]
            return library.label(major) if library.names_tell_major else None
        return first if of_stem[0].has_cudas_numbers else ""

    def is_beyond_stub(self, file: str, library: Library) -> bool:
        """Is it a part of the library, or a major that its stub does not cover: libcudart.so.10.2,
        libcudnn_ops.so.9?"""
        stem, dot, _ = _unhashed(file).partition(".so")
        named = self.named(file)
        if named and named.library is library:
            return False
        return stem == library.stem or bool(dot) and library.is_part(stem)

    def _renamed(self, library: Library, plain: str) -> Named | None:
        """Recognises libcudart.so.12.0.107; a driver's number is its branch."""
        number = plain[len(library.file_prefix) + 1:].split(".")[0]
        if library.is_driver:
            return Named(library, Linking.RENAMED, next(iter(library.majors)))
        major = library.of_file(number) if number else ""  # a major without a stub: None
        return Named(library, Linking.RENAMED, major) if major is not None else None

    @functools.cached_property
    def _known(self) -> dict[str, Named | None]:
        """Answers of named(), which is called for the same file once per library."""
        return {}

    @functools.cached_property
    def _symbol_versions(self) -> dict[str, tuple[Library, str]]:
        return {major.symbol_version: (library, library.first(major.number))
                for library in self.libraries.values() for major in library.majors.values() if major.symbol_version}

    @functools.cached_property
    def _symbols(self) -> dict[str, Library]:
        # cudnn8 has the functions of cuDNN, which comes first and keeps them.
        return {symbol: library for library in reversed(self.libraries.values()) for symbol in library.symbols}

    @functools.cached_property
    def _cuda_majors(self) -> frozenset[str]:
        return frozenset(major for library in self.libraries.values() if not library.is_driver
                         for major in library.majors)

    def product_of(self, file: str) -> str:
        """The distribution of an unstubbed library, without -cu12: cutensor for libcutensor.so.2; "" if unknown."""
        prefixes = [start for start in self._distributions if file.startswith(start)]
        return self._distributions[max(prefixes, key=len)] if prefixes else ""

    @functools.cached_property
    def _distributions(self) -> dict[str, str]:
        return {start: product.distribution for product in self.products for start in product.libraries}

    @functools.cached_property
    def _other_products(self) -> frozenset[str]:
        """The stems of cuTENSOR's, TensorRT's and other products' libraries."""
        return frozenset(stem for product in self.products if not product.of_cuda for stem in product.libraries)

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
    """Is it a stub or drop-in? Each of them defines this version, even for libraries without versions (NCCL, NVML); a
    file into which a stub was linked does not."""
    return NATIVE in image.versions_defined


def wheel_stem(library: str) -> str:
    """The prefix of a stub's name in wheels; a hash follows. It must not contain "libcudart": vLLM, SGLang and
    FlashInfer take the first mapped file with that in its name for the runtime."""
    return f"libanycuda_{library}"


def _unhashed(file: str) -> str:
    match = _HASHED.fullmatch(file)
    return match[1] + match[2] if match else file


@functools.cache
def table(path: Path | None = None) -> Table:
    """The table of `path`, a matrix.json; by default the installed one."""
    text = data.read(path)
    try:
        libraries = {name: _library(name, about) for name, about in text["libraries"].items()}
        return Table(libraries, {name: tuple(sonames) for name, sonames in text["others"].items()},
                     {str(row["driver"]): row["cuda"] for row in text["device_code"]["releases"] if row["driver"]},
                     dict(text["static_runtimes"]),
                     tuple(Product(row["of_cuda"], row["distribution"], tuple(row["libraries"]))
                           for row in text["products"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{path or data.find()} cannot be read ({error!r}): it belongs to another version of anycuda; "
                      "install anycuda again") from None


def _library(name: str, about: dict[str, Any]) -> Library:
    majors = {number: Major(number, row["soname"], row["node"]) for number, row in about["majors"].items()}
    callers: dict[str, list[str]] = {}
    for symbol, caller, _ in about["rows"]:
        callers.setdefault(symbol, []).append(caller if caller in majors else next(iter(majors)))
    symbols = {symbol: tuple(sorted(majors_, key=int)) for symbol, majors_ in callers.items()}
    return Library(name, about["product"], about["stub"], about["is_driver"], about["file_prefix"], majors, symbols,
                   about["own_releases"], about["parts"], about["wheels"], about["toolkit_extra"], about["packages"],
                   about["first_release"], about["is_optional"], tuple(about["companions"]), about["served_by"],
                   frozenset(about.get("symbol_versions", ())), about["driver_bound"])
