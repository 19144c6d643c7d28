# SPDX-License-Identifier: Apache-2.0
"""Sentences about the device code of an input. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict

from . import code_rules
from .gpus import Facts
from .kernels import Kernels, OnDrivers, Reply

_MOST = 6  # GPUs to list as supported
_MOST_NAMES = 3  # files to list; the rest is counted
_LOADS = {True: "loads", False: "does not load", None: "cannot tell"}


def lines(kernels: Kernels, facts: Facts | None, of_several: bool) -> list[str]:
    """The device code of each file, files that could not be read, and a hint on compressed cubins. `of_several`: name
    the files."""
    sentences = {**(contents(kernels, facts) if facts else {}), **unread(kernels)}
    found = [f"{some(names)}: {text}" if of_several else text for text, names in sentences.items()]
    return found + _decompress(kernels)


def _decompress(kernels: Kernels) -> list[str]:
    """What to do about cubins that this anycuda cannot decompress."""
    compressed = code_rules.compressions(code for codes in kernels.files.values() for code in codes)
    packages = " and ".join(f"{code_rules.libraries([one])}-dev" for one in compressed)
    names = f"Debian package{'' if len(compressed) == 1 else 's'} {packages}"
    return [f"To see which driver the compressed cubins need, install {code_rules.libraries(compressed)} ({names}) and "
            "build anycuda again, or install anycuda's wheel, which reads these cubins."] if compressed else []


def contents(kernels: Kernels, facts: Facts) -> dict[str, list[str]]:
    """sentence -> the files that it is about"""
    found: dict[str, list[str]] = {}
    for name, codes in kernels.files.items():
        found.setdefault(" ".join(code_rules.describe(codes, facts)), []).append(name)
    return found


def on_drivers(one: OnDrivers, whole: bool = True, of_several: bool = False,
               causes: Mapping[str, Sequence[str]] | None = None) -> str:
    """on runtimes up to CUDA 12 with driver 525-565: kernels for sm_80, sm_90 load; those for sm_120 do not load

    `whole`: all device code was read. `causes`: why the outcome for `one.unknown` is unknown -> the files.
    `of_several`: name the files."""
    parts = [_native(one, whole, _unknown(one, causes or {}, of_several)),
             f"PTX for {', '.join(one.compiled)} compiles" if one.compiled else ""]
    nothing = ("some kernels load, but for each GPU at least one kernel does not" if one.some else
               "no kernel loads" if whole else "no kernel that was read loads")
    text = "; ".join(filter(None, parts)) or nothing
    runtimes = f"on runtimes up to CUDA {one.cuda} " if one.cuda else ""
    return f"{runtimes}with driver {span(one.drivers)}: {text}"


def _native(one: OnDrivers, whole: bool, unknown: str) -> str:
    """A short sentence, since a library of CUDA has kernels for 15 GPUs."""
    if one.in_part:
        start = f"kernels for {', '.join(one.native)} load; " if one.native else ""
        some = f"{'those' if one.native else 'kernels'} for {', '.join(one.in_part)} load in some files only"
        return "; ".join(filter(None, (f"{start}{some}{_fails(one)}", unknown)))
    if not one.native:
        return unknown
    kernels = "all kernels" if whole else "all kernels that were read"
    if not one.fails and not unknown:
        return f"{kernels} load"
    if len(one.native) > _MOST and not unknown:
        return f"{kernels} load except those for {', '.join(one.fails)}"
    return "; ".join(filter(None, (f"kernels for {', '.join(one.native)} load{_fails(one)}", unknown)))


def _unknown(one: OnDrivers, causes: Mapping[str, Sequence[str]], of_several: bool) -> str:
    if not one.unknown:
        return ""
    texts = [f"{text} (in {some(names)})" if of_several else text for text, names in causes.items()]
    since = f", since {' and '.join(texts)}" if texts else ""
    return f"it is unknown whether the kernels for {', '.join(one.unknown)} load{since}"


def _fails(one: OnDrivers) -> str:
    return f"; those for {', '.join(one.fails)} do not load" if one.fails else ""


def span(branches: Sequence[int]) -> str:
    """525-575"""
    return "-".join(map(str, dict.fromkeys((branches[0], branches[-1]))))


def reply(one: Reply, of_several: bool = False) -> str:
    """sm_120, driver 550: does not load. Driver 550 does not support sm_120: ..."""
    asked = ", ".join(filter(None, [f"sm_{one.gpu}" if one.gpu else "", f"driver {one.driver}" if one.driver else ""]))
    text = reasons_of(one, of_several)
    return f"{asked or 'here'}: {'loads in part' if one.in_part else _LOADS[one.loads]}. {text}"


def reply_for_json(one: Reply, of_several: bool) -> dict:
    return {**asdict(one), "text": reply(one, of_several)}


def reasons_of(one: Reply, of_several: bool = False) -> str:
    """`of_several`: name the files for which the answer is unknown."""
    if len(one.reasons) == 1 and not (of_several and one.loads is None):
        return next(iter(one.reasons))
    return " ".join(f"{some(names)}: {text}" if any(names) else text for text, names in one.reasons.items())


def unread(kernels: Kernels) -> dict[str, list[str]]:
    """sentence -> files"""
    found: dict[str, list[str]] = {}
    for name, why in kernels.unread.items():
        text = f"device code was not read, so which drivers and GPUs load it is unknown: {why}"
        found.setdefault(text, []).append(name)
    for name, problems in kernels.problems.items():
        text = ("device code was read only in part, so which drivers and GPUs load the rest is unknown: "
                f"{some(problems)}")
        found.setdefault(text, []).append(name)
    return found


def since_unread(kernels: Kernels, of_several: bool) -> str:
    """", since it was not read": how a sentence ends that the outcome for device code is unknown; "" if all was
    read."""
    parts = [f"that of {some(list(names))} {how}" if of_several else f"it {how}"
             for names, how in ((kernels.unread, "was not read"), (kernels.problems, "was read only in part")) if names]
    return f", since {' and '.join(parts)}" if parts else ""


def listed(names: Sequence[str]) -> str:
    """a; a and b; a, b and c"""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def some(names: Sequence[str]) -> str:
    short = ", ".join(names[:_MOST_NAMES])
    return short if len(names) <= _MOST_NAMES else f"{short} and {len(names) - _MOST_NAMES} more"
