# SPDX-License-Identifier: Apache-2.0
"""Facts about situations, as data. A row has the cause, the remedy, commands for the reader and the document that is
its source. The code that finds a situation fills in `{name}`."""

from __future__ import annotations

from dataclasses import dataclass

_NVIDIA = "https://docs.nvidia.com"
_ERRORS = f"{_NVIDIA}/cuda/cuda-driver-api/group__CUDA__TYPES.html"
_COMPATIBILITY = f"{_NVIDIA}/deploy/cuda-compatibility/"
_CONTAINERS = f"{_NVIDIA}/datacenter/cloud-native/container-toolkit/latest/"
_FABRIC = f"{_NVIDIA}/datacenter/tesla/fabric-manager-user-guide/"
_INSTALLATION = f"{_NVIDIA}/cuda/cuda-installation-guide-linux/"
_MIG = f"{_NVIDIA}/datacenter/tesla/mig-user-guide/"
_MPS = f"{_NVIDIA}/deploy/mps/"
_PROGRAMMING = f"{_NVIDIA}/cuda/cuda-programming-guide/"
_README = "https://download.nvidia.com/XFree86/Linux-x86_64/580.65.06/README/"
_APPTAINER = "https://apptainer.org/docs/user/main/gpu.html"
_WSL = f"{_NVIDIA}/cuda/wsl-user-guide/"
_KUBERNETES = "https://kubernetes.io/docs/tasks/manage-gpus/scheduling-gpus/"
_LINKER = "https://man7.org/linux/man-pages/man8/ld.so.8.html"


@dataclass(frozen=True)
class HintRow:
    cause: str  # a sentence
    remedy: str  # a sentence
    commands: tuple[str, ...]
    source: str


