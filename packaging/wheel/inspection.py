# SPDX-License-Identifier: Apache-2.0
"""Rules for a wheel of anycuda that is shipped: its files, their CPU and their hardening."""

from __future__ import annotations

import json
import re
import tempfile
import zipfile
from pathlib import Path

import hardening

# The descriptors of the stubs: majors with their SONAMEs, and with a node if programs are linked for a major.
LIBRARIES = [json.loads(path.read_text(encoding="utf-8"))
             for path in sorted((Path(__file__).resolve().parents[2] / "stubs").glob("*/library.json"))]
DROPINS = [library.get("callers", major)["soname"] for library in LIBRARIES for major in library["majors"].values()]
LINKED = [f"{number}/{library['file_prefix']}" for library in LIBRARIES if "callers" not in library
          for number, major in library["majors"].items() if major["node"]]
TOOLS = ("libanycuda_doctor.so", "libanycuda_find.so", "anycuda-doctor-native", "anycuda-device-code")

TO_LINK = [f"anycuda/lib/anycuda/link/{name}" for name in LINKED]
# Files that are loaded on users' machines; link libraries are not.
SHIPPED = ([f"anycuda/lib/{library['stub']}" for library in LIBRARIES]
           + ["anycuda/lib/libanycuda_open_at_load.so"]
           + [f"anycuda/lib/anycuda/dropin/{name}" for name in DROPINS]
           + [f"anycuda/lib/anycuda/{name}" for name in TOOLS])
PROMISED = SHIPPED + [
    *TO_LINK,
    "anycuda/__init__.py", "anycuda/__main__.py", "anycuda/installation.json", "anycuda/matrix.json",
    "anycuda/LICENSE",  # of the stubs, for repaired wheels
    "anycuda/lib/cmake/anycuda/anycudaConfig.cmake", "anycuda/lib/cmake/anycuda/anycudaConfigVersion.cmake",
    "anycuda/lib/pkgconfig/anycuda-cuda.pc", "anycuda/lib/pkgconfig/anycuda-cudart-12.pc",
    "anycuda/include/anycuda/built_for.h",
    "share/man/man1/anycuda.1", "share/bash-completion/completions/anycuda",
    "anycuda/lib/anycuda/licenses/liblz4.txt", "anycuda/lib/anycuda/licenses/libzstd.txt",
]


def of_wheel(wheel: Path, cpu: str, folders: tuple[str, ...] = (), floor: bool = True) -> list[str]:
    """All problems of the wheel, as sentences."""
    with zipfile.ZipFile(wheel) as archive, tempfile.TemporaryDirectory() as scratch:
        names = {re.sub(r"^anycuda-[^/]+\.data/data/", "", name) for name in archive.namelist()}
        wrong = [f"it has no {name}" for name in PROMISED if name not in names]
        wrong += [f"it has {name}, which must not be in the wheel"
                  for name in sorted(names) if re.search(r"__pycache__|\.pyc$|/share/|/bin/", name)]
        if wrong:
            return wrong
        installation = json.loads(archive.read("anycuda/installation.json"))
        if installation["cpu"] != cpu:
            wrong.append(f"installation.json is for {installation['cpu']}, not {cpu}")
        for name in SHIPPED:
            path = Path(archive.extract(name, scratch))
            found = hardening.File(path).image.machine
            if found != cpu:
                wrong.append(f"{name} is for {found}, not {cpu}")
                continue
            wrong += [f"{name}: {sentence}" for sentence in hardening.findings(path, folders, floor)]
        found_in = {name: hardening.build_paths(archive.read(name), folders) for name in TO_LINK}
        wrong += [f"{name}: {sentence}" for name, sentence in found_in.items() if sentence]
        for name in PROMISED:
            if name.endswith(("-native", "-code")) and not archive.getinfo(name).external_attr >> 16 & 0o111:
                wrong.append(f"{name} is not executable")
    return wrong
