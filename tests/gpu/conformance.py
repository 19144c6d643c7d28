# SPDX-License-Identifier: Apache-2.0
"""The conformance client (conformance/): its native output must be its output everywhere.

Each topic is a separate process, so that a crash hides no other topic; several run at a time.
"""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import bundle
import expected
from bundle import SONAMES, Way
from log import Log

TIMEOUT = 120


@dataclass
class Report:
    """A program's output, over all its topics."""

    ok: set[str] = field(default_factory=set)
    failed: list[str] = field(default_factory=list)
    absent: dict[str, str] = field(default_factory=dict)  # "check:function" -> status
    values: dict[str, str] = field(default_factory=dict)

    def read(self, topic: str, outcome: bundle.Outcome) -> None:
        ended = False
        for line in outcome.output.splitlines():
            kind, _, rest = line.partition(" ")
            if kind == "ok":
                self.ok.add(rest)
            elif kind == "FAIL":
                self.failed.append(rest)
            elif kind == "absent":
                check, function, status = rest.split(" ")
                self.absent[f"{check}:{function}"] = status
            elif kind == "value":
                name, _, value = rest.partition("=")
                self.values[name] = value
            elif line == f"done {topic}":
                ended = True
        if not ended:
            last = next((line for line in reversed(outcome.output.splitlines())
                         if re.match(r"(ok|FAIL|absent|value) ", line)), "its start")
            end = outcome.end or f"exit status {outcome.status}"
            self.failed.append(f"{topic}: {end}, after: {last}")

    def absent_checks(self) -> set[str]:
        return {name.split(":")[0] for name in self.absent}

    def reports(self, check: str) -> bool:
        return check in self.ok or any(line.startswith(check + " ") for line in self.failed)


def failure(line: str) -> tuple[str, str]:
    """`check:function=status` of a call that should have succeeded, and the check; of other lines the check."""
    check = line.split(" ")[0].rstrip(":")
    call = re.match(r"\S+ (\w+)\b.* returned (\d+) \w+, expected success", line)
    return (f"{check}:{call[1]}={call[2]}" if call else check), check


def compare(report: Report, native: Report, hopes: expected.Expectations,
            topics: list[str]) -> list[str]:
    """What is not as expected, in words."""
    wrong = []
    failed = set()  # as expected: their other values never came
    for line in report.failed:
        name, check = failure(line)
        if hopes.covers("fails", name):
            failed.add(check)
        else:
            wrong.append(f"FAIL {line}")
    wrong += [f"absent {name} ({status})" for name, status in report.absent.items()
              if not hopes.covers("absent", name)]
    here, there = report.absent_checks(), native.absent_checks()
    wrong += [f"nothing was reported on {check}" for check in sorted(native.ok)
              if not report.reports(check) and check not in here]
    for name in sorted(native.values.keys() | report.values.keys()):
        want, got = native.values.get(name), report.values.get(name)
        if want == got or any(name.startswith(check + ".") for check in here | there | failed):
            continue
        if not hopes.covers("differs", f"{name}={got}"):
            wrong.append(f"value {name}: {got}, natively {want}")
    wrong += [f"expected, but not so: {line.kind} {line.pattern} ({line.reason})"
              for line in hopes.unused(topics)]
    return wrong


@dataclass(frozen=True)
class Choice:
    """What of it is run; empty is all."""

    built: list[str]
    runtimes: list[str]
    topics: list[str]
    jobs: int

    def ways(self, major: str) -> list[Way]:
        """The run that the others are compared with comes first, whatever was chosen."""
        native = [Way("native", release) for release in bundle.natives(major)]
        others = native[1:] + [Way("stub", release) for release in bundle.runtimes()]
        return native[:1] + [way for way in others
                             if not self.runtimes or way.runtime in self.runtimes]

    def topics_of(self, name: str, way: Way) -> list[str]:
        listed = bundle.run([str(way.program(name)), "--list"], way.environment(), TIMEOUT)
        # Among them may be a message of the stub: its library may be wanted before main.
        topics = [line for line in listed.output.splitlines() if re.fullmatch("[a-z_]+", line)]
        return [topic for topic in topics if not self.topics or topic in self.topics]


def collect(name: str, way: Way, topics: list[str], jobs: int, log: Log) -> Report:
    report = Report()

    def outcome(topic: str) -> bundle.Outcome:
        return bundle.run([str(way.program(name)), topic], way.environment(), TIMEOUT)

    with ThreadPoolExecutor(jobs) as threads:
        for topic, came in zip(topics, threads.map(outcome, topics)):
            log.note(f"-- {name} {topic}, {way.name}, runtime {way.runtime}\n{came.output}")
            report.read(topic, came)
    return report


def write_log(name: str, way: Way, report: Report, wrong: list[str], log: Log) -> None:
    log.say(f"{name:25} {way.name:7} runtime {way.runtime:5} {len(report.ok):4} ok"
            f" {len(report.absent):3} absent {len(report.values):4} values"
            f"  {'ok' if not wrong else f'{len(wrong)} NOT AS EXPECTED'}")
    for line in wrong:
        log.say(f"    {line}")
    if report.absent:
        functions = {absent.split(":")[1] for absent in report.absent}
        log.say(f"    absent: {' '.join(sorted(functions))}")


@dataclass
class Totals:
    runs: int = 0
    ok: int = 0
    absent: int = 0
    values: int = 0
    failures: int = 0  # runs that were not as expected

    def add(self, report: Report, wrong: list[str]) -> None:
        self.runs += 1
        self.ok += len(report.ok)
        self.absent += len(report.absent)
        self.values += len(report.values)
        self.failures += bool(wrong)


def run_program(name: str, major: str, choice: Choice, lines: list[expected.Line], totals: Totals,
                log: Log) -> None:
    native: Report | None = None
    for way in choice.ways(major):
        topics = choice.topics_of(name, way)
        report = collect(name, way, topics, choice.jobs, log)
        native = native or report
        hopes = expected.Expectations(lines, name.partition("-")[2], way.runtime, complete=not choice.topics)
        wrong = compare(report, native, hopes, topics)
        write_log(name, way, report, wrong, log)
        totals.add(report, wrong)


def run(choice: Choice, log: Log) -> int:
    lines = expected.read()
    totals = Totals()
    for major in SONAMES:
        for name in (f"conformance-{major}", f"conformance-{major}-per-thread"):
            if choice.built and major not in choice.built:
                continue
            if (bundle.HERE / name).exists():
                run_program(name, major, choice, lines, totals, log)
            else:
                log.say(f"{name}: not in this bundle")
    log.say(f"conformance: {totals.runs} runs, {totals.ok} checks ok, {totals.absent} absent, {totals.values} values,"
            f" {totals.failures} runs not as expected")
    return totals.failures
