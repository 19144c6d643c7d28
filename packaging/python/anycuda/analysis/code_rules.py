# SPDX-License-Identifier: Apache-2.0
"""Conclusions from the device code in a file: its GPUs, the drivers that load it, and hints. Pure functions; the facts
and their sources are in compat/catalogue (gpus.py)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..kind import Kind
from .device_code import LZ4, ZSTD, Code, CodeKind
from .gpus import Facts, Packing, Release, Version


class PackingKind(Kind):
    """The packings that older drivers do not read, by their names in the facts."""

    CONCATENATED = "concatenated"
    ZSTD = "zstd"


# How code is packed, and how to build it without that.
_PACKED = {PackingKind.CONCATENATED: ("in concatenated entries (nvcc --concat)",
                                      "Build device code without nvcc --concat"),
           PackingKind.ZSTD: ("compressed with zstd", "Build device code with nvcc --compress-mode=speed")}
_LIBRARIES = {LZ4: "liblz4", ZSTD: "libzstd"}  # compression -> the library that decompresses it


@dataclass(frozen=True)
class Answer:
    """Does the code load? None: unknown. `reason` is a sentence, `hint` a sentence or ""."""

    loads: bool | None
    reason: str
    hint: str = ""


def all_true(results: Iterable[bool | None]) -> bool | None:
    """False if one is False; otherwise None if one is None."""
    distinct = set(results)
    return False if False in distinct else None if None in distinct else True


def any_true(results: Iterable[bool | None]) -> bool | None:
    """True if one is True; otherwise None if one is None."""
    distinct = set(results)
    return True if True in distinct else None if None in distinct else False


def describe(codes: Iterable[Code], facts: Facts) -> list[str]:
    """Sentences about the GPUs and the drivers."""
    codes = list(codes)
    return [*_describe_gpus(codes), *_describe_cubins(codes, facts), *_describe_ptx(codes, facts),
            *_describe_packings(codes, facts)]


def _describe_gpus(codes: Sequence[Code]) -> Iterator[str]:
    if native(codes):
        yield f"Native code for {', '.join(native(codes))}."
    anywhere = jit(code for code in codes if not code.target)
    if anywhere:
        yield f"PTX for {', '.join(anywhere)}, which the driver compiles for this and newer GPUs."
    bound = jit(code for code in codes if code.target)
    if bound:
        yield f"PTX for {', '.join(bound)}, which the driver compiles only for that GPU (a) or GPU family (f)."
    if any(code.kind is CodeKind.LTO_IR for code in codes):
        yield "LTO-IR, which nvcc or nvJitLink links."
    if others(codes):
        yield f"Device code that this version of anycuda cannot read ({', '.join(others(codes))})."


def _describe_cubins(codes: Sequence[Code], facts: Facts) -> Iterator[str]:
    driver = oldest_driver(codes, CodeKind.CUBIN, facts)
    if driver:
        yield f"The cubins of {_cuda(toolkits(codes))} need driver {driver} or newer."
    unknown = [code for code in codes if code.kind is CodeKind.CUBIN and not code.toolkit]
    if unknown:
        which, effect = (("other", "they may need a newer driver") if driver else
                         ("the", "so is the driver that they need"))
        yield f"The CUDA release of {which} cubins is unknown, and {effect}: {_why_unknown(unknown)}."


def _describe_ptx(codes: Sequence[Code], facts: Facts) -> Iterator[str]:
    driver = oldest_driver(codes, CodeKind.PTX, facts)
    if driver:
        newest = max(code.ptx for code in codes if code.kind is CodeKind.PTX and code.ptx)
        yield f"PTX {newest[0]}.{newest[1]} needs driver {driver} or newer on GPUs for which the file has no cubin."


def _describe_packings(codes: Sequence[Code], facts: Facts) -> Iterator[str]:
    if any(code.concatenated for code in codes):
        packing = facts.packings[PackingKind.CONCATENATED]
        yield (f"Concatenated entries (nvcc --concat): driver {packing.read_by} or newer reads them, driver "
               f"{packing.unread_by} or older does not; for drivers in between it is unknown.")
    if any(_packing(code) is PackingKind.ZSTD and driver_for(code, facts) > _driver_without_packing(code, facts)
           for code in codes):
        yield (f"Code compressed with zstd (nvcc --compress-mode=size or balance) needs driver "
               f"{facts.packings[PackingKind.ZSTD].read_by} or newer.")


def compressions(codes: Iterable[Code]) -> list[str]:
    """lz4, zstd: those of the cubins that this anycuda cannot decompress."""
    return sorted({code.compression for code in codes if code.undecompressed and code.compression in _LIBRARIES})


def libraries(compressed: Iterable[str]) -> str:
    """liblz4 and libzstd: the libraries that decompress them."""
    return " and ".join(_LIBRARIES[packing] for packing in compressed)


def _why_unknown(cubins: Sequence[Code]) -> str:
    """The reason why their CUDA release is unknown."""
    compressed = compressions(cubins)
    if not compressed:
        return "anycuda found no CUDA release in them"
    which = "they" if all(compressions([code]) for code in cubins) else "some of them"
    return (f"{which} are compressed with {' and '.join(compressed)}, and this anycuda was built without "
            f"{libraries(compressed)}")


def native(codes: Iterable[Code]) -> list[str]:
    """sm_80, sm_90a"""
    return _names(code for code in codes if code.kind is CodeKind.CUBIN)


def jit(codes: Iterable[Code]) -> list[str]:
    """compute_90, compute_100f"""
    return _names(code for code in codes if code.kind is CodeKind.PTX)


def others(codes: Iterable[Code]) -> list[str]:
    """Tile IR, kind 512: kinds for linkers and other compilers, and kinds of later compilers."""
    return sorted({code.kind for code in codes} - {CodeKind.CUBIN, CodeKind.PTX, CodeKind.LTO_IR})


def toolkits(codes: Iterable[Code]) -> list[Version]:
    """The CUDA releases that made the cubins, oldest first."""
    return sorted({code.toolkit for code in codes if code.kind is CodeKind.CUBIN and code.toolkit})


def oldest_driver(codes: Iterable[Code], kind: CodeKind, facts: Facts) -> int:
    """The first branch that loads all cubins, or compiles all PTX, with a known branch (`is_known`); 0 without any."""
    return max((driver_for(code, facts) for code in codes if code.kind is kind), default=0)


def is_known(codes: Iterable[Code], kind: CodeKind, facts: Facts) -> bool:
    """Is the first branch known for all cubins, or all PTX?"""
    return all(is_served(code, driver_for(code, facts), facts) for code in codes if code.kind is kind)


def driver_for(code: Code, facts: Facts) -> int:
    """The first branch that loads a cubin or compiles PTX on any GPU; 0: unknown. Packed code may need a later branch
    (`is_known`)."""
    plain, packing = _driver_without_packing(code, facts), _limits(code, facts)
    return max(plain, facts.driver_after(packing.unread_by)) if plain and packing else plain


def _driver_without_packing(code: Code, facts: Facts) -> int:
    if code.kind is CodeKind.CUBIN and code.toolkit:
        return facts.driver_for_cubin(code.toolkit)
    release = facts.first_with_ptx(code.ptx) if code.kind is CodeKind.PTX and code.ptx else None
    return release.driver if release else 0


def _packing(code: Code) -> PackingKind | None:
    """None if every driver reads the code."""
    if code.concatenated:
        return PackingKind.CONCATENATED
    return PackingKind.ZSTD if code.compression == ZSTD else None


def _limits(code: Code, facts: Facts) -> Packing | None:
    """The drivers that read the code's packing; None if every driver does."""
    packing = _packing(code)
    return facts.packings.get(packing) if packing else None


