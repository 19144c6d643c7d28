# SPDX-License-Identifier: Apache-2.0
"""Rewrites the tables of the dynamic section that an edit changes."""

from __future__ import annotations

from .. import layout
from ..headers import Strings
from .dynamic_info import DynamicInfo
from .patch_set import PatchSet

# Spare entries for the next program that edits the file.
_SPARE_SLOTS = 4


class Names:
    """The string table: existing names are reused, new names are appended."""

    def __init__(self, old: bytes) -> None:
        self.old, self.new = old, bytearray()

    def offset(self, name: str) -> int:
        wanted = name.encode("utf-8", "surrogateescape") + b"\0"
        at = self.old.find(wanted)
        if at >= 0:
            return at
        at = self.new.find(wanted)
        if at < 0:
            at = len(self.new)
            self.new += wanted
        return len(self.old) + at


def write(patch_set: PatchSet, info: DynamicInfo, strings: Strings) -> None:
    """Writes the differences between `info` and the file, except the dynamic section."""
    names = Names(strings.table)
    _needed(patch_set, info, names)
    for tag, text in ((layout.DT_SONAME, info.soname), (layout.DT_RPATH, info.rpath),
                      (layout.DT_RUNPATH, info.runpath)):
        old = patch_set.headers.value(tag)
        if text is not None and (old is None or strings.get(old) != text):
            patch_set.set(tag, names.offset(text))
    _base(patch_set, info, names)
    _versions(patch_set, info, strings, names)
    if names.new:
        _strings(patch_set, names)


def _needed(patch_set: PatchSet, info: DynamicInfo, names: Names) -> None:
    """Writes DT_NEEDED: existing entries keep their order and places, new ones follow the last."""
    offsets = [names.offset(name) for name in info.needed]
    at = max((i for i, (tag, _) in enumerate(patch_set.slots) if tag == layout.DT_NEEDED), default=-1) + 1
    before = sum(tag == layout.DT_NEEDED for tag, _ in patch_set.slots)
    patch_set.slots[at:at] = [(layout.DT_NEEDED, 0)] * max(len(offsets) - before, 0)
    slots: list[tuple[int, int]] = []
    for tag, value in patch_set.slots:
        if tag != layout.DT_NEEDED:
            slots.append((tag, value))
        elif offsets:  # fewer names than entries, if several became the same one
            slots.append((tag, offsets.pop(0)))
    patch_set.slots = slots


def _base(patch_set: PatchSet, info: DynamicInfo, names: Names) -> None:
    """Writes the base version, the library's name. The dynamic linker ignores it; tools show it."""
    if info.base is None or info.soname is None or info.soname == info.base.name:
        return
    headers, at = patch_set.headers, info.base.at
    record = layout.VERDEF.unpack(headers.at(at, layout.VERDEF.size, "version record"))
    aux = headers.offset(at + record[5], layout.VERDAUX.size, "version record")
    patch_set.overwrite(headers.offset(at, layout.VERDEF.size, "version record") + 8,
                        elf_hash(info.soname).to_bytes(4, "little"))
    patch_set.overwrite(aux, names.offset(info.soname).to_bytes(4, "little"))


def _versions(patch_set: PatchSet, info: DynamicInfo, strings: Strings, names: Names) -> None:
    headers = patch_set.headers
    table = headers.value(layout.DT_VERSYM)
    for number, index in info.indices.items():
        assert table is not None
        patch_set.overwrite(headers.offset(table + 2 * number, 2, "table of symbol versions"),
                            index.to_bytes(2, "little"))
    if any(not version.at for need in info.needs for version in need.versions):
        _append_needs(patch_set, info, names)
        return
    for need in info.needs:
        record = layout.VERNEED.unpack(headers.at(need.at, layout.VERNEED.size, "version record"))
        if strings.get(record[2]) != need.file:
            patch_set.overwrite(headers.offset(need.at, layout.VERNEED.size, "version record") + 4,
                                names.offset(need.file).to_bytes(4, "little"))


def _append_needs(patch_set: PatchSet, info: DynamicInfo, names: Names) -> None:
    """Moves the growing table of version needs, and writes it without gaps."""
    table = bytearray()
    for number, need in enumerate(info.needs):
        size = layout.VERNEED.size + layout.VERNAUX.size * len(need.versions)
        last = number == len(info.needs) - 1
        first = layout.VERNEED.size if need.versions else 0
        table += layout.VERNEED.pack(1, len(need.versions), names.offset(need.file), first, 0 if last else size)
        for place, version in enumerate(need.versions):
            step = layout.VERNAUX.size if place < len(need.versions) - 1 else 0
            table += layout.VERNAUX.pack(elf_hash(version.name), version.flags, version.index,
                                         names.offset(version.name), step)
    address = patch_set.append(bytes(table))
    old = patch_set.headers.value(layout.DT_VERNEED)
    patch_set.set(layout.DT_VERNEED, address)
    patch_set.set(layout.DT_VERNEEDNUM, len(info.needs))
    if old is not None:
        patch_set.replace_section(layout.SHT_VERNEED, old, address, len(table), info=len(info.needs))


def _strings(patch_set: PatchSet, names: Names) -> None:
    old = patch_set.headers.value(layout.DT_STRTAB)
    assert old is not None
    table = names.old + bytes(names.new)
    place = patch_set.headers.offset(old, len(names.old), "string table")
    patch_set.left.append((place, place + len(names.old)))
    address = patch_set.append(table, 1)
    patch_set.set(layout.DT_STRTAB, address)
    patch_set.set(layout.DT_STRSZ, len(table))
    patch_set.replace_section(layout.SHT_STRTAB, old, address, len(table))


def has_slots(patch_set: PatchSet) -> bool:
    """Does the existing dynamic section have room for the entries, including the one at its end?"""
    headers = patch_set.headers
    spare = headers.slots[headers.used:]
    zeros = next((i for i, slot in enumerate(spare) if slot != (0, 0)), len(spare))
    return not patch_set.moves_dynamic and len(patch_set.slots) < headers.used + zeros


def write_dynamic(patch_set: PatchSet) -> int:
    """Writes the dynamic section, in place or appended; returns the flags of the appended segment. The dynamic linker
    writes into the section, so its segment must be writable."""
    headers = patch_set.headers
    packed = b"".join(layout.DYNAMIC.pack(*slot) for slot in patch_set.slots)
    if has_slots(patch_set):
        size = layout.DYNAMIC.size * min(max(headers.used, len(patch_set.slots) + 1), len(headers.slots))
        patch_set.overwrite(headers.dynamic.offset, packed + bytes(size - len(packed)))
        return layout.PF_R
    packed += bytes(layout.DYNAMIC.size * (1 + _SPARE_SLOTS))
    address = patch_set.append(packed, 16)
    old, size = headers.dynamic, len(packed)
    moved = {"offset": patch_set.offset(address), "address": address, "physical": address, "in_file": size,
             "in_memory": size}
    patch_set.segments = [segment._replace(**moved) if segment == old else segment for segment in patch_set.segments]
    patch_set.replace_section(layout.SHT_DYNAMIC, old.address, address, size)
    return layout.PF_R | layout.PF_W


def elf_hash(name: str) -> int:
    value = 0
    for byte in name.encode("utf-8", "surrogateescape"):
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value
