# SPDX-License-Identifier: Apache-2.0
"""Computers in trouble: a machine of doctor_support, with what a container, WSL, a GPU or a package manager leaves
behind. The files are as the real ones write them."""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

from build_folder import artifact
from doctor_support import ROOT, WORKING, Machine, library_file, place, with_core

CLUSTER_ID = "0f6d4c7ab0e14d0f8a1a5f3b6c2d9e88"
POD = "6b1e9a0c-4f7d-4f5b-9f0e-2f6d1a7c3b55"
_OVERLAY = ("745 688 0:93 / / rw,relatime - overlay overlay rw,lowerdir={0}/7/fs:{0}/6/fs,upperdir={0}/9/fs,"
            "workdir={0}/9/work\n")
# What cgroup v2 shows in a container with its own namespace, which is today's default.
_PRIVATE_CGROUP = "0::/\n"
_CONTAINERS = {
    # kind: (cgroup, folder of the root's layers, other mounts)
    "kubernetes": (_PRIVATE_CGROUP, "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots",
                   f"760 745 259:1 /var/lib/kubelet/pods/{POD}/etc-hosts /etc/hosts rw,relatime - ext4 /dev/root rw\n"),
    "kubernetes, cgroup v1": (
        f"11:memory:/kubepods.slice/kubepods-burstable.slice/cri-containerd-{CLUSTER_ID}.scope\n",
        "/run/layers", ""),
    "containerd": (_PRIVATE_CGROUP, "/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots", ""),
    "docker": (_PRIVATE_CGROUP, "/var/lib/docker/overlay2", ""),
    "podman": (_PRIVATE_CGROUP, "/home/me/.local/share/containers/storage/overlay", ""),
    "cri-o": (f"0::/system.slice/crio-{CLUSTER_ID}.scope\n", "/run/layers", ""),
    "lxc": ("0::/lxc.payload.box/init.scope\n", "/run/layers", ""),
}


def error_names() -> dict[int, str]:
    """803 -> CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, of the ABI database."""
    text = (ROOT / "stubs/cuda/abi/enums.txt").read_text()
    return {int(number): name for name, number in
            re.findall(r"^cudaError_enum\.(CUDA_ERROR_\w+)\s+\S+\s+(\d+)$", text, re.M)}


def answering(status: int, version_status: int = 0, version: int = 12090) -> str:
    """C of a driver whose cuInit answers `status`, which no real one can be made to."""
    return with_core(f"""
int cuDriverGetVersion(int* version) {{ *version = {version}; return {version_status}; }}
int cuInit(unsigned flags) {{ return {status}; }}
int cuDeviceGetCount(int* count) {{ *count = 0; return 0; }}
int cuGetErrorName(int status, const char** name) {{ *name = "{error_names().get(status, '')}"; return 0; }}
""")


