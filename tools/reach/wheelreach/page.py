# SPDX-License-Identifier: Apache-2.0
"""The results of all wheels -> docs/wheels.md."""

from __future__ import annotations

from collections import Counter

from . import situations, verdict
from .verdict import Opening, Result, Verdict

_INTRO = """# Real wheels after `anycuda repair`

[`anycuda repair`](repair.md) changes a wheel so that it can use whatever CUDA is installed. This page shows for which
real wheels this works, for which it does not, and why.

The following command made the page on {date} with the stubs of commit {commit}. It downloads every wheel of the list
([its options](../tools/reach/README.md)):

    python3 tools/reach/make.py --anycuda BUILD/bin/anycuda --cache FOLDER --list tools/reach/wheels.txt \\
        --python PYTHON3.9 --out docs/wheels.md

The command opens every shared library of a wheel in a separate process (`dlopen` with `LD_BIND_NOW=1`, which binds
every function at once). It opens the libraries of the original wheel without CUDA. It opens the libraries of the
repaired wheel in four situations: without CUDA, with only CUDA 11.8, with only CUDA 12.9, and with only CUDA 13.5. In
the last three situations, the real cudart, NVRTC and nvJitLink of that release are installed (11.8 has no nvJitLink).
cuBLAS and cuDNN are not installed: a stub opens NVIDIA's library only at the first call, so the libraries of a
repaired wheel open without cuBLAS and cuDNN. If a library relies on another library of the same wheel, the command
opens that other library first, as the wheel's Python code does. The machine has no GPU and no driver. Packages beside
the wheel, such as PyTorch, are installed only where the table names them after "beside". A library that opens may
still compute wrong results: [gpu.md](gpu.md) lists what ran on a GPU.

The columns of the table:

- **wheel**: name and version. "beside A" names packages that the command has installed in the same site-packages
  folder, because the wheel's libraries need libraries of these packages. The command repairs a package beside the
  wheel if the package uses CUDA. It does not count the libraries of packages beside the wheel. "opened first" names
  libraries of these packages that the wheel's Python code opens before the wheel's own libraries.
- **built for**: the CUDA majors that the wheel's files were built for; `-` if no file records one.
- **needs as it comes**: the CUDA libraries, and other libraries of NVIDIA, that the files of the original wheel need;
  `-` if they need none.
- **as it comes, no CUDA**: how many libraries of the original wheel open without CUDA. `3 of 5` means that 3 of the
  wheel's 5 libraries open.
- **repaired, no CUDA**, **only 11.8**, **only 12.9**, **only 13.5**: how many libraries of the repaired wheel open in
  the situation that the column names. The repaired wheel may have fewer libraries, since the repair leaves out copies
  of NVIDIA's libraries.
- **linking** and **why**: the result and its reasons, as follows.

The column **linking** is about libraries only: it states whether a library that the wheel's files are linked to, or
open by name, makes the wheel need one certain CUDA. It is not the verdict of `anycuda check`. That verdict also names
the packages that the wheel needs, and the driver that a linked-in CUDA runtime and the device code need: a wheel with
**free** in this column may still need driver 525. [verdicts.md](verdicts.md) lists the verdicts of `anycuda check` on
many of these wheels.

- **free**: no library of the wheel needs one certain CUDA. In all four situations, each library opens, with two
  exceptions: a library that needs another package or another Python, and a library whose own code ends the process
  after the dynamic linker has bound all functions of the library. The command does not test whether this code also
  ends the process if NVIDIA's libraries are in place of the stubs. **free** is about binaries: a Python file of the
  wheel may still need NVIDIA's libraries, for example if it loads them with `cuda.pathfinder`, as cupy-cuda12x 14 does.
  `anycuda check` and `anycuda repair` report these libraries in notes ([repair.md](repair.md#python-files)).
- **free but for X**: like **free**, except that the wheel still uses the libraries X of NVIDIA. There are two kinds of
  such libraries. The first kind has no stub, but has the same name in every CUDA. The wheel opens a library of the
  second kind by its name, and the repair adds no [drop-in](glossary.md#libraries) for this name
  ([repair.md](repair.md#opened-by-name) has the reasons). For example, the file tries the names of several majors, and
  takes the installed one (`anycuda run` serves such names); or anycuda has no stub for the library, such as
  `libnppc.so.12`.
- **not free**: the wheel is linked to a library that belongs to one CUDA and has no stub, or it needs a function that
  the stubs lack.
- **nothing to repair**: no library of the wheel needs a CUDA library, opens one by a fixed name, or has a CUDA runtime
  linked in. A library of the wheel may still compose such a name when it runs, or the wheel's Python code may open a
  CUDA library.

Some reasons in the column **why** need an explanation:

- "5 files need PyTorch (libc10.so), every CUDA reference is in the stubs": these 5 files do not open, since PyTorch is
  missing. So the command checks them without opening them: for each CUDA function that a file uses, a stub of the
  repaired wheel exports the function under the symbol version that the file asks for. In a few wheels, a copy of
  NVIDIA's library that the wheel contains exports some of the functions: repair keeps such a copy if a CUDA runtime is
  linked into it ([repair.md](repair.md#what-the-repair-changes)).
- "need NVIDIA's libraries without a stub, the same beside every CUDA": each of these libraries has one name for every
  CUDA, so it does not make the wheel need one certain CUDA.
- "its Python code names libcublas.so.12": a Python file of the wheel has this name in a string, and may open the
  library. The repair does not serve such names; `anycuda run` serves them if the library has a stub
  ([repair.md](repair.md#opened-by-name)).
- "of the functions that it uses, some do not run: 8 on 11.8" is from `anycuda check`: the wheel uses 8 functions that
  return an error on CUDA 11.8 ([cross-major.md](cross-major.md)).

Two more pages show wheels beside other packages. [wheels_torch.md](wheels_torch.md) shows wheels that need PyTorch,
opened beside PyTorch for CUDA 12.8 and 13.0. [wheels_onnxruntime.md](wheels_onnxruntime.md) shows ONNX Runtime with
its CUDA provider: without a driver, the provider of onnxruntime-gpu 1.22.0 ends the process, with the stubs and also
with NVIDIA's libraries.
"""
_HEAD = ("wheel", "built for", "needs as it comes", "as it comes, no CUDA", "repaired, no CUDA",
         *(f"only {release}" for release in situations.RELEASES), "linking", "why")


