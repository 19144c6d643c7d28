# SPDX-License-Identifier: Apache-2.0
"""One input for each (group, seed, number), and the words of the command lines that read it."""

from __future__ import annotations

import functools
import json
import shutil
import subprocess
import tempfile
import unittest
import zipfile
from dataclasses import dataclass
from pathlib import Path
from random import Random

import texts
import zips
from wheel_support import hash_of, real_wheel

NAME = "thing-1.0-py3-none-linux_x86_64.whl"
ABOUT = "thing-1.0.dist-info"
SBOM = f"{ABOUT}/sboms/auditwheel.cdx.json"
GROUPS = ("zip", "metadata", "record", "sbom", "texts", "elf", "device_code")
_CHECK = ((), ("--json",), ("--runtime", "12"), ("--all",), ("--gpu", "sm_90", "--driver", "550"))
_REPAIR = ((), ("--json",), ("-v",), ("--free-requirements",), ("--free-requirements", "--json"), ("--build-tag", "1"),
           ("--drop-requirement", "nvidia-cuda-runtime-cu12"), ("--no-drop-ins", "--partly"), ("-z", "9", "-j", "2"))
_LIBRARY = """
extern int cudaRuntimeGetVersion(int*);
const char* name = "libcublas.so.12";
int version(int* to) { return cudaRuntimeGetVersion(to); }
"""
_LINE = {"code": 2, "architecture": 90, "target": "a", "toolkit": [12, 9], "entries": 1, "stored": 100,
         "compression": "none", "plain_data": False}


@dataclass(frozen=True)
class Case:
    """`words`: command lines without the file that they read, which has that name; none: lines of
    anycuda-device-code."""

    data: bytes
    name: str
    words: tuple[tuple[str, ...], ...]


@functools.cache
def library() -> bytes:
    """A small library that calls the CUDA runtime of CUDA 12, and may open cuBLAS."""
    compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "map").write_text("libcudart.so.12 { global: *; };\n")
        (folder / "runtime.c").write_text("int cudaRuntimeGetVersion(int* to) { return *to; }\n")
        (folder / "library.c").write_text(_LIBRARY)
        made = [compiler, "-shared", "-fPIC", "-nostdlib", "-Wl,--build-id=none", "-o"]
        subprocess.run([*made, folder / "libcudart.so.12", folder / "runtime.c", "-Wl,-soname,libcudart.so.12",
                        f"-Wl,--version-script={folder / 'map'}"], check=True)
        subprocess.run([*made, folder / "lib.so", folder / "library.c", folder / "libcudart.so.12"], check=True)
        return (folder / "lib.so").read_bytes()


@functools.cache
def seeds() -> tuple[dict[str, bytes], ...]:
    """The files of wheels: of one made here that has all that is read, and of a real one if the cache has it."""
    files = {
        "thing/__init__.py": b"import ctypes\nimport torch\n\nctypes.CDLL('libcudart.so.12')\n",
        "thing/load.json": b'[{"file": "libcublas.so.12", "from": "nvidia-cublas-cu12"}]\n',
        "thing/lib.so": library(),
        SBOM: json.dumps(_sbom()).encode(),
        f"{ABOUT}/METADATA": b"Metadata-Version: 2.1\nName: thing\nVersion: 1.0\nLicense-File: LICENSE\n"
                             b"Requires-Dist: nvidia-cuda-runtime-cu12>=12,<13\nRequires-Dist: torch; extra == 'a'\n"
                             b"\nText\n",
        f"{ABOUT}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: py3-none-linux_x86_64\n",
        f"{ABOUT}/LICENSE": b"Mine\n",
        f"{ABOUT}/entry_points.txt": b"[console_scripts]\nthing = thing:main\n",
    }
    try:
        path = real_wheel("torch_memory_saver")
    except unittest.SkipTest:  # it is not in the cache
        return files,
    with zipfile.ZipFile(path) as wheel:
        real = {info.filename.replace("torch_memory_saver-0.0.9", "thing-1.0"): wheel.read(info)
                for info in wheel.infolist() if not info.filename.endswith("/RECORD")}
    return files, files, files, real


