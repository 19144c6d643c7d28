# SPDX-License-Identifier: Apache-2.0
"""The first call: search, open, resolve and call, against plain dlopen, dlsym and call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .bench import Bench, progress, wall
from .libraries import FAMILIES, OURS, REAL, TILELANG, Library, first_function
from .report import Section
from .tools import Failure, count_phases, missing, read_values, run, trace

# Situations that targets.py asks for.
LOADED, NONE = "already loaded", "none found"


def newest_of(count: int) -> str:
    return f"newest of {count}"


def alone(real: Library) -> str:
    return f"LD_LIBRARY_PATH with {real.title}"


def with_driver(real: Library, driver: Library) -> str:
    return f"{real.title} with {driver.title}"


@dataclass
class Way:
    """One way to a first call, and what was measured on it."""

    title: str
    library: Library
    function: str
    environment: dict[str, str]
    before: Library | None = None  # what the process has loaded already
    answer: str = ""
    row: list[Any] = field(default_factory=list)

    def command(self, bench: Bench, *words: str) -> list[str]:
        """The probe's command line."""
        held = ["--before", self.before.path] if self.before else []
        return bench.probe(*words, *held, "--load", self.library.path, "--call", self.function)

    def instructions(self) -> int | None:
        """Of load and call."""
        return None if self.row[1] is None else self.row[1] + self.row[2]


def plain_ways(bench: Bench, name: str) -> list[Way]:
    """The real libraries, each called directly with every function used in the table."""
    functions = dict.fromkeys(first_function(lib) for lib in bench.select(name))
    found = [Way(f"plain, {library.title}, {function}", library, function, bench.bare())
             for function in functions for library in bench.select(name, REAL)]
    if real := bench.compared(name):
        found.append(Way(f"plain, {real.title}, {LOADED}", real, FAMILIES[name].first, bench.bare(), real))
    if driver := _driver(bench, name):
        asks = FAMILIES[name].asks_driver
        found += [Way(f"plain, {library.title}, {asks} with {driver.title}", library, asks,
                      bench.bare() | bench.search_path([driver]))
                  for library in bench.select(name, REAL)]
    return found


def _driver(bench: Bench, name: str) -> Library | None:
    return bench.compared("cuda") if FAMILIES[name].asks_driver else None


def ways(bench: Bench, name: str) -> list[Way]:
    """What is put in front of the real library, each in its situations."""
    family, real = FAMILIES[name], bench.compared(name)
    reals, driver = bench.select(name, REAL), _driver(bench, name)
    found: list[Way] = []
    if real is None:
        return []
    for library in bench.in_front(name):
        def add(situation: str, environment: dict[str, str], library: Library = library,
                function: str = first_function(library), before: Library | None = None) -> None:
            found.append(Way(f"{library.title}, {situation}", library, function, environment, before))

        if library.kind != OURS:
            add("LD_LIBRARY_PATH", bench.bare() | bench.search_path([real]))
            continue
        add(family.variable, bench.reaching(library, real))
        add("LD_LIBRARY_PATH", bench.bare() | bench.search_path([real]))
        if len(reals) > 1:
            add(alone(reals[-1]), bench.bare() | bench.search_path([reals[-1]]))
            add(newest_of(len(reals)), bench.bare() | bench.search_path(reals))
        add(LOADED, bench.bare(), before=real)
        if driver:
            for title, offered in ((with_driver(real, driver), [real]),
                                   (f"{newest_of(len(reals))} with {driver.title}", reals)):
                add(title, bench.bare() | bench.search_path([*offered, driver]), function=family.asks_driver)
        add(NONE, bench.bare() | {"ANYCUDA_LOG": "off"})
    return found


def measure(bench: Bench) -> list[Section]:
    """One table per family."""
    return [_family(bench, name) for name in FAMILIES]


