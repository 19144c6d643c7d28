# SPDX-License-Identifier: Apache-2.0
"""Reads ahead: a thread unpacks the next blocks while the current ones are analysed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_COUNT = 32
T = TypeVar("T")


def _next(iterator: Iterator[T]) -> tuple[T] | None:
    """The next item, in a tuple; None at the end."""
    for item in iterator:
        return (item,)
    return None


def ahead(items: Iterable[T]) -> Iterator[T]:
    """The same items in the same order, and the same exception; a few items are made in advance."""
    iterator = iter(items)
    pool = ThreadPoolExecutor(1)
    try:
        waiting = deque(pool.submit(_next, iterator) for _ in range(_COUNT))
        while item := waiting.popleft().result():
            waiting.append(pool.submit(_next, iterator))
            yield item[0]
    finally:
        pool.shutdown(cancel_futures=True)
