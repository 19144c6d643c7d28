# SPDX-License-Identifier: Apache-2.0
"""The report as text: where the input runs, what it uses, what fails and why, and the verdict as the last line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .. import terminal
from ..analysis import describe_kernels
from ..analysis.libraries import Linking
from ..matrix import fold
from ..matrix.data import Library, Matrix, Run
from ..matrix.views import COLOURS
from . import describe_input
from .cells import FAILS, UNCHECKED, WORKS, Asked
from .findings import Input

_INDENT = "  "
_COLOURS = {**COLOURS, "unchecked": "red", "unknown": "red"}
_COUNTED = (("runs", WORKS[:2]), ("adapted", WORKS[2:]), *((kind, (kind,)) for kind in FAILS))


def report(matrix: Matrix, asked: Asked, found: list[Input], everything: bool, colour: bool,
           width: int | None) -> str:
    return "\n\n".join("\n".join(_Page(matrix, asked, one, colour, width).lines_of(everything)) for one in found)


class _Page:
    """The report on one input. Escapes control characters in file names."""

    def __init__(self, matrix: Matrix, asked: Asked, one: Input, colour: bool, width: int | None) -> None:
        self.matrix, self.asked, self.input, self.colour, self.width = matrix, asked, one, colour, width
        self.cells = one.cells()
        self.failing = one.failing(asked)
        self.lines: list[str] = []

    def lines_of(self, everything: bool) -> list[str]:
        headline, colour = describe_input.headline(self.input, self.cells, self.failing, self.asked, self.matrix)
        self.lines.append(terminal.paint(terminal.writable(headline), colour, self.colour))
        for name, text in self.input.problems:
            self._line(f"{name}: {text}")
        if not self.asked.of_device_code:
            self._uses()
            self._notes()
            self._requirements()
        self._device_code()
        if not self.asked.libraries and not self.asked.of_device_code:
            self._verdicts()
        self._counts()
        self._functions(everything)
        self._hints()
        answers = [(describe_kernels.reply(reply, self.input.kind != "file"), reply.loads)
                   for reply in self.input.replies]
        answers += [(self.input.here.text, self.input.here.runs)] if self.input.here else []
        for answer, good in answers:
            self.lines.append(terminal.paint(terminal.writable(answer), "green" if good else "red", self.colour))
        if not self.asked.libraries and not self.asked.of_device_code:  # the verdict covers all libraries
            verdict, colour = describe_input.last_line(self.input, self.failing, self.asked, self.matrix)
            self.lines.append(terminal.paint(terminal.writable(verdict), colour, self.colour))
        return self.lines

    def _uses(self) -> None:
        rows = []
        for file in self.input.files:
            linked = [use for use in file.use.uses if use.how is not Linking.LOADED and self.asked.wants(use.library)]
            for number, use in enumerate(linked):
                rows.append((file.name if number == 0 else "", use.library, describe_input.how(use, file),
                             describe_input.built_for(use), str(len(use.symbols))))
        if rows:
            self._gap()
            self._table(["file", "uses", "as", "built for", "functions"], rows)

    def _notes(self) -> None:
        notes = describe_input.notes(self.input, self.asked, self.matrix)
        rows = [(text, describe_input.some(names)) for text, names in notes.items()]
        if rows:
            self._gap()
            for text, names in rows:
                self._line(f"{names}: {text}" if self.input.kind != "file" else text)

    def _requirements(self) -> None:
        lines = describe_input.requirements(self.input)
        if lines:
            self._gap()
            for line in lines:
                self._line(line)

    def _device_code(self) -> None:
        lines = describe_input.device_code(self.input, self.asked)
        if lines:
            self._gap()
            for line in lines:
                self._line(line)

    def _verdicts(self) -> None:
        """The verdict on each of several files; the last line covers all of them."""
        rows, others = describe_input.verdicts(self.input)
        if rows:
            self._gap()
            self._table(["file", "verdict"], rows)
        if rows and others:
            self._line(others)

    def _libraries(self, runs: dict[Run, list[str]]) -> list[Library]:
        """The libraries with these runs and with all releases, so that ranges are formed over releases that a library
        lacks (nvJitLink on CUDA 11) or that were not selected."""
        return [
            library._replace(
                runs=sorted((run for run in runs if run.library == library.name), key=lambda run: run.symbol),
                runtimes=describe_input.every_release(self.matrix, library.releases_of))
            for library in self.matrix.libraries.values()
        ]

    def _counts(self) -> None:
        rows = []
        for library in self._libraries(self.cells):
            asked = self.asked.releases_of(library)
            for caller in sorted({run.caller for run in library.runs}):
                counts = {release: Counter(run.kind for run in library.runs
                                           if run.caller == caller and release in run.runtimes)
                          for release in asked}
                for releases in _alike(counts, asked):
                    count = counts[releases[0]]
                    numbers = (sum(count[kind] for kind in kinds) for _, kinds in _COUNTED)
                    rows.append((library.name, describe_input.caller(caller, library.name),
                                 fold.ranges(releases, library), *(str(number or "") for number in numbers)))
        if rows:
            self._gap()
            self._table(["library", "built for", "on", *(name for name, _ in _COUNTED)], rows)

    def _functions(self, everything: bool) -> None:
        chosen = self.cells if everything else {run: names for run, names in self.cells.items() if run.kind in FAILS}
        users: dict[str, dict[str, None]] = {}
        for run, names in chosen.items():
            users.setdefault(run.symbol, {}).update(dict.fromkeys(names))
        allowed = {run.symbol for run in chosen if run.kind in FAILS} - {run.symbol for run in self.failing}
        rows = []
        for library in self._libraries(chosen):
            for line in fold.lines(library):
                why = line.reason or (f"calls {line.calls}" if line.calls else "")
                why += f"; needs a driver of CUDA {line.driver} or later" if line.driver else ""
                why += " (allowed)" if line.symbol in allowed else ""
                callers = ",".join(describe_input.caller(name, library.name) for name in line.callers.split(","))
                where = describe_input.some(list(users[line.symbol])) if self.input.kind != "file" else ""
                rows.append((line.symbol, callers, line.runtimes, line.kind, where, why))
        if rows:
            self._gap()
            self._table(["function", "built for", "on", "kind", "in", "why"], rows)

    def _hints(self) -> None:
        ties = "" if self.asked.of_device_code else describe_input.ties_hint(self.input, self.asked)
        if ties:
            self._gap()
            self._line(ties)
        drivers = describe_input.drivers_hint(self.input, self.asked)
        if drivers:
            self._gap()
            self._line(drivers)
        if self.failing:
            self._gap()
            self._line("The file references these functions; that does not mean it calls them (exclude them with "
                       "--ignore GLOB or --allow KIND).")
        if any(run.kind == UNCHECKED for run in self.failing):
            # References to a stub that was linked directly have a version, which patch does not replace.
            native = any(use.native for file in self.input.files for use in file.use.uses)
            self._line("Pass --built-for MAJOR to check with the CUDA that the file was built for"
                       + ("." if native else "; `anycuda patch --built-for MAJOR` records MAJOR in the file."))

    def _gap(self) -> None:
        self.lines.append("")

    def _line(self, text: str) -> None:
        rows = [(terminal.writable(text),)]
        self.lines += self._indented(terminal.table([""], rows, self._inner(), None, whole=True)[1:])

    def _table(self, heads: list[str], rows: Sequence[tuple[str, ...]]) -> None:
        rows = [tuple(map(terminal.writable, row)) for row in rows]
        colours = _COLOURS if self.colour else None
        self.lines += self._indented(terminal.table(heads, rows, self._inner(), colours, right=True, whole=True))

    def _inner(self) -> int | None:
        return None if self.width is None else self.width - len(_INDENT)

    @staticmethod
    def _indented(lines: list[str]) -> list[str]:
        return [_INDENT + line for line in lines]


def _alike(counts: dict[str, Counter], releases: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Groups releases with equal counts."""
    groups: dict[tuple, list[str]] = {}
    for release in releases:
        groups.setdefault(tuple(sorted(counts[release].items())), []).append(release)
    return [tuple(group) for group in groups.values()]
