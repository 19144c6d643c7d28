# SPDX-License-Identifier: Apache-2.0
"""The matrix that the build wrote (stubs/tools/generate/matrix.py): matrix.json next to the package."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

from ..failure import Failure
from ..kind import Kind

FORMAT = 1


class Disposition(Kind):
    """The outcome of a call. matrix.json has all but the last two, which are of references in a checked file."""

    DIRECT = "direct"  # the installed function of that name is called
    RENAMED = "renamed"  # another name with the same meaning
    ADAPTED = "adapted"  # an adapter converts between two layouts
    EMULATED = "emulated"  # made from other calls
    ABSENT = "absent"  # returns an error: the installed CUDA lacks the function
    REJECTED = "rejected"  # returns an error: the caller cannot call the installed function safely
    UNCHECKED = "unchecked"  # the reference has no symbol version, and the outcome depends on the caller's major
    UNKNOWN = "unknown"  # no stub of this anycuda has the function, so a file that needs it does not load


KINDS = tuple(Disposition)[:-2]  # those of matrix.json
ANY_CALLER = "any"
# Not resolved: a build folder's package is a link to the source tree, and its files are beside the link.
_PACKAGE = Path(__file__).absolute().parent.parent


class Run(NamedTuple):
    """Consecutive releases of one runtime major with the same outcome for a call."""

    library: str
    symbol: str
    caller: str
    runtimes: tuple[str, ...]
    kind: Disposition
    target: str
    function: str
    needs: tuple[str, ...]
    since: str
    driver: str
    reason: str


class LazyRuns(Sequence[Run]):
    """The runs of a library, which are made when they are first read: most commands read those of few libraries."""

    def __init__(self, make: Callable[[], list[Run]]) -> None:
        self._make = make

    @functools.cached_property
    def _runs(self) -> list[Run]:
        return self._make()

    def __getitem__(self, place: Any) -> Any:  # a number or a slice
        return self._runs[place]

    def __iter__(self) -> Iterator[Run]:
        return iter(self._runs)

    def __len__(self) -> int:
        return len(self._runs)


class Library(NamedTuple):
    name: str
    product: str
    stub: str
    is_driver: bool
    status: dict[str, int]
    callers: list[str]
    runtimes: list[str]
    runs: Sequence[Run]
    own_releases: bool = False  # its runtimes are named after the library: nccl-2.28

    @property
    def releases_of(self) -> str:
        """The owner of the releases in its runtimes: CUDA, the driver, or the library (NCCL)."""
        return "driver" if self.is_driver else self.product.split(" (")[0] if self.own_releases else "CUDA"

    @property
    def has_one_caller(self) -> bool:
        """Are its functions the same for every caller?"""
        return self.is_driver or self.own_releases


class Matrix(NamedTuple):
    version: str
    libraries: dict[str, Library]


def major_of(runtime: str) -> str:
    """12 for 12.9; nccl-2 for nccl-2.28"""
    return runtime.split(".")[0]


def find() -> Path:
    """The path of matrix.json: inside the package if pip installed it, otherwise next to it in share/anycuda."""
    for folder in (_PACKAGE, _PACKAGE.parent):
        if (folder / "matrix.json").is_file():
            return folder / "matrix.json"
    raise Failure(
        f"matrix.json is missing in {_PACKAGE} and {_PACKAGE.parent}: build the target `matrix` and "
        "call anycuda from the build folder's bin/, or name a file with --file"
    )


def load(path: Path | None = None) -> Matrix:
    text = read(path)
    libraries = {name: _library(name, about) for name, about in text["libraries"].items()}
    return Matrix(text["anycuda"], libraries)


def read(path: Path | None = None) -> dict[str, Any]:
    """The file's content, for users without need of the cells (analysis/libraries.py)."""
    path = path or find()
    try:
        text = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise Failure(f"{path} is not valid JSON ({error}): install anycuda again, or correct --file") from None
    if not isinstance(text, dict) or text.get("format") != FORMAT:
        raise Failure(f"{path} is not a matrix of format {FORMAT}: it belongs to another version of anycuda; install "
                      "anycuda again, or correct --file")
    return text


def _library(name: str, about: dict[str, Any]) -> Library:
    facts = {key: about[key] for key in ("product", "stub", "is_driver", "own_releases", "status", "callers")}
    return Library(name=name, runtimes=about["runtimes"], runs=LazyRuns(lambda: _runs(name, about)), **facts)


def _runs(name: str, about: dict[str, Any]) -> list[Run]:
    answers = [dict(zip(about["answer_fields"], answer)) for answer in about["answers"]]
    for answer in answers:
        answer["needs"] = tuple(answer["needs"])
        # A word that only a newer matrix has stays as it is.
        answer["kind"] = Disposition.__members__.get(answer["kind"].upper(), answer["kind"])
    # Twelve rows in thirteen have the same answers as another row.
    unpack = functools.cache(functools.partial(_unpack, about["runtimes"]))
    return [
        Run(library=name, symbol=symbol, caller=caller, runtimes=runtimes, **answers[number])
        for symbol, caller, packed in about["rows"]
        for runtimes, number in unpack(*packed)
    ]


def _unpack(runtimes: list[str], *packed: int) -> list[tuple[tuple[str, ...], int]]:
    """[2, 7, 9, 3] means answer 7 for the first two runtimes and answer 3 for the next nine."""
    numbers = [n for count, n in zip(packed[::2], packed[1::2]) for _ in range(count)]
    groups = groupby(zip(runtimes, numbers), lambda pair: (major_of(pair[0]), pair[1]))
    return [(tuple(runtime for runtime, _ in group), number) for (_, number), group in groups]
