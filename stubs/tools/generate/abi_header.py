# SPDX-License-Identifier: Apache-2.0
"""Writes the headers that adapters are written against: the types and functions of each major.

    abi_types.h         anycuda::v11, v12, v13 and anycuda::driver: types and constants
    abi_calls.h         in the same, every function as a call of what the process has loaded
    abi_convert.h       copies between the layouts of a record
    cudart_adapters.h   all of these, and the adapters of adapters/ with their callers' prototypes
"""

from typing import Union

from . import ctype
from .convert import conversions
from .cxx import Space, Writer
from .dispositions import Disposition, Dispositions
from .model import Database, Function

_TOP = """// Generated from the ABI database; see stubs/tools/generate/abi_header.py.
#pragma once
"""


_VIEW = """// May a pointer to the one be handed to code that takes it for the other? By the same rule as dispositions.
template <typename From, typename To>
struct Compatible : std::is_same<From, To> {};
template <typename To, typename From>
To* view(From* pointer) {
  static_assert(Compatible<std::remove_const_t<From>, std::remove_const_t<To>>::value,
                "the layouts differ: convert");
  return reinterpret_cast<To*>(pointer);
}"""


class Header:
    """A library's versions, one namespace each, and the words that its functions are declared with."""

    def __init__(self, database: Database, driver: Database) -> None:
        self.database = database
        self.writer = Writer()
        self.spaces: dict[str, Space] = {}
        for major in database.majors:
            newest = database.versions_of(major)[-1]
            self.spaces[major] = self.writer.add(f"v{major}", database.type_table(newest))
        newest = driver.versions[-1]
        self.driver = driver
        self.driver_space = self.writer.add("driver", driver.type_table(newest))

    def signature(self, space: Space, text: str) -> tuple[str, list[str]]:
        """Result and parameters of a prototype, spelled."""
        result, params, _ = ctype.parse_prototype(text)
        return (self.writer.spell(space, result),
                [self.writer.spell(space, decayed(param.type)) for param in params])

    def types(self) -> str:
        spaces = [self.spaces[major] for major in self.database.majors]
        parts = [_TOP + '#include <cstddef>\n#include <cstring>\n\n#include "loader/adapter.h"\n',
                 "namespace anycuda {",
                 "template <typename Result, typename... Arguments>\n"
                 "using Function = Result(Arguments...);",
                 "template <typename Element, std::size_t Count>\nusing Array = Element[Count];",
                 "namespace opaque {", self.writer.opaque_types(), "}  // namespace opaque"]
        for space in (*spaces, self.driver_space):
            parts += [f"namespace {space.name} {{\nusing namespace opaque;",
                      self.writer.definitions(space), f"}}  // namespace {space.name}"]
        parts += ["}  // namespace anycuda"]
        return "\n".join(parts) + "\n"

    def calls(self) -> str:
        """Every function of every major, as a call of what the process has."""
        parts = [_TOP + '#include "abi_types.h"\n', "namespace anycuda {"]
        for major in self.database.majors:
            parts += self._space_calls(self.spaces[major], self.database,
                                       self.database.versions_of(major), "library_function")
        parts += self._space_calls(self.driver_space, self.driver, self.driver.versions,
                                   "driver_function")
        return "\n".join([*parts, "}  // namespace anycuda"]) + "\n"

    def _space_calls(self, space: Space, database: Database, versions: list[str],
                     finder: str) -> list[str]:
        lines = [f"namespace {space.name} {{"]
        for name, function in sorted(database.functions.items()):
            text = newest_text(function, versions)
            # A prototype that names a type its newest release no longer has is of no use there.
            if not text or ctype.parse_prototype(text)[2]:
                continue
            try:
                result, params = self.signature(space, text)
            except KeyError:
                continue
            arguments = ", ".join(f"{param} a{index}" for index, param in enumerate(params))
            names = ", ".join(f"a{index}" for index in range(len(params)))
            status = database.status_type and database.type_table(versions[-1]).resolve_text(
                ctype.parse_prototype(text)[0]).tag == database.status_type
            missing = f'missing_function("{name}")' if status else "Result()"
            lines.append(
                f"inline {result} {name}({arguments}) {{\n"
                f"  static std::atomic<void*> kept;\n"
                f"  using Result = {result};\n"
                f"  using Type = Result (*)({', '.join(params)});\n"
                f'  const auto function = reinterpret_cast<Type>({finder}(&kept, "{name}"));\n'
                f"  return function != nullptr ? function({names}) : {missing};\n}}")
        return [*lines, f"}}  // namespace {space.name}"]

    def adapters(self, dispositions: Dispositions) -> str:
        """A declaration for each adapter, with the prototype that its callers were compiled with."""
        parts = [_TOP + '#include "abi_calls.h"\n#include "abi_convert.h"\n',
                 "#define ANYCUDA_ADAPTER extern \"C\" __attribute__((visibility(\"hidden\")))\n",
                 "namespace anycuda {"]
        for text in self._declarations(dispositions).values():
            parts += [f"ANYCUDA_ADAPTER {declaration};" for declaration in text]
        return "\n".join([*parts, "}  // namespace anycuda"]) + "\n"

    def _declarations(self, dispositions: Dispositions) -> dict[str, list[str]]:
        """Two callers with other prototypes that name one function make two declarations, which the
        compiler refuses: that is meant."""
        found: dict[str, list[str]] = {}
        for disposition in adapted(dispositions):
            space = self.spaces[disposition.caller]
            function = self.database.functions[disposition.symbol]
            text = newest_text(function, self.database.versions_of(disposition.caller))
            if not text:
                raise ValueError(f"adapters: the database has no prototype of {disposition.symbol} for callers of "
                                 f"{disposition.caller}: harvest a release that has it")
            result, params = self.signature(space, text)
            line = f"{result} adapt_{disposition.function}({', '.join(params)})"
            if line not in found.setdefault(disposition.function, []):
                found[disposition.function].append(line)
        return dict(sorted(found.items()))

    def conversions(self) -> str:
        parts = [_TOP + '#include <type_traits>\n\n#include "abi_types.h"\n', "namespace anycuda {", _VIEW]
        done: set[tuple[str, str]] = set()
        for major in self.database.majors:
            for other in self.database.majors:
                if major != other:
                    parts += conversions(self.writer, self.spaces[major], self.spaces[other], done)
        return "\n".join([*parts, "}  // namespace anycuda"]) + "\n"


def decayed(text: str) -> Union[str, ctype.CType]:
    """A parameter written as an array is a pointer."""
    node = ctype.parse(text)
    return ctype.CType("pointer", inner=node.target) if node.shape == "array" else text


def newest_text(function: Function, versions: list[str]) -> str:
    """The prototype in the newest of these versions that knows one; "" if none does."""
    known = [function.texts[v] for v in versions if function.texts.get(v, "?") != "?"]
    return known[-1] if known else ""


def adapted(dispositions: Dispositions) -> list[Disposition]:
    """The dispositions that are adapters, fallbacks included."""
    both = (either for _, disposition in sorted(dispositions.items()) for either in (disposition, disposition.fallback))
    return [disposition for disposition in both if disposition and disposition.function]
