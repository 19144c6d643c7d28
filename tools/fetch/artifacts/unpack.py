# SPDX-License-Identifier: Apache-2.0
"""From archives to an artifact's folder: which members, where to, and nothing outside the folder.

A wheel is a zip, a Debian package gives a tar stream through dpkg-deb, a source package has a tar file; all come as the
same Member.
"""

from __future__ import annotations

import fnmatch
import lzma
import re
import shutil
import stat
import subprocess
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple

from .errors import FetchError
from .lockfile import Artifact, Part

BLOCK = 1 << 20
WHOLE = ""  # as a pattern: the archive itself, as it was downloaded


class Member(NamedTuple):
    name: str
    content: IO[bytes] | None  # None for a link
    link: str = ""
    executable: bool = False


def make(artifact: Artifact, archives: dict[str, Path], into: Path) -> None:
    """Makes the whole artifact in the empty folder `into`."""
    for part in artifact.parts:
        try:
            _take(part, archives[part.file], into)
        except (zipfile.BadZipFile, tarfile.TarError, lzma.LZMAError, zlib.error, EOFError) as error:
            raise FetchError(f"{part.file}: truncated or damaged archive: {error}", final=True) from None
    for name, lines in artifact.write.items():
        _place(into, name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, pattern in artifact.join.items():
        _place(into, name).write_bytes(b"".join(path.read_bytes() + b"\n" for path in sorted(into.glob(pattern))))
    for name, target in artifact.links.items():
        _link(into, name, target, artifact.name)
    for path in into.rglob("bin/*"):  # zip files often lose the mode
        if path.is_file() and not path.is_symlink():
            path.chmod(0o755)
    for pattern, text in artifact.holds.items():  # whatever version of a package it was made from
        found = sorted(into.glob(pattern))
        if not any(text.encode() in path.read_bytes() for path in found):
            missing = f"'{text}' is not in {pattern}" if found else f"it holds no {pattern}"
            raise FetchError(f"{artifact.name}: {missing}; the artifact is not used", final=True)


def destination(part: Part, name: str) -> str | None:
    """Where the member goes in the artifact, or None when no rule takes it."""
    if any(fnmatch.fnmatchcase(name, pattern) for pattern in part.drop):
        return None
    for pattern, target in part.take.items():
        if fnmatch.fnmatchcase(name, pattern):
            fixed = re.split(r"[*?\[]", pattern, maxsplit=1)[0]
            named = fixed == pattern and not target.endswith("/")
            return target if named else target + name[fixed.rfind("/") + 1 :]
    return None


def _take(part: Part, archive: Path, into: Path) -> None:
    unused = set(part.take) - {WHOLE}
    if WHOLE in part.take:
        shutil.copyfile(archive, _place(into, part.take[WHOLE] + part.file))
    if not unused:
        return
    for member in _members(archive, part.file):
        _safe(member.name, part.file)
        target = destination(part, member.name)
        if target is None:
            continue
        unused -= {pattern for pattern in unused if fnmatch.fnmatchcase(member.name, pattern)}
        _safe(target, part.file)
        if member.content is None:
            _link(into, target, member.link, part.file)
            continue
        path = _place(into, target)
        with open(path, "wb") as out:
            shutil.copyfileobj(member.content, out, BLOCK)
        if member.executable:
            path.chmod(0o755)
    if unused:
        raise FetchError(f"{part.file}: no member matches {sorted(unused)}: correct recipe.toml", final=True)


def _members(archive: Path, name: str) -> Iterator[Member]:
    if name.endswith(".deb"):
        return _deb_members(archive)
    return _source_members(archive) if ".orig.tar." in name else _zip_members(archive)


def _zip_members(archive: Path) -> Iterator[Member]:
    with zipfile.ZipFile(archive) as wheel:
        for info in wheel.infolist():
            if stat.S_ISLNK(info.external_attr >> 16):
                raise FetchError(f"{archive.name}: link '{info.filename}' in a wheel is refused", final=True)
            if not info.is_dir():
                with wheel.open(info) as content:
                    yield Member(info.filename, content)


def _deb_members(archive: Path) -> Iterator[Member]:
    try:
        child = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", str(archive)], stdout=subprocess.PIPE)
    except FileNotFoundError:
        raise FetchError("dpkg-deb is missing (Debian package dpkg)", final=True) from None
    stream = child.stdout
    assert stream is not None  # a pipe, as was asked for
    with child, tarfile.open(fileobj=stream, mode="r|") as tar:
        yield from _tar_members(tar)
        while stream.read(BLOCK):  # what fills the last block: dpkg-deb complains if nobody reads it
            pass


def _source_members(archive: Path) -> Iterator[Member]:
    with tarfile.open(archive, mode="r|*") as tar:
        yield from _tar_members(tar)


def _tar_members(tar: tarfile.TarFile) -> Iterator[Member]:
    for info in tar:
        name = info.name.removeprefix("./")
        if info.issym():
            yield Member(name, None, info.linkname)
        elif info.islnk():
            yield Member(name, None, f"/{info.linkname}")  # refused where a rule takes it
        elif info.isfile():
            yield Member(name, tar.extractfile(info), executable=bool(info.mode & 0o100))


def _safe(name: str, what: str) -> None:
    """Archives are not trusted to stay inside the folder that they are put under."""
    path = PurePosixPath(name)
    if not name or path.is_absolute() or ".." in path.parts or "\\" in name or "\0" in name:
        raise FetchError(f"{what}: the path '{name}' leads out of the folder; the file is refused", final=True)


def _place(into: Path, name: str) -> Path:
    _safe(name, "artifact")
    path = into / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.is_symlink():
        path.unlink()  # never write through a link that an archive brought
    return path


def _link(into: Path, name: str, target: str, what: str) -> None:
    if "/" in target or target in ("", ".", ".."):
        raise FetchError(f"{what}: link '{name}' to '{target}': only links within the folder are accepted", final=True)
    _place(into, name).symlink_to(target)
