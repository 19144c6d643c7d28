# SPDX-License-Identifier: Apache-2.0
"""The ordinary program (everyday.cu): natively, through the stub and through the drop-ins."""

import re

import bundle
from bundle import SONAMES, Outcome, Way
from log import Log


def checksum(outcome: Outcome) -> str:
    match = re.search(r"^checksum (\w+)$", outcome.output, re.MULTILINE)
    return match[1] if match else ""


def evaluate(outcome: Outcome, want: str) -> str:
    """The difference from what is expected, "" if none; `want` is the checksum of the native run."""
    if outcome.end:
        return outcome.end
    if outcome.status != 0:
        return f"{outcome.status} failures"
    got = checksum(outcome)
    if not got:
        return "no checksum"
    return f"checksum {got}, natively {want}" if want and got != want else ""


def run(log: Log) -> int:
    failures = 0
    for major in SONAMES:
        name = f"everyday-{major}"
        if not (bundle.HERE / name).exists():
            log.say(f"{name}: not in this bundle")
            continue
        ways = [Way("native", release) for release in bundle.natives(major)]
        ways += [Way(way, release) for release in bundle.runtimes() for way in ("stub", "drop-in")]
        native = ""
        for way in ways:
            outcome = bundle.run([str(way.program(name))], way.environment(), timeout=120)
            wrong = evaluate(outcome, native)
            native = native or checksum(outcome)
            failures += bool(wrong)
            log.say(f"built for {major} {way.name:8} runtime {way.runtime:5} {wrong or 'ok'}")
            log.note(outcome.output, show=bool(wrong))
    return failures
