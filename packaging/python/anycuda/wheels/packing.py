# SPDX-License-Identifier: Apache-2.0
"""Writes a zip in the order of its entries, compressed by several threads. Each block is compressed separately, with
the end of the previous one as its dictionary, so the number of threads does not change the bytes."""

from __future__ import annotations

import contextlib
import copy
import os
import zipfile
import zlib
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO, Callable

BLOCK = 1 << 18
_WINDOW = 1 << 15  # the window of deflate
_WAITING = 32  # blocks to read ahead, in addition to those in the threads
_LARGE = 1 << 30  # larger files get ZIP64 sizes, since packed data may be larger than the file


@dataclass(frozen=True)
class Packing:
    """`level`: 0 to 9, or -1 for zlib's default. `threads`: at least 1."""

    level: int = zlib.Z_DEFAULT_COMPRESSION
    threads: int = 1


def default_threads() -> int:
    """The CPUs that this process may use."""
    return len(os.sched_getaffinity(0))


class Writer:
    """Steps wait in a queue until the previous blocks are compressed, so one file can be read while another is
    packed."""

    def __init__(self, target: zipfile.ZipFile, packing: Packing) -> None:
        self._target, self._packing = target, packing
        self._pool = ThreadPoolExecutor(packing.threads)
        self._queue: deque[tuple[Callable[[], None], bool]] = deque()
        self._waiting = 0  # steps that hold a block

    def copy(self, entry: zipfile.ZipInfo, packed: Iterable[bytes], name: str) -> None:
        """Copies a compressed entry under this name. `packed` is read when it is written."""
        new = copy.copy(entry)
        new.filename, new.extra = name, b""
        new.flag_bits &= ~0x8  # sizes are in the header, not after the data
        self._later(partial(self._begin, new))
        self._later(partial(self._put_all, packed))
        self._later(partial(self._end, new, new.CRC, new.file_size))

    def add(self, entry: zipfile.ZipInfo, size: int, blocks: Iterable[bytes]) -> None:
        """Adds an entry with that content, compressed by the entry's method."""
        entry.file_size, entry.compress_size, entry.CRC = size, 0, 0
        crc, before = 0, b""
        self._later(partial(self._begin, entry))
        for block, is_last in _with_last(blocks):
            crc = zlib.crc32(block, crc)
            if entry.compress_type == zipfile.ZIP_STORED:
                self._later(partial(self._put, block), holds_block=True)
                continue
            packed = self._pool.submit(_deflated, block, before, self._packing.level, is_last)
            self._later(partial(self._put_result, packed), holds_block=True)
            before = block[-_WINDOW:]
        self._later(partial(self._end, entry, crc, size))

    def finish(self) -> None:
        while self._queue:
            self._next()

    def close(self) -> None:
        """Stops and drops the waiting steps."""
        self._queue.clear()
        self._pool.shutdown(cancel_futures=True)

    def _later(self, step: Callable[[], None], holds_block: bool = False) -> None:
        self._queue.append((step, holds_block))
        self._waiting += holds_block
        while self._waiting > _WAITING + self._packing.threads:
            self._next()

    def _next(self) -> None:
        step, holds_block = self._queue.popleft()
        self._waiting -= holds_block
        step()

    @property
    def _file(self) -> IO[bytes]:
        if self._target.fp is None:
            raise ValueError("the wheel is closed")
        return self._target.fp

    def _begin(self, entry: zipfile.ZipInfo) -> None:
        """Begins an entry. zipfile cannot copy compressed data, so this repeats its steps: header, data, and an entry
        in the directory, which zipfile writes when it is closed."""
        entry.header_offset = self._target.start_dir
        self._file.seek(entry.header_offset)
        self._put(_header(entry))

    def _put(self, data: bytes) -> None:
        self._file.write(data)

    def _put_result(self, packed: Future[bytes]) -> None:
        self._put(packed.result())

    def _put_all(self, blocks: Iterable[bytes]) -> None:
        for block in blocks:
            self._put(block)

    def _end(self, entry: zipfile.ZipInfo, crc: int, size: int) -> None:
        """Rewrites the header with the final sums."""
        file, end = self._file, self._file.tell()
        entry.CRC, entry.file_size = crc, size
        entry.compress_size = end - entry.header_offset - len(_header(entry))
        file.seek(entry.header_offset)
        self._put(_header(entry))
        file.seek(end)
        self._target.start_dir = end
        self._target.filelist.append(entry)
        self._target.NameToInfo[entry.filename] = entry


@contextlib.contextmanager
def writer(target: zipfile.ZipFile, packing: Packing) -> Iterator[Writer]:
    writer_ = Writer(target, packing)
    try:
        yield writer_
        writer_.finish()
    finally:
        writer_.close()


def _header(entry: zipfile.ZipInfo) -> bytes:
    return entry.FileHeader(zip64=entry.file_size >= _LARGE)


def _with_last(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """(block, is it the last?) for each block. Empty content is one empty block."""
    waiting = None
    for block in blocks:
        if waiting is not None:
            yield waiting, False
        waiting = block
    yield waiting or b"", True


def _deflated(block: bytes, before: bytes, level: int, is_last: bool) -> bytes:
    dictionary = (before,) if before else ()
    packer = zlib.compressobj(level, zlib.DEFLATED, -zlib.MAX_WBITS, zlib.DEF_MEM_LEVEL, zlib.Z_DEFAULT_STRATEGY,
                              *dictionary)
    return packer.compress(block) + packer.flush(zlib.Z_FINISH if is_last else zlib.Z_SYNC_FLUSH)


def read_blocks(path: Path) -> Iterator[bytes]:
    with open(path, "rb") as file:
        yield from iter(lambda: file.read(BLOCK), b"")
