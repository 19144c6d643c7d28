# SPDX-License-Identifier: Apache-2.0
"""The verdict as a sentence. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..analysis import describe_ties
from ..analysis.companions import Companion
from ..analysis.describe_kernels import some
from ..analysis.kernels import Needs
from ..analysis.static_runtime import StaticRuntime
from .input_verdict import InputVerdict, Loaded, VerdictKind

_FIXED = {VerdictKind.FREE: "free", VerdictKind.CUDA_ITSELF: "a library of CUDA itself",
          VerdictKind.UNREADABLE: "unknown: unreadable", VerdictKind.OTHER_SYSTEM: "unknown: not for Linux"}


def sentence(verdict: InputVerdict, short: bool = False) -> str:
    """The verdict's kind, and then everything else that applies. `short`: for people, with few files of ties."""
    texts = {
        VerdictKind.TIED: describe_ties.tied(verdict.ties, short) if verdict.ties else "",
        VerdictKind.STATIC: _static(verdict.static) if verdict.static else "",
        VerdictKind.OWN_LOADER: _own_loader(verdict),
        VerdictKind.WITH: _with(verdict.companions) if verdict.companions else "",
    }
    others = [text for kind, text in texts.items() if text and kind is not verdict.kind]
    device_code = _device_code(verdict.kernels) if verdict.kernels else ""
    if verdict.kind is VerdictKind.NO_CUDA and device_code:  # which is then the whole verdict
        return "; ".join([device_code, *others, *([_python(verdict.python)] if verdict.python else [])])
    first = _FIXED.get(verdict.kind) or texts.get(verdict.kind) or _no_cuda(verdict)
    if verdict.kind is VerdictKind.WITH:
        first = f"free {first}"
    return "; ".join([first, *others, *filter(None, [device_code])])


def _static(runtimes: Sequence[StaticRuntime]) -> str:
    """static runtime 12.4, 12.9: needs driver 525"""
    releases = dict.fromkeys(sorted((runtime.release for runtime in runtimes), key=_by_number))
    drivers = [int(runtime.driver) for runtime in runtimes if runtime.driver] or [0]
    needs = needs_driver(min(drivers), max(drivers))
    return f"static runtime {', '.join(release or 'older than 11.8' for release in releases)}: {needs}"


def needs_driver(least: int, newest: int, unknown: bool = False) -> str:
    """needs driver 450 to 580, depending on the file: from the file with the lowest need to the one with the highest.
    `unknown`: possibly a newer driver."""
    if not newest:
        return "the driver that it needs is unknown"
    newer = ", possibly a newer one" if unknown else ""
    return (f"needs driver {newest}{newer}" if least == newest else
            f"needs driver {least} to {newest}{newer}, depending on the file")


def _device_code(needs: Needs) -> str:
    """device code of CUDA 12.4, 13.0: needs driver 580"""
    parts = [f"of CUDA {', '.join(needs.toolkits)}" if needs.toolkits else "",
             f"in PTX {', '.join(needs.ptx)}" if needs.ptx else ""]
    driver = needs_driver(needs.least, needs.driver, needs.unknown)
    return f"{' '.join(['device code', ' and '.join(filter(None, parts))]).strip()}: {driver}"


def _by_number(release: str) -> list[int]:
    return [int(part) for part in release.split(".") if part]


def _own_loader(verdict: InputVerdict) -> str:
    opens = f"may open {_opened(verdict.loads)}" if verdict.loads else ""
    if verdict.loaders:
        return f"own loader in {some(verdict.loaders)}{f': it {opens}' if opens else ''}"
    return f"own loader: it {opens}" if verdict.kind is VerdictKind.OWN_LOADER else opens


def _opened(loads: Iterable[Loaded]) -> str:
    """libcublas.so, libcusparseLt.so, libcusparseLt.so.0 (nvidia-cusparselt-cu12, >=0.8, of CUDA 12)"""
    names: dict[str, list[str]] = {}
    for load in loads:
        libraries = names.setdefault(_source(load.source) if load.source else "", [])
        if load.library not in libraries:
            libraries.append(load.library)
    return ", ".join(some(libraries) + (f" ({source})" if source else "") for source, libraries in names.items())


def _with(companions: Sequence[Companion]) -> str:
    """with torch (>=2.9), cutensor-cu12 (<3,>=2.8, of CUDA 12), libcusparseLt.so.0 (nvidia-cusparselt-cuXX)"""
    listed = [f"{companion.package} ({_versions(companion)})" for companion in companions if companion.package]
    others = [", ".join(companion.libraries) + (f" ({companion.distribution})" if companion.distribution else "")
              for companion in companions if not companion.package]
    return f"with {', '.join(listed + others)}"


def _versions(companion: Companion) -> str:
    of_cuda = f", of CUDA {companion.cuda}" if companion.cuda else ""
    return f"{companion.versions or 'versions not stated'}{of_cuda}"


def _source(companion: Companion) -> str:
    """nvidia-cusparselt-cu12, >=0.8, of CUDA 12; nvidia-cusparselt-cuXX"""
    return f"{companion.package}, {_versions(companion)}" if companion.package else companion.distribution


def _no_cuda(verdict: InputVerdict) -> str:
    return f"no CUDA in binaries; {_python(verdict.python)}" if verdict.python else "no CUDA in binaries"


def _python(names: Sequence[str]) -> str:
    """its Python files may open libcublas.so.12 and import torch"""
    opened = [name for name in names if not name.startswith("import ")]
    imported = [name[len("import "):] for name in names if name.startswith("import ")]
    parts = [f"may open {some(opened)}" if opened else "", f"import {some(imported)}" if imported else ""]
    return f"its Python files {' and '.join(text for text in parts if text)}"
