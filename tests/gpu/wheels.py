# SPDX-License-Identifier: Apache-2.0
"""Wheels that were built for CUDA 12 and repaired, on this machine's CUDA 13: each does its work (wheels/).

    python3 run.py wheels --wheels FOLDER     FOLDER has repaired wheels, as wheels/prepare.py makes them

A wheel's program runs in a separate process, with the wheel unpacked in front of this Python's packages. At its end
the process must have one file of each CUDA library, all of CUDA 13, but for the stubs and drop-ins.
"""

import importlib.util
import os
import re
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
_USING = re.compile(r"^anycuda: \w+: using (/.+?\.so[.\d]*)", re.MULTILINE)


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
        "libcusolver", "libcudnn", "libnccl"), ("torch",), {"BNB_CUDA_VERSION": "124"}, preloads=True),
    Row("openmm_simulation", ("openmm-", "openmm_cuda_12-"), ("libcufft", "libnvrtc"), ("numpy",)),
    Row("ctranslate2_model", ("ctranslate2-",), ("libcublas",), ("torch", "yaml")),
    Row("cupy_tests", ("cupy_cuda12x-",),
        ("libcublas", "libcufft", "libcusolver", "libcusparse", "libcurand", "libnvrtc"), ("cupy", "pytest"),
        source="CUPY_SOURCE"),
    Row("faiss_search", ("faiss_gpu_cu12-",), ("libcudart",), ("numpy",)),
    Row("custatevec_gates", ("cuquantum_python_cu12-", "custatevec_cu12-"), ("libcublas",), ("torch", "cupy")),
    Row("cutensornet_contraction", ("cuquantum_python_cu12-", "cutensornet_cu12-", "cutensor_cu12-", "numpy-"),
        ("libcusolver", "libcublasLt"), ("torch", "cupy")),
    Row("onnxruntime_model", ("onnxruntime_gpu-", "onnx-", "ml_dtypes-"),
        ("libcudart", "libcublas", "libcublasLt", "libcudnn", "libcufft"), ("google.protobuf", "numpy")),
)
PROGRAMS = tuple(row.program for row in ROWS)


def _found(folder: Path, row: Row) -> dict[str, Path]:
    """The beginning of a wheel's name -> the wheel."""
    found = {name: next(iter(sorted(folder.glob(f"{name}*.whl"))), None) for name in row.wheels}
    return {name: wheel for name, wheel in found.items() if wheel}


def _why_not(folder: Path, row: Row, wheels: dict[str, Path]) -> str:
    """Why a row cannot run here; "" if it can."""
    if missing := [name for name in row.needs if not _is_there(name)]:
        return f"this Python has no {', '.join(missing)}"
    if missing := [name for name in row.wheels if name not in wheels]:
        return f"{folder} has no {' and '.join(missing)}"
    return "" if not row.source or (folder / row.source).is_dir() else f"{folder} has no {row.source}"


def _is_there(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ModuleNotFoundError:  # its package is missing
        return False


def _stubs() -> list[Path]:
    return sorted((HERE / "stubs").glob("lib*_stub.so"))


def _is_anycudas(file: str) -> bool:
    """Is this file of a wheel a stub or a drop-in? Both read this variable."""
    return b"ANYCUDA_LOG" in Path(file).read_bytes()


def wrong_preloads(row: Row, maps: list[str], output: str) -> list[str]:
    """Is each stub in the process, and has each library's stub handed calls to the library? The dynamic linker only
    warns of a file that it cannot preload."""
    if not row.preloads:
        return []
    mapped = {Path(file).name for file in maps}
    wrong = [f"{stub.name} is not in the process" for stub in _stubs() if stub.name not in mapped]
    used = {Path(file).name.partition(".so")[0] for file in _USING.findall(output)}
    return wrong + [f"no stub uses {name}" for name in row.loads if name not in used]


def _environment(row: Row, folder: Path, site: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("ANYCUDA_", "CUDA_HOME", "CUDA_PATH")) and name != "LD_PRELOAD"}
    more = {row.source: str(folder / row.source)} if row.source else {}
    if row.preloads:
        more["LD_PRELOAD"] = " ".join(map(str, _stubs()))
    return {**kept, **row.variables, **more, "PYTHONPATH": f"{site}:{HERE / 'wheels'}", "PYTHONFAULTHANDLER": "1",
            "ANYCUDA_LOG": "info"}


def run_row(row: Row, where: Path, wheels: list[Path], log: Log) -> int:
    with tempfile.TemporaryDirectory(prefix="wheels-") as folder:
        for wheel in wheels:
            with zipfile.ZipFile(wheel) as archive:
                archive.extractall(folder)
        done = bundle.run([sys.executable, "-u", str(HERE / "wheels" / f"{row.program}.py")],
                          _environment(row, where, Path(folder)), TIMEOUT)
        report = maths.read(done)
        cudas = [file for file in report.maps if not (file.startswith(folder) and _is_anycudas(file))]
    wrong = [f"FAIL {line}" for line in report.failed] + wrong_maps(cudas, CUDA_13)
    wrong += wrong_preloads(row, report.maps, done.output)
    mapped = {Path(file).name.partition(".so")[0] for file in cudas if not file.startswith(folder)}
    wrong += [f"{name} of this machine is not in the process" for name in row.loads if name not in mapped]
    log.say(f"{row.program:23} {len(report.ok):2} ok{maths.notes(report)}  "
            f"{f'{len(wrong)} NOT AS EXPECTED' if wrong else 'ok'}")
    for line in wrong:
        log.say(f"    {line}")
    log.note(done.output, show=bool(wrong))
    return bool(wrong)


def run(log: Log, folder: str, only: list[str]) -> int:
    if not folder or bundle.driver_release() == (0, 0):
        log.say("wheels: skipped, " + ("this machine has no driver" if folder else "no --wheels FOLDER"))
        return 0
    failures, where = 0, Path(folder).resolve()
    for row in (row for row in ROWS if not only or row.program in only):
        wheels = _found(where, row)
        if why := _why_not(where, row, wheels):
            log.say(f"{row.program:23} skipped: {why}")
        else:
            failures += run_row(row, where, list(wheels.values()), log)
    return failures