def _sbom() -> dict:
    anycuda = "pkg:generic/anycuda@0.1.0"
    own = {"bom-ref": anycuda, "name": "anycuda", "components": [{"type": "file", "name": "thing.libs/old.so"}]}
    return {"bomFormat": "CycloneDX", "specVersion": "1.4", "version": 1, "metadata": {
                "component": {"bom-ref": "thing", "name": "thing"}, "tools": [{"name": "auditwheel"}]},
            "components": [own, {"bom-ref": "cudart", "name": "cuda-cudart-12-4", "type": "library"}],
            "dependencies": [{"ref": "thing", "dependsOn": ["cudart"]}]}


def with_record(files: dict[str, bytes]) -> dict[str, bytes]:
    rows = [f"{name},{hash_of(data)},{len(data)}\n" for name, data in files.items()]
    return {**files, f"{ABOUT}/RECORD": "".join([*rows, f"{ABOUT}/RECORD,,\n"]).encode("utf-8", "surrogateescape")}


def of_file(path: Path) -> Case:
    """An input that was kept."""
    if path.suffix == ".jsonl":
        return Case(path.read_bytes(), path.name, ())
    words = (("check", "--json"), ("repair", "--dry-run", "-v"), ("repair", "--free-requirements"))
    name = NAME if path.suffix == ".whl" else path.name
    return Case(path.read_bytes(), name, words)


def made(group: str, seed: int, number: int) -> Case:
    random = Random(f"{seed}:{group}:{number}")
    if group == "device_code":
        return Case(_lines(random), "lines.jsonl", ())
    files = dict(random.choice(seeds()[:1] if group in ("sbom", "elf") else seeds()))
    words = (("check", *random.choice(_CHECK)), ("repair", "--dry-run", *random.choice(_REPAIR)),
             ("repair", *random.choice(_REPAIR)))
    if group == "zip":
        return Case(zips.spoiled(with_record(files), random), NAME, words)
    if group == "elf" and random.random() < 0.3:
        return Case(zips.damaged(files["thing/lib.so"], random), "lib.so", words[:1] + (("repair", "--dry-run"),))
    if group == "record":
        files = with_record(files)
        files[f"{ABOUT}/RECORD"] = texts.record(random, files[f"{ABOUT}/RECORD"])
    else:
        _spoil(group, files, random)
        files = with_record(files)
    return Case(zips.write(zips.as_members(files)), NAME, words)


def _spoil(group: str, files: dict[str, bytes], random: Random) -> None:
    if group == "metadata":
        name = random.choice(("METADATA", "METADATA", "METADATA", "WHEEL", "entry_points.txt"))
        files[f"{ABOUT}/{name}"] = texts.metadata(random, files.get(f"{ABOUT}/{name}", b""))
    elif group == "sbom":
        name = random.choice((SBOM, SBOM, f"{ABOUT}/sboms/anycuda.cdx.json", f"{ABOUT}/sboms/other.cdx.json"))
        files[name] = texts.json_(random, files[SBOM])
    elif group == "texts":
        name = random.choice(("thing/__init__.py", "thing/__init__.py", "thing/load.json", "thing/a.sh", "thing.pth"))
        make = texts.json_ if name.endswith(".json") else texts.python
        files[name] = make(random, files.get(name, b"[]"))
    else:
        files["thing/lib.so"] = zips.damaged(files["thing/lib.so"], random)


def _lines(random: Random) -> bytes:
    rows = [_LINE, {**_LINE, "code": 1, "format": [8, 8]}, {"offset": 12, "problem": "damaged"}, {"kind": "fatbin"}]
    lines = [json.dumps(choice).encode() for choice in random.choices(rows, k=random.randrange(6))]
    return b"\n".join(texts.json_(random, line) if random.random() < 0.4 else line for line in lines)
