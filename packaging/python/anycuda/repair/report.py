# SPDX-License-Identifier: Apache-2.0
"""The output of the command during its work and at its end."""

from __future__ import annotations

import argparse
import io
import sys

from .. import installation, terminal
from . import as_json, outcome, outcome_lines
from .outcome import Outcome
from .repair_progress import Progress


class Report:
    def __init__(self, arguments: argparse.Namespace, command: str) -> None:
        self._json, self._quiet, self._verbose = arguments.json, arguments.quiet, arguments.verbose
        self._command = command
        self._found: list[Outcome] = []
        self._tag_notes: set[str] = set()  # those that are already in the report
        self.progress = Progress(io.StringIO() if self._quiet else None)

    def planned(self, one: Outcome) -> None:
        """Prints the plan before the wheel is written, which may take long."""
        self.progress.clear()
        if not self._json and not self._quiet:
            self._print(terminal.writable(one.wheel.name), *outcome_lines.plan(one, self._verbose, self._tag_notes))
            self._tag_notes.update(one.plan.tag_notes)

    def done(self, one: Outcome) -> None:
        self.progress.clear()
        self._found.append(one)
        if one.status == outcome.FAILED:
            for reason in one.reasons:
                print(f"anycuda {self._command}: {terminal.writable(reason, sys.stderr)}", file=sys.stderr)
        elif not self._json and (not self._quiet or one.status == outcome.REFUSED):
            head = [terminal.writable(one.wheel.name)] if self._quiet else []
            self._print(*head, *outcome_lines.end(one))

    def end(self) -> int:
        if self._json:
            print(as_json.report(self._found, installation.find().version))
        elif len(self._found) > 1 and not self._quiet:
            print(outcome_lines.summary(self._found))
        return outcome.exit_status(self._found)

    @staticmethod
    def _print(*lines: str) -> None:
        for line in lines:
            print(line)
        sys.stdout.flush()
