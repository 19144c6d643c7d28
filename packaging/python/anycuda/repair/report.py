# SPDX-License-Identifier: Apache-2.0
"""The output of the command during its work and at its end."""

from __future__ import annotations

import io
import sys
import time
from typing import Callable, TextIO

from .. import installation, terminal
from . import as_json, outcome_lines
from .options import Options
from .outcome import Outcome, Status, exit_status

_ON_TERMINAL, _IN_FILE = 0.1, 5.0  # seconds between two lines


class Progress:
    """On stderr: a status line on a terminal, otherwise an occasional line."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._line, self._clock = terminal.StatusLine(stream), clock
        self._what, self._total, self._done, self._last = "", 0, 0, 0.0

    def start(self, what: str, total: int) -> None:
        self._what, self._total, self._done, self._last = what, total, 0, self._clock()

    def step(self, name: str, size: int) -> None:
        self._done += size
        now = self._clock()
        if now - self._last < (_ON_TERMINAL if self._line.live else _IN_FILE):
            return
        self._last = now
        part = min(100 * self._done // max(self._total, 1), 100)
        share = f"{part:3} % of {self._total / 1e6:.0f} MB"
        if self._line.live:  # the end is cut off, so the share comes first
            self._line.show(f"{share}, {self._what}: {name}")
        else:
            line = terminal.writable(f"{self._what} {share}: {name}", self._line.stream)
            print(line, file=self._line.stream, flush=True)

    def clear(self) -> None:
        self._line.clear()


class Report:
    def __init__(self, options: Options, command: str) -> None:
        self._json, self._quiet, self._verbose = options.json, options.quiet, options.verbose
        self._command = command
        self._outcomes: list[Outcome] = []
        self._tag_notes: set[str] = set()  # those that are already in the report
        self.progress = Progress(io.StringIO() if self._quiet else None)

    def planned(self, outcome: Outcome) -> None:
        """Prints the plan before the wheel is written, which may take long."""
        self.progress.clear()
        if not self._json and not self._quiet:
            self._print(terminal.writable(outcome.wheel.name),
                        *outcome_lines.plan(outcome, self._verbose, self._tag_notes))
            self._tag_notes.update(outcome.plan.tag_notes)

    def done(self, outcome: Outcome) -> None:
        self.progress.clear()
        self._outcomes.append(outcome)
        if outcome.status is Status.FAILED:
            for reason in outcome.reasons:
                print(f"anycuda {self._command}: {terminal.writable(reason, sys.stderr)}", file=sys.stderr)
        elif not self._json and (not self._quiet or outcome.status is Status.REFUSED):
            head = [terminal.writable(outcome.wheel.name)] if self._quiet else []
            self._print(*head, *outcome_lines.end(outcome))

    def end(self) -> int:
        if self._json:
            print(as_json.report(self._outcomes, installation.find().version))
        elif len(self._outcomes) > 1 and not self._quiet:
            print(outcome_lines.summary(self._outcomes))
        return exit_status(self._outcomes)

    @staticmethod
    def _print(*lines: str) -> None:
        for line in lines:
            print(line)
        sys.stdout.flush()
