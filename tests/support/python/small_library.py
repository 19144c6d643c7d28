# SPDX-License-Identifier: Apache-2.0
"""Libraries made from the ABI database, in place of NVIDIA's of some hundred megabytes: all names of a release under
its SONAME and symbol version. Each function returns a different number; nothing else is in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

from abi_support import DESCRIBED, real
from generate import descriptor

COMPILER = ("cc", "-shared", "-nostdlib", "-nostartfiles", "-Wl,-z,noexecstack", "-Wl,--hash-style=gnu")
RETURN = {"x86_64": ("movl ${number}, %eax", "ret"), "aarch64": ("mov w0, {number}", "ret")}
FIRST_NUMBER = 20000  # far from every status


def described(library: str) -> descriptor.Descriptor:
    return DESCRIBED[library]


def functions(library: str) -> list[str]:
    """Of any release: a function's place is its number."""
    return sorted(name for name, function in real(library).functions.items() if not function.data_size)


def number(library: str, function: str) -> int:
    return FIRST_NUMBER + functions(library).index(function)


def major_of(library: str, release: str) -> descriptor.Major:
    if described(library).own_releases:
        return described(library).asked_for(described(library).majors[0])
    cuda = int(release.split(".")[0])
    return next(major for major in described(library).majors if cuda in major.cuda_majors)


def make(library: str, release: str, folder: Path, machine: str, needed: tuple[Path, ...] = (),
         numbers: dict[str, int] | None = None) -> Path:
    """FOLDER/libcufft.so.11, of that release of CUDA. `needed`: libraries that it needs."""
    major = major_of(library, release)
    numbers = numbers or {name: FIRST_NUMBER + place for place, name in enumerate(functions(library))}
    exports = real(library).exports(release)
    lines = ["    .text"]
    for name in exports:
        lines += [f"    .globl {name}", f"    .type {name}, %function", f"{name}:"]
        lines += [f"    {line.format(number=numbers[name])}" for line in RETURN[machine]]
    folder.mkdir(parents=True, exist_ok=True)
    source, script = folder / f"{library}.S", folder / f"{library}.map"
    source.write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = " ".join(f"{name};" for name in exports)
    script.write_text(f"{real(library).node(release)} {{ global: {names} local: *; }};\n", encoding="utf-8")
    made = folder / major.soname
    subprocess.run([*COMPILER, f"-Wl,-soname,{major.soname}", f"-Wl,--version-script={script}", "-Wl,--no-as-needed",
                    "-o", made, source, *needed], check=True)
    source.unlink()
    script.unlink()
    return made
