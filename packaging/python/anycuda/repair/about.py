# SPDX-License-Identifier: Apache-2.0
"""The metadata of a wheel with stubs: anycuda's licence, the SBOM, a build tag."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from .. import installation
from ..analysis.libraries import Table
from ..failure import Failure
from ..wheels import metadata
from ..wheels.archive import Wheel
from . import licence, sbom
from .plan import Plan
from .texts import Texts


def add(texts: Texts, wheel: Wheel, file: str, plan: Plan, stubs: Mapping[str, Path], table: Table) -> None:
    """`file`: the wheel's name after the repair. `stubs`: name in the wheel -> path of the stub."""
    _licence(texts, wheel)
    _sbom(texts, wheel, file, plan, stubs, table)
    files = {entry.filename for entry in wheel.entries}
    for name in (*texts.edited, *texts.renamed.values()):
        blocked = files.intersection(str(folder) for folder in PurePosixPath(name).parents)
        if blocked:
            raise Failure(f"{wheel.path}: {blocked.pop()} is a file, but the stubs' licence and SBOM need a folder of "
                          "that name. Build the wheel without that file")


def build_tag(texts: Texts, wheel: Wheel, tag: str) -> None:
    name = f"{wheel.dist_info}/WHEEL"
    fields, rest = metadata.split(wheel.read(name))
    line = metadata.made("Build", tag, fields[0].end if fields else b"\n")
    kept = [one.raw for one in fields if one.name != "build"]
    if kept and not kept[-1].endswith(b"\n"):
        kept[-1] += b"\n"
    texts.edited[name] = b"".join([*kept, line]) + rest


def _licence(texts: Texts, wheel: Wheel) -> None:
    name, new = f"{wheel.dist_info}/METADATA", licence.path(wheel.dist_info)
    files = [entry.filename for entry in wheel.entries]
    before = texts.edited.get(name) or wheel.read(name)
    made = licence.add(before, wheel.dist_info, files)
    texts.renamed.update(made.renamed)
    texts.notes += made.notes
    texts.about += [f"renamed   {old} -> {to}" for old, to in made.renamed.items()]
    if made.metadata != before:
        texts.edited[name] = made.metadata
    if new not in files:
        texts.edited[new] = installation.licence()
        texts.about.append(f"added     {new}")


def _sbom(texts: Texts, wheel: Wheel, file: str, plan: Plan, stubs: Mapping[str, Path], table: Table) -> None:
    there = [entry for entry in wheel.entries if entry.filename.startswith(sbom.folder(wheel.dist_info))]
    if sum(entry.file_size for entry in there) > sbom.LARGEST:
        texts.notes.append(f"the SBOMs in {sbom.folder(wheel.dist_info)} are too large to edit: they stay unchanged, "
                           "without the stubs")
        return
    found = {entry.filename: wheel.read(entry.filename, sbom.LARGEST) for entry in there if not entry.is_dir()}
    about = sbom.Wheel(wheel.name.distribution, wheel.name.version, file, wheel.dist_info)
    digests = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in stubs.items()}
    made = sbom.make(found, about, list(plan.left_out), digests, installation.find().version, table)
    texts.edited.update(made.texts)
    texts.notes += made.notes
    changed = {change.partition(": ")[0]: change for change in made.changes}
    texts.about += [f"changed   {changed[name]}" if name in changed else f"added     {name}" for name in made.texts]
