# SPDX-License-Identifier: Apache-2.0
"""The verdicts of `anycuda check` on all wheels of a list -> docs/verdicts.md. Pure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from .page import line
from .verdict import Failure, Result, some, unique

_INTRO = """# The verdicts of real wheels

This page has the results of `anycuda check` and `anycuda repair` for {count} wheels of PyPI (for x86_64, and for
CPython 3.11 if PyPI has such a wheel). The following command made the page on {date} with anycuda of commit
{commit}. It downloads the wheels one after another:

    python3 tools/reach/verdicts.py --anycuda BUILD/bin/anycuda --cache FOLDER --list tools/reach/verdict_wheels.txt \\
        --out docs/verdicts.md

Loading proves {proved} of the verdicts, as far as they concern linked libraries: after the repair, every library of
these {proved} wheels loads in each of the four situations below, so no linked library ties these wheels to one CUDA.
The column **loads** has the numbers of these wheels in **bold**.
`anycuda repair` changes {repaired} of these {proved} wheels. The others load unchanged. Loading calls no function of
CUDA and starts no kernel, so it proves nothing about functions, drivers and device code.

The columns of the table:

- **MB** is the size of the original wheel in megabytes.
- **verdict** is the verdict of `anycuda check` ([check.md](check.md#the-verdict)) on the original wheel, without the
  part about device code. If the verdict has only this part, the cell is `device code`.
- **device code** names the CUDA releases of the compilers that made the cubins (machine code for GPUs) in the wheel.
  If a file has only PTX (text that the driver compiles), the cell also names the version of PTX. Then follows the
  oldest driver that loads all this code: with `possibly a newer one` if some cubins do not record their compiler, and
  as `525 to 580, depending on the file` if the files need different drivers.
- **fails** counts the functions that would fail or be called [unchecked](check.md#the-table) on at least one CUDA
  release from 11.8 on, driver from 520 on, or release of cuDNN or NCCL; `-` stands for 0.
- **repair** is the result of `anycuda repair`. The repair refuses tied wheels. It changes nothing if no binary is
  linked to CUDA and no binary opens a library by a name that gets a [drop-in](repair.md#opened-by-name).
- **loads** is the number of libraries of the repaired wheel that load, out of all its libraries. To repair a tied
  wheel, the command uses `--partly`. It loads each library in a separate process by `dlopen` with `LD_BIND_NOW=1`, in
  four situations: without CUDA, with only CUDA 11.8, with only 12.9, and with only 13.5 ([wheels.md](wheels.md)
  describes these situations). "lacking" names the missing libraries or functions because of which the remaining
  libraries do not load; "another Python" means that these libraries are for another release of Python, "functions of
  another PyTorch" for another release of PyTorch. "ends the process" names libraries that end the process when they
  load. "beside" names packages that the command has installed in the same folder and, if they use CUDA, repaired;
  `tools/reach/verdict_wheels.txt` names all of them. The number does not include libraries of these packages. Nothing
  else is installed, so a library that needs PyTorch loads only where the cell names torch. With torch, the command also
  installs the packages of NVIDIA that torch needs and for which anycuda has no stub. "too large" stands for wheels
  over the limit of the option `--load` (default: 320 MB).
"""
_HEAD = ("wheel", "MB", "verdict", "device code", "fails", "repair", "loads")
_COUNTS = "How many wheels have each kind of verdict (`kind` in [`anycuda check --json`](json.md#anycuda-check)):"
_DEVICE_CODE = "device code "
_TIED = "tied"
# The kind and owner of what a library lacks, where the wheel is for another release of that package.
_OTHER = {("symbol", "Python"): "another Python", ("symbol", "PyTorch"): "functions of another PyTorch"}


@dataclass
class Row:
    """`failed`: why the verdict is missing. `text`: of the verdict. `failing`: functions. `repair`: "repairs",
    "changes nothing" or "refuses". `loaded`: None where that was not tried."""

    requirement: str
    failed: str = ""
    size: int = 0
    kind: str = ""
    text: str = ""
    failing: int = 0
    repair: str = ""
    loaded: Result | None = None

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Row:
        """Of what dataclasses.asdict gives."""
        return cls(**{**data, "loaded": data["loaded"] and Result.from_json(data["loaded"])})


def is_proved(row: Row) -> bool:
    """Does every library of a wheel that is not tied load in every situation, with the runtime of that situation?"""
    if not row.loaded or row.loaded.runtimes or row.kind == _TIED:
        return False
    openings = row.loaded.situations.values()
    return bool(openings) and all(opening.total and not opening.failures for opening in openings)


def loads(row: Row) -> str:
    """**3 of 3**; 1 of 2 (lacking: libc10.so); 0 of 1 beside a==1 (lacking: libx.so); not loaded: too large"""
    if not row.loaded:
        return "not loaded: too large"
    if row.loaded.failed:
        return f"not loaded: {row.loaded.failed}"
    openings = row.loaded.situations
    if not any(opening.total for opening in openings.values()):
        return "no libraries"
    counts = {name: f"{opening.opened} of {opening.total}" for name, opening in openings.items()}
    alike = set(counts.values())
    text = alike.pop() if len(alike) == 1 else ", ".join(f"{name}: {count}" for name, count in counts.items())
    text = f"**{text}**" if is_proved(row) else text
    beside = f" beside {some(row.loaded.beside, 2)}" if row.loaded.beside else ""
    why = _why([failure for opening in openings.values() for failure in opening.failures])
    return text + beside + (f" ({why})" if why else "")


def _why(failures: list[Failure]) -> str:
    """lacking: libc10.so, another Python; ends the process: hair.so"""
    ends = [failure for failure in failures if failure.kind in ("crash", "constructor")]
    lacks = [_OTHER.get((failure.kind, failure.owner), failure.what) for failure in failures if failure not in ends]
    groups = {"lacking": lacks, "ends the process": [end.file.rpartition("/")[2] for end in ends]}
    return "; ".join(f"{what}: {some(unique(names))}" for what, names in groups.items() if names)


def make(rows: list[Row], date: str, commit: str) -> str:
    known = sorted((row for row in rows if not row.failed), key=lambda row: row.requirement)
    proved = [row for row in known if is_proved(row)]
    parts = [_INTRO.format(count=len(known), proved=len(proved), date=date, commit=commit,
                           repaired=sum(row.repair == "repairs" for row in proved))]
    parts += [line(cells) for cells in (_HEAD, ("---",) * len(_HEAD), *map(_cells, known))]
    unknown = [row for row in rows if row.failed]
    if unknown:
        parts += ["", "## Left out", "", *(f"- {row.requirement}: {row.failed}" for row in unknown)]
    counts = Counter(row.kind for row in known)
    parts += ["", "## Counts", "", _COUNTS, "", *(f"- {kind}: {count}" for kind, count in counts.most_common()), ""]
    return "\n".join(parts)


def _cells(row: Row) -> tuple[str, ...]:
    sentences = row.text.split("; ")
    device_code = [text for text in sentences if text.startswith(_DEVICE_CODE)]
    verdict = [text for text in sentences if text not in device_code] or ["device code"]
    return (row.requirement, f"{row.size / 1e6:.1f}", "; ".join(verdict),
            "; ".join(text.removeprefix(_DEVICE_CODE) for text in device_code) or "-",
            str(row.failing or "-"), row.repair, loads(row))
