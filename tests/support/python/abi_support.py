# SPDX-License-Identifier: Apache-2.0
"""The common parts of the tests of the ABI database: its path, and small databases written for one test."""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STUBS = ROOT / "stubs"
sys.path[:0] = [str(ROOT / "stubs" / "tools"), str(ROOT / "packaging" / "python")]

from generate import layout, libraries, library_folders, model  # noqa: E402

# The descriptors of all libraries of the repository, by name.
DESCRIBED = {descriptor.name: descriptor for descriptor in libraries.descriptors(library_folders.LibraryFolders())}

_loaded: dict[str, model.Database] = {}


def facts(library: str) -> Path:
    """The folder of its facts."""
    return STUBS / library / "abi"


def real(library: str) -> model.Database:
    """The database in the repository, read once for all tests."""
    if library not in _loaded:
        _loaded[library] = model.load(facts(library))
    return _loaded[library]


def table(
    types: dict[str, str] | None = None,
    enums: dict[str, dict[str, int]] | None = None,
    macros: dict[str, int] | None = None,
) -> layout.TypeTable:
    """Types of one version: {"struct S": "size 8 align 4 | 0  int  a | 4  int  b"}."""
    bodies = {
        key: tuple(part.strip() for part in text.split("|")) for key, text in (types or {}).items()
    }
    for key in enums or {}:
        bodies[key] = ("size 4 unsigned int",)
    return layout.TypeTable("test", bodies, enums or {}, macros or {})


class SmallDatabase:
    """A folder with the files of a database, for `with`. `adapters` goes into the folder of that name,
    `driver` are names that a driver beside it exports."""

    def __init__(self, library: str = "cudart", **files: str) -> None:
        self.library, self.files = library, files

    def __enter__(self) -> model.Database:
        self.temporary = tempfile.TemporaryDirectory()
        folder = Path(self.temporary.name) / self.library / "abi"
        folder.mkdir(parents=True)
        for name, text in self.files.items():
            path = folder / f"{name}.txt"
            if name == "adapters":
                path = folder / "adapters" / "test.txt"
            elif name == "driver":
                path = folder.parents[1] / "cuda" / "abi" / "exports.txt"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return model.load(folder)

    def __exit__(self, *_: object) -> None:
        self.temporary.cleanup()
