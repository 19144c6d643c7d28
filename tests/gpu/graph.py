# SPDX-License-Identifier: Apache-2.0
"""The graph library (graph/): owners of nodes, through the driver's stub."""

import bundle
import checks
from log import Log

PROGRAM = bundle.HERE / "graph" / "graph_gpu"


def run(log: Log, checked: bool = False) -> int:
    env = bundle.environment(bundle.HERE / "stubs")
    failures = checks.run("graph", PROGRAM, env, log)
    failures += sum(checks.example(name, env, log) for name in ("graph", "graph_kernels"))
    if checked:
        checker = checks.memcheck()
        if not checker:
            log.say("graph: memcheck skipped: compute-sanitizer is not installed")
            return failures
        # The process that started another sees its end; the parent's checker does not. The checker runs one kernel at
        # a time, and programmatic launches need two.
        topics = [topic for topic in checks.topics_of(PROGRAM, env) if topic not in ("exits", "programmatic")]
        failures += checks.run("graph", PROGRAM, env, log, checker, topics)
    return failures
