# SPDX-License-Identifier: Apache-2.0
"""A thousand libraries with kernels in one process, and one that is loaded and unloaded again and again
(tests/stress/clients.cc): on NVIDIA's own runtime, and through the drop-in on every runtime of the bundle.
"""

import bundle
from bundle import SONAMES, Outcome, Way
from log import Log

TOGETHER = 1000
RELOADS = 3000
# Each client is asked three times; each answer is the kernel's.
RIGHT = {"together": f"{3 * TOGETHER} times status 0, added 7", "reload": f"{RELOADS} times status 0, added 7"}


def evaluate(outcome: Outcome, right: str) -> str:
    """What is not as expected, "" if nothing."""
    if outcome.end:
        return outcome.end
    answers = [line for line in outcome.output.splitlines() if not line.startswith("#")]
    if outcome.status or answers != [right]:
        return f"exit status {outcome.status}, answers: {'; '.join(answers)[:200]}"
    return ""


def growth(outcome: Outcome) -> str:
    return next((line[2:] for line in outcome.output.splitlines() if line.startswith("# growth")), "")


def run(log: Log) -> int:
    failures = 0
    for major, soname in SONAMES.items():
        client = bundle.HERE / "clients" / f"client-{bundle.BUILT_WITH[major]}.so"
        if not client.exists():
            log.say(f"clients of {major}: not in this bundle")
            continue
        ways = [Way("native", release) for release in bundle.natives(major)[:1]]
        ways += [Way("drop-in", release) for release in bundle.runtimes()]
        for way in ways:
            folder = bundle.HERE / (f"cuda-{way.runtime}" if way.name == "native" else "dropin")
            for how, count in (("together", TOGETHER), ("reload", RELOADS)):
                command = [bundle.HERE / "clients" / "clients", folder / soname, client, how, count]
                outcome = bundle.run([str(word) for word in command], way.environment(), timeout=200)
                wrong = evaluate(outcome, RIGHT[how])
                failures += bool(wrong)
                text = wrong or f"ok, {growth(outcome)}"
                log.say(f"clients of {major} {way.name:8} runtime {way.runtime:5} {how:8} {text}")
                log.note(outcome.output, show=bool(wrong))
    return failures
