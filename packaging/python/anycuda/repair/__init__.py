# SPDX-License-Identifier: Apache-2.0
"""`anycuda repair`: a wheel for one CUDA becomes a wheel for all that anycuda knows."""

from __future__ import annotations

import argparse

from ..analysis import libraries
from ..failure import Failure
from . import inputs, one, options
from .outcome import Outcome
from .report import Report
from .stubs import Stubs

NAME = "repair"
SUMMARY = "Make wheels use whatever CUDA is there: NVIDIA's libraries replaced by stubs, which go into the wheel."


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
