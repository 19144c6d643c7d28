# SPDX-License-Identifier: Apache-2.0
"""The text format of the ABI database: one reader and one writer for every file in stubs/*/abi.

A table maps a key (a function, a type, a macro ...) to what is true of it in each version. Versions
that agree are written once, as ranges over the versions the database has: a release that changes
nothing changes only the ranges, and a diff of the text shows what a release really changed.

Two layouts hold the same data. Block, for what needs more than a line:
    key
      11.7-12.9  body
          more body
and flat, for tables of many short facts:
    key  11.7-12.9  body
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

Body = tuple[str, ...]
Table = dict[str, dict[str, Body]]


class FormatError(ValueError):
    """A line of the database that does not follow the format."""


def version_key(version: str) -> tuple[int, ...]:
    """Sort key of a version: 12.10 comes after 12.9."""
    return tuple(int(part) for part in version.split("."))


def sort_versions(versions: Iterable[str]) -> list[str]:
    return sorted(set(versions), key=version_key)


def by_age(versions: Iterable[str]) -> list[str]:
    """The last release of a minor has the minor's name: 2.29 is newer than 2.29.2."""
    return sorted(set(versions), key=lambda version: (version_key(version) + (1 << 30,))[:3])


def major_of(version: str) -> str:
    return version.split(".", 1)[0]


def format_ranges(chosen: Iterable[str], versions: list[str]) -> str:
    """`chosen` as ranges over `versions`: "11.7-12.9,13.1"; a range holds no version left out."""
    wanted = set(chosen)
    runs: list[list[str]] = []
    previous = False
    for version in versions:
        if version in wanted:
            if previous:
                runs[-1].append(version)
            else:
                runs.append([version])
        previous = version in wanted
    return ",".join(run[0] if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def parse_ranges(text: str, versions: list[str], cache: dict[str, list[str]]) -> list[str]:
    """The versions that a range text stands for; `cache` saves the work for repeated texts."""
    known = cache.get(text)
    if known is not None:
        return known
    result: list[str] = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        try:
            low = versions.index(first)
            high = versions.index(last) if last else low
        except ValueError:
            raise FormatError(
                f"range {text!r} names a version that versions.txt does not list"
            ) from None
        result.extend(versions[low : high + 1])
    cache[text] = result
    return result


def _groups(by_version: Mapping[str, Body], versions: list[str]) -> list[tuple[str, Body]]:
    """(ranges, body) of one key; the bodies in order of the version they first appear in."""
    order: dict[Body, list[str]] = {}
    for version in versions:
        if version in by_version:
            order.setdefault(by_version[version], []).append(version)
    return [(format_ranges(chosen, versions), body) for body, chosen in order.items()]


def write_block(table: Table, versions: list[str], about: str) -> str:
    lines = [f"# {line}".rstrip() for line in about.splitlines()]
    for key in sorted(table):
        lines += ["", key]
        for ranges, body in _groups(table[key], versions):
            lines.append(f"  {ranges}  {body[0]}")
            lines += [f"      {line}" for line in body[1:]]
    return "\n".join(lines) + "\n"


def write_flat(table: Table, versions: list[str], about: str, order: Iterable[str]) -> str:
    lines = [f"# {line}".rstrip() for line in about.splitlines()] + [""]
    for key in order:
        for ranges, body in _groups(table[key], versions):
            lines.append(f"{key}  {ranges}  {body[0]}".rstrip())
    return "\n".join(lines) + "\n"


def read_block(path: Path, versions: list[str]) -> Table:
    table: Table = {}
    cache: dict[str, list[str]] = {}
    if not path.exists():
        return table
    key = ""
    chosen: list[str] = []
    body: list[str] = []

    def close() -> None:
        if chosen:
            value = tuple(body)
            table[key].update((version, value) for version in chosen)

    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line[0] == "#":
            continue
        if line[0] != " ":
            close()
            key, chosen = line, []
            table.setdefault(key, {})
        elif line[2] != " ":
            close()
            ranges, _, first = line[2:].partition("  ")
            try:
                chosen, body = parse_ranges(ranges, versions, cache), [first]
            except FormatError as error:
                raise FormatError(f"{path}:{number}: {error}") from None
        else:
            body.append(line[6:])
    close()
    return table


def read_flat(path: Path, versions: list[str]) -> Table:
    table: Table = {}
    cache: dict[str, list[str]] = {}
    if not path.exists():
        return table
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line[0] == "#":
            continue
        key, _, rest = line.partition("  ")
        ranges, _, text = rest.partition("  ")
        try:
            chosen = parse_ranges(ranges, versions, cache)
        except FormatError as error:
            raise FormatError(f"{path}:{number}: {error}") from None
        value = (text,)
        table.setdefault(key, {}).update((version, value) for version in chosen)
    return table


def read_versions(path: Path) -> dict[str, str]:
    """Version -> what the list says about it."""
    return {
        version: about
        for version, _, about in (line.partition("  ") for _, line in read_lines(path))
    }


def read_internals(path: Path) -> dict[str, list[tuple[frozenset[str], str]]]:
    """A hand-kept block file: key -> [(majors it holds for, body)]. It names majors, not versions,
    so that a new minor is covered and a new major is not until somebody has looked."""
    result: dict[str, list[tuple[frozenset[str], str]]] = {}
    key = ""
    if not path.exists():
        return result
    for line in path.read_text().splitlines():
        if not line or line[0] == "#":
            continue
        if line[0] != " ":
            key = line.strip()
        else:
            majors, _, body = line.strip().partition("  ")
            result.setdefault(key, []).append((frozenset(majors.split(",")), body))
    return result


def internal_body(entries: list[tuple[frozenset[str], str]], major: str) -> str:
    """The body that holds for a major ("*" for every one); "" where nobody has looked."""
    return next((body for majors, body in entries if major in majors or "*" in majors), "")


def read_lines(path: Path) -> list[tuple[int, str]]:
    """(line number, text) of a hand-kept file without its comments and empty lines."""
    if not path.exists():
        return []
    lines = enumerate(path.read_text().splitlines(), 1)
    return [
        (number, line.strip())
        for number, line in lines
        if line.strip() and not line.startswith("#")
    ]
