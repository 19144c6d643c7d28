# SPDX-License-Identifier: Apache-2.0
"""What the stubs promise, beside what was measured."""

from __future__ import annotations

from typing import Any, Callable

from .bench import Bench
from .first_call import LOADED, alone, newest_of, with_driver
from .libraries import FAMILIES, OURS, REAL, Family, Library, describes_error
from .report import Section, number

MORE_PER_CALL = 2
MORE_PER_TEXT = 30  # of a call for the text of an error, where the database has errors that the library lacks
LOAD, LOAD_OF_FIRST = 60_000, 200_000
FIRST = ("cudart", "nvrtc", "nvjitlink", "cuda")  # what most programs load together
FIRST_CALL = 1.35  # times plain, with a named file
MORE_PER_CANDIDATE, MORE_IF_LOADED, MORE_WITH_DRIVER = 20_000, 25_000, 300_000
BYTES = 455 * 1000  # 400 before the adapters, 450 before one copy could serve another
LIBC = ("libc.so.6", "libdl.so.2", "ld-linux-x86-64.so.2", "libpthread.so.0")


def evaluate(bench: Bench, sections: list[Section]) -> Section:
    """One row per promise and stub. A promise that could not be measured says so."""
    tables = {section.title: section for section in sections}
    result = Section("Promises", "Each row has a promise of one stub (the last row: of four stubs together), what this "
                     "run found, and whether the stub keeps the promise. Numbers are instructions, except in rows "
                     "with \"times\" (a ratio) and \"bytes\". A warm call is compared with the same call of the "
                     "real library. \"plain\" is a first call of the real library, without a stub. In the column "
                     "\"found\", \"A of B\" means A for the stub and B for the real library. The tables below "
                     "explain the ways to load a library and to make a first call. \"named file\": the first "
                     "call with the file that the stub's variable names. \"each further candidate\": the way "
                     "\"newest of N\" minus the way in which \"LD_LIBRARY_PATH\" has only the chosen library (both "
                     "over plain), divided by N - 1. \"only libc\": libc's libdl and libpthread and the dynamic "
                     "linker are also allowed.",
                     ["stub", "promise", "found", "kept"])
    for name, family in FAMILIES.items():
        for library in bench.select(name, OURS):
            def add(promise: str, found: str | int | float | None, kept: bool | None,
                    title: str = library.title) -> None:
                word = {True: "yes", False: "NO", None: "not measured"}[kept]
                result.rows.append([title, promise, found, word])

            for what, describes, most in (("warm call", False, MORE_PER_CALL),
                                          ("warm call for an error's text", True, MORE_PER_TEXT)):
                if any(describes_error(function) == describes for function in family.warm):
                    more = _worst_call(tables.get("Warm call"), library.title, describes)
                    add(f"{what}: at most {most} instructions more", more, None if more is None else more <= most)
            _add_first_calls(add, bench, name, family, library, tables.get(f"First call, {name}"))
            _add_loads(add, tables.get("Load without a call"), library.title, family.compared)
            size, needs = next((number(row[2]), str(row[3]).split()) for row in tables["Files"].rows
                               if row[0] == library.title)
            add(f"file: under {BYTES:,} bytes", size, None if size is None else size < BYTES)
            add("needs: only libc", " ".join(needs), all(need in LIBC for need in needs))
    _add_loads_together(result, bench, tables.get("Load without a call"))
    return result


def _add_first_calls(add: Callable[..., Any], bench: Bench, name: str, family: Family, library: Library,
                     table: Section | None) -> None:
    real, driver, reals = bench.compared(name), bench.compared("cuda"), bench.select(name, REAL)
    rows = {row[0]: row for row in table.rows} if table else {}

    def cell(situation: str, column: str) -> str | int | float | None:
        row = rows.get(f"{library.title}, {situation}")
        return row[table.columns.index(column)] if row and table else None

    def found(situation: str, column: str) -> int | float | None:
        return number(cell(situation, column))

    def at_most(promise: str, value: int | float | None, most: int | float) -> None:
        add(f"first call, {promise}", value, None if value is None else value <= most)

    at_most(f"named file: at most {FIRST_CALL} times plain", found(family.variable, "ratio"), FIRST_CALL)
    if len(reals) > 1:
        several = newest_of(len(reals))
        chosen = next((way for way in (alone(reals[-1]), "LD_LIBRARY_PATH")
                       if cell(way, "answer") == cell(several, "answer")), "")
        first, all_of_them = found(chosen, "over plain"), found(several, "over plain")
        further = None if first is None or all_of_them is None else (all_of_them - first) // (len(reals) - 1)
        at_most(f"each further candidate: at most {MORE_PER_CANDIDATE:,}", further, MORE_PER_CANDIDATE)
    over, load = found(LOADED, "over plain"), found(LOADED, "load")
    at_most(f"{LOADED}: at most {MORE_IF_LOADED:,} over plain, if the stub's load is not counted",
            None if over is None or load is None else over - load, MORE_IF_LOADED)
    if family.asks_driver and real and driver:
        at_most(f"with a driver: at most {MORE_WITH_DRIVER:,} over plain",
                found(with_driver(real, driver), "over plain"), MORE_WITH_DRIVER)


def _add_loads_together(result: Section, bench: Bench, table: Section | None) -> None:
    now = {row[0]: number(row[1]) for row in table.rows} if table else {}
    loads = {name: next((now.get(library.title) for library in bench.select(name, OURS)), None) for name in FIRST
             if name in FAMILIES}
    known = [load for load in loads.values() if load is not None]
    together = sum(known) if len(known) == len(FIRST) else None
    for title, way, found, most in (("stub cudart", "load (now)", loads["cudart"], LOAD),
                                    (f"stubs {', '.join(FIRST)}", "load (now), all together", together,
                                     LOAD_OF_FIRST)):
        result.rows.append([title, f"{way}: at most {most:,}", found,
                            "not measured" if found is None else "yes" if found <= most else "NO"])


def _worst_call(table: Section | None, title: str, describes: bool) -> int | float | None:
    rows = [row for row in table.rows if row[1] == title] if table else []
    found = [number(row[3]) for row in rows if describes_error(str(row[0])) == describes]
    return max((value for value in found if value is not None), default=None)


def _add_loads(add: Callable[..., Any], table: Section | None, title: str, compared: str) -> None:
    rows = {row[0]: row for row in table.rows} if table else {}
    for column, way in enumerate(table.columns[1:6] if table else [], 1):
        ours, real = (number(rows.get(name, [None] * 7)[column]) for name in (title, compared))
        promise = f"load ({way}): at most as many as the real library"
        if ours is None or real is None:
            add(promise, None, None)
        else:
            add(promise, f"{ours:,} of {real:,}", ours <= real)
