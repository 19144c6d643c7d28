# SPDX-License-Identifier: Apache-2.0
"""Sentences of the report: headline, notes, requirements and the last line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Callable

from ..analysis import (
    code_rules,
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
from ..analysis.file_use import FileUse, Provided, Use
from ..analysis.libraries import Linking
from ..analysis.opened import OpenedKind
from ..matrix import fold
from ..matrix.data import ANY_CALLER, Library, Matrix, Run
from . import driver_rule, drivers_asked
from .cells import FAILS, UNCHECKED, Asked
from .describe_verdict import needs_driver, sentence
from .findings import DEVICE_CODE, File, Input
from .input_verdict import VerdictKind
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


def last_line(one: Input, failing: dict[Run, list[str]], asked: Asked, matrix: Matrix) -> tuple[str, str]:
    """The verdict, and its colour."""
    refused = _refused(one, asked, matrix)
    parts = [sentence(one.verdict, short=True), *refused]
    if failing:
        parts.append(_failing(failing, asked, matrix))
    if one.problems and one.files:
        parts.append(f"{counted(len(one.problems), 'file')} could not be checked")
    late = one.late_drivers(asked)
    if late:
        parts.append(_late(one, late, asked))
    elif one.is_open(asked):
        since = describe_kernels.since_unread(one.kernels, one.kind != "file")
        parts.append(f"whether its device code loads is unknown{since}")
    is_bad = failing or one.ties(asked) or one.problems or late or one.is_open(asked) or refused
    is_free = one.verdict.kind is VerdictKind.FREE
    return f"verdict: {'; '.join(parts)}", "red" if is_bad else "green" if is_free else "yellow"


def verdicts(one: Input) -> tuple[list[tuple[str, str]], str]:
    """(file, verdict) for each of several files, and a sentence that counts those without CUDA."""
    if one.kind == "file" or len(one.files) < 2:
        return [], ""
    none = [file for file in one.files if file.verdict.kind is VerdictKind.NO_CUDA and not file.verdict.kernels]
    rows = [(file.name, sentence(file.verdict, short=True)) for file in one.files if file not in none]
    return rows, f"no CUDA in {counted(len(none), 'other file')}" if none else ""


def headline(one: Input, cells: dict[Run, list[str]], failing: dict[Run, list[str]], asked: Asked,
             matrix: Matrix) -> tuple[str, str]:
    """(the line, its colour)"""
    name = Path(one.path).name or one.path
    if one.problems and not one.files:  # the lines below say what is wrong
        return f"{name}: cannot be checked", "red"
    incomplete = f"; {counted(len(one.problems), 'file')} could not be checked" if one.problems else ""
    if asked.of_device_code:
        return f"{name}: {_failing(failing, asked, matrix)}" if failing else name, "red" if failing else "bold"
    ties, refused = one.ties(asked), _refused(one, asked, matrix)
    tied = [describe_ties.tied(ties, short=True)] if ties else []
    start = f"{name}: " + "".join(f"{text}; " for text in [*tied, *refused])
    if not cells:
        return f"{start}{_without_cells(one, asked)}{incomplete}", "red" if incomplete or ties or refused else "yellow"
    if failing:
        return f"{start}{_failing(failing, asked, matrix)}{incomplete}", "red"
    suffix = ", if its other CUDA libraries are installed" if any(map(_others(one), one.files)) else ""
    late = one.late_drivers(asked)
    if late:
        suffix += f"; {_late(one, late, asked)}"
    else:
        suffix += _needs_driver(one, asked)
    suffix += _declared(one, asked, matrix)
    if any(file.use.static_runtime for file in one.files) and "static runtime" not in suffix:
        suffix += "; but it also has a CUDA runtime linked in statically"
    if any(_is_native(use, asked) for file in one.files for use in file.use.uses):
        suffix += "; but its link to the stub records no CUDA major"
    where = _where(cells, _runnable(one, asked), matrix)
    if not where:
        return f"{start.removesuffix('; ')}{incomplete}", "red"
    if ties or refused:
        all_ = "all other" if ties else "otherwise, all"
        return f"{start}{all_} CUDA functions that it uses run on {where}{'' if ties else suffix}{incomplete}", "red"
    colour = "red" if incomplete or late else "yellow" if suffix else "green"
    return f"{name}: all CUDA functions that it uses run on {where}{suffix}{incomplete}", colour


def _refused(one: Input, asked: Asked, matrix: Matrix) -> list[str]:
    return [driver_rule.sentence(late, _cudas(late.releases, matrix)) for late in one.refused_releases(asked)]


def _declared(one: Input, asked: Asked, matrix: Matrix) -> str:
    late = one.too_old_drivers(asked) if asked.forward_compat else ()
    return "".join(f"; {driver_rule.declared(each, _cudas(each.releases, matrix))}" for each in late)


def _runnable(one: Input, asked: Asked) -> Asked:
    """The question, limited to releases with a named driver that runs them, and to drivers that run a release."""
    if not one.refused_releases(asked):
        return asked
    facts = gpus.facts()
    return replace(asked, releases=driver_rule.with_a_driver(asked.releases, asked.all_named_drivers, facts),
                   drivers=driver_rule.with_a_release(asked.drivers, asked.releases, facts))


def drivers_hint(one: Input, asked: Asked) -> str:
    """What to do about CUDA releases that do not run on a named driver; "" without any."""
    refused = one.refused_releases(asked)
    return driver_rule.hint(refused, gpus.facts()) if refused else ""


def _needs_driver(one: Input, asked: Asked) -> str:
    """The text after the CUDA releases: ; its device code needs driver 580, newer than the drivers of CUDA 11-12"""
    runtime, (least, needed), majors = int(one.verdict.driver or 0), one.drivers_needed, one.late_majors(asked)
    newer = f", newer than the drivers of CUDA {'-'.join(dict.fromkeys((majors[0], majors[-1])))}" if majors else ""
    if not needed or runtime == needed and not majors:
        return ""
    what = "static runtime" if runtime == needed else "device code"
    return f"; its {what} {needs_driver(least, needed)}{newer}{_possibly_newer(one, what, asked)}"


def _possibly_newer(one: Input, named: str, asked: Asked) -> str:
    """; possibly a newer one: some cubins are compressed, and this anycuda was built without liblz4. `named`: the part
    of the files whose driver the text before names."""
    if DEVICE_CODE in asked.allowed or not (one.verdict.kernels and one.verdict.kernels.unknown):
        return ""
    compressed = code_rules.compressions(code for codes in one.kernels.files.values() for code in codes)
    why = (f": some cubins are compressed, and this anycuda was built without {code_rules.libraries(compressed)}"
           if compressed else "")
    return f"; {'' if named == 'device code' else 'its device code needs '}possibly a newer one{why}"


def _late(one: Input, late: Sequence[int], asked: Asked) -> str:
    """device code does not load with driver 450-520 and loads in part with driver 525-575"""
    code, least = one.verdict.kernels, one.drivers_needed[0]
    what, verb = ("device code", "load") if code and code.driver > late[-1] else ("the static runtime", "run")
    found = {f"does not {verb}": [branch for branch in late if branch < least],
             f"{verb}s in part": [branch for branch in late if branch >= least]}
    return f"{what} " + " and ".join(f"{text} with driver {describe_kernels.span(branches)}"
                                     for text, branches in found.items() if branches)


def _failing(failing: dict[Run, list[str]], asked: Asked, matrix: Matrix) -> str:
    """2 functions would fail on CUDA 11.7-11.8; 1 function would go unchecked on CUDA 13.0-13.5"""
    parts = []
    for what, kinds in (("fail", [kind for kind in FAILS if kind != UNCHECKED]), ("go unchecked", [UNCHECKED])):
        runs = {run: names for run, names in failing.items() if run.kind in kinds}
        if runs:
            functions = counted(len({run.symbol for run in runs}), "function")
            parts.append(f"{functions} would {what} on {_where(runs, asked, matrix)}")
    return "; ".join(parts)


def _without_cells(one: Input, asked: Asked) -> str:
    uses = [use for file in one.files for use in file.served if asked.wants(use.library)]
    if any(use.symbols for use in uses):
        return "--runtime selects no release of its CUDA libraries"  # the notes name a release that does
    idle = list(dict.fromkeys(use.needed for use in uses if use.needed and use.how.is_nvidias))
    if idle:
        return (f"needs {some(idle)} but uses no function of it: `anycuda repair` and `anycuda patch` put a stub in "
                "its place, which loads everywhere")
    other_stubs = list(dict.fromkeys(use.needed for use in uses if use.how is Linking.PEER and use.needed))
    if other_stubs:
        return f"its CUDA calls go to {some(other_stubs)} of another project; anycuda keeps these stubs"
    if any(file.use.static_runtime for file in one.files):
        opens = any(use.how is Linking.LOADED and use.library != "cuda" for use in uses)
        return ("has its CUDA runtime linked in statically; "
                + ("it may load other CUDA libraries by name" if opens else
                   "it makes no calls that a stub could serve"))
    if any(file.use.provides and file.use.provides.what is not Provided.SOME for file in one.files):
        return "is a CUDA library or a stub; it makes no calls that a stub could serve"
    inside = sorted({name for file in one.files for name in _stubs_inside(file.use, asked)})
    if inside:
        return f"has anycuda's stub of {' and '.join(inside)} linked in statically; it needs no other stub"
    if uses:
        return "links no CUDA library"
    if any(use.symbols for file in one.files for use in file.served):  # --library selects others
        return "uses no function of the selected libraries"
    if any(map(_others(one), one.files)):
        return "uses no CUDA library that has a stub"
    if any(file.use.unstubbed for file in one.files) or one.verdict.companions:
        return "links no CUDA library"
    if one.texts.python:
        return "has no CUDA in its binaries"
    if one.kernels.files or one.kernels.problems:
        return "has device code and uses no CUDA library"
    return "uses no CUDA" if one.files else "has no binaries"


def _others(one: Input) -> Callable[[File], list[str]]:
    """The NVIDIA libraries that a file needs from outside its wheel or folder."""
    neighbours = {Path(file.name).name for file in one.files}
    return lambda file: [name for name in file.use.other if name not in neighbours]


def _where(runs: dict[Run, list[str]], asked: Asked, matrix: Matrix) -> str:
    """CUDA 11.8-13.5 and NCCL 2.16-2.32 and driver 520-615"""
    parts: dict[str, str] = {}
    for library in matrix.libraries.values():
        series = library.releases_of
        on = {release for run in runs if matrix.libraries[run.library].releases_of == series
              for release in run.runtimes}
        text = _spell(tuple(release for release in asked.releases_of(library) if release in on), matrix, library)
        if text:
            parts.setdefault(series, text.replace(f"{library.name}-", ""))
    return " and ".join(f"{series} {text}" for series, text in parts.items())


def _cudas(releases: tuple[str, ...], matrix: Matrix) -> str:
    library = next(one for one in matrix.libraries.values() if one.releases_of == "CUDA")
    return _spell(releases, matrix, library)


def _spell(chosen: tuple[str, ...], matrix: Matrix, library: Library) -> str:
    every = every_release(matrix, library.releases_of)
    return fold.ranges(chosen, library._replace(runtimes=every)).replace(",", ", ")


def every_release(matrix: Matrix, series: str = "CUDA") -> list[str]:
    """The releases of CUDA, of the driver, or of a library with its own ones, oldest first."""
    return list(dict.fromkeys(release for library in matrix.libraries.values() if library.releases_of == series
                              for release in library.runtimes))


def caller(major: str, library: str) -> str:
    """The caller's majors; several if they share a SONAME: 12 or 13."""
    known = libraries.table().libraries.get(library)
    if known and major in known.majors:
        return known.label(major)
    return {ANY_CALLER: "", "": "?"}.get(major, major)


