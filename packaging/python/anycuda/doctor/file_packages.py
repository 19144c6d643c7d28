# SPDX-License-Identifier: Apache-2.0
"""The packages that contain a file, by the records of pip (RECORD), dpkg, pacman and rpm; the release of NCCL that is
written in its file."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import mmap
import os
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from .findings import Findings
from .outcomes import FileState
from .packages import Manager

_LIMIT = 10  # seconds for rpm
_MOST_FOLDERS = 8  # of a file in site-packages: nvidia/cu13/lib
_RELEASE = re.compile(rb"NCCL version (\d+\.\d+\.\d+)\+cuda(\d+\.\d+)")


@dataclass(frozen=True)
class Package:
    """`manager`: PIP for a wheel, or SYSTEM. `folder`: the site-packages folder of a wheel. `intact`: does
    the file have the size and hash that RECORD states? None: unknown."""

    name: str
    version: str = ""
    manager: Manager = Manager.PIP
    folder: str = ""
    intact: bool | None = None


def packages_of(findings: Findings, root: str) -> dict[str, tuple[Package, ...]]:
    """For each file in use or refused: its packages. The distribution's are needed of refused files only."""
    files: dict[str, bool] = {}
    for library in findings.libraries:
        for candidate in library.candidates:
            refused = candidate.state is not FileState.USABLE
            if refused or candidate.lacking or library.taken_by(candidate):
                files[candidate.path] = files.get(candidate.path, False) or refused
    files.update({file.path: True for file in findings.driver.tried})
    if findings.driver.path and not findings.driver.gpus:
        files[findings.driver.path] = True
    return {path: _packages_of(path, refused, root) for path, refused in files.items()}


def _packages_of(path: str, refused: bool, root: str) -> tuple[Package, ...]:
    wheels = tuple(_wheels(path, refused))
    if wheels or not refused:
        return wheels
    return tuple(Package(name, manager=Manager.SYSTEM) for name in dict.fromkeys(_owners(path, root)))


def _wheels(path: str, refused: bool) -> Iterator[Package]:
    for folder in list(Path(path).parents)[:_MOST_FOLDERS]:
        records = [(about, entry) for about in sorted(folder.glob("*.dist-info"))
                   for entry in [_entry_of(about, os.path.relpath(path, folder))] if entry]
        for about, (digest, size) in records:
            name, _, version = about.name[: -len(".dist-info")].partition("-")
            hashed = digest if refused or len(records) > 1 else ""
            yield Package(name.replace("_", "-"), version, Manager.PIP, str(folder), _is_intact(path, hashed, size))
        if records:
            return


def _entry_of(about: Path, name: str) -> tuple[str, str] | None:
    """The hash and the size of the file in RECORD, each "" if RECORD does not state it."""
    with contextlib.suppress(OSError):
        entry = re.search(rb"^" + re.escape(os.fsencode(name)) + rb",([^,\r\n]*),(\d*)\r?$",
                          (about / "RECORD").read_bytes(), re.M)
        return (entry[1].decode("ascii", "replace"), entry[2].decode()) if entry else None
    return None


def _is_intact(path: str, digest: str, size: str) -> bool | None:
    try:
        if size and os.stat(path).st_size != int(size):
            return False
        kind, _, expected = digest.partition("=")
        if kind != "sha256":
            return None
        actual = hashlib.sha256()
        with open(path, "rb") as file:
            while part := file.read(1 << 20):
                actual.update(part)
    except OSError:
        return False
    return base64.urlsafe_b64encode(actual.digest()).rstrip(b"=").decode() == expected


def _owners(path: str, root: str) -> Iterator[str]:
    """The distribution's packages, by dpkg, pacman and rpm: of Debian's alternatives a package owns the target, not the
    link."""
    paths = list(dict.fromkeys([path, os.path.realpath(path)]))
    inside = [file[len(root.rstrip("/")):] for file in paths if file.startswith(root)]
    # /lib is a link to /usr/lib, and packages list files by either.
    names = {*inside, *(name[len("/usr"):] for name in inside if name.startswith("/usr/lib"))}
    yield from _listed(Path(root, "var/lib/dpkg/info").glob("*.list"), names)
    yield from _listed(Path(root, "var/lib/pacman/local").glob("*/files"), {name.lstrip("/") for name in names})
    if root == "/" and os.path.exists("/usr/bin/rpm"):
        for file in paths:
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                done = subprocess.run(["/usr/bin/rpm", "-qf", "--qf", "%{NAME}\n", file], capture_output=True,
                                      text=True, timeout=_LIMIT, check=False)
                yield from done.stdout.split() if done.returncode == 0 else ()


def _listed(lists: Iterable[Path], names: set[str]) -> Iterator[str]:
    lines = [os.fsencode(f"\n{name}\n") for name in names]
    for file in sorted(lists):
        with contextlib.suppress(OSError):
            text = b"\n" + file.read_bytes() + b"\n"
            if any(line in text for line in lines):
                of_pacman = file.name == "files"
                yield file.parent.name.rsplit("-", 2)[0] if of_pacman else file.name[: -len(".list")].split(":")[0]


def nccl_release(path: str) -> tuple[str, str]:
    """NCCL's release and the CUDA that it was built with, from the text in its file; ("", "") without one."""
    with contextlib.suppress(OSError, ValueError), open(path, "rb") as file, mmap.mmap(
            file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        release = _RELEASE.search(text)
        return (release[1].decode(), release[2].decode()) if release else ("", "")
    return "", ""


def own_release(path: str, source: str) -> str:
    """The release of a library with its own releases, by its wheel or by the name of its file."""
    by_wheel = re.match(r"wheel \S+ (\d[\w.]*)\Z", source)
    by_name = re.search(r"\.so\.(\d+\.\d+(?:\.\d+)*)\Z", os.path.realpath(path))
    return by_wheel[1] if by_wheel else by_name[1] if by_name else ""
