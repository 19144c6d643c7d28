"""The verdict of `anycuda check` on a wheel that a repair has looked at: the one on its result, if it has one."""

from __future__ import annotations

from ..analysis import inputs, ties
from ..analysis.libraries import Table
from ..check import as_json, findings, requirements, words_of_standing
from ..wheels import metadata
from ..wheels.archive import Wheel
from .outcome import Verdict
from .scan import Scan
from .texts import Texts


def of(wheel: Wheel, scan: Scan, texts: Texts, table: Table) -> Verdict:
    """`texts`: as the repair leaves them. What it takes out of METADATA brings nothing any more."""
    files = [findings.File(member.name, member.machine, member.use, []) for member in scan.members]
    members = [(file.name, file.use) for file in files]
    about = requirements.look(wheel.path, members, table)
    edited = texts.edited.get(f"{wheel.dist_info}/METADATA")
    if edited is not None:
        about = about.with_requirements(metadata.split(edited)[0])
    found = findings.Input(str(wheel.path), "wheel", files, problems=list(scan.unread.items()), texts=about,
                           kernels=scan.kernels)
    found.kernels.forget({name for name, _ in members} - {name for name, _ in ties.staying(members)})
    found.other_system = bool(inputs.other_system(wheel.path.name, list(scan.files), bool(files)))
    findings.stand(found, table)
    return Verdict(words_of_standing.sentence(found.standing), as_json.verdict(found.standing))
