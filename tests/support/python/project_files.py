# SPDX-License-Identifier: Apache-2.0
"""The project's files, without those of build folders, virtual environments and editors."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
_HIDDEN = (".ci", ".github")


def project_files(pattern: str) -> list[Path]:
    folders = [folder for folder in ROOT.iterdir() if folder.is_dir() and not (folder / "pyvenv.cfg").exists()
               and (folder.name in _HIDDEN or not folder.name.startswith((".", "build", "dist")))]
    found = [*ROOT.glob(pattern), *(file for folder in folders for file in folder.rglob(pattern))]
    return sorted(file for file in found if file.is_file())
