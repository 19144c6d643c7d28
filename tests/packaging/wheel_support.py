# SPDX-License-Identifier: Apache-2.0
"""The common parts of the tests of wheels: small wheels made here, real ones of the cache, and independent checks of
a result: zip, RECORD, and how the dynamic linker loads the libraries in it."""

from __future__ import annotations

import base64
import csv
import hashlib
import io
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib
from pathlib import Path

from build_folder import BUILD, artifact
from doctor_support import COMMAND, ROOT

sys.path.insert(0, str(ROOT / "packaging" / "python"))

STUBS = BUILD / "lib"
DATE = (2024, 5, 17, 10, 20, 30)
UTF_8 = 0x800  # the flag of a name: APPNOTE.TXT 4.4.4


def real_wheel(name: str) -> Path:
    """A wheel of the set `wheels`, as PyPI has it."""
    return next(artifact(f"wheel-{name}").glob("*.whl"))


class FolderCase(unittest.TestCase):
    """A test with an empty folder."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="wheels-")
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name).resolve()

    def wheel(self, files: dict[str, bytes], **options) -> Path:
        return make_wheel(self.top, files, **options)


def hash_of(content: bytes) -> str:
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def make_wheel(folder: Path, files: dict[str, bytes], name: str = "thing-1.0-py3-none-linux_x86_64.whl",
               metadata: str = "", record: bytes | None = None, change=None) -> Path:
    """A whole wheel. `change(info)` may damage an entry; `record` replaces RECORD."""
    project, version = name.split("-")[:2]
    about = f"{project}-{version}.dist-info"
    files = {**files, f"{about}/METADATA":
             f"Metadata-Version: 2.1\nName: {project}\nVersion: {version}\n{metadata}\n".encode(),
             f"{about}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: py3-none-any\n"}
    rows = "".join(f"{file},{hash_of(content)},{len(content)}\n" for file, content in files.items())
    files[f"{about}/RECORD"] = (rows + f"{about}/RECORD,,\n").encode() if record is None else record
    path = folder / name
    with zipfile.ZipFile(path, "w") as wheel:
        for file, content in files.items():
            info = zipfile.ZipInfo(file, DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o100755 if ".so" in file else 0o100644) << 16
            if change:
                change(info)
            wheel.writestr(info, content)
    return path


def in_zip64_form(path: Path) -> bytes:
    """The same files, each with a local header as for more than 4 GB: sizes of 8 bytes in an extra field, APPNOTE.TXT
    4.3.9 and 4.5.3."""
    out, directory = b"", b""
    with zipfile.ZipFile(path) as old:
        for info in old.infolist():
            content, name, offset = old.read(info), info.filename.encode(), len(out)
            size, check = len(content), zlib.crc32(content)
            out += struct.pack("<4s5H3L2H", b"PK\3\4", 45, UTF_8, 0, 0, 0x58B1, check, 0xFFFFFFFF, 0xFFFFFFFF,
                               len(name), 20)
            out += name + struct.pack("<2H2Q", 1, 16, size, size) + content
            directory += struct.pack("<4s6H3L5H2L", b"PK\1\2", 45, 45, UTF_8, 0, 0, 0x58B1, check, size, size,
                                     len(name), 0, 0, 0, 0, info.external_attr, offset) + name
        count = len(old.infolist())
    return out + directory + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), len(out), 0)


def problems(path: Path) -> list[str]:
    """What is wrong with a wheel, by another reading of the standard than the command's own."""
    with zipfile.ZipFile(path) as wheel:
        bad = wheel.testzip()
        found = [f"{bad}: bad CRC"] if bad else []
        names = [info.filename for info in wheel.infolist() if not info.is_dir()]
        (record,) = [name for name in names if name.endswith(".dist-info/RECORD")]
        rows = {row[0]: row[1:] for row in csv.reader(io.StringIO(wheel.read(record).decode()))}
        found += [f"{name} only on one side of RECORD" for name in set(rows) ^ set(names)]
        for name in set(rows) & set(names) - {record}:
            content = wheel.read(name)
            if rows[name] != [hash_of(content), str(len(content))]:
                found.append(f"{name} has another hash or size than RECORD says")
    return found