def _packing_of(codes: Iterable[Code]) -> PackingKind:
    """The packing of several entries, at least one of which is packed."""
    packings = {_packing(code) for code in codes}
    return next(packing for packing in _PACKED if packing in packings)


def _hidden(codes: Iterable[Code], driver: int, facts: Facts) -> tuple[str, str]:
    """The packing and a hint, if the driver would load all entries without their packing."""
    codes = list(codes)
    if not all(_serves(driver, _driver_without_packing(code, facts)) for code in codes):
        return "", ""
    packed, hint = _PACKED[_packing_of(codes)]
    return packed, f"{hint}, or install a newer driver."


def is_served(code: Code, driver: int, facts: Facts) -> bool:
    """Is the driver known to load the cubin, or to compile the PTX, on any GPU?"""
    packing = _limits(code, facts)
    return _serves(driver, driver_for(code, facts)) and (packing is None or driver >= packing.read_by)


def runs_on(code: Code, gpu: int, facts: Facts) -> bool:
    """Does a cubin, or PTX, run on the GPU (90 for sm_90) if the driver is new enough?"""
    if code.kind not in (CodeKind.CUBIN, CodeKind.PTX) or code.target == "a" or code.architecture == gpu:
        return code.kind in (CodeKind.CUBIN, CodeKind.PTX) and code.architecture == gpu
    if code.kind is CodeKind.PTX and not code.target:
        return code.architecture < gpu
    tegra = any(number in facts.gpus and facts.gpus[number].tegra for number in (code.architecture, gpu))
    return code.architecture < gpu and code.architecture // 10 == gpu // 10 and not tegra


