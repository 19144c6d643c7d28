# SPDX-License-Identifier: Apache-2.0
"""The metadata of a wheel with stubs: anycuda's licence, the SBOM, a build tag."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from .. import installation
from ..analysis.libraries import Table
from ..failure import Failure
from ..wheels import metadata
from ..wheels.archive import Wheel
from . import licence, sbom
from .texts import Texts


def add(wheel: Wheel, texts: Texts, file: str, left_out: Sequence[str], stubs: Mapping[str, Path], table: Table
        ) -> Texts:
    """The texts with licence and SBOM. `file`: the wheel's name after the repair. `left_out`: the removed libraries.
    `stubs`: name in the wheel -> path of the stub."""
    return texts.plus(_licence(wheel, texts)).plus(_sbom(wheel, file, left_out, stubs, table))


def check_folders(wheel: Wheel, texts: Texts) -> None:
    """Raises Failure if a file of the wheel has the name of a folder that the texts need."""
    files = {entry.filename for entry in wheel.entries}
    for name in (*texts.edited, *texts.renamed.values()):
        blocked = files.intersection(str(folder) for folder in PurePosixPath(name).parents)
        if blocked:
            raise Failure(f"{wheel.path}: {blocked.pop()} is a file, but the stubs' licence and SBOM need a folder of "
                          "that name. Build the wheel without that file")


def build_tag(wheel: Wheel, tag: str) -> Texts:
    name = f"{wheel.dist_info}/WHEEL"
    fields, rest = metadata.split(wheel.read(name))
    line = metadata.line("Build", tag, fields[0].end if fields else b"\n")
    kept = [field.raw for field in fields if field.name != "build"]
    if kept and not kept[-1].endswith(b"\n"):
        kept[-1] += b"\n"
    return Texts({name: b"".join([*kept, line]) + rest})


def _licence(wheel: Wheel, texts: Texts) -> Texts:
    name, new = f"{wheel.dist_info}/METADATA", licence.path(wheel.dist_info)
    files = [entry.filename for entry in wheel.entries]
    before = texts.edited.get(name) or wheel.read(name)
    licensed = licence.add(before, wheel.dist_info, files)
    edited = {name: licensed.metadata} if licensed.metadata != before else {}
    about = [f"renamed   {old} -> {to}" for old, to in licensed.renamed.items()]
    if new not in files:
        edited[new] = installation.licence()
        about.append(f"added     {new}")
    return Texts(edited, licensed.renamed, about=about, notes=licensed.notes)


def _sbom(wheel: Wheel, file: str, left_out: Sequence[str], stubs: Mapping[str, Path], table: Table) -> Texts:
    folder = sbom.folder(wheel.dist_info)
    entries = [entry for entry in wheel.entries if entry.filename.startswith(folder)]
    if sum(entry.file_size for entry in entries) > sbom.LARGEST:
        return Texts(notes=[f"the SBOMs in {folder} are too large to edit: they stay unchanged, without the stubs"])
    files = {entry.filename: wheel.read(entry.filename, sbom.LARGEST) for entry in entries if not entry.is_dir()}
    about = sbom.Wheel(wheel.name.distribution, wheel.name.version, file, wheel.dist_info)
    digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in stubs.items()}
    sboms = sbom.make(files, about, left_out, digests, installation.find().version, table)
    changed = {change.partition(": ")[0]: change for change in sboms.changes}
    return Texts(sboms.texts, notes=sboms.notes, about=[
        f"changed   {changed[name]}" if name in changed else f"added     {name}" for name in sboms.texts])
