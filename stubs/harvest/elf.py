"""What a shared library says about itself: its name, its needs, its exports and their versions.

Reads 64-bit little-endian ELF (x86_64 and aarch64) through the dynamic segment alone, because that
is what the dynamic linker uses and what survives stripping. No tool of the system is needed.
"""

import mmap
import struct
from dataclasses import dataclass, field
from pathlib import Path

PT_LOAD, PT_DYNAMIC = 1, 2
DT_NEEDED, DT_HASH, DT_STRTAB, DT_SYMTAB, DT_SONAME, DT_RPATH, DT_RUNPATH = 1, 4, 5, 6, 14, 15, 29
DT_GNU_HASH, DT_VERSYM, DT_VERDEF, DT_VERNEED = 0x6FFFFEF5, 0x6FFFFFF0, 0x6FFFFFFC, 0x6FFFFFFE
SHN_UNDEF, SHN_ABS = 0, 0xFFF1
STB_LOCAL = 0
MACHINES = {62: "x86_64", 183: "aarch64"}


class ElfError(ValueError):
    """The file is no ELF shared library that this reader understands; the text says why."""


@dataclass(frozen=True)
class Symbol:
    """One dynamic symbol; `default` tells name@@version from name@version."""

    name: str
    version: str
    default: bool
    defined: bool
    value: int
    size: int
    section: int
    weak: bool
    function: bool


@dataclass
class Library:
    path: Path
    machine: str
    soname: str = ""
    needed: list[str] = field(default_factory=list)
    runpath: list[str] = field(default_factory=list)
    versions_defined: list[str] = field(default_factory=list)
    versions_needed: dict[str, list[str]] = field(default_factory=dict)
    symbols: list[Symbol] = field(default_factory=list)

    def exports(self) -> list[Symbol]:
        """Defined functions and objects, without the absolute symbols that name version nodes."""
        return [s for s in self.symbols if s.defined and s.section != SHN_ABS]

    def undefined(self) -> list[Symbol]:
        return [s for s in self.symbols if not s.defined and s.name]


class _Image:
    """The mapped file, addressed as it would be in memory."""

    def __init__(self, data: mmap.mmap, path: Path) -> None:
        self.data, self.path = data, path
        if len(data) < 64 or data[:4] != b"\x7fELF":
            raise ElfError(f"{path}: not an ELF file")
        if data[4] != 2 or data[5] != 1:
            raise ElfError(f"{path}: not a 64-bit little-endian ELF file")
        (machine,) = struct.unpack_from("<H", data, 18)
        self.machine = MACHINES.get(machine, f"machine {machine}")
        (table,) = struct.unpack_from("<Q", data, 32)
        size, count = struct.unpack_from("<HH", data, 54)
        self.loads: list[tuple[int, int, int]] = []
        self.dynamic: tuple[int, int] = (0, 0)
        for index in range(count):
            kind, _, offset, address, _, length = struct.unpack_from(
                "<IIQQQQ", data, self._inside(table + index * size, size)
            )
            if kind == PT_LOAD:
                self.loads.append((address, offset, length))
            elif kind == PT_DYNAMIC:
                self.dynamic = (offset, length)
        if not self.dynamic[1]:
            raise ElfError(f"{path}: no dynamic segment, so no shared library")

    def _inside(self, offset: int, length: int) -> int:
        if offset < 0 or offset + length > len(self.data):
            raise ElfError(
                f"{self.path}: truncated: needs byte {offset + length} of {len(self.data)}"
            )
        return offset

    def offset(self, address: int) -> int:
        for start, at, length in self.loads:
            if start <= address < start + length:
                return at + address - start
        raise ElfError(f"{self.path}: address {address:#x} is in no loaded segment")

    def read(self, layout: str, address: int) -> tuple:
        at = self.offset(address)
        return struct.unpack_from(layout, self.data, self._inside(at, struct.calcsize(layout)))

    def string(self, address: int) -> str:
        at = self.offset(address)
        end = self.data.find(b"\0", at)
        return self.data[at:end].decode()


