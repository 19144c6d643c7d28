"""Reading ahead: unpacking in a thread, while what was unpacked before is looked at."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_COUNT = 32
_END = object()
T = TypeVar("T")


def ahead(items: Iterable[T]) -> Iterator[T]:
    """The same items in the same order, and the same exception; a few are made before they are asked for."""
    iterator = iter(items)
    pool = ThreadPoolExecutor(1)
    try:
        waiting = deque(pool.submit(next, iterator, _END) for _ in range(_COUNT))
        while (item := waiting.popleft().result()) is not _END:
            waiting.append(pool.submit(next, iterator, _END))
            yield item
    finally:
        pool.shutdown(cancel_futures=True)
