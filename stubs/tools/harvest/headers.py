# SPDX-License-Identifier: Apache-2.0
"""Reads headers with libclang: prototypes, layouts, enumerators and macros, as plain facts.

Only facts leave this module: names, types, sizes, offsets, values. The text of a comment is
looked at once, for the words that say whether a parameter is an output, and then dropped.
"""

import importlib
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from . import directions, macros, shims
from .libraries import LibraryRow

if TYPE_CHECKING:
    from clang import cindex
else:
    cindex = None  # the module, once use_clang() has found it

SHIM_HEADERS = ("stddef.h", "stdalign.h", "GL/gl.h", "EGL/egl.h", "vdpau/vdpau.h")


class HeaderError(RuntimeError):
    """The headers could not be read, or say two things about one name."""


@dataclass
class HeaderFacts:
    """Everything one release's headers say, before it is cut to what the library exports. `declared` are the functions
    that the headers in `folder` declare, without those of other libraries' headers, which these include; `variables`
    are the variables of the same headers."""

    folder: Path
    declared: set[str] = field(default_factory=set)
    variables: set[str] = field(default_factory=set)
    prototypes: dict[str, str] = field(default_factory=dict)
    inlines: dict[str, str] = field(default_factory=dict)
    types: dict[str, tuple[str, ...]] = field(default_factory=dict)
    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    macros: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)


def use_clang(folder: Path | None) -> None:
    """Loads libclang's Python binding, from `folder` or from where Python finds it."""
    global cindex
    if folder is not None:
        sys.path.insert(0, str(folder))
    try:
        cindex = importlib.import_module("clang.cindex")
    except ImportError:
        raise HeaderError(
            "the Python package 'clang' (PyPI: libclang) was not found; install it "
            "(pip install libclang) or name its folder with --clang DIR"
        ) from None


