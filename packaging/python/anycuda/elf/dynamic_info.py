# SPDX-License-Identifier: Apache-2.0
"""What an edit asks for, and what a file's dynamic section says when it is done. Names alone, no bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from . import layout, symbols, versions
from .headers import Headers, Strings


@dataclass(frozen=True)
class Edit:
    """`needed`: old name -> new one, also where symbol versions name the file. `rpath` are folders to add behind
    those of the search path, whose kind is kept; a new one is a DT_RPATH, or, with `new_runpath`, a DT_RUNPATH.
    `set_rpath` is a whole path in place of what is there.
    `versions`: undefined symbol without version -> (file of it, node)."""

    needed: Mapping[str, str] = field(default_factory=dict)
    add_needed: Sequence[str] = ()
    soname: str | None = None
    rpath: Sequence[str] = ()
    set_rpath: str | None = None
    versions: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    new_runpath: bool = False

    def as_json(self) -> dict[str, Any]:
        return asdict(self)

    @staticmethod
    def from_json(value: dict[str, Any]) -> Edit:
        edit = Edit(**value)
        versions = {name: (file, node) for name, (file, node) in edit.versions.items()}
        edit = Edit(dict(edit.needed), tuple(edit.add_needed), edit.soname, tuple(edit.rpath), edit.set_rpath, versions,
                    bool(edit.new_runpath))
        if not all(isinstance(name, str) for name in [*edit.names(), *edit.needed, *edit.versions]):
            raise ValueError("an edit has names that are none")
        return edit

    def names(self) -> list[str]:
        """All that would come to stand in the file."""
        given = [*self.needed.values(), *self.add_needed, *self.rpath]
        given += [name for pair in self.versions.values() for name in pair]
        return given + [name for name in (self.soname, self.set_rpath) if name is not None]


@dataclass
class DynamicInfo:
    """`indices`: number of a symbol -> version index. The needs are those of the file, with new names in them;
    those that it does not have yet are at the end, and have no address."""

    needed: list[str]
    soname: str | None
    rpath: str | None
    runpath: str | None
    needs: list[versions.Need]
    base: versions.Node | None = None
    indices: dict[int, int] = field(default_factory=dict)


def of(headers: Headers, strings: Strings) -> DynamicInfo:
    def text(tag: int) -> str | None:
        value = headers.value(tag)
        return None if value is None else strings.get(value)

    base = [node for node in versions.defined(headers, strings) if node.flags & layout.VER_FLG_BASE]
    soname = text(layout.DT_SONAME)
    return DynamicInfo([strings.get(value) for value in headers.values(layout.DT_NEEDED)], soname,
                       text(layout.DT_RPATH), text(layout.DT_RUNPATH), versions.needed(headers, strings),
                       base[0] if base and base[0].name == soname else None)


def edited(info: DynamicInfo, edit: Edit, headers: Headers, strings: Strings) -> DynamicInfo:
    """`info`, changed as the edit says."""
    for name in edit.names():
        if not name or "\0" in name:
            raise headers.error(f"cannot be given the name {name!r}")
    _rename(info, edit, headers)
    info.needed += [name for name in edit.add_needed if name not in info.needed]
    if edit.soname is not None:
        info.soname = edit.soname
    _search(info, edit)
    if edit.versions:
        _require(info, edit, headers, strings)
    return info


def _rename(info: DynamicInfo, edit: Edit, headers: Headers) -> None:
    for old in edit.needed:
        if old not in info.needed and all(need.file != old for need in info.needs):
            raise headers.error(f"does not need {old}")
    names: list[str] = []
    for name in info.needed:
        new = edit.needed.get(name, name)
        # Several old names may become one.
        if new == name or new not in names and new not in info.needed:
            names.append(new)
    info.needed = names
    for need in info.needs:
        need.file = edit.needed.get(need.file, need.file)


def _search(info: DynamicInfo, edit: Edit) -> None:
    """A DT_RUNPATH makes the dynamic linker ignore every DT_RPATH, the inherited ones too. So a file without any
    gets a DT_RPATH, which hides nothing, unless LD_LIBRARY_PATH is to come first."""
    kind = "runpath" if info.runpath is not None or edit.new_runpath and not info.rpath else "rpath"
    path = getattr(info, kind) if edit.set_rpath is None else edit.set_rpath
    folders = path.split(":") if path else []
    folders += [folder for folder in dict.fromkeys(edit.rpath) if folder not in folders]
    if edit.rpath or edit.set_rpath is not None:
        setattr(info, kind, ":".join(folders))


def _require(info: DynamicInfo, edit: Edit, headers: Headers, strings: Strings) -> None:
    """Version needs for symbols that have none."""
    table, indices = symbols.tables(headers)
    if not indices:
        raise headers.error("has no symbol versions at all, so its symbols cannot be given any")
    numbers: dict[str, list[int]] = {name: [] for name in edit.versions}
    for number, (name, st_info, _, section, _, _) in enumerate(layout.SYMBOL.iter_unpack(table)):
        if number and section == layout.SHN_UNDEF and st_info >> 4 != layout.STB_LOCAL:
            text = strings.get(name)
            if text in numbers:
                numbers[text].append(number)
    for name, (file, node) in edit.versions.items():
        if file not in info.needed:  # the dynamic linker would end the program
            raise headers.error(f"a version of {file} is wanted for {name}, but the file does not need {file}")
        index = _index(info, file, node, headers, strings)
        if not numbers[name]:
            raise headers.error(f"does not use {name}")
        for number in numbers[name]:
            old = info.indices.get(number, int.from_bytes(indices[2 * number: 2 * number + 2], "little"))
            if old not in (layout.VERSYM_LOCAL, layout.VERSYM_GLOBAL, index):
                raise headers.error(f"uses {name} with a version already")
            info.indices[number] = index


def _index(info: DynamicInfo, file: str, node: str, headers: Headers, strings: Strings) -> int:
    """The version index of the node of that file, which is added to the needs if it is new."""
    need = next((need for need in info.needs if need.file == file), None)
    if need is None:
        need = versions.Need(file, 0)
        info.needs.append(need)
    for known in need.nodes:
        if known.name == node:
            return known.index
    used = [other.index for one in info.needs for other in one.nodes]
    used += [other.index for other in versions.defined(headers, strings)]
    index = max([layout.VERSYM_GLOBAL, *used]) + 1
    if index >= layout.VERSYM_HIDDEN:
        raise headers.error("has as many symbol versions as there can be")
    need.nodes.append(versions.Node(node, index, 0, 0))
    return index
