# SPDX-License-Identifier: Apache-2.0
"""Reads bytes of a file, never beyond its end.

Uses seek and read instead of mmap: truncating a mapped file would end the process (SIGBUS).
"""

from __future__ import annotations

import os
from struct import Struct
from typing import Any, BinaryIO

from .errors import ElfError

# Far more than any table of a real file; a larger one is damaged and would only consume memory.
_MOST = 1 << 27


class Source:
    def __init__(self, file: BinaryIO, name: str) -> None:
        self.file, self.name = file, name
        self.size = file.seek(0, os.SEEK_END)

    def error(self, text: str) -> ElfError:
        return ElfError(f"{self.name}: {text}")

    def check(self, offset: int, length: int, what: str) -> None:
        if offset + length > self.size:
            raise self.error(f"truncated or damaged: its {what} ends at byte {offset + length}, the file at "
                             f"{self.size}")
        if length > _MOST:
            raise self.error(f"damaged: its {what} would be {length} bytes long")

    def bytes(self, offset: int, length: int, what: str) -> bytes:
        self.check(offset, length, what)
        self.file.seek(offset)
        data = b""
        while len(data) < length:
            part = self.file.read(length - len(data))
            if not part:
                raise self.error(f"its {what} cannot be read: the file was truncated meanwhile")
            data += part
        return data

    def record(self, layout: Struct, offset: int, what: str) -> tuple[Any, ...]:
        return layout.unpack(self.bytes(offset, layout.size, what))
