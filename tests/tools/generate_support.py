# SPDX-License-Identifier: Apache-2.0
"""The common parts of the tests of the generator: a library small enough to know by heart."""

import json
import tempfile
from pathlib import Path

from abi_support import SmallDatabase
from generate import cpu, descriptor, plan

NODES = {"11.8": "11.2", "12.0": "12", "12.1": "12", "13.0": "13"}
VERSIONS = "".join(f"{release}  soname libsmall.so.{n}  node libsmall.so.{n}\n" for release, n in NODES.items())
TYPES = """\
struct Big
  11.8-13.0  size 20 align 4
      0  int [5]  values
enum result
  11.8-13.0  size 4 unsigned int
"""
FUNCTIONS = """\
added
  12.1-13.0  int (out int * count)
changed
  11.8  int (out int * a, out long * b)
  12.0-13.0  int (out int * a, long b)
core
  11.8-13.0  int ()
makesBig
  11.8-13.0  struct Big (out int * count)
old
  11.8-12.1  int ()
quoted
  11.8-13.0  const char * (int error)
"""
ERRORS = 'ok  11.8-13.0  0 no "error"\nbad  11.8-13.0  1 a\\b\n'

LIBRARY = {
    "name": "small",
    "product": "small library",
    "stub": "libsmall_stub.so",
    "variable": "ANYCUDA_SMALL",
    "file_prefix": "libsmall.so",
    "install_hint": "install it",
    "majors": {
        "11": {"soname": "libsmall.so.11.2", "node": "libsmall.so.11.2"},
        "12": {"soname": "libsmall.so.12", "node": "libsmall.so.12"},
        "13": {"soname": "libsmall.so.13", "node": "libsmall.so.13"},
    },
    "wheel_folders": ["nvidia/small/lib"],
    "status": {"no_library": 35, "absent": 302, "rejected": 801},
    "required_symbols": ["core"],
}
FAILING_RESULTS = {"int": "status", "struct Big": 0, "const char *": 0}
DRIVER = {
    **LIBRARY,
    "name": "driver",
    "file_prefix": "libdriver.so",
    "majors": {"1": {"soname": "libdriver.so.1", "node": None}},
    "is_driver": True,
    "wheel_folders": [],
}


def load(changes: dict | None = None, base: dict = LIBRARY) -> descriptor.Descriptor:
    """A descriptor from the text of a library.json; a change to None takes the key away."""
    text = {key: value for key, value in {**base, **(changes or {})}.items() if value is not None}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "library.json"
        path.write_text(json.dumps(text), encoding="utf-8")
        return descriptor.load(path)


def database(**files: str) -> SmallDatabase:
    return SmallDatabase(
        **{
            "versions": VERSIONS,
            "types": TYPES,
            "functions": FUNCTIONS,
            "errors": ERRORS,
            "renames": "11,12 old = 13 core  it is called so now\n",
            **files,
        }
    )


def made(changes: dict | None = None, dropin: int = 0, on: str = "x86_64", **files: str) -> plan.Plan:
    """The plan of the small library, or of one that differs from it in some way."""
    with database(**files) as facts:
        library = load({"failing_results": FAILING_RESULTS, **(changes or {})})
        return plan.make(plan.gather(library, facts), cpu.named(on), dropin)
