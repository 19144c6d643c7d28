# SPDX-License-Identifier: Apache-2.0
"""CuPy for CUDA 12: some of CuPy's tests (cupy_tests.txt) have the outcomes that this machine's CuPy for 13 has.

The tests are those of CuPy's source distribution, in the folder that CUPY_SOURCE names.
"""

import os
import subprocess
import sys
import tempfile
import warnings
import xml.etree.ElementTree as xml
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from report import check, end, expect, note

HERE = Path(__file__).resolve().parent
PROCESSES, LIMIT = 8, 300  # seconds for a process
TESTS = (HERE / "cupy_tests.txt").read_text(encoding="utf-8").splitlines()


def part(names: list[str], env: dict[str, str]) -> tuple[dict[str, str], str]:
    """Test -> passed, failure, error or skipped; and pytest's output."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        # A separate cache: kernels that one CuPy compiled must not serve the other.
        env = {**env, "CUPY_CACHE_DIR": f"{folder}/cache", "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                               f"--junitxml={report}", "-o", "junit_family=xunit1", *names],
                              cwd=os.environ["CUPY_SOURCE"], env=env, capture_output=True, text=True, timeout=LIMIT)
        cases = list(xml.parse(report).iter("testcase")) if report.exists() else []
    kinds = {f"{case.get('classname')}::{case.get('name')}":
             next((child.tag for child in case if child.tag in ("failure", "error", "skipped")), "passed")
             for case in cases}
    return kinds, done.stdout[-6000:] + done.stderr[-2000:]


def outcomes(name: str, python_path: str | None) -> dict[str, str]:
    """Of all tests, some processes at a time."""
    env = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "ANYCUDA_LOG")}
    env |= {"PYTHONPATH": python_path} if python_path else {}
    found: dict[str, str] = {}
    with ThreadPoolExecutor(PROCESSES) as threads:
        for kinds, output in threads.map(lambda first: part(TESTS[first::PROCESSES], env), range(PROCESSES)):
            found |= kinds
            print(f"-- {name}\n{output}")
    note(f"{name} " + " ".join(f"{count} {kind}" for kind, count in sorted(Counter(found.values()).items())))
    return found


with check("libraries"):
    warnings.simplefilter("ignore")  # CuPy finds itself twice
    import cupy
    import cupyx.scipy.sparse
    numbers = cupy.random.rand(64, 64)
    expect(float(abs(numbers @ cupy.linalg.inv(numbers) - cupy.eye(64)).max()) < 1e-9, "a wrong inverse")
    expect(float(abs(cupy.fft.ifft(cupy.fft.fft(numbers)) - numbers).max()) < 1e-12, "a wrong transform")
    expect(float(abs(cupyx.scipy.sparse.csr_matrix(numbers) @ numbers - numbers @ numbers).max()) < 1e-11,
           "a wrong sparse product")

with check("its own tests"):
    native = outcomes("natively", None)
    got = outcomes("repaired", os.environ["PYTHONPATH"])
    expect(len(native) == len(TESTS), f"{len(native)} of {len(TESTS)} tests ran natively")
    different = [f"{name}: {got.get(name)}, natively {kind}" for name, kind in native.items() if got.get(name) != kind]
    expect(not different, "; ".join(different[:20]))

end("cupy")
