# SPDX-License-Identifier: Apache-2.0
"""The results of all wheels beside each PyTorch -> docs/wheels_torch.md."""

from __future__ import annotations

from collections import Counter

from . import torch_verdict
from .page import line
from .torch_verdict import Result, Side

_INTRO = """# Wheels that need PyTorch, beside PyTorch of each CUDA

Some wheels have libraries that need PyTorch. After [`anycuda repair`](repair.md), does such a wheel use the CUDA of
whichever torch is installed? To answer this, the following command opens the wheels of a list beside releases of PyPI's
torch for CUDA 12.8 and for CUDA 13.0. It made this page on {date} with the stubs of commit {commit}, and downloads
everything:

    python3 tools/reach/torch_beside.py --anycuda BUILD/bin/anycuda --cache FOLDER \\
        --list tools/reach/torch_wheels.txt --out docs/wheels_torch.md

Beside each torch, the command opens every shared library of a wheel twice: once from the original wheel ("as it comes"
in the tables), and once from the repaired wheel. Each time a new process imports torch and opens the library (`dlopen`
with `LD_BIND_NOW=1`, which binds every function at once). The only installed CUDA is in the packages that this torch
requires. No driver is installed, so a library of an original wheel that needs `libcuda.so.1` does not open. No kernel
runs: [gpu.md](gpu.md) lists what ran on a GPU.

If a library opens, the mapped files of its process show which CUDA is in use. The command then asks each stub for the
version of the stub's CUDA library (`cudaRuntimeGetVersion`, `cublasGetProperty`, ...), under the symbol version of the
CUDA that the wheel was built for. The tables have the answers: `cudart 12080` is the CUDA runtime of CUDA 12.8. Each
answer must be the same as the answer of torch's own file of that library; otherwise the verdict is **fails**. If no
library of a wheel opens, the command asks the stubs of the wheel directly. For torchvision, the command also runs
`torchvision.ops.nms` on the CPU. If this fails although every library opens, the verdict is **fails**, too.

In the tables, **asks for torch** has the versions of torch that the wheel requires, or `-` if it names none. The
columns **as it comes: opens** and **repaired: opens** count libraries: `2 of 13` means that 2 of the wheel's 13
libraries open. In the column **why**, "built for another torch, of which up to 11 functions are missing" means that
each of these libraries needs at most 11 functions of torch that the installed torch lacks. The column **verdict** has
one of these words:

- **opens**: every library of the repaired wheel opens. Each CUDA library that torch brings is in the process once, as
  torch's file, and the stubs answer with the version of that file.
- **other torch**: like **opens**, except that some or all libraries do not open. They were built for another release of
  torch, and need functions that the installed torch lacks. The dynamic linker lists all missing functions, and none
  of them is a function of CUDA. A repair cannot add them: torch's C++ functions differ between releases.
- **other package**: like **opens**, except that some libraries need another package.
- **fails**: after the repair, a library lacks a library or a function of CUDA, or a process has two files of one CUDA
  library, or a stub's answer is not the answer of torch's file.

A repaired wheel may have fewer libraries than the original wheel, since the repair leaves out a copy of cudart. If
every library of an original wheel opens, the wheel can still be wrong: its copy of cudart is a second CUDA runtime in
the process.

A repaired torchvision goes on using the copy of nvJPEG in its wheel, since torch does not bring nvJPEG. A CUDA runtime
is linked into this copy: the copy runs with whatever CUDA is installed, on a driver that is new enough for that
runtime.
"""
_HEAD = ("wheel", "built for CUDA", "asks for torch", "as it comes: opens", "as it comes: what is wrong",
         "repaired: opens", "answers of the stubs", "verdict", "why")


def make(results: list[Result], date: str, commit: str) -> str:
    parts = [_INTRO.format(date=date, commit=commit)]
    for torch, cuda in sorted({(result.torch, result.cuda) for result in results}, key=lambda pair: (pair[1], pair[0])):
        rows = [_row(result) for result in results if result.torch == torch]
        parts += [f"## torch {torch}, CUDA {cuda}", "",
                  "\n".join(line(row) for row in (_HEAD, ("---",) * len(_HEAD), *rows)), ""]
    counts = Counter(torch_verdict.evaluate(result).kind for result in results)
    text = ", ".join(f"{counts[kind]} {kind}" for kind in torch_verdict.VERDICTS if counts[kind])
    return "\n".join([*parts, "## Counts", "", f"{len(results)} pairs of a wheel and a torch: {text}.", "",
                      *_across(results)])


def _across(results: list[Result]) -> list[str]:
    """Those beside a torch of another CUDA than the wheel's."""
    across = [result for result in results
              if result.built_for and result.cuda.partition(".")[0] not in result.built_for]
    whole = [f"{result.requirement} beside torch {result.torch}" for result in across
             if torch_verdict.evaluate(result).kind == torch_verdict.OPENS]
    repaired = [result.repaired for result in across if result.repaired]
    native = [result.native for result in across if result.repaired and result.native]
    if not repaired:
        return []
    return [f"In {len(across)} pairs, torch is for another CUDA than the CUDA that the wheel was built for. In these "
            f"pairs, {sum(side.opened for side in native)} of {sum(side.total for side in native)} libraries of the "
            f"original wheels open, and {sum(side.opened for side in repaired)} of "
            f"{sum(side.total for side in repaired)} libraries of the repaired wheels (a repair leaves out "
            "copies of cudart). Of these pairs, every library opens after the repair in: "
            f"{', '.join(whole) or 'none'}.", ""]


def _row(result: Result) -> tuple[str, ...]:
    verdict = torch_verdict.evaluate(result)
    native, repaired = result.native, result.repaired
    return (result.requirement, ", ".join(result.built_for) or "-", result.asks or "-",
            _opened(native), native and _why_not(native) or "-", _opened(repaired),
            repaired and _answers(repaired) or "-", f"**{verdict.kind}**", "; ".join(verdict.why) or "-")


def _opened(side: Side | None) -> str:
    return f"{side.opened} of {side.total}" if side else "-"


def _why_not(side: Side) -> str:
    """The libraries of CUDA that are not found, and those that are in a process twice."""
    lacks = sorted({name for failure in side.failures for name in failure.cuda if ".so" in name})
    found = [f"lacks {', '.join(lacks)}"] if lacks else []
    if any(failure.owner == "PyTorch" for failure in side.failures):
        found.append("built for another torch")
    found += [f"{len(files)} files of {stem} in a process ({_names(files)})"
              for stem, files in side.files.items() if len(files) > 1]
    return "; ".join(found)


def _answers(side: Side) -> str:
    return ", ".join(f"{family} {'.'.join(map(str, torch_verdict.values(by_stub)))}"
                     for family, (by_stub, _) in sorted(side.answers.items()))


def _names(files: list[str]) -> str:
    return ", ".join(file.rpartition("/")[2] for file in files)