class _Reader:
    """One translation unit turned into facts."""

    def __init__(self, unit: "cindex.TranslationUnit", facts: HeaderFacts) -> None:
        self.unit, self.facts = unit, facts
        self.names: dict[int, str] = {}

    def spell(self, kind: "cindex.Type", context: str = "") -> str:
        """The type as the database writes it (see generate/ctype.py); what it names is recorded."""
        shape = kind.kind
        kinds = cindex.TypeKind
        const = "const " if kind.is_const_qualified() else ""
        if shape == kinds.POINTER:
            return f"{self.spell(kind.get_pointee(), context)} *" f"{' const' if const else ''}"
        if shape == kinds.CONSTANTARRAY:
            return f"{self.spell(kind.element_type, context)} [{kind.element_count}]"
        if shape == kinds.INCOMPLETEARRAY:
            return f"{self.spell(kind.element_type, context)} []"
        if shape == kinds.FUNCTIONPROTO:
            args = [self.spell(arg, context) for arg in kind.argument_types()]
            if kind.is_function_variadic():
                args.append("...")
            return f"{self.spell(kind.get_result(), context)} ({', '.join(args)})"
        if shape == kinds.FUNCTIONNOPROTO:
            return f"{self.spell(kind.get_result(), context)} ()"
        if shape == kinds.ELABORATED:
            text: str = self.spell(kind.get_named_type(), context)
            return text if text.startswith("const ") else const + text
        if shape == kinds.TYPEDEF:
            declaration = kind.get_declaration()
            self.typedef(declaration)
            return const + str(declaration.spelling)
        if shape in (kinds.RECORD, kinds.ENUM):
            return const + self.tagged(kind.get_declaration(), context)
        return const + str(kind.spelling).removeprefix("const ").removeprefix("volatile ")

    def every_type(self) -> None:
        """All types, also those without a prototype in the headers: internals.txt may name them."""
        for cursor in self.unit.cursor.get_children():
            if cursor.kind == cindex.CursorKind.TYPEDEF_DECL:
                self.typedef(cursor)
            elif (
                cursor.kind
                in (
                    cindex.CursorKind.STRUCT_DECL,
                    cindex.CursorKind.UNION_DECL,
                    cindex.CursorKind.ENUM_DECL,
                )
                and cursor.spelling
                and "(" not in cursor.spelling
                and not cursor.is_anonymous()
            ):
                self.tagged(cursor, cursor.spelling)

    def typedef(self, declaration: "cindex.Cursor") -> None:
        name = declaration.spelling
        key = f"typedef {name}"
        if key not in self.facts.types:
            self.facts.types[key] = ("",)
            self.facts.types[key] = (self.spell(declaration.underlying_typedef_type, name),)

    def tagged(self, declaration: "cindex.Cursor", context: str) -> str:
        """Key of a struct, union or enum. One without a tag is named after the typedef or the field
        that gives it its only name."""
        known = self.names.get(declaration.hash)
        if known:
            return known
        keywords = {
            cindex.CursorKind.STRUCT_DECL: "struct",
            cindex.CursorKind.UNION_DECL: "union",
            cindex.CursorKind.ENUM_DECL: "enum",
        }
        word = keywords[declaration.kind]
        name = declaration.spelling
        if not name or "(" in name or declaration.is_anonymous():
            name = context
        key = f"{word} {name}"
        self.names[declaration.hash] = key
        if key in self.facts.types and self.facts.types[key][0] != "opaque":
            return key
        definition = declaration.get_definition()
        if definition is None:
            self.facts.types.setdefault(key, ("opaque",))
        elif word == "enum":
            self.facts.types[key] = (
                f"size {definition.type.get_size()} " f"{self.spell(definition.enum_type)}",
            )
            self.facts.enums[key] = {
                child.spelling: child.enum_value
                for child in definition.get_children()
                if child.kind == cindex.CursorKind.ENUM_CONSTANT_DECL
            }
        else:
            kind = definition.type
            self.facts.types[key] = ("",)
            lines = [f"size {kind.get_size()} align {kind.get_align()}"]
            lines += self.fields(definition, name)
            self.facts.types[key] = tuple(lines)
        return key

    def fields(self, record: "cindex.Cursor", name: str) -> list[str]:
        """`offset  type  name` of every field; a member without a name is called `-`."""
        lines: list[str] = []
        for child in record.type.get_fields():
            bits = child.get_field_offsetof()
            if not child.spelling or "(" in child.spelling:
                lines.append(f"{bits // 8}  {self.spell(child.type, f'{name}.-{bits // 8}')}  -")
            elif child.is_bitfield():
                lines.append(
                    f"{bits // 8}:{bits % 8}  {self.spell(child.type)} "
                    f":{child.get_bitfield_width()}  {child.spelling}"
                )
            else:
                text = self.spell(child.type, f"{name}.{child.spelling}")
                lines.append(f"{bits // 8}  {text}  {child.spelling}")
        return lines

    def function(self, cursor: "cindex.Cursor", docs: dict[str, str]) -> None:
        """A declaration. Inline functions are kept apart: some libraries export their names."""
        name = cursor.spelling
        if macros.lies_in(cursor, self.facts.folder):
            self.facts.declared.add(name)
        params: list[tuple[str, str]] = []
        for index, child in enumerate(cursor.get_arguments()):
            text = self.spell(child.type)
            if text.endswith(" []"):
                text = text[:-3] + " *"
            params.append((text, child.spelling or f"arg{index}"))
        marks = directions.outputs(name, params, docs, self.facts.types)
        declared = [
            f"{'out ' if mark else ''}{text} {param}" for (text, param), mark in zip(params, marks)
        ]
        if cursor.type.kind == cindex.TypeKind.FUNCTIONPROTO and cursor.type.is_function_variadic():
            declared.append("...")
        prototype = f"{self.spell(cursor.result_type)} ({', '.join(declared)})"
        if cursor.linkage != cindex.LinkageKind.EXTERNAL:
            self.facts.inlines.setdefault(name, prototype)
            return
        before = self.facts.prototypes.setdefault(name, prototype)
        if _without_marks(before) != _without_marks(prototype):
            raise HeaderError(f"{name} is declared in two ways: {before!r} and {prototype!r}")


