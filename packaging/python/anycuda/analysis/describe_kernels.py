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
    texts = [f"{some(names)}: {text}" if of_several else text for text, names in sentences.items()]
    return texts + _decompress(kernels)


def _decompress(kernels: Kernels) -> list[str]:
    """What to do about cubins that this anycuda cannot decompress."""
    compressed = code_rules.compressions(code for codes in kernels.files.values() for code in codes)
    packages = " and ".join(f"{code_rules.libraries([packing])}-dev" for packing in compressed)
    names = f"Debian package{'' if len(compressed) == 1 else 's'} {packages}"
    return [f"To see which driver the compressed cubins need, install {code_rules.libraries(compressed)} ({names}) and "
            "build anycuda again, or install anycuda's wheel, which reads these cubins."] if compressed else []


def contents(kernels: Kernels, facts: Facts) -> dict[str, list[str]]:
    """sentence -> the files that it is about"""
    files_of: dict[str, list[str]] = {}
    for name, codes in kernels.files.items():
        files_of.setdefault(" ".join(code_rules.describe(codes, facts)), []).append(name)
    return files_of


def on_drivers(group: OnDrivers, whole: bool = True, of_several: bool = False,
               causes: Mapping[str, Sequence[str]] | None = None) -> str:
    """on runtimes up to CUDA 12 with driver 525-565: kernels for sm_80, sm_90 load; those for sm_120 do not load

    `whole`: all device code was read. `causes`: why the outcome for `group.unknown` is unknown -> the files.
    `of_several`: name the files."""
    parts = [_native(group, whole, _unknown(group, causes or {}, of_several)),
             f"PTX for {', '.join(group.compiled)} compiles" if group.compiled else ""]
    nothing = ("some kernels load, but for each GPU at least one kernel does not" if group.some else
               "no kernel loads" if whole else "no kernel that was read loads")
    text = "; ".join(filter(None, parts)) or nothing
    runtimes = f"on runtimes up to CUDA {group.cuda} " if group.cuda else ""
    return f"{runtimes}with driver {span(group.drivers)}: {text}"


def _native(group: OnDrivers, whole: bool, unknown: str) -> str:
    """A short sentence, since a library of CUDA has kernels for 15 GPUs."""
    if group.in_part:
        start = f"kernels for {', '.join(group.native)} load; " if group.native else ""
        some = f"{'those' if group.native else 'kernels'} for {', '.join(group.in_part)} load in some files only"
        return "; ".join(filter(None, (f"{start}{some}{_fails(group)}", unknown)))
    if not group.native:
        return unknown
    kernels = "all kernels" if whole else "all kernels that were read"
    if not group.fails and not unknown:
        return f"{kernels} load"
    if len(group.native) > _MOST and not unknown:
        return f"{kernels} load except those for {', '.join(group.fails)}"
    return "; ".join(filter(None, (f"kernels for {', '.join(group.native)} load{_fails(group)}", unknown)))


def _unknown(group: OnDrivers, causes: Mapping[str, Sequence[str]], of_several: bool) -> str:
    if not group.unknown:
        return ""
    texts = [f"{text} (in {some(names)})" if of_several else text for text, names in causes.items()]
    since = f", since {' and '.join(texts)}" if texts else ""
    return f"it is unknown whether the kernels for {', '.join(group.unknown)} load{since}"


def _fails(group: OnDrivers) -> str:
    return f"; those for {', '.join(group.fails)} do not load" if group.fails else ""


def span(branches: Sequence[int]) -> str:
    """525-575"""
    return "-".join(map(str, dict.fromkeys((branches[0], branches[-1]))))


def reply(reply_: Reply, of_several: bool = False) -> str:
    """sm_120, driver 550: does not load. Driver 550 does not support sm_120: ..."""
    asked = ", ".join([*([f"sm_{reply_.gpu}"] if reply_.gpu else []),
                       *([f"driver {reply_.driver}"] if reply_.driver else [])])
    text = reasons_of(reply_, of_several)
    return f"{asked or 'here'}: {'loads in part' if reply_.in_part else _LOADS[reply_.loads]}. {text}"


def reply_for_json(reply_: Reply, of_several: bool) -> dict[str, object]:
    return {**asdict(reply_), "text": reply(reply_, of_several)}


def reasons_of(reply_: Reply, of_several: bool = False) -> str:
    """`of_several`: name the files for which the answer is unknown."""
    if len(reply_.reasons) == 1 and not (of_several and reply_.loads is None):
        return next(iter(reply_.reasons))
    return " ".join(f"{some(names)}: {text}" if any(names) else text for text, names in reply_.reasons.items())


def unread(kernels: Kernels) -> dict[str, list[str]]:
    """sentence -> files"""
    files_of: dict[str, list[str]] = {}
    for name, why in kernels.unread.items():
        text = f"device code was not read, so which drivers and GPUs load it is unknown: {why}"
        files_of.setdefault(text, []).append(name)
    for name, problems in kernels.problems.items():
        text = ("device code was read only in part, so which drivers and GPUs load the rest is unknown: "
                f"{some(problems)}")
        files_of.setdefault(text, []).append(name)
    return files_of


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
