# SPDX-License-Identifier: Apache-2.0
"""Where the libraries' descriptors and facts are: stubs/, and folders of the same layout for libraries that this
project does not have (docs/new-library.md)."""

import argparse
from dataclasses import dataclass
from pathlib import Path

from . import descriptor, model
from .descriptor import Descriptor

STUBS = Path(__file__).parents[2]


@dataclass(frozen=True)
class LibraryFolders:
    """<folder>/<library>/library.json and <folder>/<library>/abi/*.txt, for stubs/ and every folder of `extra`."""

    extra: tuple[Path, ...] = ()

    def __post_init__(self) -> None:
        for folder in self.extra:
            if not list(folder.glob("*/library.json")):
                raise ValueError(f"{folder} has no */library.json: expected a folder for each library, as in stubs/")
        names = self.names()
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            folders = ", ".join(map(str, (STUBS, *self.extra)))
            raise ValueError(f"{', '.join(twice)}: described in two of the folders {folders}")

    def names(self) -> list[str]:
        """Of all libraries: those of stubs/ first, by name."""
        return [path.parent.name for path in self._files()]

    def descriptor(self, name: str) -> Descriptor:
        path = self._of(name) / name / "library.json"
        library = descriptor.load(path)
        if library.name != name:
            raise ValueError(f"{path}: its folder is named {name!r}, but its name is {library.name!r}")
        return library

    def facts(self, name: str) -> Path:
        return self._of(name) / name / "abi"

    def database(self, name: str) -> model.Database:
        return model.load(self.facts(name))

    def _of(self, name: str) -> Path:
        """An unknown name belongs to stubs/: the error names the file that is missing there."""
        return next((path.parents[1] for path in self._files() if path.parent.name == name), STUBS)

    def _files(self) -> list[Path]:
        return [path for folder in (STUBS, *self.extra) for path in sorted(folder.glob("*/library.json"))]


def add_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--extra", type=Path, action="append", default=[], metavar="FOLDER",
                        help="a folder of more libraries, laid out as stubs/ (may be given again)")


def chosen(options: argparse.Namespace) -> LibraryFolders:
    return LibraryFolders(tuple(options.extra))
