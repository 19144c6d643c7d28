# SPDX-License-Identifier: Apache-2.0
"""A wheel's files, laid out as pip installs them below a prefix."""

from __future__ import annotations

import re
import shutil
import zipfile
from pathlib import Path, PurePosixPath

SITE = PurePosixPath("lib/python3/site-packages")
_DATA = re.compile(r"[^/]+\.data/(platlib|purelib|data|scripts)/(.+)")


def installed_as(name: str) -> PurePosixPath:
    """The place of a wheel's file below the prefix: `*.data/platlib` is merged into site-packages."""
    found = _DATA.fullmatch(name)
    if not found:
        return SITE / name
    return {"platlib": SITE, "purelib": SITE, "data": PurePosixPath(), "scripts": PurePosixPath("bin")
            }[found[1]] / found[2]


def unpack(wheel: Path, prefix: Path) -> list[str]:
    """The names of the files below the prefix. A file that another wheel has put there is replaced, as by pip."""
    names = []
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            place = installed_as(info.filename)
            if info.is_dir() or ".." in place.parts or place.is_absolute():
                continue
            target = prefix / place
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(info) as source, target.open("wb") as file:
                shutil.copyfileobj(source, file, 1 << 20)
            names.append(place.as_posix())
    return names
