"""What the stubs promise, beside what was measured."""

from __future__ import annotations

from .bench import Bench
from .libraries import FAMILIES, OURS, describes_error
from .report import Section

MORE_PER_CALL = 2
MORE_PER_TEXT = 30  # of a call for the text of an error, where the database has errors that the library lacks
BYTES = 450 * 1000  # 400 before the adapters
LIBC = ("libc.so.6", "libdl.so.2", "ld-linux-x86-64.so.2", "libpthread.so.0")


def judge(bench: Bench, sections: list[Section]) -> Section:
    """One row per promise and stub. A promise that could not be measured says so."""
    tables = {section.title: section for section in sections}
    result = Section("Promises", "What each stub promises, and what this run found.",
                     ["stub", "promise", "found", "kept"])
    for name, family in FAMILIES.items():
        for library in bench.of(name, OURS):
            def add(promise: str, found: str | int | float | None, kept: bool | None,
                    title: str = library.title) -> None:
                word = {True: "yes", False: "NO", None: "not measured"}[kept]
                result.rows.append([title, promise, found, word])

            for what, describes, most in (("warm call", False, MORE_PER_CALL),
                                          ("warm call for an error's text", True, MORE_PER_TEXT)):
                if any(describes_error(function) == describes for function in family.warm):
                    more = _worst_call(tables.get("Warm call"), library.title, describes)
                    add(f"{what}: at most {most} instructions more", more, None if more is None else more <= most)
            _add_loads(add, tables.get("Load without a call"), library.title, family.compared)
            size, needs = next((row[2], str(row[3]).split()) for row in tables["Files"].rows
                               if row[0] == library.title)
            add(f"file: under {BYTES:,} bytes", size, size < BYTES)
            add("needs: libc alone", " ".join(needs), all(need in LIBC for need in needs))
    return result


def _worst_call(table: Section | None, title: str, describes: bool) -> int | float | None:
    rows = [row for row in table.rows if row[1] == title] if table else []
    found = [row[3] for row in rows if describes_error(row[0]) == describes]
    return max(found) if found else None


def _add_loads(add, table: Section | None, title: str, compared: str) -> None:
    rows = {row[0]: row for row in table.rows} if table else {}
    for column, way in enumerate(table.columns[1:6] if table else [], 1):
        ours, real = (rows.get(name, [None] * 7)[column] for name in (title, compared))
        known = ours is not None and real is not None
        add(f"load ({way}): at most the real library's", f"{ours:,} of {real:,}" if known else None,
            ours <= real if known else None)