DRIVER_LIBRARY = {
    "driver_truncated": HintRow(
        "The file is truncated: it has {size} bytes and ends before its own segments.",
        "Install the driver's package again.", ("{reinstall}",), _INSTALLATION),
    "driver_damaged": HintRow(
        "The file is not a complete driver library: {reason}.",
        "Install the driver's package again.", ("file -L {path}", "{reinstall}"), _INSTALLATION),
    "driver_dangling": HintRow(
        "It is a link to {target}, which does not exist: the driver's package is damaged, or it was removed or updated "
        "in part.",
        "Install the driver's package again.", ("ls -l {path}", "{reinstall}"), _INSTALLATION),
    "driver_dangling_in_container": HintRow(
        "It is a link to {target}, which does not exist: the image has the link of a driver that was installed into "
        "it, or the container was started without NVIDIA's container runtime, which mounts the driver of the host.",
        "Start the container with the host's GPUs, and install no driver into the image.",
        ("{start}", "ls -l {path}"), _CONTAINERS),
    "driver_dangling_not_mounted": HintRow(
        "It is a link to {target}, which does not exist: the container has the GPUs' device files, and NVIDIA's "
        "container runtime mounted no driver library for CUDA (NVIDIA_DRIVER_CAPABILITIES must contain compute).",
        "Start the container with the capability compute.", ("{with_compute}", "ls -l {path}"), _CONTAINERS),
    "driver_dangling_in_wsl": HintRow(
        "It is a link to {target}, which does not exist, and WSL gets this folder from the driver in Windows.",
        "Install NVIDIA's driver in Windows again, and restart WSL.", ("wsl --shutdown  # in Windows",), _WSL),
    "driver_listed_only": HintRow(
        "/etc/ld.so.cache lists it, but the file does not exist: the driver was removed after the last ldconfig.",
        "Install NVIDIA's display driver, and update the cache.", ("{install}", "sudo ldconfig"), _INSTALLATION),
    "driver_listed_in_container": HintRow(
        "/etc/ld.so.cache lists it, but the file does not exist: the image was made from a container that had the "
        "driver of its host.",
        "Start the container with the host's GPUs.", ("{start}", "ldconfig  # in the image"), _CONTAINERS),
    "driver_not_read": HintRow(
        "The process ran out of memory while reading it.",
        "End programs that hold memory, or raise the limit of the job.",
        ("free -h", "ulimit -v unlimited"), "docs/doctor.md"),
    "driver_other_file": HintRow(
        "The dynamic linker opens another file instead ({reason}): the file was replaced during the search, or a "
        "module in LD_AUDIT redirects the dynamic linker.",
        "Start the program again; if it happens again, unset LD_AUDIT.", ("ls -lL {path}", "unset LD_AUDIT"), _LINKER),
    "driver_has_tokens": HintRow(
        "Its path has a $, which dlopen() replaces ($ORIGIN, $LIB, $PLATFORM), so that it would open another file.",
        "Rename the folder, or reach it by a link without $.", ("ln -s {folder} PATH_WITHOUT_DOLLAR",), _LINKER),
    "driver_stays_open": HintRow(
        "It is not a usable driver ({reason}). It cannot be closed again, so no other driver is opened.",
        "Take its folder out of the dynamic linker's path, or remove the file, and start the program again.",
        ("{without_folder}", "env | grep ^LD_"), _LINKER),
    "driver_of_the_image": HintRow(
        "The file belongs to the container's image and hides the host's driver: {reason}.",
        "Remove it from the image, and start the container with the host's GPUs.",
        ("rm {path}", "{start}"), _CONTAINERS),
    "driver_of_windows": HintRow(
        "WSL gets this file from the driver in Windows, and the copy is damaged: {reason}.",
        "Install NVIDIA's driver in Windows again, and restart WSL.", ("wsl --shutdown  # in Windows",), _WSL),
    "driver_dependency": HintRow(
        "It needs {missing}, which the dynamic linker does not find.",
        "Install the package that contains {missing}.", ("ldd {path}", "{provide}"), _LINKER),
    "driver_part_missing": HintRow(
        "It needs {missing}, another library of the driver, which is not installed.",
        "Install the driver's package again.", ("ldd {path}", "{reinstall}"), _INSTALLATION),
    "driver_part_not_mounted": HintRow(
        "It needs {missing}, another library of the driver, which the container did not get from its host.",
        "Start the container with the capability compute.",
        ("ldd {path}", "{with_compute}"), _CONTAINERS),
    "driver_not_opened": HintRow(
        "The dynamic linker refuses it: {reason}.",
        "Correct the cause that the dynamic linker reports, or install a driver for this system.",
        ("ldd -r {path}",), _LINKER),
    "driver_other_cpu": HintRow(
        "The installed driver library is for another CPU: {path}.",
        "Install the 64-bit driver for this CPU.", ("file -L {path}", "{install}"), _INSTALLATION),
    "driver_link_loop": HintRow(
        "It is a link that leads back to itself ({reason}).",
        "Remove the link, and install the driver's package again.", ("namei -l {path}", "rm {path}", "{reinstall}"),
        _INSTALLATION),
    "driver_link_loop_in_container": HintRow(
        "It is a link of the container's image that leads back to itself ({reason}).",
        "Remove the link from the image, and start the container with the host's GPUs.",
        ("namei -l {path}", "rm {path}  # in the image", "{start}"), _CONTAINERS),
    "driver_read_error": HintRow(
        "Reading it fails ({reason}): its disk or network file system has an error.",
        "Read the kernel's reports on the file system, then install the driver's package again.",
        ("findmnt -T {path}", "sudo dmesg | tail -n 50", "{reinstall}"), _INSTALLATION),
    "driver_unreadable": HintRow(
        "This user may not read it ({reason}).",
        "Let this user read it and enter the folders above it.", ("namei -l {path}",), _LINKER),
    "driver_setting": HintRow(
        "{variable} names it, but it is not a usable driver: {reason}.",
        "Correct {variable}, or unset it.", ("unset {variable}",), "docs/doctor.md"),
    "driver_missing": HintRow(
        "NVIDIA's display driver is not installed, or its folder is unknown to the dynamic linker.",
        "Install NVIDIA's display driver, and restart.", ("{install}",), _INSTALLATION),
    "driver_missing_for_gpu": HintRow(
        "This computer has {gpus}, but its driver is not installed.",
        "Install NVIDIA's display driver, and restart.", ("{install}",), _INSTALLATION),
    "driver_library_missing": HintRow(
        "The driver's kernel module {module} is loaded, but the driver's library for CUDA is not installed, or its "
        "folder is unknown to the dynamic linker.",
        "Install the library of the same release, or name its folder in LD_LIBRARY_PATH.",
        ("{install_library}", "find / -name 'libcuda.so.*' 2>/dev/null"), _INSTALLATION),
    "driver_not_mounted": HintRow(
        "The container has the GPUs' device files, but not the driver's libraries for CUDA: "
        "NVIDIA_DRIVER_CAPABILITIES ({capabilities}) must contain compute.",
        "Start the container with the capability compute.", ("{with_compute}",), _CONTAINERS),
    "nvml_not_mounted": HintRow(
        "The container has the driver's library for CUDA, but not its libnvidia-ml.so.1: NVIDIA_DRIVER_CAPABILITIES "
        "({capabilities}) must contain utility.",
        "Start the container with the capability utility.", ("{with_compute}",), _CONTAINERS),
    "nvml_missing": HintRow(
        "The driver's library for CUDA is installed, but its libnvidia-ml.so.1 is not.",
        "Install it from the driver's packages, of the same release.",
        ("{install_library}", "find / -name 'libnvidia-ml.so.*' 2>/dev/null"), _INSTALLATION),
    "driver_missing_in_wsl": HintRow(
        "This is WSL, which gets libcuda.so.1 from NVIDIA's driver in Windows (/usr/lib/wsl/lib).",
        "Install NVIDIA's driver in Windows and update WSL; install no Linux driver.",
        ("wsl --update  # in Windows", "wsl --shutdown  # in Windows", "{install}"), _WSL),
    "driver_not_listed_in_wsl": HintRow(
        "This is WSL, and the driver in /usr/lib/wsl/lib is not among the dynamic linker's folders.",
        "Name its folder, or restart WSL so that it registers the folder.",
        ("export LD_LIBRARY_PATH=/usr/lib/wsl/lib{and_library_path}", "wsl --shutdown  # in Windows"), _WSL),
    "driver_hidden": HintRow(
        "It is of driver {version} and hides {newer}, of driver {newest}, which {why}.",
        "Take its folder out of the dynamic linker's path, or remove it.", ("{without_folder}", "{remove_driver}"),
        _INSTALLATION),
    "driver_crash": HintRow(
        "The last step was: {step}.",
        "Install the driver again, or restart the computer.", ("nvidia-smi", "sudo dmesg | grep -i nvrm"), _README),
}