def how(use: Use, file: File) -> str:
    if use.needed in file.use.hooked:
        return f"{use.needed} (kept: the file rewrites its functions)"
    if use.needed in file.kept:
        return f"{use.needed} (a copy that repair keeps)"
    if use.how is Linking.UNNAMED:
        return "not linked: another file must load the library"
    return {Linking.STUB: f"{use.needed} (anycuda)", Linking.PEER: f"{use.needed} (another project's stub)",
            Linking.RENAMED: f"{use.needed} (a copy)"}.get(use.how, use.needed or "")


def _is_native(use: Use, asked: Asked) -> bool:
    """Is the file linked to a stub directly, and would its calls otherwise have a major?"""
    return use.native and libraries.table().libraries[use.library].records_major and asked.wants(use.library)


def _stubs_inside(use: FileUse, asked: Asked) -> list[str]:
    return [name for name in use.stubs_inside if asked.wants(name)]


def built_for(use: Use) -> str:
    if not libraries.table().libraries[use.library].tells_built_for:
        return ""
    if not use.symbols:
        return ", ".join(use.built_for)
    versioned = {symbol.major for symbol in use.symbols}
    if versioned == {""}:
        return f"{use.built_for[0]} (no versions)" if len(use.majors) == 1 else "unknown"
    return ", ".join(use.built_for) + (", some unknown" if "" in versioned else "")


