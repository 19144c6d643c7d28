# SPDX-License-Identifier: Apache-2.0
"""Fetches the wheels of ../wheels.py from PyPI, and repairs them.

    python3 tests/gpu/wheels/prepare.py fetch --python 3.12 FOLDER     the GPU machine's Python; needs pip
    python3 tests/gpu/wheels/prepare.py repair --anycuda BUILD/bin/anycuda FOLDER

The second step can run on the GPU machine too. FOLDER/pypi has what was fetched, FOLDER the repaired wheels. CuPy's
source distribution, which pip does not unpack without building it, is to be unpacked in FOLDER/CUPY_SOURCE.
"""

import argparse
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

WHEELS = (
    "bitsandbytes==0.50.2", "OpenMM==8.6.1", "OpenMM-CUDA-12==8.6.1", "ctranslate2==4.8.5",
    "faiss-gpu-cu12==1.14.1.post1", "cupy-cuda12x==14.2.0",
    # What a program of cuQuantum's Python for CUDA 12 has; newer releases of cuTENSOR are twice as large.
    "cuquantum-python-cu12==24.11.0", "custatevec-cu12==1.7.0", "cutensornet-cu12==2.6.0", "cutensor-cu12==2.0.2",
    "numpy==2.3.5",  # cuQuantum's Python converts an array of one number, which NumPy 2.5 refuses
    # onnx writes the model.
    "onnxruntime-gpu==1.22.0", "onnx==1.23.2", "ml_dtypes==0.6.0",
)
PLATFORMS = ("manylinux2014_x86_64", *(f"manylinux_2_{minor}_x86_64" for minor in range(24, 40)))


def fetch(folder: Path, python: str) -> None:
    """One by one, since pip downloads no wheel of a list if one of them is missing."""
    where = [word for platform in PLATFORMS for word in ("--platform", platform)]
    abis = [word for abi in (f"cp{python.replace('.', '')}", "abi3", "none") for word in ("--abi", abi)]
    for wheel in WHEELS:
        print(f"fetching {wheel}", flush=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                        "--implementation", "cp", "--python-version", python, *abis, *where, "--dest", str(folder),
                        wheel], check=True)


def repair(anycuda: Path, wheel: Path, folder: Path) -> None:
    # The stubs of a build need the glibc of its machine, which a GPU machine has.
    done = subprocess.run([anycuda, "repair", "--partly", "--free-requirements", "--force",
                           "--wheel-dir", folder, wheel], capture_output=True, text=True)
    print(done.stdout, done.stderr if done.returncode else "", sep="", flush=True)
    done.check_returncode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    steps = parser.add_subparsers(dest="step", required=True)
    first = steps.add_parser("fetch")
    first.add_argument("--python", required=True, help="the GPU machine's, such as 3.12")
    second = steps.add_parser("repair")
    second.add_argument("--anycuda", required=True, type=Path, help="the command, of a build or an installation")
    for step in (first, second):
        step.add_argument("folder", type=Path)
    options = parser.parse_args()
    fetched = options.folder / "pypi"
    fetched.mkdir(parents=True, exist_ok=True)
    if options.step == "fetch":
        fetch(fetched, options.python)
        return
    with ThreadPoolExecutor() as pool:
        list(pool.map(lambda wheel: repair(options.anycuda, wheel, options.folder), sorted(fetched.glob("*.whl"))))


if __name__ == "__main__":
    main()
