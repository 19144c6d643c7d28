# SPDX-License-Identifier: Apache-2.0
"""The kind of container that a process runs in: a pure function of its files and variables."""

from __future__ import annotations

import re
from collections.abc import Mapping

# Each runtime's mark in a path of /proc/*/cgroup or of the root's mount. Neither the cgroup of a process on the host
# nor the root of the host has them. Sources: Kubernetes (kubepods), runc's and podman's systemd scopes, containerd's
# and Docker's storage folders.
_MARKS = (
    ("kubernetes", r"kubepods|/kubelet/pods/"),
    ("podman", r"libpod|/containers/storage/overlay"),
    ("docker", r"/docker/|docker-[0-9a-f]{12}|/docker/overlay2"),
    ("cri-o", r"\bcrio-"),
    ("containerd", r"cri-containerd|nerdctl-|/containerd/|io\.containerd\."),
    ("lxc", r"/lxc/|lxc\.payload"),
)
# Variables that a container runtime sets.
_VARIABLES = (
    ("kubernetes", "KUBERNETES_SERVICE_HOST"),
    ("apptainer", "APPTAINER_CONTAINER"),
    ("apptainer", "APPTAINER_NAME"),
    ("apptainer", "SINGULARITY_CONTAINER"),
    ("apptainer", "SINGULARITY_NAME"),
)
# Files that mark a container, by the names of compat/doctor/machine_facts.cc.
_FILES = ("kubernetes", "apptainer", "podman", "docker")
# Apptainer first: it also runs inside the others, and keeps their variables and mounts.
_ORDER = ("apptainer", "kubernetes", "podman", "docker", "cri-o", "containerd", "lxc")


def kind_of_container(texts: Mapping[str, str], files: set[str], variables: Mapping[str, str]) -> str:
    """The most specific kind; "container" if the runtime is unknown, "" outside containers."""
    paths = "\n".join([texts.get("init_cgroup", ""), texts.get("cgroup", ""), root_mount(texts.get("mounts", "")),
                       *_kubelet_mounts(texts.get("mounts", ""))])
    found = {kind for kind, pattern in _MARKS if re.search(pattern, paths)}
    found |= {kind for kind, name in _VARIABLES if variables.get(name)}
    found |= {kind for kind in _FILES if kind in files}
    named = variables.get("container", "")
    if named:  # systemd's container interface
        found.add(named if named in _ORDER else "container")
    return next((kind for kind in _ORDER if kind in found), "container" if found else "")


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
