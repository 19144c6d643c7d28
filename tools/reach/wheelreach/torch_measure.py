# SPDX-License-Identifier: Apache-2.0
"""One wheel beside one PyTorch, from the download to its results."""

from __future__ import annotations

import shutil
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anycuda.analysis.libraries import Table
from anycuda.elf.read import Image

from . import command, contents, download, torch_install, torch_verdict, unpack
from .torch_opening import Beside, OpeningError
from .torch_verdict import Result, Side
from .wheel_list import Entry

# What runs beyond opening libraries, with the wheel's site-packages: C++ of the wheel, on the CPU.
_PROGRAMS = {"torchvision": "import torch, torchvision\n"
                            "box = torch.tensor([[0., 0., 2., 2.], [0., 0., 2., 1.9]])\n"
                            "kept = torchvision.ops.nms(box, torch.tensor([.9, .8]), .5).tolist()\n"
                            "assert kept == [0], kept"}


@dataclass(frozen=True)
class Torch:
    version: str
    cuda: str
    folder: Path


def wheel(entry: Entry, torch: Torch, anycuda: Path, cache: Path, table: Table) -> Result:
    """A failing download or repair is a result with its reason."""
    result = Result(torch.version, torch.cuda, entry.requirement)
    work = cache / "work" / f"torch-{entry.requirement}"
    root = cache / "empty"
    (root / "home").mkdir(parents=True, exist_ok=True)
    try:
        path = download.fetch(entry, cache / "wheels" / entry.requirement)
        report = command.check(anycuda, path)
        result.built_for = built_for(report)
        result.asks = _asks(path)
        beside = Beside(torch.folder, root)
        result.native = _side(entry, path, work / "native", beside, None, table)
        repaired = _repaired(anycuda, path, cache / "repaired" / entry.requirement)
        versions = {name: library.majors[result.built_for[0]].symbol_version or ""
                    for name, library in table.libraries.items()
                    if result.built_for and result.built_for[0] in library.majors}
        result.repaired = _side(entry, repaired, work / "repaired", beside, versions, table)
    except (download.DownloadError, command.CommandError, OpeningError, zipfile.BadZipFile, OSError) as error:
        result.failed = str(error)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return result


def _repaired(anycuda: Path, path: Path, folder: Path) -> Path:
    """Repaired once for every PyTorch."""
    if not (folder / path.name).exists():
        folder.mkdir(parents=True, exist_ok=True)
        command.repair(anycuda, path, folder)
    return folder / path.name


def built_for(report: dict[str, Any]) -> list[str]:
    labels = {label for file in report["files"] for use in file["uses"] if use["how"] != "loaded"
              for label in use["labels"]}
    return sorted({label for label in labels if " " not in label} or labels)


def _asks(path: Path) -> str:
    with zipfile.ZipFile(path) as archive:
        name = next(file for file in archive.namelist() if file.endswith(".dist-info/METADATA"))
        return torch_install.torch_asked(torch_install.requirements(archive.read(name).decode(errors="replace")))


def _side(entry: Entry, path: Path, folder: Path, beside: Beside, versions: dict[str, str] | None, table: Table
          ) -> Side:
    """`versions`: family -> the symbol version that the repaired wheel uses; None for the original wheel."""
    unpack.unpack(path, folder)
    images = contents.libraries(folder)
    own = {name: image for name, image in images.items() if not contents.is_stub(image)}
    results, first = beside.open_all(own, versions or {})
    extra = _extra(entry, folder, {name: image for name, image in images.items() if name not in own}, versions or {})
    others = beside.run(extra) if extra else {}
    side = Side(len(own))
    for name, opening in results.items():
        if opening["message"]:
            lacks = beside.lacks(own[name].path, first[name], symbols=versions is not None)
            side.failures.append(torch_verdict.failure(name, opening["message"], *lacks, table))
    opened = [opening for opening in (*results.values(), *others.values()) if not opening["message"]]
    side.files = torch_verdict.most([
        torch_verdict.cuda_files(opening["files"], str(beside.torch), str(folder), table) for opening in opened])
    for opening in opened:
        for family, answer in opening["answers"].items():
            if family not in side.answers or answer[0] != answer[1]:
                side.answers[family] = answer
    side.program = others["program"]["message"] if "program" in others else None
    shutil.rmtree(folder)
    return side


def _extra(entry: Entry, folder: Path, stubs: dict[str, Image], versions: dict[str, str]) -> list[dict[str, Any]]:
    """The wheel's program, and each stub by itself: a wheel whose libraries do not open has its stubs asked too."""
    extra: list[dict[str, Any]] = [{"name": name, "path": str(image.path), "first": [], "versions": versions}
                                   for name, image in stubs.items()]
    if entry.name in _PROGRAMS:
        extra.append({"name": "program", "program": _PROGRAMS[entry.name], "site": str(folder / unpack.SITE)})
    return extra
