# SPDX-License-Identifier: Apache-2.0
"""`anycuda repair`: turns a wheel for one CUDA into a wheel for every supported CUDA."""

from __future__ import annotations

import argparse

from ..analysis import libraries
from ..failure import Failure
from . import inputs, options, repair_wheel
from .outcome import Outcome
from .report import Report
from .stubs import Stubs

NAME = "repair"
SUMMARY = "Makes wheels use the installed CUDA: puts stubs into them in place of NVIDIA's libraries."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    options.add(parser)


def run(arguments: argparse.Namespace) -> int:
    chosen = options.from_arguments(arguments)
    stubs, table, report = Stubs(chosen.stubs, chosen.quiet_stubs), libraries.table(), Report(chosen, NAME)
    for path in chosen.wheels:
        try:
            wheels = inputs.find(path)
        except Failure as failure:
            report.done(Outcome(path, reasons=[str(failure)]))
            continue
        for wheel in wheels:
            repair_wheel.repair(wheel, chosen, stubs, table, report)
    return report.end()