def make(results: list[Result], date: str, commit: str) -> str:
    evaluated = [(result, verdict.evaluate(result))
                 for result in sorted(results, key=lambda result: result.requirement)]
    table = [_HEAD, ("---",) * len(_HEAD), *(_row(*pair) for pair in evaluated if pair[1].kind != verdict.UNKNOWN)]
    parts = [_INTRO.format(date=date, commit=commit), "\n".join(line(row) for row in table), ""]
    unknown = [(result, outcome) for result, outcome in evaluated if outcome.kind == verdict.UNKNOWN]
    if unknown:
        parts += ["## Left out", ""]
        parts += [f"- {result.requirement}: {_sentence(outcome.why[0])}" for result, outcome in unknown] + [""]
    parts += ["## Counts", "", _counts(evaluated), ""]
    return "\n".join(parts)


def _row(result: Result, outcome: Verdict) -> tuple[str, ...]:
    name = f"{outcome.kind} {', '.join(outcome.but)}" if outcome.but else outcome.kind
    return (_wheel(result), ", ".join(result.built_for) or "-", ", ".join(result.needs) or "-",
            _cell(result.native), *(_cell(result.situations.get(name)) for name in situations.ALL),
            f"**{name}**", "; ".join(outcome.why) or "-")


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
    counts = Counter(outcome.kind for _, outcome in evaluated)
    free = [result for result, outcome in evaluated if outcome.kind == verdict.FREE]
    freed = sum(bool(result.needs) for result in free)
    whole = sum(all(situation.opened == situation.total for situation in result.situations.values()) for result in free)
    text = ", ".join(f"{counts[kind]} {kind + ' something' if kind == verdict.BUT else kind}"
                     for kind in verdict.VERDICTS if counts[kind])
    return (f"{len(evaluated)} wheels: {text}.\n\n"
            f"Of the {len(free)} free wheels, {freed} need a CUDA library before the repair. In {whole} of the "
            f"{len(free)}, every library opens\nin each situation; in the other {len(free) - whole}, some libraries "
            "do not open (the column **why** has the reasons).")