class Computer(Machine):
    def __init__(self, test) -> None:
        super().__init__(test)
        self.python_in(self.venv)
        self.file("etc/os-release", 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n')
        self.file("proc/version", "Linux version 6.1.0-18-amd64 (debian-kernel@lists.debian.org) (gcc-12) #1 SMP\n")
        self.file("proc/1/cgroup", "0::/init.scope\n")
        self.file("proc/self/cgroup", "0::/user.slice/user-1000.slice/session-2.scope\n")
        self.file("proc/self/mountinfo", "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n")
        self.file("proc/sys/vm/overcommit_memory", "0\n")

    def doctor(self, *arguments: str, command: Path | None = None) -> subprocess.CompletedProcess:
        """About the runtime and NVML, unless the arguments name libraries: each library is a few processes more."""
        only = () if "--library" in arguments else ("--library", "cudart,nvml")
        return super().doctor(*arguments, *only, command=command)

    def file(self, path: str, text: str | bytes = "") -> Computer:
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())
        return self

    def owned(self, path: str, package: str) -> Computer:
        """dpkg's record of the file."""
        return self.file(f"var/lib/dpkg/info/{package}:amd64.list", f"/.\n/{path}\n")

    def wheel_of(self, file: Path, name: str, version: str, whole: bytes | None = None) -> Computer:
        """pip's record of a file in the environment, which had the content `whole` when it was installed."""
        content = file.read_bytes() if whole is None else whole
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        about = self.site / f"{name.replace('-', '_')}-{version}.dist-info"
        about.mkdir()
        (about / "RECORD").write_text(f"{file.relative_to(self.site)},sha256={digest},{len(content)}\n")
        return self

    def python_in(self, prefix: Path) -> Computer:
        """A virtual environment, as `python -m venv` makes it; the doctor runs in it."""
        base = getattr(sys, "_base_executable", sys.executable)
        (prefix / "bin").mkdir(parents=True, exist_ok=True)
        (prefix / "pyvenv.cfg").write_text(f"home = {Path(base).parent}\ninclude-system-site-packages = false\n")
        (prefix / "bin/python3").symlink_to(base)
        (prefix / f"lib/python3.{sys.version_info[1]}/site-packages").mkdir(parents=True, exist_ok=True)
        self.python = prefix / "bin/python3"
        return self

    def conda(self, made_by: str, prefix: str = "conda") -> Computer:
        """An environment of conda's kind: its Python is in it, and conda-meta/ marks it. Not activated."""
        base, folder = Path(getattr(sys, "_base_executable", sys.executable)).resolve(), self.root / prefix
        packages = folder / f"lib/python3.{sys.version_info[1]}"
        packages.mkdir(parents=True)
        for entry in Path(sysconfig.get_paths()["stdlib"]).iterdir():
            if entry.name not in ("site-packages", "dist-packages"):
                (packages / entry.name).symlink_to(entry)
        (packages / "site-packages").mkdir()
        place(base, folder / "bin" / base.name)
        self.python = folder / "bin" / base.name
        self.file(f"{prefix}/conda-meta/python-3.11.9-hb806964_0_cpython.json", "{}")
        if made_by == "pixi":
            self.file(f"{prefix}/conda-meta/pixi", '{"manifest_path": "/p/pixi.toml", "environment_name": "default"}')
        else:
            self.file(f"{prefix}/conda-meta/history",
                      f"==> 2025-03-01 10:00:00 <==\n# cmd: {made_by} create -n x python=3.11\n# conda version: 24.1\n")
        del self.variables["VIRTUAL_ENV"]
        return self

    def module(self, version: str = "550.163.01") -> Computer:
        """The driver's kernel module is loaded, and its device files are there."""
        self.file("proc/driver/nvidia/version",
                  f"NVRM version: NVIDIA UNIX x86_64 Kernel Module  {version}  Tue Mar  4 23:42:51 UTC 2025\n"
                  "GCC version:  gcc version 12.2.0\n")
        return self.devices("nvidiactl", "nvidia0", "nvidia-uvm")

    def devices(self, *names: str) -> Computer:
        for name in names:
            self.file(f"dev/{name}")
        return self

    def gpu(self, number: int = 0, driver: str = "nvidia") -> Computer:
        """As sysfs shows it, and the driver in /proc where it is the one that drives it."""
        address = f"0000:{0x18 + number:02x}:00.0"
        folder = f"sys/bus/pci/devices/{address}"
        self.file(f"{folder}/vendor", "0x10de\n").file(f"{folder}/class", "0x030200\n")
        if driver:
            (self.root / folder / "driver").symlink_to(f"../../../../bus/pci/drivers/{driver}")
        if driver == "nvidia":
            self.file(f"proc/driver/nvidia/gpus/{address}/information",
                      f"Model: \t\t NVIDIA H200\nIRQ:   \t\t 120\nGPU UUID: \t GPU-{number}a5c3f60-9d2e-4a11-8e57-"
                      f"1c0ffee00001\nVideo BIOS: \t 96.00\nBus Location: \t {address}\nDevice Minor: \t {number}\n")
        return self

    def other_pci_devices(self) -> Computer:
        for address, vendor, kind in (("0000:00:1f.0", "0x8086", "0x060100"), ("0000:02:00.0", "0x1a03", "0x030000"),
                                      ("0000:18:00.1", "0x10de", "0x040300")):  # a GPU's sound
            self.file(f"sys/bus/pci/devices/{address}/vendor", f"{vendor}\n")
            self.file(f"sys/bus/pci/devices/{address}/class", f"{kind}\n")
        return self

    def answers(self, status: int, path: str = "usr/lib/x86_64-linux-gnu", version: str = "550.163.01",
                version_status: int = 0) -> Computer:
        """A driver library whose cuInit answers so."""
        self.library(self.root / path / f"libcuda.so.{version}", answering(status, version_status), "libcuda.so.1")
        (self.root / path / "libcuda.so.1").symlink_to(f"libcuda.so.{version}")
        return self

    def works(self) -> Computer:
        """A driver with a GPU."""
        return self.module().gpu().fake_driver(with_core(WORKING))

    def container(self, kind: str) -> Computer:
        cgroup, layers, mounts = _CONTAINERS[kind]
        self.file("proc/1/cgroup", cgroup).file("proc/self/cgroup", cgroup)
        return self.file("proc/self/mountinfo", _OVERLAY.format(layers) + mounts)

    def apptainer(self) -> Computer:
        """As Apptainer leaves it in every container that it starts, with --nv or without."""
        self.file(".singularity.d/runscript", "#!/bin/sh\n")
        return self.env(APPTAINER_CONTAINER="/images/app.sif", APPTAINER_NAME="app.sif",
                        SINGULARITY_CONTAINER="/images/app.sif", SINGULARITY_NAME="app.sif")

    def dangling_driver(self, path: str = "usr/lib/x86_64-linux-gnu") -> Computer:
        (self.root / path).mkdir(parents=True, exist_ok=True)
        (self.root / path / "libcuda.so.1").symlink_to("libcuda.so.550.163.01")
        return self

    def list_libraries(self) -> Computer:
        """/etc/ld.so.cache, by the real ldconfig."""
        self.file("etc/ld.so.conf", "/usr/lib/x86_64-linux-gnu\n")
        subprocess.run(["/sbin/ldconfig", "-X", "-r", self.root], check=True)
        return self

    def wsl(self, device: bool = True) -> Computer:
        self.file("proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2 (root@941d701f84f1) (gcc) #1 SMP\n")
        return self.devices("dxg") if device else self

    def needing(self, path: Path, source: str, soname: str, needed: str) -> Computer:
        """A library that needs another one, which is nowhere."""
        folder = self.root / "elsewhere"
        self.library(folder / needed, "int anycuda_test_part(void) { return 0; }", needed)
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([shutil.which("cc") or "gcc", "-shared", "-fPIC", "-Wl,--no-as-needed", "-x", "c", "-", "-x",
                        "none", folder / needed, "-o", path, f"-Wl,-soname,{soname}"],
                       input=source, text=True, check=True)
        (folder / needed).unlink()
        return self

    def toolkit(self, release: str, path: str) -> Computer:
        place(library_file("cudart", release), self.root / path / f"lib64/libcudart.so.{release.split('.')[0]}")
        major, minor = release.split(".")
        return self.file(f"{path}/include/cuda.h", f"#define CUDA_VERSION {int(major) * 1000 + int(minor) * 10}\n")

    def limited_to(self, kibibytes: int) -> Computer:
        """As `ulimit -v` in the shell before."""
        self.before = ("/bin/sh", "-c", f'ulimit -v {kibibytes}; exec "$@"', "sh")
        return self

    def real_driver_cut_to(self, size: int, path: str = "usr/lib/x86_64-linux-gnu") -> Computer:
        whole = next(artifact("driver-535").glob("libcuda.so*")).read_bytes()
        return self.file(f"{path}/libcuda.so.1", whole[:size])
