# SPDX-License-Identifier: Apache-2.0
"""The results of all wheels -> docs/wheels.md."""

from __future__ import annotations

from collections import Counter

from . import situations, verdict
from .verdict import Opening, Result, Verdict

_INTRO = """# Real wheels after `anycuda repair`

Which wheels use whatever CUDA is installed after `anycuda repair`, which do not, and why. Made on {date} with the
stubs of commit {commit} by this command, which downloads every wheel of the list:

    python3 tools/reach/make.py --anycuda BUILD/bin/anycuda --cache FOLDER --list tools/reach/wheels.txt \\
        --python PYTHON3.9 --out docs/wheels.md

Every shared library of a wheel is opened (`dlopen` with `LD_BIND_NOW=1`, which binds every function at once) in a
separate process: of the original wheel without CUDA; then of the repaired wheel, in four situations: without CUDA, and
with only 11.8, only 12.9 or only 13.5 (the real cudart, NVRTC and nvJitLink; a stub opens NVIDIA's library in its
first call, so a wheel's library opens without cuBLAS or cuDNN). The cells count the libraries that open. A library of
the same wheel that another one relies on is opened before it, as the wheel's Python code does.

"beside A" names packages in the same site-packages folder, because the wheel's libraries need some of theirs. Those
that use CUDA are repaired as well; their libraries are not counted. "opened first" names those that the wheel's Python
code opens before its own. No GPU, driver or other package is installed, and PyTorch only where it is named. An opened
library may still compute wrong results: [gpu.md](gpu.md) lists what ran on a GPU. For a library that needs another
package, "every CUDA reference is in the stubs" means that a stub of the repaired wheel exports each CUDA function that
the library uses, under its version (or that a copy of NVIDIA's library does, which stays in the wheel, since it runs
without CUDA). "Of the functions that it uses, some do not run" is from `anycuda check`: a call of them returns an
error on that CUDA ([cross-major.md](cross-major.md)).

The column **linking** is about libraries only: which ones the wheel's files are linked to or open by name. It is not
the verdict of `anycuda check`, which also names the driver that a linked-in CUDA runtime and the device code need, and
the packages that the wheel needs: a wheel whose linking is free may need driver 525. [verdicts.md](verdicts.md) lists
those verdicts.

- **free**: no library of the wheel needs one CUDA. Each opens in all four situations, or lacks only other packages,
  or has every function bound, and then its own code ends the process in all four. This page does not test whether it
  does so beside NVIDIA's libraries, too.
- **free but for X**: the same, except for X. X is a library of NVIDIA without a stub, whose name is the same for
  every CUDA; or a library that the wheel opens by name, and that has no drop-in in the wheel, because anycuda has none
  or because the file tries several majors and takes the installed one (`anycuda run` serves those).
- **not free**: the wheel needs a library of one CUDA that has no stub, or a function that the stubs lack.
- **nothing to repair**: no library of the wheel names a library of one CUDA. It uses none, or composes the name when
  it runs, or its Python code opens the library.

[wheels_torch.md](wheels_torch.md) opens wheels that need PyTorch beside PyTorch of CUDA 12.8 and 13.0, and
[wheels_onnxruntime.md](wheels_onnxruntime.md) runs ONNX Runtime with its CUDA provider: without
a driver, the provider of onnxruntime-gpu 1.22.0 ends the process, also beside NVIDIA's libraries.
"""
_HEAD = ("wheel", "built for", "needs as it comes", "as it comes, no CUDA", "repaired, no CUDA",
         *(f"only {release}" for release in situations.RELEASES), "linking", "why")


def make(results: list[Result], date: str, commit: str) -> str:
    evaluated = [(result, verdict.of(result)) for result in sorted(results, key=lambda one: one.requirement)]
    table = [_HEAD, ("---",) * len(_HEAD), *(_row(*one) for one in evaluated if one[1].kind != verdict.UNKNOWN)]
    parts = [_INTRO.format(date=date, commit=commit), "\n".join(line(row) for row in table), ""]
    unknown = [(result, one) for result, one in evaluated if one.kind == verdict.UNKNOWN]
    if unknown:
        parts += ["## Left out", ""]
        parts += [f"- {result.requirement}: {_sentence(one.why[0])}" for result, one in unknown] + [""]
    parts += ["## Counts", "", _counts(evaluated), ""]
    return "\n".join(parts)


def _row(result: Result, one: Verdict) -> tuple[str, ...]:
    name = f"{one.kind} {', '.join(one.but)}" if one.but else one.kind
    return (_wheel(result), ", ".join(result.built_for) or "-", ", ".join(result.needs) or "-",
            _cell(result.native), *(_cell(result.situations.get(name)) for name in situations.ALL),
            f"**{name}**", "; ".join(one.why) or "-")


def _wheel(result: Result) -> str:
    """Its requirement, and what lies beside it."""
    if not result.beside:
        return result.requirement
    after = f" ({', '.join(result.after)} opened first)" if result.after else ""
    return f"{result.requirement} beside {', '.join(result.beside)}{after}"


def _cell(opening: Opening | None) -> str:
    return f"{opening.opened} of {opening.total}" if opening else "-"


def line(cells: tuple[str, ...]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def _sentence(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _counts(evaluated: list[tuple[Result, Verdict]]) -> str:
    counts = Counter(one.kind for _, one in evaluated)
    free = [result for result, one in evaluated if one.kind == verdict.FREE]
    freed = sum(bool(result.needs) for result in free)
    whole = sum(all(one.opened == one.total for one in result.situations.values()) for result in free)
    text = ", ".join(f"{counts[kind]} {kind + ' something' if kind == verdict.BUT else kind}"
                     for kind in verdict.VERDICTS if counts[kind])
    return (f"{len(evaluated)} wheels: {text}.\n\n"
            f"Of the {len(free)} free wheels, {freed} need a CUDA library as they come. In {whole} every library\n"
            "opens in each situation; in the others some libraries need another package or their own program.")