def notes(one: Input, asked: Asked, matrix: Matrix) -> dict[str, list[str]]:
    """note -> files that it applies to"""
    found: dict[str, list[str]] = {}
    others, inside = _others(one), one.inside()
    for file in one.files:
        for text in (_notes_of(file.use, others(file), asked) + _opened(file.use, asked, inside)
                     + _not_asked(file, asked, matrix)):
            found.setdefault(text, []).append(file.name)
    for name, names in one.texts.named.items():
        for fate, alike in named.by_fate(names, libraries.table()).items():
            found.setdefault(f"a string in it names {some(alike)}: {fate}", []).append(name)
    for name, loads in one.texts.loads.items():
        for text in pathfinder.sentences(loads, libraries.table()):
            found.setdefault(text, []).append(name)
    for name, text in one.passed_over:
        found.setdefault(f"skipped ({text})", []).append(name)
    return found


def _notes_of(use: FileUse, others: list[str], asked: Asked) -> list[str]:
    texts = []
    if use.provides and asked.wants(use.provides.library):
        texts.append(_PROVIDES[use.provides.what].format(library=use.provides.library))
        if use.quiet:
            texts.append("is quiet: it writes messages only if ANYCUDA_LOG is set (`anycuda repair --quiet-stubs`)")
    if use.static_runtime and asked.wants("cudart"):
        release = f"CUDA runtime {use.runtime_release}" if use.runtime_release else "CUDA runtime"
        texts.append(f"has a {release} linked in statically; a stub cannot replace it")
    inside = _stubs_inside(use, asked)
    if inside:
        texts.append(f"has anycuda's stub of {' and '.join(inside)} linked in statically; which functions the file "
                     "calls through it is unknown")
    for one in use.uses:
        if _is_native(one, asked):
            texts.append(f"was linked with -l{one.library}_stub ({one.needed}), which records no major, so its calls "
                         "are passed on unchecked: link it with the library in lib/anycuda/link/MAJOR")
    if others:
        must = "it" if len(others) == 1 else "they"
        texts.append(f"needs {distributions.with_packages(others, libraries.table())}, for which anycuda has no stub: "
                     f"{must} must be installed")
    return texts