def loads(codes: Iterable[Code], driver: int, gpu: int, facts: Facts) -> Answer:
    """The answer for a driver branch (550) and a GPU (90 for sm_90). A file has many kernels with several cubins each;
    it fails if one cubin for the GPU does not load, since that kernel may have no other."""
    codes = list(codes)
    if not codes:
        return Answer(True, "It has no device code.")
    lacking = unsupported(driver, gpu, facts)
    if lacking:
        return lacking
    cubins = [code for code in codes if code.kind is CodeKind.CUBIN and runs_on(code, gpu, facts)]
    texts = [code for code in codes if code.kind is CodeKind.PTX and runs_on(code, gpu, facts)]
    if cubins:
        return _cubins_load(cubins, driver, gpu, facts)
    if texts:
        return _ptx_compiles(texts, driver, gpu, facts)
    if others(codes):
        return Answer(None, "It has device code that this version of anycuda cannot read "
                            f"({', '.join(others(codes))}).")
    has = ", ".join([*native(codes), *jit(codes)])
    if not has and any(code.kind is CodeKind.LTO_IR for code in codes):
        return Answer(None, "It has only LTO-IR, which nvcc or nvJitLink must link first.")
    return Answer(False, f"It has no code for sm_{gpu}, only {has or 'code that drivers cannot load'}.",
                  _add_gpu(gpu, driver, facts))


def unsupported(driver: int, gpu: int, facts: Facts) -> Answer | None:
    """The reason why no code runs on the GPU with the driver; None if the driver supports the GPU."""
    first, entry = facts.driver_for_gpu(gpu), facts.gpus.get(gpu)
    if first > driver:
        return Answer(False, f"Driver {driver} does not support sm_{gpu}: {first} is the first that does.",
                      f"Install driver {first} or newer.")
    if entry and 0 < entry.last_driver < driver:
        return Answer(False, f"Driver {driver} does not support sm_{gpu}: {entry.last_driver} is the last that does.",
                      f"Install driver {entry.last_driver}.")
    return None


def _cubins_load(cubins: list[Code], driver: int, gpu: int, facts: Facts) -> Answer:
    recorded = [code for code in cubins if code.toolkit]
    late = [code for code in recorded if not _serves(driver, driver_for(code, facts))]
    cubins_for = _cubins_for(gpu, cubins)
    if late:
        needed = max(driver_for(code, facts) for code in late)
        from_driver = f"driver {needed} or newer" if all(driver_for(code, facts) for code in late) else "a newer driver"
        packed, hint = _hidden(late, driver, facts)
        what = f"of {_cuda(toolkits(late))}{f', {packed},' if packed else ''}"
        return Answer(False, f"The {cubins_for} {what} need {from_driver}, not {driver}.",
                      hint or _rebuild(driver, gpu, facts))
    if len(recorded) < len(cubins):
        why = _why_unknown([code for code in cubins if not code.toolkit])
        return Answer(None, f"It is unknown which drivers load the {cubins_for}: their CUDA release is unknown "
                            f"({why}).")
    hidden = [code for code in cubins if not is_served(code, driver, facts)]
    if hidden:
        return _unknown(cubins_for, hidden, driver, facts)
    return Answer(True, f"Driver {driver} loads the {cubins_for}.")


def _cubins_for(gpu: int, cubins: Iterable[Code]) -> str:
    """cubins for sm_86 (built for sm_80): the cubins that the GPU runs, with their names if these differ from the
    GPU's."""
    names = _names(cubins)
    return f"cubins for sm_{gpu}" + ("" if names == [f"sm_{gpu}"] else f" (built for {', '.join(names)})")


