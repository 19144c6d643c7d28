# SPDX-License-Identifier: Apache-2.0
"""One wheel, from the download to its results."""

from __future__ import annotations

import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

from anycuda.analysis import libraries as cuda
from anycuda.analysis.libraries import Table
from anycuda.elf.read import Image

from . import command, companions, contents, dlopen_errors, download, names, opening, references, situations, unpack
from .options import Interpreter
from .verdict import Failure, Opening, Result
from .wheel_list import Entry

LARGEST = 600 * 10**6


def wheel(entry: Entry, anycuda: Path, cache: Path, roots: dict[str, Path], table: Table, python: Interpreter
          ) -> Result:
    """`python` opens the libraries. A failing download or repair is a result with its reason."""
    result = Result(entry.requirement, beside=[wheel.requirement for wheel in entry.beside], after=list(entry.after),
                    python=python.version)
    work = cache / "work" / entry.requirement
    try:
        path = download.fetch(entry, cache / "wheels" / entry.requirement)
        _measure(result, path, companions.fetch(entry, cache), anycuda, cache, work, roots, table, python.file)
    except (download.DownloadError, command.CommandError, zipfile.BadZipFile, OSError,
            subprocess.SubprocessError) as error:
        result.failed = str(error)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return result


def _measure(result: Result, path: Path, beside: list[Path], anycuda: Path, cache: Path, work: Path,
             roots: dict[str, Path], table: Table, python: Path) -> None:
    size = path.stat().st_size
    if size > LARGEST:
        result.failed = (f"the wheel has {size // 10**6} MB; the command measures only wheels of at most "
                         f"{LARGEST // 10**6} MB")
        return
    report = command.check(anycuda, path)
    _needs(result, report)
    result.absent = absent(report)
    native, helpers = _installed(path, beside, work / "native")
    after = tuple(f"{unpack.SITE}/{name}" for name in result.after)
    if lacking := set(after) - helpers.keys():
        result.failed = f"no package beside the wheel has {', '.join(sorted(lacking))}"
        return
    opened_natively = opening.open_all(native, roots[situations.NONE], helpers, after, python)
    result.native = _opening(native, None, opened_natively, table)
    brought = {name for image in native.values() for name in (image.path.name, image.soname)}
    opened = by_name(report, table) - brought
    shutil.rmtree(work / "native")

    repaired = command.repair(anycuda, path, work / "out")
    result.refusal, result.notes = repaired.refusal, repaired.notes
    opened |= by_name(command.check(anycuda, repaired.wheel), table)
    others = companions.repair(anycuda, beside, cache / "companions")
    result.beside_refused = {name: other.refusal for name, other in zip(result.beside, others) if other.refusal}
    images, helpers = _installed(repaired.wheel, [other.wheel for other in others], work / "repaired")
    after = tuple(name for name in after if name in helpers)  # a repair leaves copies of NVIDIA's libraries out
    stubs = {image.path.name: image for image in images.values() if contents.is_stub(image)}
    added = {image.path.name for name, image in images.items() if name not in native} - stubs.keys()
    result.by_name, result.drop_ins = sorted(opened - added), sorted(added)
    own = {name: image for name, image in images.items()
           if not contents.is_stub(image) and image.path.name not in added}
    inside = {image.soname: image for image in images.values()} | {image.path.name: image for image in images.values()}
    runtime = next((image.path for name, image in stubs.items() if name.startswith("libanycuda_cudart-")), None)
    for name, root in roots.items():
        opened_now = opening.open_all(own, root, helpers, after, python)
        result.situations[name] = _opening(own, inside, opened_now, table)
        took = opening.runtime(runtime, root) if runtime else situations.RUNTIME[name]
        if took != situations.RUNTIME[name]:
            result.runtimes[name] = took


def _installed(wheel: Path, beside: list[Path], prefix: Path) -> tuple[dict[str, Image], dict[str, Image]]:
    """Unpacked as pip does: the wheel's libraries, and those of the packages beside it."""
    companions.unpack_all(beside, prefix)
    names = set(unpack.unpack(wheel, prefix))
    images = contents.libraries(prefix)
    return ({name: image for name, image in images.items() if name in names},
            {name: image for name, image in images.items() if name not in names})


def _needs(result: Result, report: dict[str, Any]) -> None:
    labels, needs = set(), set()
    for file in report["files"]:
        result.static += file["static_runtime"]
        linked = [use for use in file["uses"] if use["how"] != "loaded"]
        labels |= {label for use in linked for label in use["labels"]}
        needs |= {use["needed"] for use in linked if use["needed"]} | set(file["other"])
    # "12 or 13" says less than "12".
    result.built_for = sorted({label for label in labels if " " not in label} or labels)
    result.needs = sorted(needs)


def absent(report: dict[str, Any]) -> dict[str, int]:
    """Release -> how many of the functions that the wheel uses do not run there, however it is repaired."""
    failing = [cell for cell in report["cells"] if cell["fails"] and cell["kind"] in ("absent", "rejected")]
    counts = {release: len({cell["symbol"] for cell in failing if release in cell["runtimes"]})
              for release in situations.RELEASES}
    return {release: count for release, count in counts.items() if count}


def by_name(report: dict[str, Any], table: Table) -> set[str]:
    """The names of libraries of one CUDA that a wheel's libraries open, as `anycuda check` reports them: those with a
    stub and those without one."""
    found = set()
    for file in report["files"]:
        if not file["provides"] or file["provides"]["what"] == "some":
            found |= {text for use in file["uses"] if use["how"] == "loaded" for text in use["strings"]}
            found |= {opened["name"] for opened in file["opens"]}
    return {name for name in found if names.of_one_cuda(name, table)}


def _opening(images: dict[str, Image], inside: dict[str, Image] | None, messages: dict[str, str], table: Table
             ) -> Opening:
    """`inside`: name or SONAME -> library of the repaired wheel; None for a wheel as it comes."""
    own = frozenset([image.path.name for image in images.values()] + [image.soname for image in images.values()])
    result = Opening(len(images))
    for name, message in messages.items():
        if message:
            result.failures.append(_failure(name, images[name], own, inside, message, table))
    return result


def _failure(name: str, image: Image, own: frozenset[str], inside: dict[str, Image] | None, message: str, table: Table
             ) -> Failure:
    lack = dlopen_errors.parse(message)
    owner = dlopen_errors.owner(lack, table)
    left = references.unstubbed(image, own, table)
    if lack.kind == "library" and owner in ("CUDA", "NVIDIA") and lack.what not in left:
        left.append(lack.what)  # of a library that this one needs
    tied = [need for need in left if table.named(need) or table.ties_to_cuda(need)]
    lost = [] if inside is None else references.missing(image, inside, table)
    return Failure(name, lack.kind, lack.what, owner, tied, [need for need in left if need not in tied], lost,
                   references.count(image, table))


def table_of(anycuda: Path) -> Table:
    """The libraries that the command's stubs know."""
    return cuda.table(anycuda.resolve().parent.parent / "share" / "anycuda" / "matrix.json")
