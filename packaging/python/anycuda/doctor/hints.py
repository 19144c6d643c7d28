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
from .findings import Answer, Candidate, Decision, Driver, Findings, Library
from .hint import Hint, hint, missing_dependency, read_problem, without_folder, without_hint
from .machine import TOOLKIT_VARIABLES, Machine
from .outcomes import CandidateVerdict, FileState, SearchTier, column
from .package_hints import gone, incomplete, two_majors, two_packages
from .situation import Situation
from .variables import LIBRARY_PATH
from .verdict import RUNTIME, program_of

_USE_COMPAT = "export ANYCUDA_DRIVER_COMPAT=assume_forward_compat  # where NVIDIA's cuda-compat is in use"
# These need one hint for all such files of a library.
_ONE_HINT = (Situation.LISTED_ONLY, Situation.ANYCUDA_STUB)
# Verdicts that do not depend on the file.
_WOULD_SERVE = (CandidateVerdict.ACCEPTED, CandidateVerdict.OTHER_LOADED)


def hints_for(findings: Findings, machine: Machine, environment: Environment | None = None) -> list[Hint]:
    environment = environment or Environment()
    driver = driver_hints(findings.driver, machine, environment)
    runtime = findings.library(RUNTIME)
    lacks_cuda = runtime is not None and bool(_nothing(runtime))
    faults = _faults(environment, lacks_cuda)
    # A folder that hangs explains each question without an answer.
    hints = [fault for fault in faults if fault.situation is Situation.VARIABLE_HANGS]
    hints += driver + _settings(findings) + (faults if lacks_cuda else []) + gone(findings, environment)
    toolkits, denied = _toolkits(findings, machine, environment), _denied(environment)
    if runtime is not None:
        hints += denied if lacks_cuda else []
        hints += _about_library(runtime, findings, machine, environment) + _unused_base(machine, lacks_cuda)
    for library in findings.libraries:
        if library is not runtime and not library.is_driver:
            hints += toolkits + denied + _about_library(library, findings, machine, environment)
    hints += two_majors(findings, environment) + faults + toolkits + denied
    nvml = findings.library(NVML)
    hints += nvml_hints(findings.driver, nvml, machine) if nvml and findings.is_asked(nvml) and not driver else []
    return list({(given.why, given.what): given for given in hints}.values())


def _settings(findings: Findings) -> list[Hint]:
    hints = []
    for setting in findings.settings:
        failed = f"{setting.name}={setting.value} is invalid."
        if not setting.understood and setting.values:
            hints.append(hint(Situation.SETTING, failed, name=setting.name, values=setting.values))
        elif not setting.understood:
            hints.append(hint(Situation.SETTING_UNKNOWN, failed, name=setting.name))
    return hints


def _faults(environment: Environment, lacks_cuda: bool) -> list[Hint]:
    """Hints on variables that name nothing. A value that is a list of folders is replaced by the first that exists."""
    hints = []
    for fault in environment.faults:
        if not (fault.is_of_cuda or lacks_cuda):
            continue
        if fault.name == LIBRARY_PATH:
            failed, without = f"An entry of {fault.name} is wrong.", without_folder(fault.value, fault.entry)
        else:
            failed = f"{fault.name}={fault.value} leads to no CUDA."
            without = f"export {fault.name}={shlex.quote(fault.folder)}" if fault.folder else f"unset {fault.name}"
        hints.append(hint(fault.situation, failed, {"without": without}, name=fault.name, entry=fault.entry))
    return hints


def _denied(environment: Environment) -> list[Hint]:
    by_blocker = {folder.blocker: folder for folder in reversed(environment.denied)}
    return [hint(Situation.FOLDER_DENIED, f"{folder.blocker} is not accessible.", path=folder.path,
                 blocker=folder.blocker)
            for folder in reversed(list(by_blocker.values()))]


def _unused_base(machine: Machine, lacks_cuda: bool) -> list[Hint]:
    if not (lacks_cuda and machine.unused_base):
        return []
    return [hint(Situation.CONDA_BASE, f"Conda's base, {machine.unused_base}, is activated.",
                 python=f"{machine.unused_base}/bin/python")]


