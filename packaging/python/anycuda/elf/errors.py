# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a file, in a sentence."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


class ElfError(ValueError):
    """No file that can be read or edited here; the text names the file and says why."""


class NotElf(ElfError):
    """No ELF file at all, such as a script or a text."""


@contextlib.contextmanager
def failures(path: os.PathLike | str) -> Iterator[None]:
    """What the system refuses is an ElfError too, whose cause is the system's error."""
    try:
        yield
    except OSError as error:
        raise ElfError(f"{path}: {error.strerror or error}") from error
