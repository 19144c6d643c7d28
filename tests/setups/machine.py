# SPDX-License-Identifier: Apache-2.0
"""A machine: a folder that stands for "/", with the real CUDA libraries and drivers of the cache in it, laid out as
pip, conda, NVIDIA's and Debian's packages do. Paths are written as on that machine: "/usr/local/cuda", "~/app"."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import unittest
import zipfile
from pathlib import Path

from parts import artifact, compiled, conda_python, new_folder, place, python

LIBRARIES = "/usr/lib/x86_64-linux-gnu"
SITE = "lib/python3.11/site-packages"
WHEEL = "Wheel-Version: 1.0\nGenerator: anycuda\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
LDCONFIG = Path("/sbin/ldconfig")
# Debian's Python looks for packages elsewhere; that of conda, uv and python.org looks here.
_UPSTREAM_SITE = """
import os, site
site.getsitepackages = lambda prefixes=None: [
    os.path.join(prefix, "lib/python3.11/site-packages") for prefix in prefixes or site.PREFIXES]
for _folder in site.getsitepackages():
    if os.path.isdir(_folder):
        site.addsitedir(_folder)
"""


class Machine:
    def __init__(self) -> None:
        self._folder = new_folder("setup-")
        self.root = Path(self._folder.name).resolve()
        self.releases: dict[tuple[int, int], str] = {}
        for folder in ("~", "/etc", "/tmp", LIBRARIES):
            self.at(folder).mkdir(parents=True)
        self.variables = {"ANYCUDA_SYSTEM_ROOT": str(self.root), "HOME": str(self.at("~")), "PATH": "/usr/bin:/bin",
                          "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1", "CUDA_VISIBLE_DEVICES": "",
                          "LD_AUDIT": str(compiled("system_audit.c", "-shared", "-fPIC"))}

    def close(self) -> None:
        self._folder.cleanup()

    # ---- files

    def at(self, path: str) -> Path:
        return self.root / path.replace("~", "/home/me").lstrip("/")

    def joined(self, *paths: str) -> str:
        """As a variable has them."""
        return ":".join(str(self.at(path)) for path in paths)

    def named(self, path: str | Path) -> str:
        """A file's name on the machine."""
        text = "/" + str(Path(path).relative_to(self.root))
        return "~" + text[len("/home/me"):] if text.startswith("/home/me/") else text

    def file(self, path: str, text: str = "") -> Machine:
        target = self.at(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
        return self

    def link(self, path: str, target: str) -> Machine:
        where = self.at(path)
        where.parent.mkdir(parents=True, exist_ok=True)
        where.symlink_to(self.at(target) if target[0] in "/~" else target)
        return self

    def env(self, **variables: str) -> Machine:
        """Values that begin with / or ~ are paths of the machine, with colons between them."""
        for name, value in variables.items():
            self.variables[name] = self.joined(*value.split(":")) if value[:1] in ("/", "~") else value
        return self

    def path_first(self, folder: str) -> Machine:
        """As an activation does."""
        self.variables["PATH"] = f"{self.at(folder)}:{self.variables['PATH']}"
        return self

    # ---- CUDA

    def register(self, file: Path, release: str) -> None:
        self.releases[(file.stat().st_dev, file.stat().st_ino)] = release

    def release_of(self, file: str | Path) -> str:
        about = Path(file).stat()
        return self.releases.get((about.st_dev, about.st_ino), "?")

    def runtime(self, folder: str, release: str, names: int = 3) -> Machine:
        """libcudart.so.12.9.79 and `names` - 1 links to it, as in toolkits, conda and Debian."""
        source, version = _runtime_file(release), _about(release)[1]
        chain = [f"libcudart.so.{version}", source.name, "libcudart.so"][:names]
        self.register(place(source, self.at(folder) / chain[0], own=True), release)
        for name, target in zip(chain[1:], chain):
            self.link(f"{folder}/{name}", target)
        return self

    def toolkit(self, folder: str, release: str) -> Machine:
        """As NVIDIA's installer and its Debian and RPM packages lay it out."""
        target = f"{folder}/targets/x86_64-linux"
        self.runtime(f"{target}/lib", release)
        place(next(artifact(f"cudart-{release}").rglob("cuda.h")), self.at(f"{target}/include/cuda.h"))
        return self.link(f"{folder}/lib64", "targets/x86_64-linux/lib").link(
            f"{folder}/include", "targets/x86_64-linux/include")

    def local_toolkits(self, *releases: str) -> Machine:
        """/usr/local/cuda-12.9 and its like; /usr/local/cuda is the last."""
        for release in releases:
            self.toolkit(f"/usr/local/cuda-{release}", release)
        return self.link("/usr/local/cuda", f"cuda-{releases[-1]}")

    def wheel(self, site: str, release: str) -> Machine:
        """As pip leaves it."""
        folder, (name, version) = artifact(f"cudart-{release}"), _about(release)
        lines = []
        for source in _wheel_files(folder):
            inside = source.relative_to(folder)
            placed = place(source, self.at(site) / inside, own=True)
            lines.append(f"{inside},,\n")
            if ".so" in source.name:
                self.register(placed, release)
        about = f"{name}-{version}.dist-info"
        shutil.copytree(folder / about, self.at(f"{site}/{about}"), ignore=lambda *_: ["RECORD"])
        lines += [f"{about}/{file},,\n" for file in ("INSTALLER", "METADATA", "RECORD")]
        return self.file(f"{site}/{about}/INSTALLER", "pip\n").file(f"{site}/{about}/RECORD", "".join(lines))

    def wheel_file(self, release: str) -> Path:
        """NVIDIA's wheel, packed again from what the cache keeps of it, for a tool to install."""
        folder, (name, version) = artifact(f"cudart-{release}"), _about(release)
        about, out = f"{name}-{version}.dist-info", self.at(f"/tmp/{name}-{version}-py3-none-any.whl")
        with zipfile.ZipFile(out, "w") as packed:
            files = [path.relative_to(folder) for path in _wheel_files(folder)]
            for path in files:
                packed.write(folder / path, path)
            packed.write(folder / about / "METADATA", f"{about}/METADATA")
            packed.writestr(f"{about}/WHEEL", WHEEL)
            packed.writestr(f"{about}/RECORD", "".join(f"{path},,\n" for path in [
                *files, f"{about}/METADATA", f"{about}/WHEEL", f"{about}/RECORD"]))
        return out

    def installed(self, site: str, release: str) -> Machine:
        """A tool has installed wheel_file(release) there."""
        for file in self.at(site).glob("nvidia/*/lib/libcudart.so*"):
            self.register(file, release)
        return self

    def driver(self, branch: int, folder: str = LIBRARIES, ml: bool = True) -> Machine:
        for source in sorted(artifact(f"driver-{branch}").glob("*.so*")):
            if source.is_symlink():
                self.link(f"{folder}/{source.name}", source.readlink().name)
            elif ml or "libcuda" in source.name:
                place(source, self.at(folder) / source.name)
        return self

    def ldconfig(self, *folders: str) -> Machine:
        """/etc/ld.so.cache, by the real ldconfig, with these folders in ld.so.conf."""
        if not LDCONFIG.exists():
            raise unittest.SkipTest(f"{LDCONFIG} is not installed")
        self.file("/etc/ld.so.conf", "".join(f"{folder}\n" for folder in [*folders, LIBRARIES]))
        subprocess.run([LDCONFIG, "-X", "-r", self.root], check=True, capture_output=True)
        listed = subprocess.run([LDCONFIG, "-p", "-C", self.at("/etc/ld.so.cache")], check=True, capture_output=True,
                                text=True).stdout
        entries = dict(reversed(re.findall(r"^\t(\S+) \(.*\) => (\S+)$", listed, re.M)))
        return self.env(ANYCUDA_SETUP_CACHE=":".join(f"{name}={path}" for name, path in entries.items()))

    def dpkg(self, package: str, version: str, *files: str) -> Machine:
        status = self.at("/var/lib/dpkg/status")
        before = status.read_text() if status.exists() else ""
        self.file("/var/lib/dpkg/status", before + f"Package: {package}\nStatus: install ok installed\n"
                                                   f"Architecture: amd64\nVersion: {version}\n\n")
        return self.file(f"/var/lib/dpkg/info/{package}.list", "".join(f"{file}\n" for file in files))

    # ---- Pythons. Each returns the interpreter's path on the machine.

    def tool(self, *command: str | Path, **variables: str) -> None:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=self.at("~"), env={
            "HOME": str(self.at("~")), "PATH": "/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1", **variables})
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout}{done.stderr}")

    def venv(self, folder: str, *options: str, base: str = "") -> str:
        self.tool(self.at(base) if base else python(), "-m", "venv", "--without-pip", *options, self.at(folder))
        return f"{folder}/bin/python"

    def prefix(self, folder: str, binary: Path | None = None, debian: bool = False) -> str:
        """A separate installation: the real interpreter under a second name, its library by links."""
        binary = binary or python()
        place(binary, self.at(folder) / "bin/python3.11")
        library = self.at(folder) / "lib/python3.11"
        library.mkdir(parents=True, exist_ok=True)
        for entry in (python().parents[1] / "lib/python3.11").iterdir():
            (library / entry.name).symlink_to(entry)
        if not debian:
            self.file(f"{folder}/lib/python3.11/sitecustomize.py", _UPSTREAM_SITE)
            self.at(f"{folder}/{SITE}").mkdir(exist_ok=True)
        return self.link(f"{folder}/bin/python", "python3.11") and f"{folder}/bin/python"

    def conda(self, folder: str, release: str = "", pixi: bool = False) -> str:
        """An environment of conda's: interpreter with DT_RPATH, conda-meta, cuda-cudart where `release` is given."""
        meta = f"{folder}/conda-meta"
        if pixi:
            self.file(f"{meta}/pixi", '{"manifest_path": "/home/me/app/pixi.toml", "environment_name": "default"}')
        else:
            self.file(f"{meta}/history", "==> 2026-03-01 10:00:00 <==\n# cmd: conda create -n x python=3.11\n")
        self.file(f"{meta}/python-3.11.9-hb806964_0_cpython.json", '{"name": "python", "version": "3.11.9"}')
        if release:
            version = _about(release)[1]
            self.runtime(f"{folder}/lib", release)
            names = [path.name for path in self.at(f"{folder}/lib").glob("libcudart.so*")]
            self.conda_package(folder, "cuda-cudart", version, [f"lib/{name}" for name in names],
                               f"cuda-version >={release},<{release}.999")
        return self.prefix(folder, conda_python())

    def conda_package(self, prefix: str, name: str, version: str, files: list[str], *depends: str) -> None:
        self.file(f"{prefix}/conda-meta/{name}-{version}-h5888daf_0.json", json.dumps(
            {"name": name, "version": version, "build": "h5888daf_0", "subdir": "linux-64", "depends": depends,
             "files": files}))


def _runtime_file(release: str) -> Path:
    return next(path for path in sorted(artifact(f"cudart-{release}").rglob("libcudart.so.*")))


def _about(release: str) -> tuple[str, str]:
    """The name and version of NVIDIA's wheel."""
    name, version = next(artifact(f"cudart-{release}").glob("*.dist-info")).stem.rsplit("-", 1)
    return name, version


def _wheel_files(folder: Path) -> list[Path]:
    return [path for path in sorted((folder / "nvidia").rglob("*")) if ".so" in path.name or path.name == "cuda.h"]
