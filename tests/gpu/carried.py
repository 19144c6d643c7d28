# SPDX-License-Identifier: Apache-2.0
"""Libraries of CUDA 12 on a machine that has only CUDA 13: cuFFT, cuRAND and nvJPEG from a folder.

The programs of maths/ built for CUDA 11, 12 and 13 run on them through the stubs, which read the file's path from a
variable (ANYCUDA_CUFFT=...). The CUDA runtime is the machine's, of 13, and then the bundle's, of 12. The program built
for CUDA 12 also runs natively on these files, and its checks and values are the expected ones.
"""

from pathlib import Path

import bundle
import expected
import maths
from bundle import HERE
from log import Log
from maths_places import CUDA_13

# Program of maths/ -> its library, the number after .so in CUDA 12, the variable that names the file.
LIBRARIES = {"cufft": ("libcufft", "11", "ANYCUDA_CUFFT"), "curand": ("libcurand", "10", "ANYCUDA_CURAND"),
             "nvjpeg": ("libnvjpeg", "12", "ANYCUDA_NVJPEG")}
RUNTIME = HERE / "cuda-12.9" / "libcudart.so.12"


def find(folder: Path, name: str) -> Path | None:
    return next(iter(sorted(folder.rglob(name))), None)


def run_program(program: str, file: Path, lines: list[expected.Line], log: Log) -> int:
    library, number, variable = LIBRARIES[program]
    failures = 0

    def one(name: str, env: dict[str, str]) -> tuple[maths.Report, bundle.Outcome]:
        outcome = bundle.run([str(HERE / "maths" / name)], env, maths.TIMEOUT)
        return maths.read(outcome), outcome

    def write(entry: maths.LogEntry) -> None:
        log.say(entry.line)
        log.note(entry.output, show=entry.show)

    native: maths.Report | None = None
    where = maths.Place("12", (), ())
    if RUNTIME.exists() and (HERE / "maths" / f"{program}-12-native").exists():
        native, outcome = one(f"{program}-12-native", bundle.environment(file.parent, RUNTIME.parent))
        write(maths.of_native(program, where, native, outcome))
    for runtime in [None, RUNTIME] if RUNTIME.exists() else [None]:
        more = {variable: str(file), **({"ANYCUDA_CUDART": str(runtime)} if runtime else {})}
        numbers = {**CUDA_13, library: number, **({"libcudart": "12"} if runtime else {})}
        for major in bundle.SONAMES:
            if not (HERE / "maths" / f"{program}-{major}").exists():
                continue
            report, outcome = one(f"{program}-{major}", bundle.environment(**more))
            wrong = maths.evaluate(program, major, report, native, lines, numbers)
            if str(file.resolve()) not in {str(Path(name).resolve()) for name in report.maps}:
                wrong.append(f"{file} was not loaded")
            failures += bool(wrong)
            write(maths.of_stub(program, major, where, report, outcome, wrong))
    return failures


def run(log: Log, folder: str) -> int:
    if not folder or bundle.driver_release() == (0, 0):
        log.say("carried: skipped, " + ("this machine has no driver" if folder else "no --carried FOLDER"))
        return 0
    lines = expected.read(HERE / "maths_expected.txt")
    failures = 0
    for program, (library, number, _) in LIBRARIES.items():
        file = find(Path(folder).resolve(), f"{library}.so.{number}")
        if file:
            failures += run_program(program, file, lines, log)
        else:
            log.say(f"{program:13} 12      skipped: no {library}.so.{number} in {folder}")
    return failures
