# SPDX-License-Identifier: Apache-2.0
"""Broken machines: the first three lines of `anycuda doctor` name the environment, the verdict and the cause with what
to do."""

import unittest
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from build_folder import with_real_libraries
from doctor_support import WORKING, library_file, place, with_core
from situation_support import Computer

HEALTHY = "CUDA work is possible: CUDA runtime 12.9, a driver for CUDA 12.9, 1 GPU"
IMPOSSIBLE = "CUDA work is not possible: "


@dataclass(frozen=True)
class Broken:
    """`verdict` and `advice` are parts of the second and the third line, `command` one of the fourth. `{root}`,
    `{site}` and `{python}` stand for the machine's."""

    name: str
    make: Callable[[Computer], object]
    verdict: str
    advice: str
    command: str
    options: tuple[str, ...] = ()


def runtime_of(computer: Computer) -> Path:
    return next(computer.site.rglob("libcudart.so.12"))


def healthy(computer: Computer) -> Computer:
    return computer.works().wheel("cudart", "12.9")


def set_to(name: str, value: str) -> Callable[[Computer], object]:
    return lambda computer: healthy(computer).env(**{name: value.format(root=computer.root)})


def without_cuda_but(name: str, value: str) -> Callable[[Computer], object]:
    return lambda computer: computer.works().env(**{name: value.format(root=computer.root)})


def truncated(computer: Computer) -> None:
    healthy(computer)
    file = runtime_of(computer)
    content = file.read_bytes()[:5000]
    file.unlink()
    file.write_bytes(content)


def without_builtins(computer: Computer) -> None:
    healthy(computer).wheel("nvrtc", "12.9")
    next(computer.site.rglob("libnvrtc-builtins.so.12.9")).unlink()


def denied(computer: Computer) -> None:
    healthy(computer)
    (computer.site / "nvidia").chmod(0)
    computer.as_ordinary_user()


def of_two_packages(computer: Computer) -> None:
    healthy(computer).wheel_of(runtime_of(computer), "nvidia-cuda-runtime-cu11", "11.8.89", b"other")


def hidden_driver(computer: Computer) -> None:
    computer.wheel("cudart", "12.9").gpu().module("580.65.06").answers(803, "usr/lib64", version="580.65.06")
    computer.answers(803, version="535.104.05")


def damaged_driver(computer: Computer) -> None:
    computer.wheel("cudart", "12.9").module().gpu().real_driver_cut_to(4096)
    computer.owned("usr/lib/x86_64-linux-gnu/libcuda.so.1", "libcuda1")


def old_driver(computer: Computer) -> None:
    computer.module().gpu().wheel("cudart", "13.5").fake_driver(with_core(WORKING))


def in_place_of_a_runtime(computer: Computer) -> None:
    place(library_file("nvrtc", "12.9"), computer.works().site / "nvidia/cuda_runtime/lib/libcudart.so.12")


def not_activated(computer: Computer) -> None:
    """The command is in its own environment, and the activated one has no CUDA."""
    own = computer.works().python
    computer.python_in(computer.root / "project/.venv")
    (computer.root / "project/.venv/bin/python").symlink_to("python3")
    computer.env(VIRTUAL_ENV=f"{computer.root}/project/.venv").python = own


