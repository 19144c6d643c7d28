# SPDX-License-Identifier: Apache-2.0
"""The first and the last line of the report on an input: where it runs, and the verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..analysis import code_rules, describe_kernels, describe_ties, gpus
from ..analysis.describe_kernels import some
from ..analysis.file_use import Provided, Use
from ..analysis.libraries import Linking
from ..matrix.data import Matrix, Run
from . import driver_rule, releases
from .cells import FAILS, UNCHECKED, Asked, CodeFailure
from .describe_use import counted, is_native, stubs_inside
from .describe_verdict import needs_driver, sentence
from .findings import Input
from .input_verdict import VerdictKind

_STATIC_RUNTIME, _DEVICE_CODE = "static runtime", "device code"


def last_line(input_: Input, failing: dict[Run, list[str]], asked: Asked, matrix: Matrix) -> tuple[str, str]:
    """The verdict, and its colour."""
    refused = _refused(input_, asked, matrix)
    parts = [sentence(input_.verdict, short=True), *refused]
    if failing:
        parts.append(_failing(failing, asked, matrix))
    if input_.problems and input_.files:
        parts.append(f"{counted(len(input_.problems), 'file')} could not be checked")
    late = input_.late_drivers(asked)
    if late:
        parts.append(_late(input_, late))
    elif input_.is_open(asked):
        since = describe_kernels.since_unread(input_.kernels, input_.names_files)
        parts.append(f"whether its device code loads is unknown{since}")
    is_bad = failing or input_.ties(asked) or input_.problems or late or input_.is_open(asked) or refused
    is_free = input_.verdict.kind is VerdictKind.FREE
    return f"verdict: {'; '.join(parts)}", "red" if is_bad else "green" if is_free else "yellow"


def headline(input_: Input, cells: dict[Run, list[str]], failing: dict[Run, list[str]], asked: Asked,
             matrix: Matrix) -> tuple[str, str]:
    """(the line, its colour)"""
    name = Path(input_.path).name or input_.path
    if input_.problems and not input_.files:  # the lines below say what is wrong
        return f"{name}: cannot be checked", "red"
    if asked.of_device_code:
        return f"{name}: {_failing(failing, asked, matrix)}" if failing else name, "red" if failing else "bold"
    ties, refused = input_.ties(asked), _refused(input_, asked, matrix)
    faults = [*([describe_ties.tied(ties, short=True)] if ties else []), *refused]
    incomplete = f"; {counted(len(input_.problems), 'file')} could not be checked" if input_.problems else ""
    if failing:
        return f"{name}: {'; '.join([*faults, _failing(failing, asked, matrix)])}{incomplete}", "red"
    if not cells:
        text = "; ".join([*faults, _without_cells(input_, asked)])
        return f"{name}: {text}{incomplete}", "red" if incomplete or faults else "yellow"
    where = releases.describe_runs(cells, _runnable(input_, asked), matrix)
    if not where:
        return f"{name}: {'; '.join(faults)}{incomplete}", "red"
    conditions = _conditions(input_, asked, matrix)
    if faults:
        all_ = "all other" if ties else "otherwise, all"
        runs = f"{all_} CUDA functions that it uses run on {where}{'' if ties else conditions}"
        return f"{name}: {'; '.join([*faults, runs])}{incomplete}", "red"
    colour = "red" if incomplete or input_.late_drivers(asked) else "yellow" if conditions else "green"
    return f"{name}: all CUDA functions that it uses run on {where}{conditions}{incomplete}", colour


def drivers_hint(input_: Input, asked: Asked) -> str:
    """What to do about CUDA releases that do not run on a named driver; "" without any."""
    refused = input_.refused_releases(asked)
    return driver_rule.hint(refused, gpus.facts()) if refused else ""


def _conditions(input_: Input, asked: Asked, matrix: Matrix) -> str:
    """The text after the releases on which the functions run: what else must be there, and what else is linked in."""
    text = ", if its other CUDA libraries are installed" if any(input_.needed_from_outside()) else ""
    late = input_.late_drivers(asked)
    text += f"; {_late(input_, late)}" if late else _needs_driver(input_, asked)
    accepted = input_.too_old_drivers(asked) if asked.forward_compat else ()
    text += "".join(f"; {driver_rule.declared(old, releases.describe_cuda(old.releases, matrix))}" for old in accepted)
    if any(file.use.static_runtime for file in input_.files) and _STATIC_RUNTIME not in text:
        text += "; but it also has a CUDA runtime linked in statically"
    if any(is_native(use, asked) for file in input_.files for use in file.use.uses):
        text += "; but its link to the stub records no CUDA major"
    return text


def _refused(input_: Input, asked: Asked, matrix: Matrix) -> list[str]:
    return [driver_rule.sentence(old, releases.describe_cuda(old.releases, matrix))
            for old in input_.refused_releases(asked)]


def _runnable(input_: Input, asked: Asked) -> Asked:
    """The question, limited to releases with a named driver that runs them, and to drivers that run a release."""
    if not input_.refused_releases(asked):
        return asked
    facts = gpus.facts()
    return replace(asked, releases=driver_rule.with_a_driver(asked.releases, asked.all_named_drivers, facts),
                   drivers=driver_rule.with_a_release(asked.drivers, asked.releases, facts))


def _needs_driver(input_: Input, asked: Asked) -> str:
    """; its device code needs driver 580, newer than the drivers of CUDA 11-12"""
    runtime, (least, needed) = int(input_.verdict.driver or 0), input_.drivers_needed
    majors = input_.late_majors(asked)
    newer = f", newer than the drivers of CUDA {'-'.join(dict.fromkeys((majors[0], majors[-1])))}" if majors else ""
    if not needed or runtime == needed and not majors:
        return ""
    what = _STATIC_RUNTIME if runtime == needed else _DEVICE_CODE
    return f"; its {what} {needs_driver(least, needed)}{newer}{_possibly_newer(input_, what, asked)}"


def _possibly_newer(input_: Input, named: str, asked: Asked) -> str:
    """; possibly a newer one: some cubins are compressed, and this anycuda was built without liblz4. `named`: the part
    of the files whose driver the text before names."""
    needs = input_.verdict.kernels
    if CodeFailure.NOT_LOADED in asked.allowed or not (needs and needs.unknown):
        return ""
    compressed = code_rules.compressions(code for codes in input_.kernels.files.values() for code in codes)
    why = (f": some cubins are compressed, and this anycuda was built without {code_rules.libraries(compressed)}"
           if compressed else "")
    return f"; {'' if named == _DEVICE_CODE else 'its device code needs '}possibly a newer one{why}"


def _late(input_: Input, late: Sequence[int]) -> str:
    """device code does not load with driver 450-520 and loads in part with driver 525-575"""
    needs, least = input_.verdict.kernels, input_.drivers_needed[0]
    what, verb = (_DEVICE_CODE, "load") if needs and needs.driver > late[-1] else (f"the {_STATIC_RUNTIME}", "run")
    outcomes = {f"does not {verb}": [branch for branch in late if branch < least],
                f"{verb}s in part": [branch for branch in late if branch >= least]}
    return f"{what} " + " and ".join(f"{text} with driver {describe_kernels.span(branches)}"
                                     for text, branches in outcomes.items() if branches)


def _failing(failing: dict[Run, list[str]], asked: Asked, matrix: Matrix) -> str:
    """2 functions would fail on CUDA 11.7-11.8; 1 function would go unchecked on CUDA 13.0-13.5"""
    parts = []
    for what, kinds in (("fail", [kind for kind in FAILS if kind is not UNCHECKED]), ("go unchecked", [UNCHECKED])):
        runs = [run for run in failing if run.kind in kinds]
        if runs:
            functions = counted(len({run.symbol for run in runs}), "function")
            parts.append(f"{functions} would {what} on {releases.describe_runs(runs, asked, matrix)}")
    return "; ".join(parts)


def _without_cells(input_: Input, asked: Asked) -> str:
    uses = [use for file in input_.files for use in file.served if asked.wants(use.library)]
    if any(use.symbols for use in uses):
        return "--runtime selects no release of its CUDA libraries"  # the notes name a release that does
    return _without_calls(uses) or _linked_in(input_, uses, asked) or _without_libraries(input_, uses)


def _without_calls(uses: Sequence[Use]) -> str:
    """About libraries that it needs without calling them; "" without any."""
    idle = list(dict.fromkeys(use.needed for use in uses if use.needed and use.how.is_nvidias))
    if idle:
        return (f"needs {some(idle)} but uses no function of it: `anycuda repair` and `anycuda patch` put a stub in "
                "its place, which loads everywhere")
    other_stubs = list(dict.fromkeys(use.needed for use in uses if use.how is Linking.PEER and use.needed))
    if other_stubs:
        return f"its CUDA calls go to {some(other_stubs)} of another project; anycuda keeps these stubs"
    return ""


def _linked_in(input_: Input, uses: Sequence[Use], asked: Asked) -> str:
    """About CUDA inside the files; "" without any."""
    if any(file.use.static_runtime for file in input_.files):
        opens = any(use.how is Linking.LOADED and use.library != "cuda" for use in uses)
        return ("has its CUDA runtime linked in statically; "
                + ("it may load other CUDA libraries by name" if opens else
                   "it makes no calls that a stub could serve"))
    if any(file.use.provides and file.use.provides.what is not Provided.SOME for file in input_.files):
        return "is a CUDA library or a stub; it makes no calls that a stub could serve"
    stubs = sorted({name for file in input_.files for name in stubs_inside(file.use, asked)})
    if stubs:
        return f"has anycuda's stub of {' and '.join(stubs)} linked in statically; it needs no other stub"
    return ""


def _without_libraries(input_: Input, uses: Sequence[Use]) -> str:
    if uses:
        return "links no CUDA library"
    if any(use.symbols for file in input_.files for use in file.served):  # --library selects others
        return "uses no function of the selected libraries"
    if any(input_.needed_from_outside()):
        return "uses no CUDA library that has a stub"
    if any(file.use.unstubbed for file in input_.files) or input_.verdict.companions:
        return "links no CUDA library"
    if input_.texts.python:
        return "has no CUDA in its binaries"
    if input_.kernels.files or input_.kernels.problems:
        return "has device code and uses no CUDA library"
    return "uses no CUDA" if input_.files else "has no binaries"