def _opened(use: FileUse, asked: Asked, inside: frozenset[str]) -> list[str]:
    """A sentence for each group of names of one library with the same fate."""
    alike: dict[tuple[str, OpenedKind], list[str]] = {}
    for one in opened.find(use, libraries.table(), inside):
        if asked.wants(one.library):
            is_tie = one.kind is OpenedKind.TIED
            name = distributions.with_packages([one.name], libraries.table()) if is_tie else one.name
            alike.setdefault((one.library, one.kind), []).append(name)
    return [f"may load {' or '.join(names)} by name: {opened.WHO_SERVES[kind]}" for (_, kind), names in alike.items()]


def _not_asked(file: File, asked: Asked, matrix: Matrix) -> list[str]:
    """The libraries without a selected release: --runtime 12 selects no driver and no NCCL."""
    silent = [library for library in matrix.libraries.values()
              if asked.wants(library.name) and not asked.releases_of(library)
              and any(use.symbols for use in file.served if use.library == library.name)]
    return [f"uses functions of {library.product.split(' (')[0]}, of which --runtime selects no release: add "
            f"--runtime {_newest(library)}" for library in silent]


def device_code(one: Input, asked: Asked) -> list[str]:
    """The files with device code, the drivers that load it, and hints."""
    facts = gpus.facts() if one.kernels.files else None
    of_several, whole = one.kind != "file", not (one.kernels.unread or one.kernels.problems)
    lines = describe_kernels.lines(one.kernels, facts, of_several)
    if facts and not asked.gpus and not asked.libraries:
        groups = kernels.on_drivers(one.kernels.files, drivers_asked.branches(asked, facts), facts)
        lines += [describe_kernels.on_drivers(group, whole, of_several,
                                              kernels.why_unknown(one.kernels.files, group, facts))
                  for group in groups]
        lines += drivers_asked.hints(groups, kernels.uncovered(one.kernels.files, facts), asked, facts)
    return lines