MACHINES = (
    Broken("no driver", lambda computer: computer.wheel("cudart", "12.9"), f"{IMPOSSIBLE}no driver.",
           "No driver library (libcuda.so.1) was found.", "sudo apt install nvidia-driver"),
    Broken("no driver for the GPU", lambda computer: computer.wheel("cudart", "12.9").gpu(driver=""),
           f"{IMPOSSIBLE}no driver.", "This computer has 1 NVIDIA GPU", "sudo apt install nvidia-driver"),
    Broken("a container without GPUs", lambda computer: computer.wheel("cudart", "12.9").container("docker"),
           f"{IMPOSSIBLE}no driver.", "This is a Docker container, and it was started without the host's GPUs.",
           "docker run --gpus all ..."),
    Broken("hidden GPUs", lambda computer: computer.wheel("cudart", "12.9").gpu().module().answers(100).env(
        CUDA_VISIBLE_DEVICES="-1"), f"{IMPOSSIBLE}no GPU (cuInit: CUDA_ERROR_NO_DEVICE).",
           "CUDA_VISIBLE_DEVICES=-1 hides 1 NVIDIA GPU", "unset CUDA_VISIBLE_DEVICES"),
    Broken("a driver library older than the kernel module", hidden_driver,
           "no GPU (cuInit: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH)",
           "libcuda.so.1 is old. It is of driver 535.104.05 and hides {root}/usr/lib64/libcuda.so.580.65.06",
           "grep -rn {root}/usr/lib/x86_64-linux-gnu"),
    Broken("a truncated driver library", damaged_driver, f"{IMPOSSIBLE}no driver.",
           "libcuda.so.1 cannot be loaded. The file is truncated", "sudo apt install --reinstall libcuda1"),
    Broken("a driver that is too old", old_driver, f"{IMPOSSIBLE}no usable CUDA runtime.",
           "libcudart.so.13: needs a driver for CUDA 13", "{python} -m pip install nvidia-cuda-runtime-cu12"),
    Broken("no CUDA", Computer.works, f"{IMPOSSIBLE}no CUDA runtime was found.",
           "A program gets no CUDA runtime. Install a CUDA runtime ({python} -m pip install",
           "{python} -m pip install nvidia-cuda-runtime-cu12"),
    Broken("no CUDA in the activated environment", not_activated, f"{IMPOSSIBLE}no CUDA runtime was found.",
           "A program gets no CUDA runtime.", "{root}/project/.venv/bin/python"),
    Broken("a wheel without its files", lambda computer: runtime_of(healthy(computer)).unlink(),
           f"{IMPOSSIBLE}no CUDA runtime: the files of nvidia-cuda-runtime-cu12 12.9.79 are missing.",
           "libcudart.so.12 does not exist.",
           "{python} -m pip install --force-reinstall --no-deps nvidia-cuda-runtime-cu12==12.9.79"),
    Broken("a truncated runtime", truncated, f"{IMPOSSIBLE}no usable CUDA runtime.",
           "libcudart.so.12 cannot be used as CUDA runtime. The file is damaged: truncated", "file -L {site}/nvidia/"),
    Broken("another library in the place of the runtime", in_place_of_a_runtime, f"{IMPOSSIBLE}no usable CUDA runtime.",
           "It is a file of another library: not a CUDA runtime: its SONAME is 'libnvrtc.so.12'", "readelf -d"),
    Broken("a folder without access", denied, f"{IMPOSSIBLE}no CUDA runtime was found.",
           "{site}/nvidia is not accessible.", "namei -l {site}/nvidia"),
    Broken("a file of two packages", of_two_packages, HEALTHY,
           "is in two packages: nvidia-cuda-runtime-cu11 11.8.89 and nvidia-cuda-runtime-cu12 12.9.79.",
           "{python} -m pip uninstall -y nvidia-cuda-runtime-cu11"),
    Broken("an NVRTC without its builtins", without_builtins,
           f"{IMPOSSIBLE}NVRTC is incomplete (libnvrtc-builtins.so.12.9 is missing).",
           "libnvrtc-builtins.so.12.9, which it opens at its first use, is missing.",
           "{python} -m pip install --force-reinstall --no-deps nvidia-cuda-nvrtc-cu12==12.9.86",
           ("--library", "nvrtc")),
    Broken("two CUDA majors", lambda computer: healthy(computer).wheel("nvrtc", "11.8"),
           "; several CUDA majors in {root}/venv: 11 (NVRTC) and 12 (CUDA runtime).",
           "Install NVRTC of CUDA 12 too.", "{python} -m pip install nvidia-cuda-nvrtc-cu12",
           ("--library", "cudart,nvrtc")),
    Broken("a typing error in LD_LIBRARY_PATH", without_cuda_but("LD_LIBRARY_PATH", "{root}/usr/local/cudaa/lib64"),
           f"{IMPOSSIBLE}no CUDA runtime was found.", "{root}/usr/local/cudaa/lib64 does not exist.",
           "unset LD_LIBRARY_PATH"),
    Broken("a relative entry in LD_LIBRARY_PATH", without_cuda_but("LD_LIBRARY_PATH", "cuda/lib64:{root}"),
           f"{IMPOSSIBLE}no CUDA runtime was found.", "cuda/lib64 is relative", "export LD_LIBRARY_PATH={root}"),
    Broken("a file in LD_LIBRARY_PATH", set_to("LD_LIBRARY_PATH", "{root}/usr/lib/x86_64-linux-gnu/libcuda.so.1"),
           HEALTHY, "libcuda.so.1 is a file, but LD_LIBRARY_PATH names folders.", "unset LD_LIBRARY_PATH"),
    Broken("a list in CUDA_HOME", set_to("CUDA_HOME", ":{root}"), HEALTHY,
           "CUDA_HOME names one folder, but its value is a list.", "export CUDA_HOME={root}"),
    Broken("a relative CUDA_PATH", set_to("CUDA_PATH", "cuda-12"), HEALTHY, "cuda-12 is relative", "unset CUDA_PATH"),
    Broken("a setting that anycuda does not know", set_to("ANYCUDA_CUDRT", "/x"), HEALTHY,
           "No setting of anycuda has this name.", "unset ANYCUDA_CUDRT"),
    Broken("a variable that names a missing file", set_to("ANYCUDA_CUDART", "/absent/libcudart.so.12"),
           f"{IMPOSSIBLE}no usable CUDA runtime.", "ANYCUDA_CUDART names it, and it is refused: no such file",
           "unset ANYCUDA_CUDART"),
)


@with_real_libraries
class FirstLines(unittest.TestCase):
    def test_of_each_machine(self):
        self.assertGreaterEqual(len(MACHINES), 20)
        for broken in MACHINES:
            with self.subTest(broken.name):
                computer = Computer(self)
                broken.make(computer)
                done = computer.doctor(*(broken.options or ("--library", "cudart")))
                closed = computer.site / "nvidia"
                if closed.exists():
                    closed.chmod(0o755)
                self.assertIn(done.returncode, (0, 1), done.stderr)
                examined, verdict, advice, command = done.stdout.splitlines()[:4]
                names = {"root": computer.root, "site": computer.site, "python": computer.python}
                self.assertRegex(examined, rf"^anycuda \S+ doctor: Python \S+, {computer.root}/\S+/bin/python")
                self.assertIn(broken.verdict.format(**names), verdict)
                self.assertTrue(advice.startswith("  1.  "), advice)
                self.assertIn(broken.advice.format(**names), advice)
                self.assertTrue(command.startswith("        $ "), command)
                self.assertIn(broken.command.format(**names), command)

    def test_healthy_machine_has_no_advice(self):
        computer = healthy(Computer(self))
        lines = super(Computer, computer).doctor().stdout.splitlines()
        self.assertEqual(lines[1:3], [f"{HEALTHY}.", ""])
        self.assertLessEqual(len(lines), 40)


if __name__ == "__main__":
    unittest.main()
