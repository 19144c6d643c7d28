# SPDX-License-Identifier: Apache-2.0
"""The situations that have a hint, and the text of each: data/hints.json. packaging/README.md says how to add one."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ..kind import Kind
from .data import read


class Situation(Kind):
    """The names in data/hints.json, in its sections."""

    # driver_file: a refused file with the name of a driver
    DRIVER_TRUNCATED = "driver_truncated"
    DRIVER_DAMAGED = "driver_damaged"
    DRIVER_DANGLING = "driver_dangling"
    DRIVER_DANGLING_IN_CONTAINER = "driver_dangling_in_container"
    DRIVER_DANGLING_NOT_MOUNTED = "driver_dangling_not_mounted"
    DRIVER_DANGLING_IN_WSL = "driver_dangling_in_wsl"
    DRIVER_LISTED_ONLY = "driver_listed_only"
    DRIVER_LISTED_IN_CONTAINER = "driver_listed_in_container"
    DRIVER_NOT_READ = "driver_not_read"
    DRIVER_OTHER_FILE = "driver_other_file"
    DRIVER_HAS_TOKENS = "driver_has_tokens"
    DRIVER_OF_THE_IMAGE = "driver_of_the_image"
    DRIVER_OF_WINDOWS = "driver_of_windows"
    DRIVER_DEPENDENCY = "driver_dependency"
    DRIVER_PART_MISSING = "driver_part_missing"
    DRIVER_PART_NOT_MOUNTED = "driver_part_not_mounted"
    DRIVER_NOT_OPENED = "driver_not_opened"
    DRIVER_OTHER_CPU = "driver_other_cpu"
    DRIVER_LINK_LOOP = "driver_link_loop"
    DRIVER_LINK_LOOP_IN_CONTAINER = "driver_link_loop_in_container"
    DRIVER_READ_ERROR = "driver_read_error"
    DRIVER_UNREADABLE = "driver_unreadable"
    # driver_answer: the driver's answer, by driver_situation.py
    STUB_LIBRARY = "stub_library"
    OUT_OF_MEMORY = "out_of_memory"
    ADDRESS_SPACE = "address_space"
    OVERCOMMIT = "overcommit"
    INVALID_DEVICE = "invalid_device"
    INVALID_DEVICE_OF_CONTAINER = "invalid_device_of_container"
    INVALID_VISIBLE_DEVICE = "invalid_visible_device"
    FABRIC_MANAGER = "fabric_manager"
    FABRIC_MANAGER_OF_HOST = "fabric_manager_of_host"
    MISMATCH = "mismatch"
    MISMATCH_IN_WSL = "mismatch_in_wsl"
    MISMATCH_BY_PATH = "mismatch_by_path"
    MISMATCH_MOUNTED = "mismatch_mounted"
    MISMATCH_IN_IMAGE = "mismatch_in_image"
    MISMATCH_COMPAT = "mismatch_compat"
    COMPAT_NOT_SUPPORTED = "compat_not_supported"
    COMPAT_MOUNTED = "compat_mounted"
    MPS_CONNECTION = "mps_connection"
    MPS_RPC = "mps_rpc"
    MPS_NOT_READY = "mps_not_ready"
    MPS_CLIENTS = "mps_clients"
    MPS_CONNECTIONS = "mps_connections"
    MPS_TERMINATED = "mps_terminated"
    UVM_MISSING = "uvm_missing"
    UVM_LOST = "uvm_lost"
    ACCESS_LOST = "access_lost"
    DEVICE_DENIED = "device_denied"
    DEVICE_MISSING = "device_missing"
    GPU_HIDDEN = "gpu_hidden"
    GPU_PERHAPS_HIDDEN = "gpu_perhaps_hidden"
    WSL_SHADOWED = "wsl_shadowed"
    WSL_WITHOUT_GPU = "wsl_without_gpu"
    WSL_ERROR = "wsl_error"
    HOST_WITHOUT_GPU = "host_without_gpu"
    NOUVEAU = "nouveau"
    PASSED_THROUGH = "passed_through"
    MODULE_NOT_LOADED = "module_not_loaded"
    NO_GPU = "no_gpu"
    GPU_UNUSABLE = "gpu_unusable"
    OTHER_ERROR = "other_error"
    # container: a container without a GPU: the words of containers.ContainerKind
    KUBERNETES = "kubernetes"
    CONTAINERD = "containerd"
    CRI_O = "cri-o"
    DOCKER = "docker"
    PODMAN = "podman"
    APPTAINER = "apptainer"
    LXC = "lxc"
    CONTAINER = "container"
    # library_file: a refused or damaged library
    DEPENDENCY = "dependency"
    GLIBC = "glibc"
    NOT_OPENED = "not_opened"
    NOT_OPENED_INTACT = "not_opened_intact"
    LINK_LOOP = "link_loop"
    READ_ERROR = "read_error"
    UNREADABLE = "unreadable"
    DAMAGED = "damaged"
    OTHER_CPU = "other_cpu"
    NOT_A_FILE = "not_a_file"
    DANGLING = "dangling"
    LISTED_ONLY = "listed_only"
    HAS_TOKENS = "has_tokens"
    NOT_TRUSTED = "not_trusted"
    OTHER_LIBRARY = "other_library"
    ANYCUDA_STUB = "anycuda_stub"
    NOT_READ = "not_read"
    OTHER_FILE = "other_file"
    OTHER_VERSION = "other_version"
    STAYS_OPEN = "stays_open"
    # variable: a variable that names nothing, by variables.py
    VARIABLE_NOTHING = "variable_nothing"
    VARIABLE_FILE = "variable_file"
    VARIABLE_RELATIVE = "variable_relative"
    VARIABLE_HANGS = "variable_hangs"
    VARIABLE_LIST = "variable_list"
    # other
    DRIVER_STAYS_OPEN = "driver_stays_open"
    DRIVER_SETTING = "driver_setting"
    DRIVER_MISSING = "driver_missing"
    DRIVER_MISSING_FOR_GPU = "driver_missing_for_gpu"
    DRIVER_LIBRARY_MISSING = "driver_library_missing"
    DRIVER_NOT_MOUNTED = "driver_not_mounted"
    NVML_NOT_MOUNTED = "nvml_not_mounted"
    NVML_MISSING = "nvml_missing"
    DRIVER_MISSING_IN_WSL = "driver_missing_in_wsl"
    DRIVER_NOT_LISTED_IN_WSL = "driver_not_listed_in_wsl"
    DRIVER_HIDDEN = "driver_hidden"
    DRIVER_CRASH = "driver_crash"
    SETTING = "setting"
    SETTING_UNKNOWN = "setting_unknown"
    OWN_ENVIRONMENT = "own_environment"
    CONDA_BASE = "conda_base"
    FOLDER_DENIED = "folder_denied"
    WHEEL_GONE = "wheel_gone"
    TWO_PACKAGES = "two_packages"
    INCOMPLETE = "incomplete"
    LIBRARY_SETTING = "library_setting"
    CRASH = "crash"
    TWO_MAJORS = "two_majors"
    OTHER_ENVIRONMENT = "other_environment"
    TOOLKITS_DIFFER = "toolkits_differ"


@dataclass(frozen=True)
class Text:
    """`cause`, `remedy`: a sentence each. `commands`: for the reader to run. The code that finds a situation fills in
    `{name}`. `source`: the document that the text is from."""

    cause: str
    remedy: str
    commands: tuple[str, ...]
    source: str


def text_of(situation: Situation) -> Text:
    return _texts()[situation]


@functools.cache
def _texts() -> dict[str, Text]:
    data = read("hints")
    sources = data["sources"]
    return {name: Text(text["cause"], text["remedy"], tuple(text["commands"]),
                       sources.get(text["source"], text["source"]))
            for section in data["hints"].values() for name, text in section.items()}
