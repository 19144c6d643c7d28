# SPDX-License-Identifier: Apache-2.0
"""Sentences about the device code of an input. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from . import code_rules
from .gpus import Facts
from .kernels import Kernels, OnDrivers, Reply

_MOST = 6  # GPUs to list as supported
_MOST_NAMES = 3  # files to list; the rest is counted
_LOADS = {True: "loads", False: "does not load", None: "cannot tell"}


def lines(kernels: Kernels, facts: Facts | None, of_several: bool) -> list[str]:
    """The device code of each file, and files that could not be read. `of_several`: name the files."""
    sentences = {**(contents(kernels, facts) if facts else {}), **unread(kernels)}
    return [f"{some(names)}: {text}" if of_several else text for text, names in sentences.items()]


def contents(kernels: Kernels, facts: Facts) -> dict[str, list[str]]:
    """sentence -> the files that it is about"""
    found: dict[str, list[str]] = {}
    for name, codes in kernels.files.items():
        found.setdefault(" ".join(code_rules.describe(codes, facts)), []).append(name)
    return found


def on_drivers(one: OnDrivers) -> str:
    """on runtimes up to CUDA 12 with driver 525-565: kernels for sm_80, sm_90 load; those for sm_120 do not load"""
    parts = [_native(one), f"PTX for {', '.join(one.compiled)} compiles" if one.compiled else ""]
    nothing = "some kernels load, but for each GPU at least one kernel does not" if one.some else "no kernel loads"
    text = "; ".join(filter(None, parts)) or nothing
    runtimes = f"on runtimes up to CUDA {one.cuda} " if one.cuda else ""
    return f"{runtimes}with driver {span(one.drivers)}: {text}"


def _native(one: OnDrivers) -> str:
    """A short sentence, since a library of CUDA has kernels for 15 GPUs."""
    unknown = f"; whether those for {', '.join(one.unknown)} load is unknown" if one.unknown else ""
    if one.in_part:
        start = f"kernels for {', '.join(one.native)} load; " if one.native else ""
        some = f"{'those' if one.native else 'kernels'} for {', '.join(one.in_part)} load in some files only"
        return f"{start}{some}{_fails(one)}{unknown}"
    if not one.native:
        return f"no kernel is known to load{unknown}" if unknown else ""
    if not one.fails and not unknown:
        return "all kernels load"
    if len(one.native) > _MOST and not unknown:
        return f"all kernels load except those for {', '.join(one.fails)}"
    return f"kernels for {', '.join(one.native)} load{_fails(one)}{unknown}"


def _fails(one: OnDrivers) -> str:
    return f"; those for {', '.join(one.fails)} do not load" if one.fails else ""


def span(branches: Sequence[int]) -> str:
    """525-575"""
    return "-".join(map(str, dict.fromkeys((branches[0], branches[-1]))))


def reply(one: Reply) -> str:
    """sm_120, driver 550: does not load. Driver 550 does not support sm_120: ..."""
    asked = ", ".join(filter(None, [f"sm_{one.gpu}" if one.gpu else "", f"driver {one.driver}" if one.driver else ""]))
    return f"{asked or 'here'}: {'loads in part' if one.in_part else _LOADS[one.loads]}. {reasons_of(one)}"


def reply_for_json(one: Reply) -> dict:
    return {**asdict(one), "text": reply(one)}


def reasons_of(one: Reply) -> str:
    if len(one.reasons) == 1:
        return next(iter(one.reasons))
    return " ".join(f"{some(names)}: {text}" if any(names) else text for text, names in one.reasons.items())


def unread(kernels: Kernels) -> dict[str, list[str]]:
    """sentence -> files"""
    found: dict[str, list[str]] = {}
    for name, why in kernels.unread.items():
        found.setdefault(f"device code was not read: {why}", []).append(name)
    for name, problems in kernels.problems.items():
        found.setdefault(f"device code was read in part: {some(problems)}", []).append(name)
    return found


def some(names: Sequence[str]) -> str:
    short = ", ".join(names[:_MOST_NAMES])
    return short if len(names) <= _MOST_NAMES else f"{short} and {len(names) - _MOST_NAMES} more"