def _about_library(library: Library, findings: Findings, machine: Machine, environment: Environment) -> list[Hint]:
    driver, nothing = findings.driver, _nothing(library)
    named = [candidate for candidate in library.candidates if candidate.place is SearchTier.VARIABLE
             ] if nothing else []
    broken = column("state", "broken")
    states = _situations() if nothing else broken
    # A file that ended the search explains the missing library.
    files = sorted((candidate for candidate in library.candidates if candidate.stays_open or candidate.state in states),
                   key=lambda candidate: (not candidate.stays_open, candidate.state not in broken))
    hints = _joined([(file.path, _about_file(library, file, driver, machine, environment))
                     for file in files if file not in named])
    hints += [hint(Situation.CRASH, f"The search for the {library.short} fails: {answer.ended}.",
                   step=answer.last_step or "none")
              for answer in {answer.last_step: answer for answer in library.answers.values() if answer.ended}.values()]
    hints += [_about_named(library, candidate) for candidate in named]
    # Of the other libraries nobody knows whether a program needs them.
    wanted = library.name == RUNTIME or findings.is_asked(library)
    served_otherwise = packages.is_optional(library.name) or packages.is_of_another(library.name)
    # Its repair has a hint; installing it would change nothing, since it counts as installed.
    is_installed = findings.gone_of(library) is not None or any(environment.wheels(file.path) for file in files)
    if nothing and wanted and not named and not served_otherwise and not is_installed:
        hints.append(_no_library(library, nothing, driver, machine, environment))
    # A library of another environment is reported before a broken file without effect.
    other = _other_environment(library, machine, environment)
    return other + incomplete(library, machine, environment) + two_packages(library, environment) + hints


def _situations() -> dict[str, str]:
    """State -> the situation of a file in that state."""
    return {**column("state", "broken"), **column("state", "refused")}


def _joined(hints: list[tuple[str, Hint]]) -> list[Hint]:
    """The hints on files, (path, hint), with one for all files that need the same."""
    groups: dict[object, list[tuple[str, Hint]]] = {}
    for index, (path, given) in enumerate(hints):
        groups.setdefault(given.situation if given.situation in _ONE_HINT else index, []).append((path, given))
    for (_, first), *others in groups.values():
        if others:
            first.why += f" The same applies to {', '.join(path for path, _ in others)}."
            commands = [*first.commands, *(command for _, given in others for command in given.commands)]
            first.commands = list(dict.fromkeys(reversed(commands)))[::-1]  # of equal ones the last stays
    return [group[0][1] for group in groups.values()]


def _about_named(library: Library, candidate: Candidate) -> Hint:
    return hint(Situation.LIBRARY_SETTING, f"{candidate.path} cannot be used as {library.short}.",
                variable=library.variable, reason=without_hint(_reason(candidate)))


def _no_library(library: Library, nothing: dict[str, Answer], driver: Driver, machine: Machine,
                environment: Environment) -> Hint:
    answers = list(nothing.values())
    why = _who_gets_nothing(library, list(nothing))
    if environment.is_of_command:
        return hint(Situation.OWN_ENVIRONMENT, why, prefix=environment.prefix)
    remedy = installation.remedy(library, answers, driver, machine, environment)
    commands = installation.commands(library, driver, answers, machine, environment)
    update = packages.update_driver(machine.distribution, machine.container_kind, machine.wsl)
    refused = next(((candidate, decision) for candidate in library.candidates
                    for caller, decision in candidate.decisions.items()
                    if caller in nothing and decision.verdict in column("verdict", "short")), None)
    if refused is not None:
        needs_driver = any("update the driver" in answer.hint for answer in answers)
        return _refused(library, *refused, why, remedy, [*commands, update] if needs_driver else commands,
                        needs_driver)
    first = packages.first_major_beyond(library.name, driver.cuda)
    if first:
        why += f" It exists since CUDA {first}, but the driver supports only up to CUDA {driver.cuda}."
        remedy, commands = f"Update the driver, then install {installation.the(library)}.", [update]
    return Hint(why, remedy, commands, "no_library", "docs/doctor.md")