# By the driver's answer: the status of cuDriverGetVersion or cuInit (cuda.h, cudaError_enum).
STUB_LIBRARY, OUT_OF_MEMORY, NO_DEVICE, INVALID_DEVICE = 34, 2, 100, 101
SYSTEM_NOT_READY, DRIVER_MISMATCH, COMPAT_NOT_SUPPORTED, UNKNOWN = 802, 803, 804, 999

DRIVER_CALL = {
    "stub_library": HintRow(
        "{path} is the CUDA Toolkit's link-time stub, not a driver: programs are linked with it, and it cannot run "
        "them.",
        "Take its folder out of the dynamic linker's path, so that the driver's own libcuda.so.1 is found.",
        ("{without_folder}", "ldconfig -p | grep libcuda.so.1"), _ERRORS),
    "out_of_memory": HintRow(
        "The driver could not get memory: other programs hold the computer's, the container's or the GPU's memory.",
        "End programs that hold memory, or raise the limit of the job.",
        ("nvidia-smi", "free -h", "cat /sys/fs/cgroup/memory.max"), _ERRORS),
    "address_space": HintRow(
        "This process may use {limit} of address space (ulimit -v), and CUDA reserves more than all GPUs' and the "
        "computer's memory together for unified addresses.",
        "Lift the limit on virtual memory for this shell or job.", ("ulimit -v unlimited",), _PROGRAMMING),
    "overcommit": HintRow(
        "The kernel grants no address space beyond its memory (vm.overcommit_memory=2), and CUDA reserves more for "
        "unified addresses.",
        "Allow overcommitment.", ("sudo sysctl vm.overcommit_memory=0",), _PROGRAMMING),
    "invalid_device": HintRow(
        "A GPU or MIG instance that this process is given cannot be used: it is in MIG mode without instances, or it "
        "is not accessible.",
        "List the GPUs and their MIG instances, create the missing ones or disable MIG mode.",
        ("nvidia-smi -L", "sudo nvidia-smi mig -lgi",
         "sudo nvidia-smi mig -cgi PROFILE -C  # sudo nvidia-smi mig -lgip lists the profiles"), _MIG),
    "invalid_device_of_container": HintRow(
        "A GPU or MIG instance that this container is given cannot be used: the host changed its MIG instances after "
        "the container had started, or a GPU is in MIG mode without instances.",
        "List the host's GPUs and MIG instances, and start the container again.",
        ("nvidia-smi -L  # on the host, then in the container", "sudo nvidia-smi mig -lgi  # on the host",
         "{restart}"), _MIG),
    "invalid_visible_device": HintRow(
        "CUDA_VISIBLE_DEVICES={visible} names a GPU or MIG instance that this process cannot use.",
        "Unset it, or set it to GPUs that nvidia-smi -L lists.", ("unset CUDA_VISIBLE_DEVICES", "nvidia-smi -L"),
        _PROGRAMMING),
    "fabric_manager": HintRow(
        "The GPUs of this computer are linked by NVSwitch, and NVIDIA's Fabric Manager has not initialized them: it "
        "is not running, or it is of another version than the driver{version}.",
        "Install the Fabric Manager of the driver's version, and start it.",
        ("{install_fabric}", "sudo systemctl enable --now nvidia-fabricmanager",
         "systemctl status nvidia-fabricmanager",
         "nvidia-smi conf-compute -grs  # in confidential computing: are the GPUs ready?"),
        _FABRIC),
    "fabric_manager_of_host": HintRow(
        "The GPUs are linked by NVSwitch, and NVIDIA's Fabric Manager, which runs on the host of this container, has "
        "not initialized them.",
        "Start the Fabric Manager on the host, then the container again.",
        ("sudo systemctl enable --now nvidia-fabricmanager  # on the host",
         "systemctl status nvidia-fabricmanager  # on the host"), _FABRIC),
    "mismatch": HintRow(
        "The driver library and the loaded kernel module are of different releases{versions}: the driver was "
        "updated while its module stayed loaded.",
        "Restart, or stop what uses the GPU and load the module again.",
        ("cat /proc/driver/nvidia/version", "sudo reboot",
         "sudo rmmod nvidia_drm nvidia_modeset nvidia_uvm nvidia && sudo modprobe nvidia_uvm  # instead of a restart"),
        _ERRORS),
    "mismatch_in_wsl": HintRow(
        "WSL's driver library and the driver in Windows are of different releases: the driver in Windows was updated "
        "while WSL ran.",
        "Restart WSL; if that does not help, install NVIDIA's driver in Windows again.",
        ("wsl --shutdown  # in Windows",), _WSL),
    "mismatch_by_path": HintRow(
        "The driver library and the loaded kernel module are of different releases{versions}: LD_LIBRARY_PATH "
        "leads to {path}, before the installed driver.",
        "Take its folder out of LD_LIBRARY_PATH.", ("{without_folder}", "cat /proc/driver/nvidia/version"), _ERRORS),
    "mismatch_mounted": HintRow(
        "The container has the driver library that its host had when it started, and the host's kernel module is of "
        "another release{versions}: the host's driver was updated.",
        "Restart the container; restart the host if its own nvidia-smi fails too.",
        ("cat /proc/driver/nvidia/version", "{restart}"), _CONTAINERS),
    "mismatch_in_image": HintRow(
        "The driver library and the host's kernel module are of different releases{versions}: {path} is part of "
        "the container's image and hides the host's driver, or the host's driver was updated since.",
        "Remove the driver's packages from the image, and start the container again.",
        ("cat /proc/driver/nvidia/version", "{remove_driver}", "{restart}"), _CONTAINERS),
    "mismatch_compat": HintRow(
        "{path} belongs to NVIDIA's cuda-compat package and does not match the kernel module{versions}: it "
        "supports only older driver branches.",
        "Take its folder out of the dynamic linker's path, and use the installed driver.",
        ("{without_folder}", "cat /proc/driver/nvidia/version"), _COMPATIBILITY),
    "compat_not_supported": HintRow(
        "{path} belongs to NVIDIA's cuda-compat package, which supports data-centre GPUs and some others, but not "
        "this one.",
        "Take its folder out of the dynamic linker's path, and update the display driver{of_host} instead.",
        ("{without_folder}", "{update}"), _COMPATIBILITY),
    "compat_mounted": HintRow(
        "{path} is the image's cuda-compat driver, which NVIDIA's container runtime mounted over the host's. It "
        "supports data-centre GPUs and some others, but not this one.",
        "Update the driver of the host, or use an image of an older CUDA.",
        ("{update}", "grep libcuda.so /proc/self/mountinfo"), _COMPATIBILITY),
    "mps_connection": HintRow(
        "The MPS control daemon at {pipe} does not answer: it ended, or belongs to another user or container.",
        "Start the daemon, or run programs without MPS.",
        ("nvidia-cuda-mps-control -d", "{without_mps}", "ls -ld {pipe}"), _MPS),
    "mps_rpc": HintRow(
        "The MPS server at {pipe} failed while it served this program.",
        "Restart MPS.", ("echo quit | nvidia-cuda-mps-control", "nvidia-cuda-mps-control -d"), _MPS),
    "mps_not_ready": HintRow(
        "The MPS server at {pipe} starts, recovers from a failure or serves another user.",
        "Wait and try again; if that does not help, restart MPS.",
        ("echo get_server_list | nvidia-cuda-mps-control", "echo quit | nvidia-cuda-mps-control",
         "nvidia-cuda-mps-control -d"), _MPS),
    "mps_clients": HintRow(
        "The MPS server at {pipe} has as many clients as it can serve.",
        "End programs that use it.", ("echo ps | nvidia-cuda-mps-control",), _MPS),
    "mps_connections": HintRow(
        "The MPS server at {pipe} has no connections to the GPU left.",
        "End programs that use it, or let each take fewer connections.",
        ("export CUDA_DEVICE_MAX_CONNECTIONS=2", "echo ps | nvidia-cuda-mps-control"), _MPS),
    "mps_terminated": HintRow(
        "The MPS server at {pipe} terminated this program's connection.",
        "Start the program again; restart MPS if it happens again.",
        ("echo quit | nvidia-cuda-mps-control", "nvidia-cuda-mps-control -d"), _MPS),
    "uvm_missing": HintRow(
        "/dev/nvidia-uvm does not exist: the kernel module nvidia_uvm is not loaded, or its device file is missing.",
        "Load the module and create its device files.", ("sudo nvidia-modprobe -u -c=0",), _README),
    "uvm_lost": HintRow(
        "The kernel module nvidia_uvm is in a broken state, as it may be after suspend and resume.",
        "Load the module again; restart if it is in use.", ("sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm",
                                                            "sudo dmesg | grep -i nvrm"), _README),
    "access_lost": HintRow(
        "The container lost its access to the GPUs (as after a systemctl daemon-reload on the host), or the host's "
        "kernel module nvidia_uvm is in a broken state.",
        "Restart the container; if that does not help, load the module on the host again.",
        ("{restart}", "sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm  # on the host"), _CONTAINERS),
    "device_denied": HintRow(
        "This user may not open {device}.",
        "Give this user the device's group, or the device files their usual permissions (0666).",
        ("ls -l /dev/nvidia*", "sudo usermod -aG \"$(stat -c %G {device})\" \"$USER\""), _README),
    "device_missing": HintRow(
        "The kernel module is loaded, but its device files (/dev/nvidiactl, /dev/nvidia0) do not exist.",
        "Create the device files.", ("sudo nvidia-modprobe -u -c=0", "ls -l /dev/nvidia*"), _README),
    "gpu_hidden": HintRow(
        "CUDA_VISIBLE_DEVICES={visible} hides {gpus}.",
        "Unset it, or set it to GPUs that nvidia-smi -L lists.", ("unset CUDA_VISIBLE_DEVICES", "nvidia-smi -L"),
        _PROGRAMMING),
    "gpu_perhaps_hidden": HintRow(
        "CUDA_VISIBLE_DEVICES={visible} allows no GPU that the driver sees.",
        "Unset it, or set it to GPUs that nvidia-smi -L lists.", ("unset CUDA_VISIBLE_DEVICES", "nvidia-smi -L"),
        _PROGRAMMING),
    "wsl_shadowed": HintRow(
        "This is WSL, and {path} hides the driver of Windows in /usr/lib/wsl/lib.",
        "Remove the Linux driver: in WSL only the driver of Windows works.", ("{remove_driver}",), _WSL),
    "wsl_without_gpu": HintRow(
        "This is WSL, and Windows provides no GPU to it ({device}).",
        "Update WSL and NVIDIA's driver in Windows, and use WSL 2.",
        ("wsl --update  # in Windows", "wsl --shutdown  # in Windows", "nvidia-smi.exe"), _WSL),
    "wsl_error": HintRow(
        "This is WSL, and the driver of Windows reports no cause: an update of Windows, of its driver "
        "or of WSL may be incomplete, or WSL lost the GPU when Windows slept.",
        "Update WSL and NVIDIA's driver in Windows, and restart WSL.",
        ("wsl --update  # in Windows", "wsl --shutdown  # in Windows", "sudo dmesg | grep -i dxg"), _WSL),
    "host_without_gpu": HintRow(
        "The Apptainer container has its host's driver libraries (--nv), and the host has no GPU for it: the driver's "
        "kernel module is not loaded there, or the host has no NVIDIA GPU.",
        "Start the container on a host with a GPU, or repair the host's driver.",
        ("nvidia-smi  # on the host",), _APPTAINER),
    "nouveau": HintRow(
        "The kernel uses the driver nouveau for {gpus}, and CUDA does not work with it.",
        "Disable nouveau, and restart.",
        ("echo 'blacklist nouveau' | sudo tee /etc/modprobe.d/blacklist-nouveau.conf",
         "sudo update-initramfs -u || sudo dracut --force", "sudo reboot"), _INSTALLATION),
    "passed_through": HintRow(
        "The kernel keeps {gpus} for a virtual machine (vfio-pci).",
        "Use it in that machine, or give it back to NVIDIA's driver.", ("lspci -k -d 10de:",), _README),
    "module_not_loaded": HintRow(
        "This computer has {gpus}, but the driver's kernel module is not loaded.",
        "Load it; if that fails, the kernel log has the cause (such as a new kernel or Secure Boot).",
        ("sudo modprobe nvidia", "sudo dmesg | grep -iE 'nvrm|nvidia'", "mokutil --sb-state"), _INSTALLATION),
    "no_gpu": HintRow(
        "The driver's kernel module is not loaded, or the computer has no NVIDIA GPU.",
        "Check that the computer has an NVIDIA GPU, and load the module.",
        ("lspci -d 10de:", "sudo modprobe nvidia"), _INSTALLATION),
    "gpu_unusable": HintRow(
        "The kernel module is loaded, but the driver reports no GPU.",
        "Read the driver's and the kernel's reports on the GPUs.", ("nvidia-smi", "sudo dmesg | grep -i nvrm"),
        _README),
    "other_error": HintRow(
        "The driver reports no cause.",
        "Read the kernel module's reports on the GPUs.", ("nvidia-smi", "sudo dmesg | grep -i nvrm"), _ERRORS),
}

