# SPDX-License-Identifier: Apache-2.0
"""An edit, and the content of a file's dynamic section after it, as names without bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from .. import layout, symbols, versions
from ..headers import Headers, Strings


@dataclass(frozen=True)
class Edit:
    """`needed`: old name -> new name, also in symbol versions. `rpath`: folders to append to the search path, which
    keeps its kind; a new one is a DT_RPATH, or, with `new_runpath`, a DT_RUNPATH. `set_rpath`: a search path that
    replaces the existing one. `versions`: unversioned undefined symbol -> (file, symbol version)."""

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
        versions = {name: (file, symbol_version) for name, (file, symbol_version) in edit.versions.items()}
        edit = Edit(dict(edit.needed), tuple(edit.add_needed), edit.soname, tuple(edit.rpath), edit.set_rpath, versions,
                    bool(edit.new_runpath))
        if not all(isinstance(name, str) for name in [*edit.names(), *edit.needed, *edit.versions]):
            raise ValueError("an edit has invalid names")
        return edit

    def names(self) -> list[str]:
        """All new names in the file."""
        given = [*self.needed.values(), *self.add_needed, *self.rpath]
        given += [name for pair in self.versions.values() for name in pair]
        return given + [name for name in (self.soname, self.set_rpath) if name is not None]


@dataclass
class DynamicInfo:
    """`indices`: number of a symbol -> version index. `needs`: the file's needs with new names; additional ones are at
    the end, without an address."""

    needed: list[str]
    soname: str | None
    rpath: str | None
    runpath: str | None
    needs: list[versions.Need]
    base: versions.SymbolVersion | None = None
    indices: dict[int, int] = field(default_factory=dict)


def read(headers: Headers, strings: Strings) -> DynamicInfo:
    """The content without an edit."""
    def text(tag: int) -> str | None:
        value = headers.value(tag)
        return None if value is None else strings.get(value)

    base = [version for version in versions.defined(headers, strings) if version.flags & layout.VER_FLG_BASE]
    soname = text(layout.DT_SONAME)
    return DynamicInfo([strings.get(value) for value in headers.values(layout.DT_NEEDED)], soname,
                       text(layout.DT_RPATH), text(layout.DT_RUNPATH), versions.needed(headers, strings),
                       base[0] if base and base[0].name == soname else None)


def edited(info: DynamicInfo, edit: Edit, headers: Headers, strings: Strings) -> DynamicInfo:
    """`info` after the edit."""
    for name in edit.names():
        if not name or "\0" in name:
            raise headers.error(f"cannot store the name {name!r}: a name must be non-empty, without zero bytes")
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
            raise headers.error(f"cannot replace {old}, since the file does not need it")
    names: list[str] = []
    for name in info.needed:
        new = edit.needed.get(name, name)
        # Several old names may become the same one.
        if new == name or new not in names and new not in info.needed:
            names.append(new)
    info.needed = names
    for need in info.needs:
        need.file = edit.needed.get(need.file, need.file)


def _search(info: DynamicInfo, edit: Edit) -> None:
    """Changes the search path. A DT_RUNPATH makes the dynamic linker ignore every DT_RPATH, including inherited ones,
    so a file without a search path gets a DT_RPATH, unless LD_LIBRARY_PATH must come first."""
    kind = "runpath" if info.runpath is not None or edit.new_runpath and not info.rpath else "rpath"
    path = getattr(info, kind) if edit.set_rpath is None else edit.set_rpath
    folders = path.split(":") if path else []
    folders += [folder for folder in dict.fromkeys(edit.rpath) if folder not in folders]
    if edit.rpath or edit.set_rpath is not None:
        setattr(info, kind, ":".join(folders))


def _require(info: DynamicInfo, edit: Edit, headers: Headers, strings: Strings) -> None:
    """Adds version needs for unversioned symbols."""
    table, indices = symbols.tables(headers)
    if not indices:
        raise headers.error("has no symbol versions, so none can be added to its symbols: link it again with the "
                            "library in lib/anycuda/link/MAJOR")
    numbers: dict[str, list[int]] = {name: [] for name in edit.versions}
    for number, (name, st_info, _, section, _, _) in enumerate(layout.SYMBOL.iter_unpack(table)):
        if number and section == layout.SHN_UNDEF and st_info >> 4 != layout.STB_LOCAL:
            text = strings.get(name)
            if text in numbers:
                numbers[text].append(number)
    for name, (file, symbol_version) in edit.versions.items():
        if file not in info.needed:  # the dynamic linker would end the program
            raise headers.error(f"cannot add a symbol version of {file} to the symbol {name}, since DT_NEEDED does not "
                                f"contain {file}")
        index = _index(info, file, symbol_version, headers, strings)
        if not numbers[name]:
            raise headers.error(f"cannot add a symbol version to the symbol {name}, since the file does not reference "
                                "this symbol")
        for number in numbers[name]:
            old = info.indices.get(number, int.from_bytes(indices[2 * number: 2 * number + 2], "little"))
            if old not in (layout.VERSYM_LOCAL, layout.VERSYM_GLOBAL, index):
                raise headers.error(f"cannot add the symbol version {symbol_version} of {file} to the symbol {name}, "
                                    "since this symbol already has another version")
            info.indices[number] = index


def _index(info: DynamicInfo, file: str, symbol_version: str, headers: Headers, strings: Strings) -> int:
    """The index of a symbol version of a file; a new one is added to the needs."""
    need = next((need for need in info.needs if need.file == file), None)
    if need is None:
        need = versions.Need(file, 0)
        info.needs.append(need)
    for version in need.versions:
        if version.name == symbol_version:
            return version.index
    used = [version.index for other in info.needs for version in other.versions]
    used += [version.index for version in versions.defined(headers, strings)]
    index = max([layout.VERSYM_GLOBAL, *used]) + 1
    if index >= layout.VERSYM_HIDDEN:
        raise headers.error("cannot add a symbol version, since the file already has the largest possible number of "
                            "symbol versions")
    need.versions.append(versions.SymbolVersion(symbol_version, index, 0, 0))
    return index
