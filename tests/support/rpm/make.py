#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes databases.tar.xz beside this file: RPM's database of one set of packages as el9/rpmdb.sqlite (RHEL 9 and 10,
Fedora) and as el8/Packages (RHEL 8, CentOS 7). rpm writes the first and reads both back. The second is written by
Berkeley DB's own loader from the same headers, because Debian's rpm does not write that format.

The packages have the names and files of NVIDIA's for cudart and libcublas. The others make the table so large that
it has branches, and some headers so large that they go on in other pages. Needs Debian's rpm and db5.3-util."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import tarfile
import tempfile
from pathlib import Path

LIB = "/usr/local/cuda-12.9/targets/x86_64-linux/lib"
OLDER = LIB.replace("12.9", "12.4")
PACKAGES = {
    **{f"library-{i}": (f"1.{i}", [f"/usr/lib64/library{i}.so", f"/usr/share/library{i}/README"]) for i in range(1, 9)},
    # Its files have the names of another package's, in another folder. Of a header of this size SQLite keeps the least
    # in the row.
    "files": ("1", ["/usr/share/files/libcudart.so.12.9.79", *(f"/usr/share/files/{i}" for i in range(22))]),
    "cuda-cudart-12-9": ("12.9.79", [f"{LIB}/libcudart.so.12", f"{LIB}/libcudart.so.12.9.79"]),
    "cuda-cudart-12-4": ("12.4.127", [f"{OLDER}/libcudart.so.12", f"{OLDER}/libcudart.so.12.4.127"]),
    "libcublas-12-9": ("12.9.1.4", [*(f"{LIB}/cublas/{i}" for i in range(80)), f"{LIB}/libcublas.so.12"]),
    # Both have the same file.
    "cuda-nvrtc-12-8": ("12.8.93", ["/usr/local/cuda/lib/libnvrtc.so.12"]),
    "cuda-nvrtc-12-9": ("12.9.86", ["/usr/local/cuda/lib/libnvrtc.so.12"]),
    "cuda-compat-12-9": ("575.57.08", ["/usr/local/cuda-12.9/compat/libcuda.so.1"]),
}
SPEC = """Name: {name}
Version: {version}
Release: 1
Summary: Of a test
License: none
BuildArch: noarch
%description
Of a test.
%install
{install}
%files
{files}
"""


def run(*command: str | Path, **options) -> str:
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def build(work: Path, name: str, version: str, files: list[str]) -> Path:
    spec = work / f"{name}.spec"
    install = "\n".join(f"install -D /dev/null %{{buildroot}}{file}" for file in files)
    spec.write_text(SPEC.format(name=name, version=version, install=install, files="\n".join(files)))
    run("rpmbuild", "-bb", "--define", f"_topdir {work}", "--define", "_buildhost localhost", spec)
    return work / f"RPMS/noarch/{name}-{version}-1.noarch.rpm"


def rpm(root: Path, folder: str, backend: str, *arguments: str | Path) -> str:
    return run("rpm", "--root", root, "--dbpath", f"/{folder}", "--define", f"_db_backend {backend}", *arguments)


def check(root: Path, folder: str, backend: str) -> None:
    listed = rpm(root, folder, backend, "-qal").split()
    assert sorted(listed) == sorted(file for _, files in PACKAGES.values() for file in files), folder


def write_berkeley_db(source: Path, target: Path) -> None:
    """Keys are the numbers of the packages, little-endian; 0 has the last one."""
    target.parent.mkdir()
    rows = sqlite3.connect(f"file:{source}?mode=ro", uri=True).execute("SELECT hnum, blob FROM Packages").fetchall()
    items = [(0, len(rows).to_bytes(4, "little")), *rows]
    lines = ["VERSION=3", "format=bytevalue", "type=hash", "db_pagesize=4096", "HEADER=END"]
    for number, value in items:
        lines += [f" {number.to_bytes(4, 'little').hex()}", f" {value.hex()}"]
    run("db5.3_load", target, input="\n".join([*lines, "DATA=END", ""]))


def plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return None if entry.name.endswith(".lock") else entry


def main() -> None:
    os.environ["SOURCE_DATE_EPOCH"] = "1700000000"
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        root = work / "root"
        root.mkdir()
        packages = [build(work, name, *content) for name, content in PACKAGES.items()]
        rpm(root, "el9", "sqlite", "--nodeps", "--nosignature", "--justdb", "-i", *packages)
        check(root, "el9", "sqlite")
        write_berkeley_db(root / "el9/rpmdb.sqlite", root / "el8/Packages")
        check(root, "el8", "bdb_ro")
        with tarfile.open(Path(__file__).with_name("databases.tar.xz"), "w:xz") as archive:
            for target in ("el8", "el9"):
                archive.add(root / target, target, filter=plain)


if __name__ == "__main__":
    main()