def _dynamic_entries(image: _Image) -> dict[int, list[int]]:
    entries: dict[int, list[int]] = {}
    start, length = image.dynamic
    for at in range(start, start + length, 16):
        tag, value = struct.unpack_from("<QQ", image.data, image._inside(at, 16))
        if tag == 0:
            break
        entries.setdefault(tag, []).append(value)
    return entries


def _symbol_count(image: _Image, entries: dict[int, list[int]]) -> int:
    """The dynamic symbol table has no length of its own: a hash table tells it."""
    if DT_HASH in entries:
        return image.read("<II", entries[DT_HASH][0])[1]
    if DT_GNU_HASH not in entries:
        return 0
    base = entries[DT_GNU_HASH][0]
    buckets, first, bloom, _ = image.read("<IIII", base)
    at = base + 16 + 8 * bloom
    last = max(image.read(f"<{buckets}I", at), default=0)
    if last < first:
        return first
    chain = at + 4 * buckets
    while not image.read("<I", chain + 4 * (last - first))[0] & 1:
        last += 1
    return last + 1


def _version_names(
    image: _Image, entries: dict[int, list[int]], strings: int, library: Library
) -> dict[int, str]:
    names: dict[int, str] = {}
    at = entries.get(DT_VERDEF, [0])[0]
    while at:
        _, flags, index, _, _, aux, following = image.read("<HHHHIII", at)
        name = image.string(strings + image.read("<II", at + aux)[0])
        if not flags & 1:
            names[index] = name
            library.versions_defined.append(name)
        at = at + following if following else 0
    at = entries.get(DT_VERNEED, [0])[0]
    while at:
        _, count, file_name, aux, following = image.read("<HHIII", at)
        where = at + aux
        wanted = library.versions_needed.setdefault(image.string(strings + file_name), [])
        for _ in range(count):
            _, _, other, name, next_aux = image.read("<IHHII", where)
            names[other] = image.string(strings + name)
            wanted.append(names[other])
            where += next_aux
        at = at + following if following else 0
    return names


def _symbols(
    image: _Image, entries: dict[int, list[int]], strings: int, names: dict[int, str]
) -> list[Symbol]:
    result: list[Symbol] = []
    table = entries[DT_SYMTAB][0]
    versions = entries.get(DT_VERSYM, [0])[0]
    for index in range(1, _symbol_count(image, entries)):
        name, info, _, section, value, size = image.read("<IBBHQQ", table + 24 * index)
        if info >> 4 == STB_LOCAL:
            continue
        version = image.read("<H", versions + 2 * index)[0] if versions else 1
        result.append(
            Symbol(
                image.string(strings + name),
                names.get(version & 0x7FFF, ""),
                not version & 0x8000,
                section != SHN_UNDEF,
                value,
                size,
                section,
                info >> 4 == 2,
                info & 15 in (2, 10),
            )
        )
    return result


def read(path: Path) -> Library:
    """Everything above about the library at `path`; raises ElfError with the reason."""
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError:
            raise ElfError(f"{path}: empty file") from None
    with data:
        try:
            image = _Image(data, Path(path))
            entries = _dynamic_entries(image)
            library = Library(Path(path), image.machine)
            if DT_STRTAB not in entries or DT_SYMTAB not in entries:
                raise ElfError(f"{path}: no dynamic symbol table")
            strings = entries[DT_STRTAB][0]
            library.soname = "".join(image.string(strings + v) for v in entries.get(DT_SONAME, []))
            library.needed = [image.string(strings + v) for v in entries.get(DT_NEEDED, [])]
            library.runpath = [
                image.string(strings + v)
                for tag in (DT_RPATH, DT_RUNPATH)
                for v in entries.get(tag, [])
            ]
            names = _version_names(image, entries, strings, library)
            library.symbols = _symbols(image, entries, strings, names)
        except (struct.error, UnicodeDecodeError) as error:
            raise ElfError(f"{path}: damaged ELF file: {error}") from None
        return library
