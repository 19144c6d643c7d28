# SPDX-License-Identifier: Apache-2.0
"""The policy on a machine with a real driver: of several installed runtimes, which does a program get?

What no machine without a GPU shows: the CUDA of a driver that runs, hence minor-version compatibility that is used
and not only accepted.
"""

import re
import shutil
import tempfile
from pathlib import Path

import bundle
from bundle import SONAMES
from log import Log

FOLDERS = {"11": "cuda_runtime", "12": "cuda_runtime", "13": "cu13"}


def install(releases: list[str], site: Path) -> None:
    """As the wheels do, with the line of their cuda.h that states the version."""
    for release in releases:
        major = release.split(".")[0]
        root = site / "nvidia" / FOLDERS[major]
        (root / "lib").mkdir(parents=True, exist_ok=True)
        shutil.copy(bundle.HERE / f"cuda-{release}" / SONAMES[major], root / "lib")
        (root / "include").mkdir(exist_ok=True)
        number = int(major) * 1000 + int(release.split(".")[1]) * 10
        (root / "include" / "cuda.h").write_text(f"#define CUDA_VERSION {number}\n", encoding="utf-8")


def newest_served(releases: list[str]) -> str:
    """By minor-version compatibility: the newest of the driver's major, or older."""
    major = bundle.driver_release()[0]
    return [release for release in releases if int(release.split(".")[0]) <= major][-1]


def runs(log: Log, releases: list[str], mode: str) -> int:
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        install(releases, Path(folder) / "lib" / "python3.12" / "site-packages")
        want = newest_served(releases)
        for major in SONAMES:
            environment = bundle.environment(bundle.HERE / "stubs", VIRTUAL_ENV=folder, ANYCUDA_COMPAT=mode,
                                             ANYCUDA_LOG="debug")
            outcome = bundle.run([str(bundle.HERE / f"everyday-{major}")], environment, timeout=120)
            used = re.search(r"^built \S+ runtime (\S+) driver \S+ failures 0$", outcome.output, re.MULTILINE)
            wrong = "" if used and used[1] == want else f"{used[1] if used else 'nothing'}, not {want}"
            failures += bool(wrong)
            log.say(f"policy {mode:11} {' + '.join(releases):18} built for {major}: {wrong or want}")
            log.note(outcome.output, show=bool(wrong))
    return failures


def run(log: Log) -> int:
    if bundle.driver_release() == (0, 0):
        log.say("policy: skipped, this machine has no driver")
        return 0
    failures = 0
    for mode in ("best_effort", "strict"):
        failures += runs(log, ["11.8", "12.9", "13.5"], mode)
    return failures + runs(log, ["11.8", "12.9"], "strict")
