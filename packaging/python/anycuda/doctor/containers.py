# SPDX-License-Identifier: Apache-2.0
"""The kind of container that a process runs in: a pure function of its files and variables."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..kind import Kind
from .data import read


class ContainerKind(Kind):
    """Apptainer first: it also runs inside the others, and keeps their variables and mounts."""

    APPTAINER = "apptainer"
    KUBERNETES = "kubernetes"
    PODMAN = "podman"
    DOCKER = "docker"
    CRI_O = "cri-o"
    CONTAINERD = "containerd"
    LXC = "lxc"
    UNKNOWN = "container"  # its runtime is unknown
    NONE = ""  # not in a container


@dataclass(frozen=True)
class Container:
    """`mark`: of the runtime, in a path of /proc/*/cgroup or of the root's mount; neither the cgroup of a process on
    the host nor the root of the host has it. Sources: Kubernetes (kubepods), runc's and podman's systemd scopes,
    containerd's and Docker's storage folders. `variables`: set by the runtime. `with_compute`: the command that gives
    a container all parts of the driver that CUDA needs."""

    name: str  # a Docker container
    mark: str = ""
    variables: tuple[str, ...] = ()
    restart: str = ""
    with_compute: str = ""


def about(kind: ContainerKind) -> Container:
    """What the kind lacks comes from that of an unknown runtime."""
    return _containers()[kind or ContainerKind.UNKNOWN]


@functools.cache
def _containers() -> dict[str, Container]:
    data = read("containers")
    unknown = data[ContainerKind.UNKNOWN]
    return {kind: Container(**{**unknown, **facts, "variables": tuple(facts.get("variables", ()))})
            for kind, facts in data.items()}


def kind_of_container(texts: Mapping[str, str], files: set[str], variables: Mapping[str, str]) -> ContainerKind:
    """The most specific kind. `files`: those that exist, by the names of compat/doctor/machine_facts.cc; some mark a
    container, and have the name of its kind."""
    paths = "\n".join([texts.get("init_cgroup", ""), texts.get("cgroup", ""), root_mount(texts.get("mounts", "")),
                       *_kubelet_mounts(texts.get("mounts", ""))])
    named = variables.get("container", "")  # systemd's container interface
    for kind, facts in _containers().items():
        if (kind in (named, *files) or facts.mark and re.search(facts.mark, paths)
                or any(variables.get(name) for name in facts.variables)):
            return ContainerKind(kind)
    return ContainerKind.UNKNOWN if named else ContainerKind.NONE


def root_mount(mounts: str) -> str:
    """The line of /proc/self/mountinfo for "/"."""
    return next((line for line in mounts.splitlines() if _point(line) == "/"), "")


def mounted_files(mounts: str) -> dict[str, str]:
    """Mount point -> the mounted file or folder, as its file system names it."""
    return {_point(line): _field(line, _ROOT) for line in mounts.splitlines() if _point(line)}


# proc(5): number, parent, device, root, mount point, ...
_ROOT, _POINT = 3, 4


def _point(line: str) -> str:
    return _field(line, _POINT)


def _field(line: str, number: int) -> str:
    """A field of a line; white space in it is written in octal."""
    fields = line.split(" ")
    if len(fields) <= _POINT:
        return ""
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), fields[number])


def _kubelet_mounts(mounts: str) -> list[str]:
    """The kubelet's mounts in every container of a pod; on a node the folders are mount points, not roots of mounts of
    single files."""
    return [line for line in mounts.splitlines()
            if _point(line) in ("/etc/hosts", "/dev/termination-log", "/etc/resolv.conf")]
