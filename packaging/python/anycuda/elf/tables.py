"""The tables of the dynamic section, written anew as far as a new content needs it."""

from __future__ import annotations

from . import layout
from .content import Content
from .draft import Draft
from .headers import Strings

# For whoever edits the file next.
_SPARE_SLOTS = 4


class Names:
    """The string table: names that it has already are used again, others are added at its end."""

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


def write(draft: Draft, content: Content, strings: Strings) -> None:
    """Everything of `content` that differs from the file, but for the dynamic section itself."""
    names = Names(strings.table)
    _needed(draft, content, names)
    for tag, text in ((layout.DT_SONAME, content.soname), (layout.DT_RPATH, content.rpath),
                      (layout.DT_RUNPATH, content.runpath)):
        old = draft.headers.value(tag)
        if text is not None and (old is None or strings.get(old) != text):
            draft.set(tag, names.offset(text))
    _base(draft, content, names)
    _versions(draft, content, strings, names)
    if names.new:
        _strings(draft, names)


def _needed(draft: Draft, content: Content, names: Names) -> None:
    """In the order and the places they had; new ones behind the last."""
    offsets = [names.offset(name) for name in content.needed]
    at = max((i for i, (tag, _) in enumerate(draft.slots) if tag == layout.DT_NEEDED), default=-1) + 1
    before = sum(tag == layout.DT_NEEDED for tag, _ in draft.slots)
    draft.slots[at:at] = [(layout.DT_NEEDED, 0)] * max(len(offsets) - before, 0)
    slots: list[tuple[int, int]] = []
    for tag, value in draft.slots:
        if tag != layout.DT_NEEDED:
            slots.append((tag, value))
        elif offsets:  # more of them than names where several became one
            slots.append((tag, offsets.pop(0)))
    draft.slots = slots


def _base(draft: Draft, content: Content, names: Names) -> None:
    """The base version is the library's own name. The dynamic linker never looks at it; tools show it."""
    if content.base is None or content.soname is None or content.soname == content.base.name:
        return
    headers, at = draft.headers, content.base.at
    record = layout.VERDEF.unpack(headers.at(at, layout.VERDEF.size, "version record"))
    aux = headers.offset(at + record[5], layout.VERDAUX.size, "version record")
    draft.overwrite(headers.offset(at, layout.VERDEF.size, "version record") + 8,
                    elf_hash(content.soname).to_bytes(4, "little"))
    draft.overwrite(aux, names.offset(content.soname).to_bytes(4, "little"))


def _versions(draft: Draft, content: Content, strings: Strings, names: Names) -> None:
    headers = draft.headers
    table = headers.value(layout.DT_VERSYM)
    for number, index in content.indices.items():
        assert table is not None
        draft.overwrite(headers.offset(table + 2 * number, 2, "table of versions"), index.to_bytes(2, "little"))
    if any(not node.at for need in content.needs for node in need.nodes):
        _append_needs(draft, content, names)
        return
    for need in content.needs:
        record = layout.VERNEED.unpack(headers.at(need.at, layout.VERNEED.size, "version record"))
        if strings.get(record[2]) != need.file:
            draft.overwrite(headers.offset(need.at, layout.VERNEED.size, "version record") + 4,
                            names.offset(need.file).to_bytes(4, "little"))


def _append_needs(draft: Draft, content: Content, names: Names) -> None:
    """The table of version needs grows, so it moves, and is written without gaps."""
    table = bytearray()
    for number, need in enumerate(content.needs):
        size = layout.VERNEED.size + layout.VERNAUX.size * len(need.nodes)
        last = number == len(content.needs) - 1
        first = layout.VERNEED.size if need.nodes else 0
        table += layout.VERNEED.pack(1, len(need.nodes), names.offset(need.file), first, 0 if last else size)
        for place, node in enumerate(need.nodes):
            step = layout.VERNAUX.size if place < len(need.nodes) - 1 else 0
            table += layout.VERNAUX.pack(elf_hash(node.name), node.flags, node.index, names.offset(node.name), step)
    address = draft.append(bytes(table))
    old = draft.headers.value(layout.DT_VERNEED)
    draft.set(layout.DT_VERNEED, address)
    draft.set(layout.DT_VERNEEDNUM, len(content.needs))
    if old is not None:
        draft.replace_section(layout.SHT_VERNEED, old, address, len(table), info=len(content.needs))


def _strings(draft: Draft, names: Names) -> None:
    old = draft.headers.value(layout.DT_STRTAB)
    assert old is not None
    table = names.old + bytes(names.new)
    place = draft.headers.offset(old, len(names.old), "string table")
    draft.left.append((place, place + len(names.old)))
    address = draft.append(table, 1)
    draft.set(layout.DT_STRTAB, address)
    draft.set(layout.DT_STRSZ, len(table))
    draft.replace_section(layout.SHT_STRTAB, old, address, len(table))


def has_slots(draft: Draft) -> bool:
    """Whether the entries can stay in the dynamic section that there is. Its end is an entry too."""
    headers = draft.headers
    spare = headers.slots[headers.used:]
    zeros = next((i for i, slot in enumerate(spare) if slot != (0, 0)), len(spare))
    return not draft.moves_dynamic and len(draft.slots) < headers.used + zeros


def write_dynamic(draft: Draft) -> int:
    """The dynamic section, in its place or appended; gives what the appended segment must allow. The dynamic
    linker writes into it, so it cannot be in a segment that is only read."""
    headers = draft.headers
    packed = b"".join(layout.DYNAMIC.pack(*slot) for slot in draft.slots)
    if has_slots(draft):
        size = layout.DYNAMIC.size * min(max(headers.used, len(draft.slots) + 1), len(headers.slots))
        draft.overwrite(headers.dynamic.offset, packed + bytes(size - len(packed)))
        return layout.PF_R
    packed += bytes(layout.DYNAMIC.size * (1 + _SPARE_SLOTS))
    address = draft.append(packed, 16)
    old, size = headers.dynamic, len(packed)
    draft.segments = [segment._replace(offset=draft.offset(address), address=address, physical=address, in_file=size,
                                       in_memory=size) if segment == old else segment for segment in draft.segments]
    draft.replace_section(layout.SHT_DYNAMIC, old.address, address, size)
    return layout.PF_R | layout.PF_W


def elf_hash(name: str) -> int:
    value = 0
    for byte in name.encode("utf-8", "surrogateescape"):
        value = (value << 4) + byte
        value = (value ^ (value & 0xF0000000) >> 24) & 0x0FFFFFFF
    return value
