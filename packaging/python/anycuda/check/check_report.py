# SPDX-License-Identifier: Apache-2.0
"""The report as text: where the input runs, what it uses, what fails and why, and the verdict as the last line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from .. import terminal
from ..analysis import describe_kernels
from ..analysis.libraries import Linking
from ..matrix import fold
from ..matrix.data import Disposition, Library, Matrix, Run
from ..matrix.views import COLOURS
from . import describe_use, describe_verdict, headline, notes, releases
from .cells import FAILS, UNCHECKED, WORKS, Asked
from .findings import Input
from .input_verdict import VerdictKind

_INDENT = "  "
_COLOURS = {**COLOURS, "unchecked": "red", "unknown": "red"}
_COUNTED = (("runs", WORKS[:2]), ("adapted", WORKS[2:]), *((kind, (kind,)) for kind in FAILS))


def report(matrix: Matrix, asked: Asked, inputs: list[Input], everything: bool, colour: bool,
           width: int | None) -> str:
    return "\n\n".join("\n".join(_Page(matrix, asked, input_, colour, width).lines_of(everything)) for input_ in inputs)


class _Page:
    """The report on one input. Escapes control characters in file names."""

    def __init__(self, matrix: Matrix, asked: Asked, input_: Input, colour: bool, width: int | None) -> None:
        self.matrix, self.asked, self.input, self.colour, self.width = matrix, asked, input_, colour, width
        self.cells = input_.cells()
        self.failing = input_.failing(asked)
        self.lines: list[str] = []

    def lines_of(self, everything: bool) -> list[str]:
        for_all = not self.asked.libraries and not self.asked.of_device_code  # the verdict covers all libraries
        self._paint(*headline.headline(self.input, self.cells, self.failing, self.asked, self.matrix))
        for name, text in self.input.problems:
            self._line(f"{name}: {text}")
        if not self.asked.of_device_code:
            self._uses()
            self._notes()
            self._lines(notes.about_requirements(self.input))
        self._lines(notes.about_device_code(self.input, self.asked))
        if for_all:
            self._verdicts()
        self._counts()
        self._functions(everything)
        self._hints()
        for reply in self.input.replies:
            self._paint(describe_kernels.reply(reply, self.input.names_files), "green" if reply.loads else "red")
        if self.input.here:
            self._paint(self.input.here.text, "green" if self.input.here.runs else "red")
        if for_all:
            self._paint(*headline.last_line(self.input, self.failing, self.asked, self.matrix))
        return self.lines

    def _uses(self) -> None:
        rows = []
        for file in self.input.files:
            linked = [use for use in file.use.uses if use.how is not Linking.LOADED and self.asked.wants(use.library)]
            for number, use in enumerate(linked):
                rows.append((file.name if number == 0 else "", use.library, describe_use.linking(use, file),
                             describe_use.built_for(use), str(len(use.symbols))))
        self._table(["file", "uses", "as", "built for", "functions"], rows)

    def _notes(self) -> None:
        texts = notes.about_files(self.input, self.asked, self.matrix)
        self._lines(f"{describe_kernels.some(names)}: {text}" if self.input.names_files else text
                    for text, names in texts.items())

    def _verdicts(self) -> None:
        """The verdict on each of several files; the last line covers all of them."""
        if not self.input.names_files or len(self.input.files) < 2:
            return
        without = [file for file in self.input.files
                   if file.verdict.kind is VerdictKind.NO_CUDA and not file.verdict.kernels]
        rows = [(file.name, describe_verdict.sentence(file.verdict, short=True))
                for file in self.input.files if file not in without]
        self._table(["file", "verdict"], rows)
        if rows and without:
            self._line(f"no CUDA in {describe_use.counted(len(without), 'other file')}")

    def _libraries(self, runs: dict[Run, list[str]]) -> list[Library]:
        """The libraries with these runs and with all releases, so that ranges are formed over releases that a library
        lacks (nvJitLink on CUDA 11) or that were not selected."""
        return [
            library._replace(
                runs=sorted((run for run in runs if run.library == library.name), key=lambda run: run.symbol),
                runtimes=releases.every_release(self.matrix, library.releases_of))
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
                for alike in _alike(counts, asked):
                    count = counts[alike[0]]
                    numbers = (sum(count[kind] for kind in kinds) for _, kinds in _COUNTED)
                    rows.append((library.name, describe_use.caller(caller, library.name),
                                 fold.ranges(alike, library), *(str(number or "") for number in numbers)))
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
                callers = ",".join(describe_use.caller(name, library.name) for name in line.callers.split(","))
                where = describe_kernels.some(list(users[line.symbol])) if self.input.names_files else ""
                rows.append((line.symbol, callers, line.runtimes, line.kind, where, why))
        self._table(["function", "built for", "on", "kind", "in", "why"], rows)

    def _hints(self) -> None:
        if not self.asked.of_device_code:
            self._lines(filter(None, [notes.ties_hint(self.input, self.asked)]))
        self._lines(filter(None, [headline.drivers_hint(self.input, self.asked)]))
        if self.failing:
            self._gap()
            self._line("The file references these functions; that does not mean it calls them (exclude them with "
                       "--ignore GLOB or --allow KIND).")
        if any(run.kind is UNCHECKED for run in self.failing):
            # References to a stub that was linked directly have a version, which patch does not replace.
            native = any(use.native for file in self.input.files for use in file.use.uses)
            self._line("Pass --built-for MAJOR to check with the CUDA that the file was built for"
                       + ("." if native else "; `anycuda patch --built-for MAJOR` records MAJOR in the file."))

    def _paint(self, text: str, colour: str) -> None:
        self.lines.append(terminal.paint(terminal.writable(text), colour, self.colour))

    def _gap(self) -> None:
        self.lines.append("")

    def _line(self, text: str) -> None:
        rows = [(terminal.writable(text),)]
        self.lines += self._indented(terminal.table([""], rows, self._inner(), None, whole=True)[1:])

    def _lines(self, texts: Iterable[str]) -> None:
        """After an empty line, if there are any."""
        for number, text in enumerate(texts):
            if number == 0:
                self._gap()
            self._line(text)

    def _table(self, heads: list[str], rows: Sequence[tuple[str, ...]]) -> None:
        """After an empty line, if there are rows."""
        if not rows:
            return
        self._gap()
        rows = [tuple(map(terminal.writable, row)) for row in rows]
        colours = _COLOURS if self.colour else None
        self.lines += self._indented(terminal.table(heads, rows, self._inner(), colours, right=True, whole=True))

    def _inner(self) -> int | None:
        return None if self.width is None else self.width - len(_INDENT)

    @staticmethod
    def _indented(lines: list[str]) -> list[str]:
        return [_INDENT + line for line in lines]


def _alike(counts: dict[str, Counter[Disposition]], releases_: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Groups releases with equal counts."""
    groups: dict[frozenset[tuple[Disposition, int]], list[str]] = {}
    for release in releases_:
        groups.setdefault(frozenset(counts[release].items()), []).append(release)
    return [tuple(group) for group in groups.values()]
