# SPDX-License-Identifier: Apache-2.0
"""What a library needs comes from its own environment, even where the dynamic linker would find another file. With the
real libraries of CUDA 12.9, and with the nvJitLink of 12.1, which lacks what this cuSPARSE needs."""

from __future__ import annotations

import shutil
import subprocess

from build_folder import artifact, build_file
from case import MachineCase
from parts import patchelf, place, python

SITE = "/opt/site"
OLD = "/opt/old"
_PROCESS = """
import ctypes, sys
file, function, *loaded = sys.argv[1:]
for path in loaded:
    ctypes.CDLL(path)
room = (ctypes.c_uint64 * 2)()
print(getattr(ctypes.CDLL(file), function)(ctypes.byref(room), ctypes.byref(room, 8)))
lines = [line for line in open("/proc/self/maps") if "/libcu" in line or "/libnv" in line]
print(*sorted({line.split(maxsplit=5)[-1].strip() for line in lines}), sep="\\n")
"""
CALLS = {"cudnn": "cudnnGetVersion", "cusparse": "cusparseGetErrorName", "cusolver": "cusolverGetVersion",
         "cusolvermg": "cusolverMgCreate"}


class CompanionsCase(MachineCase):
    def setUp(self) -> None:
        super().setUp()
        self.machine.env(PYTHONPATH=SITE)

    def wheels(self, *names: str, release: str = "12.9") -> None:
        for name in names:
            folder = artifact(f"{name}-{release}")
            for file in folder.glob("nvidia/*/lib/*.so.*"):
                place(file, self.machine.at(SITE) / file.relative_to(folder))

    def shadow(self) -> None:
        """As a module of an older toolkit leaves it."""
        file = next(artifact("nvjitlink-12.1").glob("nvidia/*/lib/*.so.*"))
        place(file, self.machine.at(f"{OLD}/{file.name}"))
        self.machine.variables["LD_LIBRARY_PATH"] = str(self.machine.at(OLD))

    def ask(self, name: str, *loaded: str, file: str = "") -> tuple[str, list[str], str]:
        """The call's result, the opened libraries on this machine, and the messages."""
        command = [python(), "-c", _PROCESS, file or build_file(f"lib/lib{name}_stub.so"), CALLS[name], *loaded]
        done = subprocess.run(command, capture_output=True, text=True, cwd=self.machine.at("~"),
                              env=self.machine.variables, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        result, *files = done.stdout.splitlines()
        root = str(self.machine.root)
        return result, [file.removeprefix(root) for file in files if file.startswith(root)], done.stderr


class Shadowed(CompanionsCase):
    def test_cusparse_comes_with_its_sites_nvjitlink(self) -> None:
        self.wheels("cusparse", "nvjitlink")
        self.shadow()
        _, files, messages = self.ask("cusparse")
        self.assertEqual(files, [f"{SITE}/nvidia/cusparse/lib/libcusparse.so.12",
                                 f"{SITE}/nvidia/nvjitlink/lib/libnvJitLink.so.12"], messages)

    def test_companions_of_a_companion_come_from_the_site_too(self) -> None:
        self.wheels("cusolver", "cublas", "cusparse", "nvjitlink")
        self.shadow()
        result, files, messages = self.ask("cusolver")
        self.assertEqual(result, "0", messages)
        self.assertEqual([file for file in files if not file.startswith(SITE)], [])

    def without_run_path(self, path: str) -> None:
        file = self.machine.at(path)
        shutil.copy(file, whole := file.with_name("whole"))
        file.unlink()
        whole.rename(file)
        patchelf("--remove-rpath", file)

    def test_file_without_run_path_finds_the_wheels_of_its_site(self) -> None:
        self.wheels("cusparse", "nvjitlink")
        self.without_run_path(f"{SITE}/nvidia/cusparse/lib/libcusparse.so.12")
        _, files, messages = self.ask("cusparse")
        self.assertEqual(len(files), 2, messages)

    def test_cusolvermg_without_run_path_finds_its_folder(self) -> None:
        """As that of CUDA 13.0 on PyPI is."""
        self.wheels("cusolver", "cublas", "cusparse", "nvjitlink", release="13.5")
        self.without_run_path(f"{SITE}/nvidia/cu13/lib/libcusolverMg.so.12")
        _, files, messages = self.ask("cusolvermg")
        self.assertEqual({file.rsplit("/", 1)[0] for file in files}, {f"{SITE}/nvidia/cu13/lib"}, messages)
        self.assertIn(f"{SITE}/nvidia/cu13/lib/libcusolverMg.so.12", files)

    def test_companion_that_the_process_has_stays(self) -> None:
        self.wheels("cusparse", "nvjitlink")
        self.shadow()
        other = place(next(artifact("nvjitlink-12.9").glob("nvidia/*/lib/*.so.*")),
                      self.machine.at("/opt/other/libnvJitLink.so.12"))
        _, files, messages = self.ask("cusparse", str(other))
        # The machine's files are second names of one file: the dynamic linker knows it by the first.
        self.assertEqual(files, ["/opt/other/libnvJitLink.so.12", f"{SITE}/nvidia/cusparse/lib/libcusparse.so.12"],
                         messages)


class Parts(CompanionsCase):
    """cuDNN opens its parts by their names."""

    def setUp(self) -> None:
        super().setUp()
        for file in artifact("cudnn-9.6").glob("nvidia/cudnn/lib/*.so.9"):
            place(file, self.machine.at(f"{SITE}/nvidia/cudnn/lib/{file.name}"))
        other = next(artifact("cudnn-9.28").rglob("libcudnn_graph.so.9"))
        place(other, self.machine.at(f"{OLD}/{other.name}"))

    def test_come_from_the_librarys_own_folder(self) -> None:
        self.machine.env(LD_LIBRARY_PATH=OLD)
        _, files, messages = self.ask("cudnn")
        self.assertEqual({file.rsplit("/", 1)[0] for file in files}, {f"{SITE}/nvidia/cudnn/lib"}, messages)
        self.assertIn(f"{SITE}/nvidia/cudnn/lib/libcudnn_graph.so.9", files)

    def test_are_left_to_the_library_where_nothing_shadows_them(self) -> None:
        plain = self.ask("cudnn", file=str(self.machine.at(f"{SITE}/nvidia/cudnn/lib/libcudnn.so.9")))
        self.assertEqual(self.ask("cudnn")[:2], plain[:2])


class Healthy(CompanionsCase):
    def test_stub_opens_what_the_library_opens(self) -> None:
        self.wheels("cusolver", "cublas", "cusparse", "nvjitlink")
        plain = self.ask("cusolver", file=str(self.machine.at(f"{SITE}/nvidia/cusolver/lib/libcusolver.so.11")))
        self.assertEqual(self.ask("cusolver")[:2], plain[:2])
