"""Wheels that were built for CUDA 12 and repaired, on this machine's CUDA 13: each does its work (wheels/).

    python3 run.py wheels --wheels FOLDER     FOLDER has repaired wheels, as wheels/prepare.py makes them

A wheel's program runs in a process of its own, with the wheel unpacked in front of this Python's packages. At its end
the process must have one file of each CUDA library, all of CUDA 13, but for the stubs.
"""

import importlib.util
import os
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import bundle
import maths
from bundle import HERE
from log import Log
from maths_places import CUDA_13, wrong_maps

TIMEOUT = 600


@dataclass(frozen=True)
class Row:
    """`wheels`: how their names begin, all unpacked together. `loads`: libraries that the work opens."""

    program: str
    wheels: tuple[str, ...]
    loads: tuple[str, ...]
    needs: tuple[str, ...] = ()  # modules of this Python
    variables: dict[str, str] = field(default_factory=dict)
    preloads: bool = False  # all stubs of the bundle
    source: str = ""  # a folder beside the wheels, which this variable names: the project's source distribution


ROWS = (
    Row("bitsandbytes_layers", ("bitsandbytes-",), ("libcudart", "libcublas", "libcublasLt"), ("torch",),
        {"BNB_CUDA_VERSION": "124"}),
    Row("pytorch_preloaded", ("bitsandbytes-",), ("libcudart", "libcublas", "libcublasLt", "libcufft", "libcusparse",
        "libcusolver", "libcudnn"), ("torch",), {"BNB_CUDA_VERSION": "124"}, preloads=True),
    Row("openmm_simulation", ("openmm-", "openmm_cuda_12-"), ("libcufft", "libnvrtc"), ("numpy",)),
    Row("ctranslate2_model", ("ctranslate2-",), ("libcublas",), ("torch", "yaml")),
    Row("cupy_tests", ("cupy_cuda12x-",),
        ("libcublas", "libcufft", "libcusolver", "libcusparse", "libcurand", "libnvrtc"), ("cupy", "pytest"),
        source="CUPY_SOURCE"),
    Row("faiss_search", ("faiss_gpu_cu12-",), ("libcudart",), ("numpy",)),
)


def _found(folder: Path, row: Row) -> list[Path] | None:
    wheels = [next(iter(sorted(folder.glob(f"{name}*.whl"))), None) for name in row.wheels]
    return None if None in wheels else wheels


def _why_not(folder: Path, row: Row) -> str:
    """Why a row cannot run here; "" if it can."""
    missing = [name for name in row.needs if importlib.util.find_spec(name) is None]
    if missing:
        return f"this Python has no {', '.join(missing)}"
    if not _found(folder, row):
        return f"{folder} has no {' and '.join(row.wheels)}"
    return "" if not row.source or (folder / row.source).is_dir() else f"{folder} has no {row.source}"


def _environment(row: Row, folder: Path, site: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("ANYCUDA_", "CUDA_HOME", "CUDA_PATH")) and name != "LD_PRELOAD"}
    more = {row.source: str(folder / row.source)} if row.source else {}
    if row.preloads:
        more["LD_PRELOAD"] = " ".join(map(str, sorted((HERE / "stubs").glob("lib*_stub.so"))))
    return {**kept, **row.variables, **more, "PYTHONPATH": f"{site}:{HERE / 'wheels'}", "PYTHONFAULTHANDLER": "1",
            "ANYCUDA_LOG": "info"}


def run_row(row: Row, where: Path, log: Log) -> int:
    with tempfile.TemporaryDirectory(prefix="wheels-") as folder:
        for wheel in _found(where, row) or []:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
        done = bundle.run([sys.executable, "-u", str(HERE / "wheels" / f"{row.program}.py")],
                          _environment(row, where, Path(folder)), TIMEOUT)
        report = maths.read(done)
        ours = [file for file in report.maps if not file.startswith(folder)]
    wrong = [f"FAIL {line}" for line in report.failed] + wrong_maps(ours, CUDA_13)
    mapped = {Path(file).name.partition(".so")[0] for file in ours}
    wrong += [f"{name} of this machine is not in the process" for name in row.loads if name not in mapped]
    log.say(f"{row.program:20} {len(report.ok):2} ok{maths.notes(report)}  "
            f"{f'{len(wrong)} NOT AS EXPECTED' if wrong else 'ok'}")
    for line in wrong:
        log.say(f"    {line}")
    log.note(done.output, show=bool(wrong))
    return bool(wrong)


def run(log: Log, folder: str) -> int:
    if not folder or bundle.driver_release() == (0, 0):
        log.say("wheels: skipped, " + ("this machine has no driver" if folder else "no --wheels FOLDER"))
        return 0
    failures = 0
    for row in ROWS:
        if why := _why_not(Path(folder).resolve(), row):
            log.say(f"{row.program:20} skipped: {why}")
        else:
            failures += run_row(row, Path(folder).resolve(), log)
    return failures
