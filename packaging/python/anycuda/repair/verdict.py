# SPDX-License-Identifier: Apache-2.0
"""The verdict of `anycuda check` on the result of a repair; without a result, on the wheel."""

from __future__ import annotations

from ..analysis import inputs, preload, ties
from ..analysis.libraries import Table
from ..check import as_json, describe_verdict, findings, requirements
from ..wheels.archive import Wheel
from .outcome import Verdict
from .scan import Scan
from .texts import Texts


def of(wheel: Wheel, scan: Scan, texts: Texts, table: Table) -> Verdict:
    """`texts`: the texts after the repair, so that removed requirements no longer count."""
    files = [findings.File(member.name, member.machine, member.use, []) for member in scan.members]
    members = [(file.name, file.use) for file in files]
    about = requirements.of_parts(_metadata(wheel, texts), scan.python, scan.files)
    found = findings.Input(str(wheel.path), "wheel", files, problems=list(scan.unread.items()), texts=about,
                           kernels=scan.kernels)
    found.kernels.forget({name for name, _ in members} - {name for name, _ in ties.staying(members)})
    found.other_system = bool(inputs.other_system(wheel.path.name, list(scan.files), bool(files)))
    findings.evaluate(found, table)
    return Verdict(describe_verdict.sentence(found.verdict, short=True), as_json.verdict(found.verdict))


def _metadata(wheel: Wheel, texts: Texts) -> bytes:
    """METADATA; empty if it is too large, as for `anycuda check`."""
    name = f"{wheel.dist_info}/METADATA"
    if name in texts.edited:
        return texts.edited[name]
    return wheel.read(name) if wheel.zip.getinfo(name).file_size <= preload.LARGEST else b""