def _family(bench: Bench, name: str) -> Section:
    functions = dict.fromkeys(first_function(library) for library in bench.select(name))
    if driver := _driver(bench, name):
        functions[FAMILIES[name].asks_driver] = None
    family = FAMILIES[name]
    except_for = [f"rows with {driver.title} ({family.asks_driver})"] if driver else []
    if family.tilelang_first in functions and family.tilelang_first != family.first:
        except_for.append(f"the row of TileLang's stub ({family.tilelang_first})")
    which = (f" Rows without a function in their title call {family.first}, except {' and '.join(except_for)}."
             if except_for else "")
    section = Section(
        f"First call, {name}",
        "Each row is one way to a first call: dlopen of the library, then dlsym and a call of "
        f"{' or '.join(functions)}.{which} \"load\": the instructions of dlopen. \"call\": the instructions of dlsym "
        "and of the call. \"over plain\": the sum of \"load\" and \"call\", minus the same sum of the compared row. "
        "The compared row is the row \"plain\" (the real library without a stub) with the same function and the same "
        "value in \"answer\". A row \"already loaded\" is compared with the row \"plain\" that is also "
        f"\"already loaded\". If several rows \"plain\" match, the compared one uses {family.compared}; if none "
        "matches, the cell has \"-\". \"ratio\": the first sum divided by the second. \"system calls\", \"opened\": "
        "the number of system calls and of opened files in load and call together. \"us\": their median wall time in "
        "microseconds. \"times\": this time divided by the time of the compared row. \"answer\": the value that the "
        "call returned, and the first number that the call wrote.",
        ["way", "load", "call", "over plain", "ratio", "system calls", "opened", "us", "times", "answer"])
    section.notes += [f"left out: {reason}" for tool in ("valgrind", "strace")
                      if (reason := missing(tool))]
    measured: list[Way] = []
    plain = plain_ways(bench, name)
    for way in [*plain, *ways(bench, name)]:
        progress(f"first call: {way.title}")
        try:
            _count(bench, way)
            measured.append(way)
        except Failure as failure:
            section.notes.append(f"{way.title}: {failure}")
    times = wall(bench, {way.title: (way.command(bench), way.environment) for way in measured},
                 ("load", "call"))
    for way in measured:
        _compare(way, reference(way, plain, FAMILIES[name].compared), times)
        section.rows.append(way.row)
    if any(way.library.kind == TILELANG for way in measured):
        section.notes.append("TileLang's stub also searches the system's CUDA folders, so it may use another library "
                             "than the one on LD_LIBRARY_PATH. Only an answer with a version shows which library it "
                             "used")
    return section


def reference(way: Way, plain: list[Way], compared: str) -> Way | None:
    """The plain way that gives the same answer: that of the compared library where several do."""
    if way in plain:
        return way

    def situation(way: Way) -> tuple[Any, ...]:
        return way.function, way.answer, way.before

    alike = [other for other in plain if situation(other) == situation(way)]
    return next((other for other in alike if other.library.title == compared),
                alike[0] if alike else None)


def _count(bench: Bench, way: Way) -> None:
    values = read_values(run(way.command(bench), way.environment))
    way.answer = f"{values['result']}, {values['value']}"
    way.row = [way.title, *[None] * 8, way.answer]
    if not missing("valgrind"):
        counts = count_phases(way.command(bench), way.environment, ["phase_load", "phase_call"])
        way.row[1:3] = counts["phase_load"], counts["phase_call"]
    if not missing("strace"):
        calls = trace(way.command(bench, "--marks"), way.environment)
        way.row[5] = calls["load"].total + calls["call"].total
        way.row[6] = calls["load"].opened + calls["call"].opened


def _compare(way: Way, plain: Way | None, times: dict[str, int]) -> None:
    way.row[7] = times[way.title] // 1000
    if plain is None or plain.title not in times:
        return
    ours, theirs = way.instructions(), plain.instructions()
    if ours is not None and theirs is not None:
        way.row[3] = ours - theirs
        way.row[4] = ours / theirs
    way.row[8] = times[way.title] / times[plain.title]