def _refused(library: Library, candidate: Candidate, decision: Decision, why: str, remedy: str, commands: list[str],
             needs_driver: bool) -> Hint:
    """A hint on a usable file that the rules refuse."""
    lifted = column("verdict", "command").get(decision.verdict)
    if needs_driver and decision.verdict is CandidateVerdict.DRIVER_TOO_OLD:
        commands = [*commands, _USE_COMPAT]
    if decision.verdict is CandidateVerdict.NEWER_THAN_KNOWN:
        remedy = f"Update anycuda, or install a {library.short} of a CUDA that this version supports."
    return Hint(f"{why} {candidate.path}: {without_hint(decision.reason)}.", remedy,
                [*([lifted] if lifted is not None else []), *commands], decision.verdict, "docs/search.md")


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
    reasons = [decision.reason for decision in candidate.decisions.values()
               if decision.reason not in ("usable", "not needed")]
    return next(iter(reasons), candidate.state.replace("_", " "))


def _about_file(library: Library, candidate: Candidate, driver: Driver, machine: Machine,
                environment: Environment) -> Hint:
    path, whole = candidate.path, without_hint(_reason(candidate))
    reason = re.sub("^the dynamic linker (refused it: |opened )", "", whole)
    missing = missing_dependency(whole, path)
    intact = next((wheel for wheel in environment.wheels(path) if wheel.intact), None)
    package = f"{intact.name} {intact.version}" if intact else ""
    situation = Situation.STAYS_OPEN if candidate.stays_open else Situation(_situations()[candidate.state])
    if situation is Situation.NOT_OPENED:
        situation = (Situation.DEPENDENCY if missing else Situation.GLIBC if "GLIBC" in whole else
                     Situation.NOT_OPENED_INTACT if intact else Situation.NOT_OPENED)
    elif situation is Situation.DANGLING and not candidate.target:
        situation = Situation.LISTED_ONLY
    elif situation is Situation.UNREADABLE:
        situation, reason = read_problem(reason)
    return hint(situation, f"{path} cannot be used as {library.short}.",
                {"provide": packages.provide(machine.distribution, missing),
                 "repair": installation.repair(library, candidate, machine, environment),
                 "install": installation.command(library, driver, machine, environment)},
                path=path, reason=reason, missing=missing, package=package, target=candidate.target,
                it=installation.the(library), variable=library.variable, folder=os.path.dirname(path))


def _other_environment(library: Library, machine: Machine, environment: Environment) -> list[Hint]:
    """A hint if the library comes from elsewhere although the environment in use has a usable one."""
    taken = next(filter(library.taken_by, library.candidates), None)
    if (taken is None or taken.place is SearchTier.VARIABLE or not environment.prefix
            or environment.has(taken.path)):
        return []
    callers = library.taken_by(taken)
    nearest = next((candidate for candidate in library.candidates
                    if environment.has(candidate.path) and candidate.state is FileState.USABLE
                    and not candidate.lacking and candidate.place is not SearchTier.TOOLKIT
                    and any(candidate.decisions[caller].verdict in _WOULD_SERVE for caller in callers
                            if caller in candidate.decisions)), None)
    if nearest is None:
        return []
    how, command = _cause_of(library, taken, nearest, machine)
    return [hint(Situation.OTHER_ENVIRONMENT,
                 f"The {library.short} of another environment is used: {taken.path}.",
                 {"command": command}, how=how, prefix=environment.prefix, nearest=nearest.path)]


def _cause_of(library: Library, taken: Candidate, nearest: Candidate, machine: Machine) -> tuple[str, str]:
    variables = machine.variables
    use_it = f"export {library.variable}={shlex.quote(nearest.path)}"
    if taken.place is SearchTier.LOADED:
        preloaded = taken.path in variables.get("LD_PRELOAD", "").replace(":", " ").split()
        return (("LD_PRELOAD loads it first", "unset LD_PRELOAD") if preloaded else
                ("The process of doctor loaded it before the search", "env | grep -E '^LD_|^PYTHON'"))
    if taken.place is SearchTier.LIBRARY_PATH:
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
    used = [candidate.path for library in findings.libraries for candidate in library.candidates
            if candidate.place is SearchTier.TOOLKIT]
    meant = next((path for path in named.values() if any(file.startswith(path.rstrip("/") + "/") for file in used)),
                 next(iter(named.values())))
    commands = [f"export {name}={shlex.quote(meant)}" for name, path in named.items()
                if environment.folder(path) != environment.folder(meant)]
    return [hint(Situation.TOOLKITS_DIFFER, "The toolkit is ambiguous.",
                 settings=" and ".join(f"{name}={path}" for name, path in named.items())).with_commands(*commands)]
