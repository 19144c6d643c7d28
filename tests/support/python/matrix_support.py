# SPDX-License-Identifier: Apache-2.0
"""The common parts of the tests of the matrix: dispositions of the real databases, the command run in this process."""

import contextlib
import io
import os
import re
import sys
import tempfile
from pathlib import Path
from typing import Any, Callable, TypeVar

from abi_support import DESCRIBED, ROOT, real  # puts the generator on the path

sys.path.insert(0, str(ROOT / "packaging" / "python"))

from anycuda import __main__ as command  # noqa: E402
from generate import descriptor, dispositions, matrix  # noqa: E402

# Those with majors.
LIBRARIES = tuple(name for name, one in DESCRIBED.items() if one.has_symbol_versions and not one.own_releases)
T = TypeVar("T")
_kept: dict[str, Any] = {}


def once(name: str, make: Callable[[], T]) -> T:
    """What `make` gives, made once for all tests of a process."""
    if name not in _kept:
        _kept[name] = make()
    kept: T = _kept[name]
    return kept


def dispositions_of(library: str) -> dispositions.Dispositions:
    return once(f"dispositions {library}", lambda: dispositions.dispositions(real(library)))


def rows_of(library: str) -> matrix.Matrix:
    """The matrix of a library as the generator makes it."""
    if library in ("cuda", "nvml"):
        return once(f"rows {library}", lambda: matrix.of_driver(real(library)))
    if real(library).served_by:
        about = descriptor.load(ROOT / "stubs" / library / "library.json")
        return once(f"rows {library}", lambda: matrix.of_earlier_callers(real(library), about, real("cuda")))
    if real(library).own_releases_of:
        return once(f"rows {library}", lambda: matrix.of_own_releases(real(library)))
    return once(
        f"rows {library}",
        lambda: matrix.of_library(real(library), dispositions_of(library), real("cuda")),
    )


def built() -> Path:
    """A matrix.json as the build makes it: that of the tested build, or else a new one, which takes seconds."""

    def make() -> tuple[tempfile.TemporaryDirectory[str], Path]:
        folder = tempfile.TemporaryDirectory()
        path = Path(folder.name) / "matrix.json"
        made = Path(os.environ.get("ANYCUDA_BUILD", "/")) / "share/anycuda/matrix.json"
        text = made.read_text(encoding="utf-8") if made.is_file() else matrix.text("")
        path.write_text(re.sub('"anycuda": "[^"]*"', '"anycuda": "1.2.3"', text, count=1), encoding="utf-8")
        return folder, path

    return once("built", make)[1]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def anycuda(*arguments: str, terminal: bool = False) -> tuple[int, str, str]:
    """(exit status, stdout, stderr) of `anycuda words...`."""
    out, err = Terminal() if terminal else io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = command.main(list(arguments))
        except SystemExit as end:  # argparse
            status = end.code if isinstance(end.code, int) else int(end.code is not None)  # as Python ends
    return status, out.getvalue(), err.getvalue()
