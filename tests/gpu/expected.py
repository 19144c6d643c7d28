# SPDX-License-Identifier: Apache-2.0
"""Known differences between runtimes, and their reasons (expected.txt)."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from bundle import HERE, driver_release, release_key

KINDS = ("absent", "differs", "fails")


@dataclass(frozen=True)
class Line:
    """`kind built runtimes name  reason`; see expected.txt."""

    kind: str
    built: str
    runtimes: str
    pattern: str
    reason: str

    def holds_for(self, program: str, runtime: str, driver: tuple[int, ...]) -> bool:
        built = self.built.split(",")
        return (program in built or program.split("-")[0] in built) and any(
            matches(part, runtime, driver) for part in self.runtimes.split(","))


def matches(part: str, runtime: str, driver: tuple[int, ...]) -> bool:
    """`12.4`, `<12.8` (of the same major), `11` (every release of 11), `*`; with `@<13.1`: where the
    driver's CUDA is older."""
    part, _, limit = part.partition("@<")
    if limit and driver >= release_key(limit):
        return False
    if part.startswith("<"):
        key, before = release_key(runtime), release_key(part[1:])
        return key[0] == before[0] and key < before
    return part == "*" or runtime == part or runtime.split(".")[0] == part


def read(path: Path = HERE / "expected.txt") -> list[Line]:
    lines = []
    for number, text in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not text.strip() or text.startswith("#"):
            continue
        facts, _, reason = text.partition("  ")
        words = facts.split()
        if len(words) != 4 or words[0] not in KINDS or not reason.strip():
            raise ValueError(f"{path}:{number}: expected `{'|'.join(KINDS)} built runtimes name  reason`")
        lines.append(Line(*words, reason.strip()))
    return lines


class Expectations:
    """Those for one program on one runtime. Each must come true once at least: a line that is
    no longer needed is a result too."""

    def __init__(self, lines: list[Line], program: str, runtime: str, complete: bool) -> None:
        driver = driver_release()
        self.lines = [line for line in lines if line.holds_for(program, runtime, driver)]
        self.complete = complete  # whether every topic is run
        self.used: set[Line] = set()

    def covers(self, kind: str, name: str) -> bool:
        found = [line for line in self.lines
                 if line.kind == kind and fnmatchcase(name, line.pattern)]
        self.used.update(found)
        return bool(found)

    def unused(self, topics: list[str]) -> list[Line]:
        """Those that these topics would have needed; a line about any topic (`*:cudaX`) counts where
        all were run."""
        return [line for line in self.lines if line not in self.used
                and (line.pattern.split(".")[0] in topics or (self.complete and line.pattern[0] == "*"))]
