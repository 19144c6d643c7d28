# SPDX-License-Identifier: Apache-2.0
"""Hints, the root cause first: the driver, then settings and the runtime, then optional libraries. Pure functions of
the findings."""

from __future__ import annotations

import os
import re
import shlex

from . import installation, packages
from .driver_hints import NVML, driver_hints, nvml_hints
from .environment import Environment
from .findings import Answer, Candidate, Driver, Findings, Library
from .hint import Hint, hint, missing_dependency, read_problem, without_folder, without_hint
from .hint_table import LIBRARIES
from .machine import TOOLKIT_VARIABLES, Machine
from .outcomes import column
from .package_hints import gone, incomplete, two_majors, two_packages
from .variables import LIBRARY_PATH
from .verdict import RUNTIME, program_of

_USE_COMPAT = "export ANYCUDA_DRIVER_COMPAT=assume_forward_compat  # where NVIDIA's cuda-compat is in use"
_ONE_HINT = ("listed_only", "anycuda_stub")  # rows that need one hint for all such files of a library
_WOULD_SERVE = ("accepted", "other_loaded")  # verdicts that do not depend on the file


def hints_for(findings: Findings, machine: Machine, environment: Environment | None = None) -> list[Hint]:
    environment = environment or Environment()
    libraries = sorted((one for one in findings.libraries if not one.is_driver), key=lambda one: one.name != RUNTIME)
    driver = driver_hints(findings.driver, machine, environment)
    runtime = findings.library(RUNTIME)
    lacks_cuda = runtime is not None and bool(_nothing(runtime))
    faults = _faults(environment, lacks_cuda)
    # A folder that hangs explains each question without an answer.
    hanging = [one for one in faults if one.situation == "variable_hangs"]
    found = hanging + driver + _settings(findings) + (faults if lacks_cuda else []) + gone(findings, environment)
    denied = _denied(environment)
    for library in libraries:
        if library.name != RUNTIME:
            found += _toolkits(findings, machine, environment)
            found += denied
        elif _nothing(library):
            found += denied
        found += _library(library, findings, machine, environment)
        if library.name == RUNTIME and lacks_cuda and machine.unused_base:
            found.append(hint(LIBRARIES, "conda_base", f"Conda's base, {machine.unused_base}, is activated.",
                              python=f"{machine.unused_base}/bin/python"))
    found += two_majors(findings, environment)
    found += faults + _toolkits(findings, machine, environment) + denied
    nvml = findings.library(NVML)
    found += nvml_hints(findings.driver, nvml, machine) if nvml and findings.is_asked(nvml) and not driver else []
    return list({(one.why, one.what): one for one in found}.values())


def _settings(findings: Findings) -> list[Hint]:
    return [
        hint(LIBRARIES, "setting" if setting.values else "setting_unknown",
             f"{setting.name}={setting.value} is invalid.", name=setting.name, values=setting.values)
        for setting in findings.settings if not setting.understood
    ]


def _faults(environment: Environment, lacks_cuda: bool) -> list[Hint]:
    """Hints on variables that name nothing. A value that is a list of folders is replaced by the first that exists."""
    found = []
    for one in environment.faults:
        if not (one.is_of_cuda or lacks_cuda):
            continue
        without = (without_folder(one.value, one.entry) if one.name == LIBRARY_PATH else
                   f"export {one.name}={shlex.quote(one.folder)}" if one.folder else f"unset {one.name}")
        found.append(hint(LIBRARIES, one.kind, f"{one.name}={one.value} leads to no CUDA." if one.name != LIBRARY_PATH
                          else f"An entry of {one.name} is wrong.", {"without": without},
                          name=one.name, entry=one.entry))
    return found


def _denied(environment: Environment) -> list[Hint]:
    by_blocker = {one.blocker: one for one in reversed(environment.denied)}
    return [hint(LIBRARIES, "folder_denied", f"{one.blocker} is not accessible.", path=one.path,
                 blocker=one.blocker)
            for one in reversed(list(by_blocker.values()))]


