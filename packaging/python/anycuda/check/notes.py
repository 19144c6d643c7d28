# SPDX-License-Identifier: Apache-2.0
"""The sentences of the report between its tables: about files, requirements, device code and ties."""

from __future__ import annotations

from collections.abc import Sequence

from ..analysis import (
    describe_kernels,
    describe_ties,
    distributions,
    gpus,
    kernels,
    libraries,
    named,
    opened,
    pathfinder,
    preload,
)
from ..analysis.describe_kernels import listed, some
from ..analysis.file_use import FileUse, Provided
from ..analysis.opened import OpenedKind
from ..matrix.data import Matrix
from . import drivers_asked, releases
from .cells import Asked
from .describe_use import is_native, stubs_inside
from .findings import File, Input
from .requirements import PinFate, Preload

_FREE = "--free-requirements"
_PROVIDES = {
    Provided.ORIGINAL: "is NVIDIA's {library} itself",
    Provided.RENAMED: "is a renamed copy of NVIDIA's {library}",
    Provided.STUB: "is anycuda's stub of {library}",
    Provided.DROPIN: "is anycuda's drop-in for {library}",
    Provided.PEER: "is another project's stub of {library}",
    Provided.SOME: "defines some functions of {library}",
}


def about_files(input_: Input, asked: Asked, matrix: Matrix) -> dict[str, list[str]]:
    """note -> files that it applies to"""
    notes: dict[str, list[str]] = {}
    inside = input_.inside()
    for file, others in zip(input_.files, input_.needed_from_outside()):
        for text in (_about_file(file.use, others, asked) + _opened(file.use, asked, inside)
                     + _not_asked(file, asked, matrix)):
            notes.setdefault(text, []).append(file.name)
    for name, names in input_.texts.named.items():
        for fate, alike in named.by_fate(names, libraries.table()).items():
            notes.setdefault(f"a string in it names {some(alike)}: {fate}", []).append(name)
    for name, loads in input_.texts.loads.items():
        for text in pathfinder.sentences(loads, libraries.table()):
            notes.setdefault(text, []).append(name)
    for name, text in input_.passed_over:
        notes.setdefault(f"skipped ({text})", []).append(name)
    return notes


def _about_file(file: FileUse, others: list[str], asked: Asked) -> list[str]:
    """`others`: the needed NVIDIA libraries without a stub."""
    texts = []
    if file.provides and asked.wants(file.provides.library):
        texts.append(_PROVIDES[file.provides.what].format(library=file.provides.library))
        if file.quiet:
            texts.append("is quiet: it writes messages only if ANYCUDA_LOG is set (`anycuda repair --quiet-stubs`)")
    if file.static_runtime and asked.wants("cudart"):
        release = f"CUDA runtime {file.runtime_release}" if file.runtime_release else "CUDA runtime"
        texts.append(f"has a {release} linked in statically; a stub cannot replace it")
    stubs = stubs_inside(file, asked)
    if stubs:
        texts.append(f"has anycuda's stub of {' and '.join(stubs)} linked in statically; which functions the file "
                     "calls through it is unknown")
    texts += [f"was linked with -l{use.library}_stub ({use.needed}), which records no major, so its calls are passed "
              "on unchecked: link it with the library in lib/anycuda/link/MAJOR"
              for use in file.uses if is_native(use, asked)]
    if others:
        must = "it" if len(others) == 1 else "they"
        texts.append(f"needs {distributions.with_packages(others, libraries.table())}, for which anycuda has no stub: "
                     f"{must} must be installed")
    return texts


def _opened(file: FileUse, asked: Asked, inside: frozenset[str]) -> list[str]:
    """A sentence for each group of names of one library with the same fate."""
    alike: dict[tuple[str, OpenedKind], list[str]] = {}
    for name in opened.find(file, libraries.table(), inside):
        if asked.wants(name.library):
            is_tie = name.kind is OpenedKind.TIED
            text = distributions.with_packages([name.name], libraries.table()) if is_tie else name.name
            alike.setdefault((name.library, name.kind), []).append(text)
    return [f"may load {' or '.join(names)} by name: {opened.WHO_SERVES[kind]}" for (_, kind), names in alike.items()]


def _not_asked(file: File, asked: Asked, matrix: Matrix) -> list[str]:
    """The libraries without a selected release: --runtime 12 selects no driver and no NCCL."""
    silent = [library for library in matrix.libraries.values()
              if asked.wants(library.name) and not asked.releases_of(library)
              and any(use.symbols for use in file.served if use.library == library.name)]
    return [f"uses functions of {library.product.split(' (')[0]}, of which --runtime selects no release: add "
            f"--runtime {releases.newest(library)}" for library in silent]


def about_device_code(input_: Input, asked: Asked) -> list[str]:
    """The files with device code, the drivers that load it, and hints."""
    code, of_several = input_.kernels, input_.names_files
    facts = gpus.facts() if code.files else None
    lines = describe_kernels.lines(code, facts, of_several)
    if facts and not asked.gpus and not asked.libraries:
        is_whole = not (code.unread or code.problems)
        groups = kernels.on_drivers(code.files, drivers_asked.branches(asked, facts), facts)
        lines += [describe_kernels.on_drivers(group, is_whole, of_several,
                                              kernels.why_unknown(code.files, group, facts)) for group in groups]
        lines += drivers_asked.hints(groups, kernels.uncovered(code.files, facts), asked, facts)
    return lines


def ties_hint(input_: Input, asked: Asked) -> str:
    """What to do about the ties; "" if none fails."""
    names = list(dict.fromkeys(tie.library for tie in input_.ties(asked)))
    if not names:
        return ""
    packages = list(dict.fromkeys(filter(None, (distributions.for_tie(name, libraries.table()) for name in names))))
    these, it, name = names[0], "it", "name"
    if len(names) > 1:
        these, it, name = f"these {len(names)} libraries", "them", "names"
    sources = f" ({listed(packages)})" if packages else ""
    return (f"To end the tie, build without {these}; or do not link {it}, and open {it} with dlopen, by the "
            f"{name} for each CUDA major. If the tie stays, your users must install {it}{sources}. Details: "
            f"{describe_ties.PAGE}.")


def about_requirements(input_: Input) -> list[str]:
    return [*map(_pin, input_.texts.pins), *map(_preload, input_.texts.preloads)]


def _pin(pin: PinFate) -> str:
    becomes = f"`anycuda repair {_FREE}` makes it an extra" if pin.freed else "repair keeps it"
    but = f"{', except ' if pin.freed else ': '}{pin.stays}" if pin.stays else ""
    return f"requires {pin.requirement}, which belongs to CUDA {pin.major}; {becomes}{but}"


def _preload(entry: Preload) -> str:
    does = f"{entry.file} {preload.does(_distributions(entry.distributions), _distributions(entry.imported))}"
    if entry.file.endswith(".json"):
        return f"{does}; `anycuda repair {_FREE}` removes from this file the distributions that become extras"
    these, it = (("this distribution is", "it") if len({*entry.distributions, *entry.imported}) == 1 else
                 ("these distributions are", "them"))
    return f"{does}, and may fail where {these} not installed: test the wheel in an environment without {it}"


def _distributions(names: Sequence[str]) -> str:
    return f"the distribution{'' if len(names) == 1 else 's'} {some(names)}" if names else ""
