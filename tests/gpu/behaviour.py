# SPDX-License-Identifier: Apache-2.0
"""The meaning of calls for which majors differ (behaviour.cu): natively, and through the stub on every runtime."""

import bundle
from bundle import SONAMES, Outcome, Way
from log import Log


def evaluate(outcome: Outcome) -> str:
    """What is not as expected, "" if nothing."""
    if outcome.end:
        return outcome.end
    if " failures 0\n" not in outcome.output:
        return f"{outcome.status} failures"
    return ""


def run(log: Log) -> int:
    failures = 0
    for major in SONAMES:
        name = f"behaviour-{major}"
        if not (bundle.HERE / name).exists():
            log.say(f"{name}: not in this bundle")
            continue
        ways = [Way("native", release) for release in bundle.natives(major)]
        ways += [Way("stub", release) for release in bundle.runtimes()]
        for way in ways:
            outcome = bundle.run([str(way.program(name)), way.name], way.environment(), timeout=120)
            wrong = evaluate(outcome)
            failures += bool(wrong)
            log.say(f"behaviour, built for {major} {way.name:8} runtime {way.runtime:5} {wrong or 'ok'}")
            log.note(outcome.output, show=bool(wrong))
    return failures