def _library(library: Library, findings: Findings, machine: Machine, environment: Environment) -> list[Hint]:
    driver, nothing = findings.driver, _nothing(library)
    named = [one for one in library.candidates if one.place == "variable"] if nothing else []
    broken = column("state", "broken")
    rows = _rows() if nothing else broken
    # A file that ended the search explains the missing library.
    files = sorted((one for one in library.candidates if one.stays_open or one.state in rows),
                   key=lambda one: (not one.stays_open, one.state not in broken))
    found = _joined([(one.path, _file(library, one, driver, machine, environment))
                     for one in files if one not in named])
    found += [hint(LIBRARIES, "crash", f"The search for the {library.short} fails: {answer.ended}.",
                   step=answer.last_step or "none")
              for answer in {one.last_step: one for one in library.answers.values() if one.ended}.values()]
    found += [_named(library, one) for one in named]
    # Of the other libraries nobody knows whether a program needs them.
    wanted = library.name == RUNTIME or findings.is_asked(library)
    served_otherwise = packages.is_optional(library.name) or packages.is_of_another(library.name)
    # Its repair has a hint; installing it would change nothing, since it counts as installed.
    is_installed = findings.gone_of(library) is not None or any(environment.wheels(one.path) for one in files)
    if nothing and wanted and not named and not served_otherwise and not is_installed:
        found.append(_no_library(library, nothing, driver, machine, environment))
    # A library of another environment is reported before a broken file without effect.
    other = _other_environment(library, machine, environment)
    return other + incomplete(library, machine, environment) + two_packages(library, environment) + found


def _rows() -> dict[str, str]:
    """State -> the row about a file in that state."""
    return {**column("state", "broken"), **column("state", "refused")}


def _joined(hints: list[tuple[str, Hint]]) -> list[Hint]:
    """The hints on files, (path, hint), with one for all files that need the same."""
    groups: dict[object, list[tuple[str, Hint]]] = {}
    for index, (path, one) in enumerate(hints):
        groups.setdefault(one.situation if one.situation in _ONE_HINT else index, []).append((path, one))
    for (_, first), *others in groups.values():
        if others:
            first.why += f" The same applies to {', '.join(path for path, _ in others)}."
            commands = [*first.commands, *(command for _, one in others for command in one.commands)]
            first.commands = list(dict.fromkeys(reversed(commands)))[::-1]  # of equal ones the last stays
    return [group[0][1] for group in groups.values()]


def _named(library: Library, candidate: Candidate) -> Hint:
    return hint(LIBRARIES, "library_setting", f"{candidate.path} cannot be used as {library.short}.",
                variable=library.variable, reason=without_hint(_reason(candidate)))


def _no_library(library: Library, nothing: dict[str, Answer], driver: Driver, machine: Machine,
                environment: Environment) -> Hint:
    answers = list(nothing.values())
    why = _who_gets_nothing(library, list(nothing))
    if environment.is_of_command:
        return hint(LIBRARIES, "own_environment", why, prefix=environment.prefix)
    remedy = installation.remedy(library, answers, driver, machine, environment)
    commands = installation.commands(library, driver, answers, machine, environment)
    refused = next(((one, decision) for one in library.candidates for caller, decision in one.decisions.items()
                    if caller in nothing and decision.verdict in column("verdict", "short")), None)
    first = packages.first_major_beyond(library.name, driver.cuda)
    if refused is None and first:
        why += f" It exists since CUDA {first}, but the driver supports only up to CUDA {driver.cuda}."
        update = packages.update_driver(machine.distribution, machine.container_kind, machine.wsl)
        remedy, commands = f"Update the driver, then install {installation.the(library)}.", [update]
    if refused is None:
        return Hint(why, remedy, commands, "no_library", "docs/doctor.md")
    candidate, decision = refused
    lifted = [command for verdict, command in column("verdict", "command").items() if verdict == decision.verdict]
    if any("update the driver" in answer.hint for answer in answers):
        commands.append(packages.update_driver(machine.distribution, machine.container_kind, machine.wsl))
        if decision.verdict == "driver_too_old":
            commands.append(_USE_COMPAT)
    if decision.verdict == "newer_than_known":
        remedy = f"Update anycuda, or install a {library.short} of a CUDA that this version supports."
    return Hint(f"{why} {candidate.path}: {without_hint(decision.reason)}.", remedy, [*lifted, *commands],
                decision.verdict, "docs/search.md")


def _nothing(library: Library) -> dict[str, Answer]:
    """The answers without a library. A refused setting is left out: it has a separate hint."""
    return {caller: answer for caller, answer in library.answers.items()
            if not (answer.path or answer.ended or answer.refused)}


def _who_gets_nothing(library: Library, callers: list[str]) -> str:
    if len(callers) < len(library.answers):
        return f"A {program_of(callers)} gets no {library.short}."
    if library.name == RUNTIME:
        return f"A program gets no {library.short}."
    return f"A program that uses {library.short} does not get it."