# Statuses that have the same meaning from every source.
BY_STATUS = {
    STUB_LIBRARY: "stub_library",
    805: "mps_connection", 806: "mps_rpc", 807: "mps_not_ready", 808: "mps_clients", 809: "mps_connections",
    810: "mps_terminated",
}

# The command that restarts a container, by its runtime.
RESTART = {
    "kubernetes": "kubectl delete pod NAME  # its controller starts a new one",
    "docker": "docker restart CONTAINER",
    "podman": "podman restart CONTAINER",
    "containerd": "nerdctl restart CONTAINER",
    "lxc": "lxc restart NAME",
}

# The command that gives a container all parts of the driver that CUDA needs.
WITH_COMPUTE = "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ..."
WITH_COMPUTE_BY = {
    "kubernetes": "kubectl set env deployment NAME NVIDIA_DRIVER_CAPABILITIES=compute,utility",
    "podman": "podman run --device nvidia.com/gpu=all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...",
}

# The command for a container that was started without GPUs, by its runtime.
WITHOUT_GPU = {
    "kubernetes": HintRow(
        "This is a Kubernetes pod, and the driver and GPUs reach only containers that request nvidia.com/gpu from "
        "NVIDIA's device plugin.",
        "Request a GPU in the container's resources (limits: nvidia.com/gpu: 1), and check that the node offers it; "
        "its container runtime needs NVIDIA's Container Toolkit.",
        ("kubectl set resources deployment NAME --limits=nvidia.com/gpu=1",
         "kubectl describe nodes | grep nvidia.com/gpu", "kubectl get runtimeclass",
         "sudo nvidia-ctk runtime configure --runtime=containerd && sudo systemctl restart containerd  # on the node"),
        _KUBERNETES),
    "containerd": HintRow(
        "This is a container of containerd, and it was started without GPUs, or NVIDIA's Container Toolkit is not "
        "registered with containerd.",
        "Register the toolkit on the host, and start the container with GPUs.",
        ("sudo nvidia-ctk runtime configure --runtime=containerd && sudo systemctl restart containerd",
         "nerdctl run --gpus all ...", "ctr run --gpus 0 ..."), _CONTAINERS),
    "cri-o": HintRow(
        "This is a container of CRI-O, and it was started without GPUs.",
        "Register NVIDIA's Container Toolkit on the host, and start the container with GPUs.",
        ("sudo nvidia-ctk runtime configure --runtime=crio && sudo systemctl restart crio",), _CONTAINERS),
    "docker": HintRow(
        "This is a Docker container, and it was started without the host's GPUs.",
        "Start it with GPUs; the host needs NVIDIA's driver and Container Toolkit.",
        ("docker run --gpus all ...",
         "sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker  # on the host"),
        _CONTAINERS),
    "podman": HintRow(
        "This is a Podman container, and it was started without the host's GPUs.",
        "Start it with GPUs; the host needs NVIDIA's driver, its Container Toolkit and a CDI specification.",
        ("podman run --device nvidia.com/gpu=all ...",
         "sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml  # on the host"), _CONTAINERS),
    "apptainer": HintRow(
        "This is an Apptainer (Singularity) container that was started without --nv: it has no driver libraries of its "
        "host (/.singularity.d/libs).",
        "Start it with --nv; the host needs NVIDIA's driver.",
        ("apptainer exec --nv IMAGE ...", "singularity exec --nv IMAGE ...  # with Singularity"), _APPTAINER),
    "lxc": HintRow(
        "This is an LXC container, and it was given no GPU.",
        "Give it a GPU and the host's driver.",
        ("lxc config device add NAME gpu gpu", "lxc config set NAME nvidia.runtime=true"),
        "https://documentation.ubuntu.com/lxd/latest/reference/devices_gpu/"),
    "container": HintRow(
        "This is a container, and it was started without the host's driver and GPUs.",
        "Start the container with the host's GPUs.",
        ("docker run --gpus all ...", "podman run --device nvidia.com/gpu=all ..."), _CONTAINERS),
}