def ties_hint(one: Input, asked: Asked) -> str:
    """What to do about the ties; "" if none fails."""
    names = list(dict.fromkeys(tie.library for tie in one.ties(asked)))
    if not names:
        return ""
    packages = list(dict.fromkeys(filter(None, (distributions.of_tie(name, libraries.table()) for name in names))))
    these, it, name = names[0], "it", "name"
    if len(names) > 1:
        these, it, name = f"these {len(names)} libraries", "them", "names"
    sources = f" ({listed(packages)})" if packages else ""
    return (f"To end the tie, build without {these}; or do not link {it}, and open {it} with dlopen, by the "
            f"{name} for each CUDA major. If the tie stays, your users must install {it}{sources}. Details: "
            f"{describe_ties.PAGE}.")


def requirements(one: Input) -> list[str]:
    return [_pin(pin) for pin in one.texts.pins] + [_preload(each) for each in one.texts.preloads]


def _pin(pin: PinFate) -> str:
    becomes = f"`anycuda repair {_FREE}` makes it an extra" if pin.freed else "repair keeps it"
    but = f"{', except ' if pin.freed else ': '}{pin.stays}" if pin.stays else ""
    return f"requires {pin.requirement}, which belongs to CUDA {pin.major}; {becomes}{but}"


def _preload(one: Preload) -> str:
    does = f"{one.file} {preload.does(_distributions(one.distributions), _distributions(one.imported))}"
    if one.file.endswith(".json"):
        return f"{does}; `anycuda repair {_FREE}` removes from this file the distributions that become extras"
    these, it = (("this distribution is", "it") if len({*one.distributions, *one.imported}) == 1 else
                 ("these distributions are", "them"))
    return f"{does}, and may fail where {these} not installed: test the wheel in an environment without {it}"


def _distributions(names: Sequence[str]) -> str:
    return f"the distribution{'' if len(names) == 1 else 's'} {some(names)}" if names else ""


def _newest(library: Library) -> str:
    """The newest release. The matrix lists the newest cuda.h among the drivers; it is not a driver."""
    return [one for one in library.runtimes if not (library.is_driver and "." in one)][-1]


def counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