def _reason(candidate: Candidate) -> str:
    """The first reason against the file, which may have been opened for only one of the callers."""
    reasons = [one.reason for one in candidate.decisions.values() if one.reason not in ("usable", "not needed")]
    return next(iter(reasons), candidate.state.replace("_", " "))


def _file(library: Library, candidate: Candidate, driver: Driver, machine: Machine,
          environment: Environment) -> Hint:
    path, whole = candidate.path, without_hint(_reason(candidate))
    row = "stays_open" if candidate.stays_open else _rows()[candidate.state]
    reason = re.sub("^the dynamic linker (refused it: |opened )", "", whole)
    missing = missing_dependency(whole, path)
    if row == "not_opened" and missing:
        row = "dependency"
    elif row == "not_opened" and "GLIBC" in whole:
        row = "glibc"
    elif row == "dangling" and not candidate.target:
        row = "listed_only"
    elif row == "unreadable":
        row, reason = read_problem(reason)
    intact = next((one for one in environment.wheels(path) if one.intact), None)
    package = f"{intact.name} {intact.version}" if intact else ""
    if row == "not_opened" and intact:
        row = "not_opened_intact"
    return hint(LIBRARIES, row, f"{path} cannot be used as {library.short}.",
                {"provide": packages.provide(machine.distribution, missing),
                 "repair": installation.repair(library, candidate, machine, environment),
                 "install": installation.command(library, driver, machine, environment)},
                path=path, reason=reason, missing=missing, package=package, target=candidate.target,
                it=installation.the(library), variable=library.variable, folder=os.path.dirname(path))


def _other_environment(library: Library, machine: Machine, environment: Environment) -> list[Hint]:
    """A hint if the library comes from elsewhere although the environment in use has a usable one."""
    taken = next((one for one in library.candidates if library.taken_by(one)), None)
    if taken is None or taken.place == "variable" or not environment.prefix or environment.has(taken.path):
        return []
    callers = library.taken_by(taken)
    nearest = next((one for one in library.candidates
                    if environment.has(one.path) and one.state == "usable" and not one.lacking
                    and one.place != "toolkit"
                    and any(one.decisions[caller].verdict in _WOULD_SERVE for caller in callers
                            if caller in one.decisions)), None)
    if nearest is None:
        return []
    how, command = _cause_of(library, taken, nearest, machine)
    return [hint(LIBRARIES, "other_environment", f"The {library.short} of another environment is used: {taken.path}.",
                 {"command": command}, how=how, prefix=environment.prefix, nearest=nearest.path)]


def _cause_of(library: Library, taken: Candidate, nearest: Candidate, machine: Machine) -> tuple[str, str]:
    variables = machine.variables
    use_it = f"export {library.variable}={shlex.quote(nearest.path)}"
    if taken.place == "loaded":
        preloaded = taken.path in variables.get("LD_PRELOAD", "").replace(":", " ").split()
        return (("LD_PRELOAD loads it first", "unset LD_PRELOAD") if preloaded else
                ("The process of doctor loaded it before the search", "env | grep -E '^LD_|^PYTHON'"))
    if taken.place == "library_path":
        folder = os.path.dirname(taken.path)
        return (f"LD_LIBRARY_PATH names {folder}", without_folder(variables.get("LD_LIBRARY_PATH", ""), folder))
    for name, command in (("CONDA_PREFIX", "conda deactivate"), ("VIRTUAL_ENV", "deactivate"),
                          ("PYTHONPATH", "unset PYTHONPATH")):
        if any(part and taken.path.startswith(part.rstrip("/") + "/") for part in variables.get(name, "").split(":")):
            return f"{name} leads to it", command
    if "/.local/lib/python" in taken.path:
        return "It is among the user's packages", "export PYTHONNOUSERSITE=1"
    return "Its folder is searched first", use_it


def _toolkits(findings: Findings, machine: Machine, environment: Environment) -> list[Hint]:
    named = {name: machine.variables[name] for name in TOOLKIT_VARIABLES if machine.variables.get(name)}
    if len({environment.folder(path) for path in named.values()}) < 2:
        return []
    used = [one.path for library in findings.libraries for one in library.candidates if one.place == "toolkit"]
    meant = next((path for path in named.values() if any(one.startswith(path.rstrip("/") + "/") for one in used)),
                 next(iter(named.values())))
    differ = hint(LIBRARIES, "toolkits_differ", "The toolkit is ambiguous.",
                  settings=" and ".join(f"{name}={path}" for name, path in named.items()))
    differ.commands = [f"export {name}={shlex.quote(meant)}" for name, path in named.items()
                       if environment.folder(path) != environment.folder(meant)]
    return [differ]