def _ptx_compiles(texts: list[Code], driver: int, gpu: int, facts: Facts) -> Answer:
    served = [code for code in texts if is_served(code, driver, facts)]
    if served:
        return Answer(True, f"Driver {driver} compiles the PTX for sm_{gpu} ({', '.join(_names(served))}).")
    hidden = [code for code in texts if _serves(driver, driver_for(code, facts))]
    if hidden:
        return _unknown(f"PTX for sm_{gpu} ({', '.join(_names(hidden))})", hidden, driver, facts)
    oldest = min(texts, key=lambda code: (driver_for(code, facts) or _newest(facts) + 1, code.ptx or (0, 0)))
    needed, version = driver_for(oldest, facts), ".".join(map(str, oldest.ptx or ()))
    from_driver = f"driver {needed} or newer" if needed else "a driver that is newer than all known ones"
    packed, hint = _hidden([oldest], driver, facts)
    what = f"PTX {version} ({oldest.name}){f', {packed}' if packed else ''}"
    reason = f"For sm_{gpu} it has only {what}, which {from_driver} compiles, not {driver}."
    if hint:
        return Answer(False, reason, hint)
    if not needed and driver > _newest(facts):
        return Answer(None, f"Whether driver {driver} compiles PTX {version} ({oldest.name}) is unknown: this version "
                            f"of anycuda knows drivers up to {_newest(facts)}.")
    return Answer(False, reason, _add_gpu(gpu, driver, facts))


def _unknown(what: str, codes: Iterable[Code], driver: int, facts: Facts) -> Answer:
    """The answer if the driver may or may not read the packing."""
    packing = _packing_of(codes)
    first = facts.packings[packing].read_by
    return Answer(None, f"The {what} are {_PACKED[packing][0]}: driver {first} or newer reads them; whether driver "
                        f"{driver} does is unknown.")


def why_unknown(codes: Iterable[Code], driver: int, facts: Facts) -> list[str]:
    """Why it is unknown whether the driver loads the cubins among `codes`."""
    cubins = [code for code in codes if code.kind is CodeKind.CUBIN]
    causes = [] if all(code.toolkit for code in cubins) else ["the CUDA release that made their cubins is unknown"]
    hidden = [code for code in cubins if code.toolkit and _serves(driver, driver_for(code, facts))
              and not is_served(code, driver, facts)]
    if hidden:
        causes.append(f"their cubins are {_PACKED[_packing_of(hidden)][0]}, which driver {driver} may not read")
    return causes


def _serves(driver: int, needed: int) -> bool:
    return 0 < needed <= driver


def _newest(facts: Facts) -> int:
    return max(release.driver for release in facts.releases)


def _rebuild(driver: int, gpu: int, facts: Facts) -> str:
    release = facts.cuda_of_driver(driver)
    first = facts.first_of_major(release.cuda[0]) if release and release.cuda[0] >= 11 else release
    if release is None or first is None:
        return "Install a newer driver."
    compiler = _compiler(release, gpu, facts)
    return f"Build device code with nvcc {compiler} to serve drivers from {first.driver} on, or install a newer driver."


def _add_gpu(gpu: int, driver: int, facts: Facts) -> str:
    release = facts.cuda_of_driver(driver)
    if release is None:
        return "Install a newer driver."
    return f"Add sm_{gpu} with nvcc {_compiler(release, gpu, facts)}."


def _compiler(release: Release, gpu: int, facts: Facts) -> str:
    """A compiler for the GPU whose cubins a driver of the release loads: 12.x; 12.8 or later 12.x."""
    major, entry = release.cuda[0], facts.gpus.get(gpu)
    if major < 11:
        return f"{major}.{release.cuda[1]}"
    if entry and entry.last and entry.last[0] < major:
        return f"{entry.last[0]}.x"
    if entry and entry.first[0] == major and entry.first[1] > 0:
        return f"{major}.{entry.first[1]} or later {major}.x"
    return f"{major}.x"


def _cuda(versions: list[Version]) -> str:
    return "CUDA " + ", ".join(f"{major}.{minor}" for major, minor in versions)


def _names(codes: Iterable[Code]) -> list[str]:
    ordered = sorted(codes, key=lambda code: (code.architecture, code.target))
    return list(dict.fromkeys(code.name for code in ordered if code.architecture))
