# SPDX-License-Identifier: Apache-2.0
"""Changes one operator, constant or statement at a time, and fails if no test of the file fails: README.md."""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from mutations import Key, Mutant, mutants_of
from trial import OUTCOMES, Broken, Build, Trial

HERE = Path(__file__).resolve().parent
MOST_MEMORY = 8 << 30  # a mutant may ask for more than there is


@dataclass
class Decision:
    """A source file that decides, and the tests that hold it."""
    file: str
    tests: list[list[str]]  # programs with their arguments, the quickest first
    functions: list[str] = field(default_factory=list)  # all where none is named
    group: str = ""


class Explanation(NamedTuple):
    """Why no test can fail for a mutant; of one that is `undefined` a test may fail in one run and pass in the next."""
    why: str
    undefined: bool


@dataclass
class Result:
    counts: Counter = field(default_factory=Counter)
    unexplained: list[Key] = field(default_factory=list)
    explained: int = 0
    stale: list[str] = field(default_factory=list)

    def add(self, other: Result) -> None:
        self.counts.update(other.counts)
        self.unexplained += other.unexplained
        self.explained += other.explained
        self.stale += other.stale

    def line(self) -> str:
        parts = [f"{self.counts[word]} {word}" for word in OUTCOMES if self.counts[word]]
        explained = f", {self.explained} of them explained" if self.counts["survived"] else ""
        return f"{self.counts.total()} mutants: {', '.join(parts)}{explained}"


def read_decisions(file: Path) -> list[Decision]:
    return [Decision(**row) for row in json.loads(file.read_text(encoding="utf-8"))]


def read_explanations(file: Path) -> dict[Key, Explanation]:
    """What is known of survivors: by file, one entry for some mutations of a line."""
    explanations: dict[Key, Explanation] = {}
    for source, rows in json.loads(file.read_text(encoding="utf-8")).items():
        for row in rows:
            if not row["why"].strip():
                raise Broken(f"{file.name}: {source}, {row['line']}: the explanation is empty")
            for mutation in row["mutations"]:
                key = Key(source, row["function"], row["line"], mutation)
                if key in explanations:
                    raise Broken(f"{file.name} explains this twice: {key}")
                explanations[key] = Explanation(row["why"], row.get("undefined", False))
    return explanations


def chosen(mutants: list[Mutant], functions: list[str]) -> list[Mutant]:
    unknown = set(functions) - {mutant.key.function for mutant in mutants}
    if unknown:
        raise Broken(f"these functions have no mutants, or do not exist: {', '.join(sorted(unknown))}")
    return [mutant for mutant in mutants if not functions or mutant.key.function in functions]


def compare(file: str, outcomes: dict[Key, str], explanations: dict[Key, Explanation]) -> Result:
    """The outcomes beside what is explained."""
    result = Result(Counter(outcomes.values()))
    survivors = [key for key, outcome in outcomes.items() if outcome == "survived"]
    result.unexplained = [key for key in survivors if key not in explanations]
    result.explained = len(survivors) - len(result.unexplained)
    for key, explanation in explanations.items():
        # Another compiler may make the same code of a mutant that survives here.
        allowed = OUTCOMES if explanation.undefined else ("survived", "equivalent")
        if key.file == file and outcomes.get(key) not in allowed:
            result.stale.append(f"{key}: {outcomes.get(key, 'unknown mutant')}")
    return result


def examine(build: Build, root: Path, decision: Decision, explanations: dict[Key, Explanation], jobs: int) -> Result:
    mutants = chosen(mutants_of(decision.file, (root / decision.file).read_text(encoding="utf-8")), decision.functions)
    if not mutants:
        raise Broken(f"{decision.file} has nothing to mutate")
    trial = Trial(build, root / decision.file, decision.tests)
    with ThreadPoolExecutor(jobs) as pool:
        words = pool.map(lambda mutant: trial.outcome(mutant.text), mutants)
        outcomes = {}
        for number, (mutant, word) in enumerate(zip(mutants, words), 1):
            outcomes[mutant.key] = word
            if number % 50 == 0:
                print(f"{number} of {len(mutants)} ", end="", flush=True)
    result = compare(decision.file, outcomes, explanations)
    print(f"{decision.file}: {result.line()}", flush=True)
    lines = {mutant.key: mutant.number for mutant in mutants}
    for key in result.unexplained:
        print(f"  SURVIVED, unexplained, line {lines[key]}: {key}", flush=True)
    return result


def arguments_of(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, required=True, help="the build folder, with the tests built")
    parser.add_argument("--root", type=Path, default=HERE.parents[1], help="the folder of the sources")
    parser.add_argument("--decisions", type=Path, default=HERE / "decisions.json")
    parser.add_argument("--survivors", type=Path, default=HERE / "survivors.json")
    parser.add_argument("--group", help="only the decisions of this group")
    parser.add_argument("--file", action="append", help="only this source (may be given again)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args(argv)


def mutate(options: argparse.Namespace) -> Result:
    decisions = read_decisions(options.decisions)
    explanations = read_explanations(options.survivors)
    names = {decision.file for decision in decisions}
    total = Result()
    total.stale = [f"{key}: {options.decisions.name} does not name the file"
                   for key in explanations if key.file not in names]
    chosen_ones = [decision for decision in decisions
                   if options.group in (None, decision.group) and (not options.file or decision.file in options.file)]
    if not chosen_ones:
        raise Broken("no decision is of that group or file")
    build = Build(options.build.resolve())
    for number, decision in enumerate(chosen_ones, 1):
        print(f"{number}/{len(chosen_ones)} ", end="", flush=True)
        total.add(examine(build, options.root.resolve(), decision, explanations, options.jobs))
    return total


def limit(what: int, value: int) -> None:
    _, most = resource.getrlimit(what)
    resource.setrlimit(what, (value if most == resource.RLIM_INFINITY else min(value, most), most))


def main(argv: list[str]) -> int:
    options = arguments_of(argv)
    # For the programs that it starts.
    limit(resource.RLIMIT_AS, MOST_MEMORY)
    limit(resource.RLIMIT_CORE, 0)
    try:
        result = mutate(options)
    except Broken as problem:
        print(f"mutate.py: {problem}", file=sys.stderr)
        return 2
    print(f"all: {result.line()}")
    if result.unexplained:
        print(f"{len(result.unexplained)} survivors are unexplained: write a test that fails for them, or say in "
              f"{options.survivors.name} why none can")
    for text in result.stale:
        print(f"STALE explanation: {text}")
    if result.stale:
        print(f"{len(result.stale)} explanations in {options.survivors.name} apply no longer: remove them")
    return 1 if result.unexplained or result.stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
