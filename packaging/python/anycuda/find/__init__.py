# SPDX-License-Identifier: Apache-2.0
"""`anycuda find`: prints where components of CUDA are, for scripts and build systems.

    $(anycuda find nvcc) -I"$(anycuda find --kind headers cublas)" app.cu
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass

from .. import installation, terminal
from ..doctor import SECONDS, seconds
from ..doctor.examined import examine
from . import as_json
from .components import Answer, ComponentKind, question_of, read

NAME = "find"
SUMMARY = "Prints the paths of components of CUDA: libraries, headers, static and bitcode libraries, programs."
_EPILOG = """\
The search is that of the C++ guard rails, in the Python that `anycuda doctor` examines: the process's libraries,
packages of Python, LD_LIBRARY_PATH, conda, CUDA_PATH and the like, the system. Several names must go together
(such as nvcc and the headers of its release). The driver is not asked.

exit status: 0  every component was found; each line has the path of one, in the order of the names
             1  a component was not found, or does not go with --constraint or another one: no path is printed
             2  a name, constraint or setting is invalid, or the command failed

  $(anycuda find nvcc) -I"$(anycuda find --kind headers cublas)" app.cu
  anycuda find --json cudart cudnn nccl
  anycuda find --constraint '==12.*' nvcc cudart_static libdevice
  anycuda find --kind static            lists the names of static libraries
"""


@dataclass(frozen=True)
class Options:
    names: tuple[str, ...]
    kind: str
    constraint: str
    python: str
    native: bool
    json: bool
    limit: float


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("names", metavar="NAME", nargs="*",
                        help="component, such as nvcc, cudart, cudart_static or libdevice; without a NAME, the command "
                             "lists all names")
    parser.add_argument("--kind", choices=[kind.value for kind in ComponentKind], default="",
                        help="kind of all components; default: for each name the first of these kinds that has it")
    parser.add_argument("--constraint", metavar="SPECIFIER", default="",
                        help="CUDA releases to accept, as in Python's packages: '==12.*', '>=12.4,<13'")
    parser.add_argument("--python", metavar="PATH", default="",
                        help="search in this Python and its environment; default: that of the activated environment, "
                             "or this command's own if it has CUDA itself")
    parser.add_argument("--native", action="store_true", help="search like a program other than Python")
    parser.add_argument("--json", action="store_true", help="print JSON (schema: docs/json.md)")
    parser.add_argument("--limit", type=seconds, default=SECONDS, metavar="SECONDS",
                        help=f"time limit for the search (default: {SECONDS:g})")


def run(arguments: argparse.Namespace) -> int:
    options = Options(tuple(arguments.names), arguments.kind, arguments.constraint, arguments.python, arguments.native,
                      arguments.json, arguments.limit)
    asker, python = examine(options.python, options.native, options.limit, os.environ)
    question = question_of(options.constraint, options.kind, options.names)
    answer = read(asker.ask([question])[question])
    if options.json:
        examined = "" if options.native else python.executable
        print(as_json.report(installation.find().version, examined, python.note, answer))
    elif options.names:
        _print(answer)
    else:
        rows = [(component.name, component.kind) for component in answer.names]
        print("\n".join(terminal.table(["name", "kind"], rows)))
    return answer.status


def _print(answer: Answer) -> None:
    for text in (*(f"warning: {text}" for text in answer.warnings),
                 *(component.error for component in answer.components if component.error)):
        print(terminal.writable(f"anycuda {NAME}: {text}", sys.stderr), file=sys.stderr)
    if answer.status:
        return
    # The bytes of the file system, which may be invalid UTF-8.
    sys.stdout.flush()
    sys.stdout.buffer.write(b"".join(os.fsencode(component.path) + b"\n" for component in answer.components))
