# SPDX-License-Identifier: Apache-2.0
"""`anycuda doctor`: reports which CUDA libraries a program would use on this machine, and why."""

from __future__ import annotations

import argparse
import difflib
import os
from pathlib import Path

from .. import terminal
from ..analysis.reading_progress import Progress
from ..failure import Failure
from . import as_json, devices, doctor_report, environment, file_packages, files, majors, packages, questions, variables
from .examined import examine
from .findings import UNVERSIONED, Findings, Library, Setting, add_answer, driver_of, gone_of, library_of, setting_of
from .hints import hints_for
from .machine import machine_of
from .page import Page
from .verdict import DRIVER_LIBRARY, RUNTIME, evaluate

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
    asker, python = examine(arguments.python, arguments.native, arguments.limit, os.environ)
    about = questions.about(asker)
    libraries, callers = _values(arguments.library), _values(arguments.caller)
    known = [library_of(record) for record in about.of("library")]
    _check("library", libraries, [library.name for library in known])
    _check("caller", callers, list(dict.fromkeys(caller for library in known for caller in library.callers)))
    folders, kinds = environment.question_of(arguments.native, os.environ, python), variables.question_of(os.environ)
    wheels = environment.question_of_wheels(arguments.native, python)
    findings, outcomes = ask(asker, known, callers, [setting_of(record) for record in about.of("setting")], libraries,
                             [questions.MACHINE, folders, kinds, wheels])
    machine = machine_of(outcomes[questions.MACHINE], arguments.native, os.environ, python)
    named = files.look(arguments.files, devices.of_driver(findings.driver), Progress(NAME)) if arguments.files else []
    findings.requested, findings.gone = frozenset(libraries), gone_of(outcomes[wheels])
    findings.used = frozenset().union(*(one.libraries for one in named))
    there = environment.environment_of(outcomes[folders], arguments.native, python)
    _add_majors(findings, there)
    verdict = evaluate(findings, named)
    root = os.environ.get("ANYCUDA_SYSTEM_ROOT") or "/"
    there.faults = variables.faults_of(os.environ, outcomes[kinds])
    there.packages = file_packages.packages_of(findings, root)
    _add_releases(findings)
    hints = hints_for(findings, machine, there)
    version = about.first("format").text("version")
    # The runtime and the driver are always included in the questions.
    findings.libraries = [one for one in findings.libraries if not libraries or one.name in libraries]
    if arguments.json:
        print(as_json.report(version, machine, findings, verdict, hints))
    else:
        page = Page(terminal.wants_colour(), terminal.width_of())
        print(doctor_report.report(version, machine, findings, verdict, hints, page, arguments.verbose))
    return verdict.status


def ask(asker: questions.Asker, known: list[Library], callers: list[str], settings: list[Setting],
        libraries: list[str], others: list[tuple[str, ...]]) -> tuple[Findings, dict]:
    """The findings, and the outcomes of all questions."""
    chosen = [one for one in known if not libraries or one.name in (*libraries, RUNTIME, DRIVER_LIBRARY)]
    asked = {
        (one.name, "0" if caller == UNVERSIONED else caller): (one, caller)
        for one in chosen for caller in one.callers if not callers or caller in callers or one.is_driver
    }
    outcomes = asker.ask([questions.DRIVER, *others, *asked])
    for question, (library, caller) in asked.items():
        add_answer(library, caller, outcomes[question])
    for library in chosen:
        library.sort()
    driver = driver_of(outcomes[questions.DRIVER])
    driver.others = [os.path.realpath(one.path) for library in chosen if library.name == DRIVER_LIBRARY
                     for one in library.candidates if one.state == "usable" and one.path != driver.path]
    return Findings(chosen, driver, settings + _unknown_settings(known, settings)), outcomes


def _add_releases(findings: Findings) -> None:
    """Adds the releases of libraries with their own numbers. NCCL's file tells both, whatever its name."""
    for library in findings.libraries:
        for candidate in library.candidates if packages.has_own_releases(library.name) else ():
            candidate.release = file_packages.own_release(candidate.path, candidate.source)
            if library.name == "nccl" and not candidate.exact and candidate.state == "usable":
                release, candidate.built_with = file_packages.nccl_release(candidate.path)
                candidate.release = candidate.release or release


def _add_majors(findings: Findings, there: environment.Environment) -> None:
    found = majors.of_environment(findings, there)
    if len(found) > 1:
        findings.majors = majors.describe(found, there.prefix)
        findings.mixed = "" if majors.complete(found) else majors.describe(found, there.prefix, findings.products)


def _unknown_settings(known: list[Library], settings: list[Setting]) -> list[Setting]:
    """Variables that anycuda does not know, such as misspelled ones."""
    known_names = {setting.name for setting in settings}
    return [Setting(name, value, False, "") for name, value in sorted(os.environ.items())
            if name.startswith("ANYCUDA_") and value and name not in known_names and name not in _NOT_OURS
            and not name.startswith(_NOT_OURS_PREFIX)]


def _values(texts: list[str]) -> list[str]:
    return [part.strip() for text_ in texts for part in text_.split(",")]


def _check(what: str, asked: list[str], known: list[str]) -> None:
    for value in asked:
        if value not in known:
            near = difflib.get_close_matches(value, known, 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            raise Failure(f"unknown {what} {value!r}{hint}: use one of {', '.join(known)}")


def seconds(value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = 0.0
    if not 0 < number < 86400:
        raise argparse.ArgumentTypeError(f"{value} is not a number of seconds between 0 and 86400")
    return number