def unpack(path: Path, into: Path) -> Path:
    with zipfile.ZipFile(path) as wheel:
        wheel.extractall(into)
    return into


def libraries(folder: Path) -> list[Path]:
    """Every ELF file below it."""
    def is_one(path: Path) -> bool:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"

    return [path for path in sorted(folder.rglob("*")) if path.is_file() and is_one(path)]


def anycuda(*arguments, cwd: Path | None = None, **variables: str) -> subprocess.CompletedProcess:
    """The command, with whatever it prints as text."""
    return subprocess.run([sys.executable, str(COMMAND), *map(str, arguments)], cwd=cwd, capture_output=True, text=True,
                          env={**os.environ, **variables}, timeout=300)


def repaired(path: Path, out: Path, *arguments) -> Path:
    """By the built command. The stubs of a build need the glibc that it was built with."""
    done = anycuda("repair", *arguments, "--wheel-dir", out, path)
    # What takes more than five seconds says how far it is (repair/report.py), on a slow machine here too.
    complaints = [line for line in done.stderr.splitlines() if not re.search(r": \w+ +\d+ % of \d+ MB: ", line)]
    if done.returncode or complaints:
        raise AssertionError(f"status {done.returncode}:\n{done.stdout}{done.stderr}")
    return out / path.name


def needed(path: Path) -> list[str]:
    from anycuda.elf import read
    return read.read(path).needed


def without_licence(metadata: str) -> str:
    """As METADATA was before a repair named anycuda's licence in it."""
    lines = metadata.replace("Metadata-Version: 2.4\n", "Metadata-Version: 2.1\n")
    return lines.replace("License-File: anycuda/LICENSE\n", "")


def stub_in(folder: Path, library: str) -> Path:
    """The stub in an unpacked wheel, whose name has a hash in it."""
    (found,) = folder.rglob(f"libanycuda_{library}-*.so")
    return found


def linked(machine, library: Path) -> tuple[list[str], list[str]]:
    """What the dynamic linker does not find for a library on that machine, however much else is missing: other
    libraries, and functions of CUDA."""
    done = machine.run(["ldd", "-r", library])
    output = done.stdout + done.stderr
    functions = re.findall(r"(?:undefined symbol: |symbol )((?:__)?(?:cuda|cu[A-Z]|nvrtc|nvJitLink)\w*)[,\s]", output)
    return re.findall(r"^\s*(\S+) => not found", output, re.M), sorted(set(functions))


_LOAD = """
import ctypes, sys
try:
    ctypes.CDLL(sys.argv[1])
except OSError as error:
    sys.exit(f"cannot: {error}")
if len(sys.argv) > 2:
    stub, version = ctypes.CDLL(sys.argv[2]), ctypes.c_int(-1)
    status = stub.cudaRuntimeGetVersion(ctypes.byref(version))
    print(status, version.value, sum("/libcudart.so" in line and " r-xp " in line for line in open("/proc/self/maps")))
"""


def load(machine, library: Path, stub: Path | None = None) -> str:
    """What dlopen says to a library in a new process of that machine, "" if all is well: every function is bound
    at once. With `stub`: what the runtime's version is through it, and how many runtimes are loaded."""
    machine.env(LD_BIND_NOW="1", ANYCUDA_LOG="off")
    done = machine.run([machine.python, "-c", _LOAD, library, *([stub] if stub else [])])
    if done.returncode not in (0, 1):
        return f"ended with {done.returncode}: {done.stderr}"
    output = done.stderr.strip().removeprefix("cannot: ") or done.stdout.strip()
    return re.sub(rf"^{re.escape(str(library.parent))}/", "", output)
