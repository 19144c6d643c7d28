# SPDX-License-Identifier: Apache-2.0
"""`anycuda doctor`: reports which CUDA libraries a program would use on this machine, and why."""

from __future__ import annotations

import argparse
import difflib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .. import terminal
from ..analysis.reading_progress import Progress
from ..failure import Failure
from . import as_json, devices, doctor_report, environment, file_packages, files, majors, packages, questions, variables
from .examined import Python, examine
from .findings import UNVERSIONED, Findings, Library, Setting, add_answer, driver_of, gone_of, library_of, setting_of
from .hint import Hint
from .hints import hints_for
from .machine import Machine, machine_of
from .outcomes import FileState
from .page import Page
from .questions import Outcome
from .records import RecordKind
from .verdict import DRIVER_LIBRARY, RUNTIME, Verdict, evaluate

NAME = "doctor"
SUMMARY = "Checks whether CUDA works here: the driver, its GPUs, every CUDA library, and which one a stub would load."
_EPILOG = """\
The doctor runs the stubs' own search, so it reports what the stubs do: for a Python and its environment, or, with
--native, for a program other than Python, for which LD_LIBRARY_PATH precedes packages. For each FILE, the
report lists the device code and whether this driver loads it on the GPUs of this machine.

exit status: 0  CUDA work is possible: a CUDA runtime would be loaded for at least one of the callers,
                the driver sees a GPU, each library of --library would be loaded for at least one caller, and
                the device code of each file loads on a GPU
             1  CUDA work is not possible; the second line says why
             2  a file could not be read, or the command failed
             3  it is unknown whether the device code of a file loads

  anycuda doctor
  anycuda doctor --caller 12 --library cudart,nvrtc
  anycuda doctor --python ~/venv/bin/python
  anycuda doctor --native --json
  anycuda doctor program           does this machine load the kernels of this program?
  anycuda check program --here     does this program run here, with its functions and kernels?
"""
# Variables of the build and the tests, listed so that they do not count as typing errors.
_NOT_OURS = ("ANYCUDA_CACHE", "ANYCUDA_KEEP_MACHINES")
_NOT_OURS_PREFIX = ("ANYCUDA_TEST_", "ANYCUDA_BUILD")
SECONDS = 30.0  # the default time limit


@dataclass(frozen=True)
class Options:
    """The command line. `libraries`, `callers`: empty for all."""

    files: tuple[Path, ...]
    libraries: tuple[str, ...]
    callers: tuple[str, ...]
    python: str
    native: bool
    verbose: bool
    json: bool
    limit: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("files", metavar="FILE|WHEEL|FOLDER", nargs="*", type=Path,
                        help="program, library, wheel or folder: report its device code, and whether it loads here")
    for option, name, about in (
        ("--library", "NAME", "report only this library, such as nvrtc or nvjpeg; the verdict always includes cudart"),
        ("--caller", "MAJOR", f"CUDA major that the program was built for: 11, 12, 13 or {UNVERSIONED}"),
    ):
        parser.add_argument(option, metavar=name, action="append", default=[], help=f"{about} (several: a,b)")
    parser.add_argument("--python", metavar="PATH", default="",
                        help="examine this Python and its environment; default: that of the activated environment, or "
                             "this command's own if it has CUDA itself")
    parser.add_argument("--native", action="store_true", help="search like a program other than Python")
    parser.add_argument("-v", "--verbose", action="store_true",
                        help="list every file of every library, and where the search looked")
    parser.add_argument("--json", action="store_true", help="print JSON (schema: docs/json.md)")
    parser.add_argument("--limit", type=seconds, default=SECONDS, metavar="SECONDS",
                        help=f"time limit for answers of libraries and the driver (default: {SECONDS:g})")


def run(arguments: argparse.Namespace) -> int:
    options = Options(tuple(arguments.files), _values(arguments.library), _values(arguments.caller), arguments.python,
                      arguments.native, arguments.verbose, arguments.json, arguments.limit)
    asker, python = examine(options.python, options.native, options.limit, os.environ)
    about = questions.about(asker)
    libraries = [library_of(record) for record in about.records_of(RecordKind.LIBRARY)]
    _check("library", options.libraries, [library.name for library in libraries])
    callers = dict.fromkeys(caller for library in libraries for caller in library.callers)
    _check("caller", options.callers, list(callers))
    settings = [setting_of(record) for record in about.records_of(RecordKind.SETTING)]
    machine, findings, verdict, hints = _examine(options, asker, python, libraries, settings)
    version = about.first(RecordKind.FORMAT).text("version")
    if options.json:
        print(as_json.report(version, machine, findings, verdict, hints))
    else:
        page = Page(terminal.wants_colour(), terminal.width_of())
        print(doctor_report.report(version, machine, findings, verdict, hints, page, options.verbose))
    return verdict.status