def _more_functions(unit: "cindex.TranslationUnit", facts: HeaderFacts) -> None:
    """The functions that are not yet known. (A function that C and C++ both declare is C's.)"""
    reader = _Reader(unit, facts)
    for cursor in _functions(unit.cursor):
        if cursor.spelling not in facts.prototypes:
            texts = directions.parameter_texts(cursor.raw_comment or "")
            reader.function(cursor, texts)


def _functions(cursor: "cindex.Cursor") -> "list[cindex.Cursor]":
    """The functions of C that are declared here, also in C++'s blocks of them."""
    kinds, found = cindex.CursorKind, []
    for child in cursor.get_children():
        if child.kind == kinds.FUNCTION_DECL and child.mangled_name == child.spelling:
            found.append(child)
        elif child.kind in (kinds.LINKAGE_SPEC, kinds.UNEXPOSED_DECL):
            found += _functions(child)
    return found


def _without_marks(prototype: str) -> str:
    """Types only: parameter names and directions may differ between two declarations."""
    from generate import ctype

    result, params, variadic = ctype.parse_prototype(prototype)
    return f"{result} ({[p.type for p in params]}, {variadic})"


def _parse(source: str, arguments: list[str]) -> "cindex.TranslationUnit":
    options = cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD
    unit = cindex.Index.create().parse(
        "harvest.c", args=arguments, unsaved_files=[("harvest.c", source)], options=options
    )
    errors = [str(d) for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if errors:
        raise HeaderError("the headers do not parse:\n  " + "\n  ".join(errors[:10]))
    return unit


def read(folder: Path, row: LibraryRow, beside: tuple[Path, ...] = ()) -> HeaderFacts:
    """The facts of the headers in `folder`, over every way of reading them that the row names. Other libraries'
    headers, which these include, lie in the folders `beside`."""
    present = [name for name in row.headers if (folder / name).is_file()]
    if row.headers[0] not in present:
        raise HeaderError(f"{folder} has no {row.headers[0]}, the header of {row.name}")
    facts = HeaderFacts(folder)
    with tempfile.TemporaryDirectory() as temporary:
        shims.write(Path(temporary), row.folder / "headers")
        source = "".join(f'#include "{name}"\n' for name in (*SHIM_HEADERS, *present))
        common = [
            "-std=c11",
            "-nostdinc",
            "-target",
            "x86_64-unknown-linux-gnu",
            "-w",
            f"-I{temporary}",
            *(f"-I{other}" for other in (folder, *beside)),
        ]
        docs: dict[str, dict[str, str]] = {}
        for index, mode in enumerate(row.modes):
            unit = _parse(source, common + list(mode))
            functions = [
                c for c in unit.cursor.get_children() if c.kind == cindex.CursorKind.FUNCTION_DECL
            ]
            for cursor in functions:
                if cursor.raw_comment and cursor.spelling not in docs:
                    docs[cursor.spelling] = directions.parameter_texts(cursor.raw_comment)
            facts.variables |= {
                c.spelling for c in unit.cursor.get_children()
                if c.kind == cindex.CursorKind.VAR_DECL and macros.lies_in(c, folder)
            }
            reader = _Reader(unit, facts)
            reader.every_type()
            for cursor in functions:
                reader.function(cursor, directions.docs_for(cursor.spelling, docs))
            found = macros.read(unit, source, common + list(mode), folder, row, facts, _parse)
            if index == 0:
                facts.macros.update(found.values)
            if index < 2:
                facts.redirects.update(
                    {
                        (name if index == 0 else f"per-thread {name}"): target
                        for name, target in found.redirects.items()
                        if index == 0 or facts.redirects.get(name) != target
                    }
                )
        for name in row.apart:
            if (folder / name).is_file():
                _more_functions(_parse(f'#include "{name}"\n', common), facts)
        for name in row.cxx:
            cxx = [word.replace("-std=c11", "-std=c++17") for word in common]
            _more_functions(_parse(f'#include "{name}"\n', ["-xc++", *cxx]), facts)
    return facts
