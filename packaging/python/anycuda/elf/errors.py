# SPDX-License-Identifier: Apache-2.0
"""Errors about ELF files."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


class ElfError(ValueError):
    """The file cannot be read or edited; the text names the file and says why."""


class NotElf(ElfError):
    """Not an ELF file, such as a script or a text."""


@contextlib.contextmanager
def failures(path: os.PathLike[str] | str) -> Iterator[None]:
    """Turns the system's errors into an ElfError with the original as its cause."""
    try:
        yield
    except OSError as error:
        raise ElfError(f"{path}: {error.strerror or error}") from error
