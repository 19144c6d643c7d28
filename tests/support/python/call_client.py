# SPDX-License-Identifier: Apache-2.0
"""Calls functions of a library by their names: tests/support/every_call.c, and what to ask it about a function."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from abi_support import ROOT
from generate import model
from generate.out_params import newest_prototype

SOURCE = ROOT / "tests" / "support" / "every_call.c"
PLACES, OBJECTS = 40, 8  # in every_call.c
KINDS = {("void", 0): "v", ("string", 8): "s", ("pointer", 8): "p"}
BY_CLASSES = {("sse",): {4: "f", 8: "d"}, ("sse", "sse"): {16: "z"}, ("integer",): {4: "i", 8: "l"}}


@dataclass(frozen=True)
class Call:
    """`pointers`: bit n is set where the n-th argument of those that are not floating-point numbers points at zeroed
    memory; every other argument is zero. `objects`: (place, creator, the creator's place that gets the object)."""
    name: str
    kind: str = "i"
    pointers: int = 0
    objects: tuple[tuple[int, Call, int], ...] = ()

    def __str__(self) -> str:
        objects = "".join(f" {place}={made.name}:{made.pointers:x}:{out}" for place, made, out in self.objects)
        return f"{self.name} {self.kind} {self.pointers:x}{objects}"


def gives_a_number(function: model.Function, major: str) -> bool:
    """The result is a status or an int."""
    newest = newest_prototype(function, function.versions_of(major))
    return newest is None or newest[1].result_kind in ("status", "int")


def _kind(prototype: model.Prototype) -> str:
    if prototype.result_kind == "struct" and prototype.result_classes == ("sse",):
        return "c"
    known = KINDS.get((prototype.result_kind, prototype.result_size))
    return known or BY_CLASSES[prototype.result_classes][prototype.result_size]


def _places(prototype: model.Prototype) -> dict[int, model.Param]:
    """Parameters that are pointers, by their places; none where a structure in memory shifts these."""
    found, place = {}, 0
    for param in prototype.params:
        if "memory" in param.classes:
            return {}
        if param.kind == "pointer":
            found[place] = param
        place += param.classes.count("integer")
    return found if place <= PLACES else {}


def _pointers(prototype: model.Prototype) -> int:
    """Handles are not among them: a library recognises a null one, and crashes with one that points at zeros."""
    return sum(1 << place for place, param in _places(prototype).items() if "*" in param.type)


def _type(param: model.Param) -> str:
    return param.type.replace("const ", "").replace(" ", "")


def calls_of(function: model.Function, major: str) -> list[Call]:
    """With null pointers, and with pointers at memory. Of a function without a known prototype only whether the call
    returns is seen."""
    newest = newest_prototype(function, function.versions_of(major))
    if newest is None:
        return [Call(function.name, "v")]
    kind, pointers = _kind(newest[1]), _pointers(newest[1])
    return [Call(function.name, kind)] + ([Call(function.name, kind, pointers)] if pointers else [])


def creators(functions: list[model.Function], major: str, results: dict[Call, str]) -> dict[str, tuple[Call, int]]:
    """Type -> the call that succeeded and wrote an object of it, and the place where."""
    found: dict[str, tuple[Call, int]] = {}
    for function in functions:
        newest = newest_prototype(function, function.versions_of(major))
        if newest is None or newest[1].result_kind != "status":
            continue
        for call in calls_of(function, major):
            for place, param in _places(newest[1]).items():
                made = _type(param).removesuffix("*")
                if f" {place}+0=address" in results.get(call, "") and results[call][:2] == "0 " and "*" not in made:
                    found.setdefault(made, (call, place))
    return found


def call_with(objects: dict[str, tuple[Call, int]], function: model.Function, major: str) -> Call | None:
    """The call with these objects in place of null handles; None where it takes none of them."""
    newest = newest_prototype(function, function.versions_of(major))
    if newest is None:
        return None
    taken = tuple((place, *objects[_type(param)]) for place, param in _places(newest[1]).items()
                  if _type(param) in objects)[:OBJECTS]
    return Call(function.name, _kind(newest[1]), _pointers(newest[1]), taken) if taken else None


def build(program: Path, names: Sequence[str] = (), linked: tuple[str, ...] = ()) -> Path:
    """A program with these names, linked with what has them; without names one that opens a library."""
    command = ["cc", "-w", "-O1", "-fPIC", "-o", str(program), str(SOURCE)]
    if names:
        header = program.with_suffix(".h")
        header.write_text("".join(f"NAME({name})\n" for name in names), encoding="utf-8")
        command.append(f'-DNAMES="{header}"')
    subprocess.run([*command, *linked, "-ldl"], check=True)
    return program


def run(program: Path, calls: list[Call], environment: dict[str, str], apart: bool = False,
        library: Path | None = None) -> tuple[dict[Call, str], str]:
    """What each call gave, and what the process wrote to stderr."""
    arguments = [program, "apart" if apart else "together", *([library] if library else [])]
    done = subprocess.run(arguments, env=environment, input="".join(f"{call}\n" for call in calls), capture_output=True,
                          encoding="utf-8", errors="replace", check=False)
    if done.returncode:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    lines = dict(line.split("\t", 1) for line in done.stdout.splitlines())
    return {call: lines[str(call)] for call in calls}, done.stderr


def numbers(program: Path, names: list[str], environment: dict[str, str]) -> tuple[dict[str, int], str]:
    """The same of functions that give a number, all called in one process with zeros."""
    found, errors = run(program, [Call(name) for name in names], environment)
    return {call.name: int(result) for call, result in found.items()}, errors
