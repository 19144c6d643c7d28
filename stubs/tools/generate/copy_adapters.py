# SPDX-License-Identifier: Apache-2.0
"""Writes the adapters that follow from layouts: same parameters, different structs behind pointers.

A parameter that is equal on both sides is passed on; a struct that differs is converted to a local one
before the call (input) or from it after a successful call (output). A result may be passed through a
function that is written by hand: statuses that another major has renumbered.
"""

from . import ctype
from .abi_header import Header, adapted, newest_text
from .convert import plan
from .dispositions import Disposition, Dispositions
from .layout_compat import Comparison

_TOP = """// Generated from the ABI database; see stubs/tools/generate/copy_adapters.py.
#include "LIBRARY_adapters.h"

namespace anycuda {
"""


def copy_adapters(header: Header, dispositions: Dispositions) -> str:
    adapters = [_CopyAdapter(header, disposition) for disposition in adapted(dispositions)
                if not disposition.conversion.function]
    parts = [_TOP.replace("LIBRARY", header.database.path.parent.name)]
    parts += dict.fromkeys(adapter.result_function() for adapter in adapters if adapter.disposition.conversion.result)
    parts += [adapter.text() for adapter in adapters]
    return "\n".join([*parts, "}  // namespace anycuda"]) + "\n"


class _CopyAdapter:
    """One such adapter."""

    def __init__(self, header: Header, disposition: Disposition) -> None:
        self.header, self.disposition = header, disposition
        self.caller, self.runtime = header.spaces[disposition.caller], header.spaces[disposition.runtime]
        self.comparison = Comparison(self.caller.types, self.runtime.types)
        self.mine = self._prototype(disposition.symbol, disposition.caller)
        self.theirs = self._prototype(disposition.target, disposition.runtime)
        self.before: list[str] = []
        self.after: list[str] = []

    def _prototype(self, name: str, major: str) -> tuple[str, tuple[ctype.RawParam, ...], bool]:
        versions = self.header.database.versions_of(major)
        text = newest_text(self.header.database.functions[name], versions)
        if not text:
            raise self._problem(f"no prototype of {name} in {major}")
        return ctype.parse_prototype(text)

    def _problem(self, why: str) -> ValueError:
        disposition = self.disposition
        return ValueError(f"adapters: {disposition.symbol} of {disposition.caller} on {disposition.runtime} cannot be "
                          f"copied: {why}")

    def result_function(self) -> str:
        """The declaration of what is written by hand."""
        spell = self.header.writer.spell
        return (f"{spell(self.caller, self.mine[0])} {self.disposition.conversion.result}"
                f"({spell(self.runtime, self.theirs[0])} result);")

    def text(self) -> str:
        result, params, _ = self.mine
        _, their_params, _ = self.theirs
        if len(params) != len(their_params):
            raise self._problem("the two functions differ in the number of parameters")
        spelled = [self.header.writer.spell(self.caller, param.type) for param in params]
        arguments = [self._argument(index, param, other)
                     for index, (param, other) in enumerate(zip(params, their_params))]
        conversion = self.disposition.conversion
        unknown = (conversion.outputs | conversion.both_ways) - {p.name for p in params}
        if unknown:
            raise self._problem(f"it has no parameter {', '.join(sorted(unknown))}")
        call = f"{self.runtime.name}::{self.disposition.target}({', '.join(arguments)})"
        if self.disposition.conversion.result:
            call = f"{self.disposition.conversion.result}({call})"
        signature = ", ".join(f"{kind} a{index}" for index, kind in enumerate(spelled))
        lines = [f"ANYCUDA_ADAPTER {self.header.writer.spell(self.caller, result)} "
                 f"adapt_{self.disposition.function}({signature}) {{", *self.before]
        if self.after:
            lines += [f"  const auto status = {call};", "  if (status != 0) return status;",
                      *self.after, "  return status;", "}"]
        else:
            lines += [f"  return {call};", "}"]
        return "\n".join(lines)

    def _argument(self, index: int, param: ctype.RawParam, other: ctype.RawParam) -> str:
        """What is handed on for a parameter."""
        mine, theirs = ctype.parse(param.type), ctype.parse(other.type)
        spell = self.header.writer.spell
        # Enumerations are spelled as integers: where the statuses have other numbers a pointer to one looks alike.
        checked = self.disposition.conversion.result and self.comparison.values(mine, theirs, param.name)
        if spell(self.caller, mine) == spell(self.runtime, theirs) and not checked:
            return f"a{index}"
        if not self.comparison.values(mine, theirs, param.name):
            return f"reinterpret_cast<{spell(self.runtime, theirs)}>(a{index})" \
                if mine.shape == "pointer" or self.caller.types.resolve(mine).kind == "pointer" \
                else f"a{index}"
        return self._converted(index, param, mine, theirs)

    def _converted(self, index: int, param: ctype.RawParam, mine: ctype.CType, theirs: ctype.CType) -> str:
        a, b = self.caller.types.resolve(mine), self.runtime.types.resolve(theirs)
        if a.kind != "pointer" or b.kind != "pointer":
            raise self._problem(f"{param.name} is not a pointer")
        key = self.caller.types.resolve(a.type.target).tag
        if key != self.runtime.types.resolve(b.type.target).tag:
            raise self._problem(f"the records that {param.name} points to have different names")
        written = param.name in self.disposition.conversion.outputs | self.disposition.conversion.both_ways
        read = param.name not in self.disposition.conversion.outputs
        if not written and not (mine.target.const or theirs.target.const):
            raise self._problem(f"say whether {param.name} is out or inout")
        for from_space, to_space, wanted in ((self.caller, self.runtime, read), (self.runtime, self.caller, written)):
            problem = plan(from_space, to_space, key,
                           Comparison(from_space.types, to_space.types))[1] if wanted else ""
            if problem:
                raise self._problem(f"{param.name}: {problem}")
        name = self.header.writer.spell(self.runtime, ctype.CType("base", name=b.type.target.name))
        self.before.append(f"  {name} copy{index} = {{}};")
        if read:
            self.before.append(f"  if (a{index} != nullptr) convert(*a{index}, &copy{index});")
        if written:
            self.after.append(f"  if (a{index} != nullptr) convert(copy{index}, a{index});")
        return f"a{index} != nullptr ? &copy{index} : nullptr"
