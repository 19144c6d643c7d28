"""The facts about device code for matrix.json: compat/catalogue/cuda_releases.txt and gpus.txt, checked."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

from .abi_text import version_key

RELEASES = "cuda_releases.txt"
GPUS = "gpus.txt"

_RELEASE = re.compile(r"(\d+\.\d+) +(\d+\.\d+) +(\d+|-)")
_GPU = re.compile(r"(\d+) +(\w+|-) +(tegra|-) +(\d+\.\d+) +(\d+\.\d+|-) +(\d+|-) +(\S.*)")


def read(folder: Path) -> dict:
    releases = [_release(row) for row in rows(folder / RELEASES, _RELEASE)]
    _check_order(RELEASES, [version_key(release["cuda"]) for release in releases])
    gpus = [_gpu(row) for row in rows(folder / GPUS, _GPU)]
    _check_order(GPUS, [(gpu["architecture"],) for gpu in gpus])
    return {"releases": releases, "gpus": gpus}


def _release(row: re.Match[str]) -> dict:
    return {"cuda": row[1], "ptx": row[2], "driver": _number(row[3])}


def _gpu(row: re.Match[str]) -> dict:
    return {"architecture": int(row[1]), "generation": _text(row[2]), "tegra": row[3] == "tegra", "first": row[4],
            "last": _text(row[5]), "last_driver": _number(row[6]), "example": _text(row[7])}


def rows(path: Path, pattern: re.Pattern[str]) -> Iterator[re.Match[str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        row = pattern.fullmatch(line)
        if row is None:
            raise ValueError(f"{path.name}:{number}: the line does not follow the format at the top of the file")
        yield row


def _check_order(name: str, keys: list[tuple[int, ...]]) -> None:
    if not keys or keys != sorted(set(keys)):
        raise ValueError(f"{name}: the rows are to be in ascending order, each once")


def _number(text: str) -> int:
    return 0 if text == "-" else int(text)


def _text(text: str) -> str:
    return "" if text == "-" else text
