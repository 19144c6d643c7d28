# SPDX-License-Identifier: Apache-2.0
"""The folders of this anycuda, from installation.json, which the build writes for each tree.

Three kinds of trees have one: the build folder and an installed prefix (in share/anycuda/, next to the package), and
the wheel (in the package). Its paths are relative to it, so a tree can be moved.
"""

from __future__ import annotations

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from .failure import Failure

# Not resolved: a build folder's package is a link to the source tree, and its files are beside the link.
_PACKAGE = Path(__file__).absolute().parent
_NAME, _LICENCE = "installation.json", "LICENSE"


@dataclass(frozen=True)
class Installation:
    """`cpu`: in the kernel's spelling (x86_64, aarch64). `folders`: content -> absolute path."""

    version: str
    cpu: str
    folders: dict[str, Path]

    def folder(self, holds: str) -> Path:
        """The folder of "stubs", "dropins", "link" (with a folder for each major), "static" (likewise), "tools",
        "cmake", "pkgconfig" or "include"."""
        folder = self.folders.get(holds)
        if folder is None:
            raise Failure(f"this anycuda ({_PACKAGE}) has no {holds} folder{self._why_never()}")
        if not folder.is_dir():
            raise Failure(f"this anycuda ({_PACKAGE}) has no {holds} folder: {folder} is missing; "
                          "install anycuda again")
        return folder

    def _why_never(self) -> str:
        """The reason for a missing folder. Every installation and wheel has headers; a build folder has only the files
        that its programs need to run."""
        if "include" in self.folders:
            return ": it was built without this part; build anycuda with it, or use another installation"
        return (": it belongs to a build folder, where nothing is installed; run `cmake --install BUILD --prefix "
                "PREFIX`, and call PREFIX/bin/anycuda")

    def stub(self, library: str) -> Path:
        """cudart -> .../libcudart_stub.so"""
        return self.file(f"lib{library}_stub.so")

    def file(self, name: str) -> Path:
        """A file in the folder of the stubs."""
        path = self.folder("stubs") / name
        if not path.is_file():
            raise Failure(f"{path} is missing: install anycuda again")
        return path


def licence() -> bytes:
    """The text of anycuda's licence."""
    paths = [folder / _LICENCE for folder in (_PACKAGE, _PACKAGE.parent)]
    for path in paths:
        if path.is_file():
            return path.read_bytes()
    raise Failure(f"anycuda's licence is missing ({' or '.join(map(str, paths))}): install anycuda again")


@functools.cache
def find() -> Installation:
    for folder in (_PACKAGE, _PACKAGE.parent):
        if (folder / _NAME).is_file():
            return load(folder / _NAME)
    raise Failure(f"{_NAME} is missing in {_PACKAGE} and {_PACKAGE.parent}: call anycuda from a build folder's bin/ or "
                  "from an installation")


def load(path: Path) -> Installation:
    try:
        text = json.loads(path.read_text(encoding="utf-8"))
        folders = {holds: (path.parent / relative).resolve() for holds, relative in text["folders"].items()}
        return Installation(text["version"], text["cpu"], folders)
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Failure(f"{path} is damaged ({error!r}): install anycuda again") from None