LIBRARIES = {
    "setting": HintRow("It must be {values}.", "Correct it, or unset it.", ("unset {name}",),
                       "docs/doctor.md"),
    "setting_unknown": HintRow("No setting of anycuda has this name.", "Correct the name, or unset it.",
                               ("unset {name}",), "docs/doctor.md"),
    "variable_nothing": HintRow("{entry} does not exist.", "Correct the path, or remove it from {name}.",
                                ("{without}",), "docs/doctor.md"),
    "variable_file": HintRow("{entry} is a file, but {name} names folders.", "Name the folder, or remove the entry.",
                             ("{without}",), "docs/doctor.md"),
    "variable_relative": HintRow(
        "{entry} is relative: it depends on the working folder of the program.", "Write the whole path, from / on.",
        ("{without}",), "docs/doctor.md"),
    "variable_hangs": HintRow(
        "{entry} does not answer: its disk or network file system hangs, and so does each program that searches it.",
        "Mount it again, or remove it from {name}.", ("{without}", "cat /proc/mounts"), "docs/doctor.md"),
    "variable_list": HintRow("{name} names one folder, but its value is a list.", "Set it to one folder.",
                             ("{without}",), "docs/doctor.md"),
    "own_environment": HintRow(
        "Only the command anycuda uses the examined environment, {prefix}.",
        "Activate the environment of your program, or name its Python.", ("anycuda doctor --python PATH",),
        "docs/doctor.md"),
    "conda_base": HintRow(
        "This Python is another environment's, so it finds no library of conda's base.",
        "If your program runs in the base, examine the base's Python.", ("anycuda doctor --python {python}",),
        "docs/search.md"),
    "folder_denied": HintRow(
        "This user may not enter {blocker}, so no file in {path} is found.",
        "Let this user enter and list the folder, or name another one.",
        ("namei -l {path}", "sudo setfacl -m u:\"$USER\":rx {blocker}"), _LINKER),
    "dependency": HintRow(
        "It needs {missing}, which the dynamic linker does not find.",
        "Install the package that contains {missing}.", ("ldd {path}", "{provide}"), _LINKER),
    "glibc": HintRow(
        "It needs a newer C library than this system has: {reason}.",
        "Install a build of it for this system, or use a newer system.", ("ldd --version", "ldd {path}"), _LINKER),
    "not_opened": HintRow(
        "The dynamic linker refuses it: {reason}.", "Install its package again.", ("ldd -r {path}", "{repair}"),
        _LINKER),
    "not_opened_intact": HintRow(
        "The dynamic linker refuses it: {reason}. The file is as {package} installed it, so a library that it needs is "
        "missing or of another version.",
        "Make the dynamic linker find the needed library of the same release first: remove other folders from "
        "LD_LIBRARY_PATH.", ("ldd -r {path}",), _LINKER),
    "wheel_gone": HintRow(
        "{count} of the libraries that {package} installed {are} missing. It counts as installed, so pip does not "
        "install it again by itself.", "Install this version again.", (), "docs/doctor.md"),
    "two_packages": HintRow(
        "The file is {actual}: the package that was installed last has replaced the other's file.",
        "Uninstall {others}. This removes the file, so install {kept} again.", (), "docs/doctor.md"),
    "link_loop": HintRow(
        "It is a link that leads back to itself ({reason}).", "Remove the link, and install its package again.",
        ("namei -l {path}", "rm {path}", "{repair}"), _LINKER),
    "read_error": HintRow(
        "Reading it fails ({reason}): its disk or network file system has an error.",
        "Read the kernel's reports on the file system, then install its package again.",
        ("findmnt -T {path}", "sudo dmesg | tail -n 50", "{repair}"), _LINKER),
    "unreadable": HintRow(
        "This user may not read it ({reason}).", "Let this user read it and enter the folders above it.",
        ("namei -l {path}",), _LINKER),
    "incomplete": HintRow(
        "{missing}, which it opens at its first use, is missing.", "Install its package again.",
        ("{repair}",), "docs/search.md"),
    "damaged": HintRow(
        "The file is damaged: {reason}.", "Install its package again, or remove it.",
        ("file -L {path}", "{repair}"), _LINKER),
    "other_cpu": HintRow(
        "It is for another CPU than this machine's.", "Install the package for this CPU, or remove it.",
        ("file -L {path}", "uname -m", "{repair}"), _LINKER),
    "not_a_file": HintRow(
        "It is a folder, a device or the like instead of a file.", "Remove it, or install its package again.",
        ("ls -ld {path}", "{repair}"), _LINKER),
    "dangling": HintRow(
        "It is a link to {target}, which does not exist.", "Install its package again, or remove the link.",
        ("ls -l {path}", "{repair}"), _LINKER),
    "listed_only": HintRow(
        "/etc/ld.so.cache lists it, but the file does not exist.",
        "Install its package again, or update the cache.", ("{repair}", "sudo ldconfig"), _LINKER),
    "has_tokens": HintRow(
        "Its path has a $, which dlopen() replaces ($ORIGIN, $LIB, $PLATFORM), so that it would open another file.",
        "Rename the folder, or reach it by a link without $.", ("ln -s {folder} PATH_WITHOUT_DOLLAR",), _LINKER),
    "not_trusted": HintRow(
        "Another user can change it, and no setting names it: it was found above the caller's folder.",
        "Let only its owner write to its folder, or name it by {variable}.",
        ("ls -ld {folder} {path}", "export {variable}={path}"), "docs/search.md"),
    "other_library": HintRow(
        "It is a file of another library: {reason}.", "Remove it, or rename it.",
        ("readelf -d {path} | grep SONAME",), _LINKER),
    "anycuda_stub": HintRow(
        "It is an anycuda stub, which loads the library and does not contain it.",
        "Install {it} from NVIDIA.", ("{install}",), "docs/search.md"),
    "not_read": HintRow(
        "The process ran out of memory while reading it.",
        "End programs that hold memory, or raise the limit of the job.",
        ("free -h", "ulimit -v unlimited"), "docs/doctor.md"),
    "other_file": HintRow(
        "The dynamic linker opens {reason} instead of the examined file: the file was replaced during the search, or a "
        "module in LD_AUDIT redirects the dynamic linker.",
        "Start the program again; if it happens again, unset LD_AUDIT.", ("ls -lL {path}", "unset LD_AUDIT"), _LINKER),
    "other_version": HintRow(
        "The file is not the library that its name says: {reason}.", "Install its package again, or remove it.",
        ("{repair}",), "docs/search.md"),
    "stays_open": HintRow(
        "It was opened and refused: {reason}.", "Remove it, and start the program again.",
        ("mv {path} {path}.unused", "{repair}"), "docs/search.md"),
    "library_setting": HintRow(
        "{variable} names it, and it is refused: {reason}.",
        "Correct {variable}, or unset it: while it is set, no other place is searched.", ("unset {variable}",),
        "docs/search.md"),
    "crash": HintRow(
        "The last step was: {step}.", "Remove or replace the file of that step: a program would fail there, too.", (),
        "docs/doctor.md"),
    "two_majors": HintRow(
        "A program that uses all of these libraries mixes CUDAs in one process, since no major has all of them.",
        "Install {missing} of CUDA {best} too.", (), "docs/search.md"),
    "other_environment": HintRow(
        "{how}; the environment in use, {prefix}, has {nearest}.",
        "Make the search find the environment's library first.", ("{command}",), "docs/doctor.md"),
    "toolkits_differ": HintRow(
        "{settings} name different toolkits: builds and programs that read one of them do not see the other. anycuda "
        "searches them in this order.",
        "Set all of them to the intended toolkit.", (), "docs/doctor.md"),
}
