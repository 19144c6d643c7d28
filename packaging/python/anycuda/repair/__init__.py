# SPDX-License-Identifier: Apache-2.0
"""`anycuda repair`: turns a wheel for one CUDA into a wheel for every supported CUDA."""

from __future__ import annotations

import argparse

from ..analysis import libraries
from ..failure import Failure
from . import inputs, one, options
from .outcome import Outcome
from .report import Report
from .stubs import Stubs

NAME = "repair"
SUMMARY = "Makes wheels use the installed CUDA: puts stubs into them in place of NVIDIA's libraries."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    options.add(parser)


def run(arguments: argparse.Namespace) -> int:
    options.check(arguments.parser, arguments)
    stubs, table, report = Stubs(arguments.stubs, arguments.quiet_stubs), libraries.table(), Report(arguments, NAME)
    for path in arguments.wheels:
        try:
            wheels = inputs.wheels(path)
        except Failure as failure:
            report.done(Outcome(path, reasons=[str(failure)]))
            continue
        for wheel in wheels:
            one.repair(wheel, arguments, stubs, table, report)
    return report.end()