def _examine(options: Options, asker: questions.Asker, python: Python, libraries: list[Library],
             settings: list[Setting]) -> tuple[Machine, Findings, Verdict, list[Hint]]:
    folders = environment.question_of(options.native, os.environ, python)
    paths, wheels = variables.question_of(os.environ), environment.question_of_wheels(options.native, python)
    findings, outcomes = ask(asker, libraries, options.callers, settings, options.libraries,
                             [questions.MACHINE, folders, paths, wheels])
    machine = machine_of(outcomes[questions.MACHINE], options.native, os.environ, python)
    given = files.read(options.files, devices.of_driver(findings.driver), Progress(NAME)) if options.files else []
    in_use = replace(environment.environment_of(outcomes[folders], options.native, python),
                     faults=variables.faults_of(os.environ, outcomes[paths]),
                     packages=file_packages.packages_of(findings, os.environ.get("ANYCUDA_SYSTEM_ROOT") or "/"))
    findings = _with_majors(replace(findings, requested=frozenset(options.libraries), gone=gone_of(outcomes[wheels]),
                                    used=frozenset().union(*(file.libraries for file in given))), in_use)
    verdict = evaluate(findings, given)
    _add_releases(findings)
    hints = hints_for(findings, machine, in_use)
    # The runtime and the driver are always included in the questions.
    asked = [library for library in findings.libraries if not options.libraries or library.name in options.libraries]
    return machine, replace(findings, libraries=asked), verdict, hints


def ask(asker: questions.Asker, libraries: Sequence[Library], callers: Sequence[str], settings: list[Setting],
        names: Sequence[str], others: Sequence[tuple[str, ...]]
        ) -> tuple[Findings, Mapping[tuple[str, ...], Outcome]]:
    """The findings, and the outcomes of all questions. `names`: of the libraries to ask about, empty for all."""
    chosen = [library for library in libraries if not names or library.name in (*names, RUNTIME, DRIVER_LIBRARY)]
    asked = {
        (library.name, "0" if caller == UNVERSIONED else caller): (library, caller)
        for library in chosen for caller in library.callers if not callers or caller in callers or library.is_driver
    }
    outcomes = asker.ask([questions.DRIVER, *others, *asked])
    for question, (library, caller) in asked.items():
        add_answer(library, caller, outcomes[question])
    for library in chosen:
        library.sort()
    driver = driver_of(outcomes[questions.DRIVER])
    driver.others = [os.path.realpath(candidate.path) for library in chosen if library.name == DRIVER_LIBRARY
                     for candidate in library.candidates
                     if candidate.state is FileState.USABLE and candidate.path != driver.path]
    return Findings(chosen, driver, settings + _unknown_settings(settings)), outcomes


def _add_releases(findings: Findings) -> None:
    """Adds the releases of libraries with their own numbers. NCCL's file tells both, whatever its name."""
    for library in findings.libraries:
        for candidate in library.candidates if packages.has_own_releases(library.name) else ():
            candidate.release = file_packages.own_release(candidate.path, candidate.source)
            if library.name == "nccl" and not candidate.exact and candidate.state is FileState.USABLE:
                release, candidate.built_with = file_packages.nccl_release(candidate.path)
                candidate.release = candidate.release or release


def _with_majors(findings: Findings, in_use: environment.Environment) -> Findings:
    by_major = majors.of_environment(findings, in_use)
    if len(by_major) < 2:
        return findings
    mixed = "" if majors.complete(by_major) else majors.describe(by_major, in_use.prefix, findings.products)
    return replace(findings, majors=majors.describe(by_major, in_use.prefix), mixed=mixed)


def _unknown_settings(settings: list[Setting]) -> list[Setting]:
    """Variables that anycuda does not know, such as misspelled ones."""
    known_names = {setting.name for setting in settings}
    return [Setting(name, value, False, "") for name, value in sorted(os.environ.items())
            if name.startswith("ANYCUDA_") and value and name not in known_names and name not in _NOT_OURS
            and not name.startswith(_NOT_OURS_PREFIX)]


def _values(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.strip() for text in texts for part in text.split(","))


def _check(what: str, values: Iterable[str], valid: list[str]) -> None:
    for value in values:
        if value not in valid:
            near = difflib.get_close_matches(value, valid, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise Failure(f"unknown {what} {value!r}{hint}: use one of {', '.join(valid)}")


def seconds(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < 86400:
        raise argparse.ArgumentTypeError(f"{value} is not a number of seconds between 0 and 86400")
    return number
