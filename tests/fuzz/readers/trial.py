# SPDX-License-Identifier: Apache-2.0
"""One input, read by the commands in this process, under limits. Only their results and refusals are allowed."""

from __future__ import annotations

import contextlib
import functools
import io
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Callable

from anycuda.__main__ import main
from anycuda.analysis import device_code
from anycuda.matrix import data as matrix
from anycuda.repair import stubs
from cases import Case
from wheel_support import problems

SECONDS, MEMORY = 20, 1 << 30  # of CPU for one command; of this process
_STATUS = {"check": (0, 1, 2, 3), "repair": (0, 1, 2)}
_MISTAKE = "a mistake in anycuda"

# No input changes these, and they take most of the time.
matrix.load, stubs.load = functools.lru_cache(matrix.load), functools.lru_cache(stubs.load)
matrix.load()


class Wrong(Exception):
    """What must not come of any input."""


class Sandbox:
    """A folder outside of which nothing is written while `watching`."""

    def __init__(self, top: Path) -> None:
        self.top = top.resolve()
        self.watching, self.outside = False, ""
        self.clean()
        sys.addaudithook(self._saw)
        os.environ["TMPDIR"] = str(self.top / "tmp")
        tempfile.tempdir = None

    def clean(self) -> None:
        for name in ("in", "out", "tmp"):
            shutil.rmtree(self.top / name, ignore_errors=True)
            (self.top / name).mkdir()

    def _saw(self, event: str, arguments: tuple) -> None:
        if not self.watching:
            return
        if event == "open":
            path, _, flags = arguments
            paths = [path] if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC) else []
        else:
            paths = arguments[:_CHANGES.get(event, 0)]
        for path in paths:
            if isinstance(path, (str, bytes)) and not self._may_write(os.fsdecode(path)):
                self.outside = self.outside or f"{event} of {os.fsdecode(path)!r}"

    def _may_write(self, path: str) -> bool:
        is_of_folder = "/" not in path.rstrip("/")  # shutil.rmtree goes by names in open folders
        return is_of_folder or path == os.devnull or os.path.realpath(path).startswith(f"{self.top}/")


# Event -> how many of its arguments are paths that change.
_CHANGES = {"os.mkdir": 1, "os.rename": 2, "os.remove": 1, "os.rmdir": 1, "os.link": 2, "os.symlink": 2, "os.chmod": 1,
            "os.truncate": 1, "os.utime": 1}


def limit_this_process() -> None:
    """An input that needs more memory gets a MemoryError; one that needs too much time ends the process (SIGPROF)."""
    resource.setrlimit(resource.RLIMIT_AS, (4 * MEMORY, 4 * MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)


def run(case: Case, sandbox: Sandbox) -> str:
    """What is wrong, "" if nothing is."""
    try:
        for words in case.words:
            sandbox.clean()
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            _command(case, words, sandbox)
        if not case.words:
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            _lines(case.data)
    except Wrong as wrong:
        return str(wrong)
    except BaseException:
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return f"it took {_most() >> 20} MB of memory" if took_too_much() else ""


def took_too_much() -> bool:
    """For one of the inputs so far."""
    return _most() > MEMORY


def _most() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def _command(case: Case, words: tuple[str, ...], sandbox: Sandbox) -> None:
    path, out = sandbox.top / "in" / case.name, sandbox.top / "out"
    path.write_bytes(case.data)
    writes = words[0] == "repair" and "--dry-run" not in words
    options = ("--force", *(("-w", str(out)) if writes else ())) if words[0] == "repair" else ()
    if words[0] == "repair" and "-z" not in words:
        options += "-z", "0", "-j", "1"
    sandbox.watching, sandbox.outside = True, ""
    try:
        status, output = _called(main, [*words, *options, str(path)])
    finally:
        sandbox.watching = False
    shown = f"anycuda {' '.join(words)}: status {status}"
    if status not in _STATUS[words[0]]:
        raise Wrong(f"{shown}\n{output}")
    if _MISTAKE in output:
        raise Wrong(f"{shown}: {output[-1000:]}")
    if sandbox.outside:
        raise Wrong(f"{shown}: {sandbox.outside}, which is outside of the folders given")
    if path.read_bytes() != case.data:
        raise Wrong(f"{shown}: the input changed")
    found = sorted(str(file.relative_to(sandbox.top)) for name in ("in", "tmp", "out")
                   for file in (sandbox.top / name).rglob("*"))
    results = [file for file in found if file.startswith("out/")]
    if [file for file in found if file not in results] != [f"in/{case.name}"]:
        raise Wrong(f"{shown}: there is more than before: {found}")
    if len(results) != (writes and status == 0):
        raise Wrong(f"{shown}: its results are {results}")
    for file in results:
        if (sandbox.top / file).read_bytes() != case.data and problems(sandbox.top / file):
            raise Wrong(f"{shown}: the result is not sound: {problems(sandbox.top / file)[:3]}")


def _called(command: Callable[[list[str]], int], words: list[str]) -> tuple[int, str]:
    out, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        status = command(words)
    if "--json" in words and out.getvalue():
        json.loads(out.getvalue())
    return status, out.getvalue()[-10000:] + errors.getvalue()[-10000:]


def _lines(data: bytes) -> None:
    """Of anycuda-device-code: what it cannot have written is refused as such."""
    with contextlib.suppress(device_code.NOT_UNDERSTOOD):
        device_code.parse(data)
