"""Fetches the wheels of ../wheels.py from PyPI and repairs them, where there is no GPU.

    python3 tests/gpu/wheels/prepare.py --anycuda build/gpu/bin/anycuda --python 3.12 FOLDER

It needs pip. FOLDER/pypi keeps what was fetched; the repaired wheels are in FOLDER. CuPy's source distribution, which
pip does not unpack without building it, is to be unpacked in FOLDER/CUPY_SOURCE.
"""

import argparse
import subprocess
import sys
from pathlib import Path

WHEELS = ("bitsandbytes==0.50.2", "OpenMM==8.6.1", "OpenMM-CUDA-12==8.6.1", "ctranslate2==4.8.5",
          "faiss-gpu-cu12==1.14.1.post1", "cupy-cuda12x==14.2.0")
PLATFORMS = ("manylinux2014_x86_64", *(f"manylinux_2_{minor}_x86_64" for minor in range(24, 40)))


def fetch(folder: Path, python: str) -> None:
    """One by one, since pip takes no wheel of a list if one of them cannot be had."""
    where = [word for platform in PLATFORMS for word in ("--platform", platform)]
    abis = [word for abi in (f"cp{python.replace('.', '')}", "abi3", "none") for word in ("--abi", abi)]
    for wheel in WHEELS:
        print(f"fetching {wheel}", flush=True)
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                        "--implementation", "cp", "--python-version", python, *abis, *where, "--dest", str(folder),
                        wheel], check=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--anycuda", required=True, type=Path, help="the command, of a build or an installation")
    parser.add_argument("--python", required=True, help="the GPU machine's, such as 3.12")
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    fetched = options.folder / "pypi"
    fetched.mkdir(parents=True, exist_ok=True)
    fetch(fetched, options.python)
    # The stubs of a build need the glibc of its machine, which a GPU machine has.
    subprocess.run([options.anycuda, "repair", "--any-glibc", "--partly", "--free-requirements", "--force",
                    "--wheel-dir", str(options.folder), *map(str, sorted(fetched.glob("*.whl")))], check=True)


if __name__ == "__main__":
    main()
