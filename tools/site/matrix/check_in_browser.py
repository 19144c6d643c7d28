# SPDX-License-Identifier: Apache-2.0
"""Runs `anycuda check` in a browser, where the command has no processes: anycuda-device-code is WebAssembly there.

check_worker.js imports it, and provides the module `page`.
"""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import page
from pyodide.ffi import JsException, to_js

from anycuda.__main__ import main
from anycuda.analysis import device_code
from anycuda.check import command


class _Progress:
    def __init__(self, _: str) -> None:
        pass

    def __call__(self, name: str, done: int, whole: int) -> None:
        page.progress(name, done, whole)

    def end(self) -> None:
        pass


def _run(program: Path, paths: Sequence[Path]) -> subprocess.CompletedProcess[bytes]:
    """In place of a process for these files."""
    try:
        status, output = page.deviceCode(to_js([Path(path).read_bytes() for path in paths]))
    except (JsException, MemoryError) as error:  # a file larger than the memory of WebAssembly
        raise OSError(f"the browser reports: {str(error) or 'out of memory'}; "
                      "run `anycuda check` on your machine instead") from None
    return subprocess.CompletedProcess([str(program)], status, output.encode(), b"")


device_code.find = lambda: Path(device_code.PROGRAM)
device_code._run = _run
command.Progress = _Progress  # type: ignore[assignment,attr-defined]


def check(folder: str, arguments: list[str]) -> tuple[int, str, str]:
    """The exit status and the two outputs of `anycuda check ARGUMENTS...` in this folder."""
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            status = main(["check", *arguments])
        except SystemExit as end:  # of argparse: a wrong option, or --help
            status = int(end.code or 0)
        finally:
            os.chdir("/")
    return status, out.getvalue(), errors.getvalue()
