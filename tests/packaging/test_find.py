# SPDX-License-Identifier: Apache-2.0
"""`anycuda find` on made-up machines. They have no real file of NVIDIA: a library is a small one with its SONAME."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

from abi_support import ROOT
from doctor_support import COMMAND, Machine

sys.path.insert(0, str(ROOT / "packaging" / "python"))

from anycuda.doctor.questions import Outcome  # noqa: E402
from anycuda.failure import Failure  # noqa: E402
from anycuda.find.components import ComponentKind, read  # noqa: E402

NOTHING = "int anycuda_test_nothing(void) { return 0; }\n"


class World(Machine):
    def find(self, *arguments: str | bytes, python: Path | str = "") -> subprocess.CompletedProcess:
        return self.run([python or self.python, COMMAND, "find", *arguments])

    def found(self, *arguments: str, status: int = 0) -> dict:
        done = self.find("--json", *arguments)
        if done.returncode != status:
            raise AssertionError(f"status {done.returncode}: {done.stderr}")
        return json.loads(done.stdout)

    def component(self, *arguments: str, status: int = 0) -> dict:
        (one,) = self.found(*arguments, status=status)["components"]
        return one

    def put(self, path: Path, text: str = "text\n", mode: int = 0o755) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(mode)
        return path

    def toolkit(self, folder: str, major: int, minor: int, *programs: str) -> Path:
        """A CUDA Toolkit: its cuda.h names the release."""
        root = self.root / folder
        self.put(root / "include/cuda.h", f"#define CUDA_VERSION {major * 1000 + minor * 10}\n")
        self.put(root / "include/cuda_runtime.h")
        self.library(root / f"lib64/libcudart.so.{major}", NOTHING, f"libcudart.so.{major}")
        self.put(root / "nvvm/libdevice/libdevice.10.bc")
        for name in ("nvcc", *programs):
            self.put(root / "bin" / name)
        return root

    def wheel_of(self, path: str, soname: str, name: str, version: str, site: Path | None = None) -> Path:
        """A library in a wheel, as pip installs it."""
        folder = site or self.site
        file = folder / path
        self.library(file, NOTHING, soname)
        about = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        self.put(about / "METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        self.put(about / "RECORD", f"{path},,\n{about.name}/METADATA,,\n{about.name}/RECORD,,\n")
        return file

    def runtime_wheel(self, version: str = "12.9.79", site: Path | None = None) -> Path:
        return self.wheel_of("nvidia/cuda_runtime/lib/libcudart.so.12", "libcudart.so.12",
                             "nvidia-cuda-runtime-cu12", version, site)


class FindCase(unittest.TestCase):
    def setUp(self) -> None:
        self.world = World(self)

    def printed(self, *arguments: str) -> list[str]:
        done = self.world.find(*arguments)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return done.stdout.splitlines()

    def error(self, status: int, *arguments: str) -> str:
        done = self.world.find(*arguments)
        self.assertEqual((done.stdout, done.returncode), ("", status), done.stderr)
        self.assertTrue(done.stderr.startswith("anycuda find: "), done.stderr)
        return done.stderr


class Paths(FindCase):
    def test_only_the_path_is_printed(self) -> None:
        root = self.world.toolkit("usr/local/cuda-12.9", 12, 9)
        self.assertEqual(self.printed("nvcc"), [f"{root}/bin/nvcc"])
        self.assertEqual(self.printed("CUDART"), [f"{root}/lib64/libcudart.so.12"])

    def test_in_the_order_of_the_names(self) -> None:
        root = self.world.toolkit("usr/local/cuda-12.9", 12, 9)
        self.assertEqual(self.printed("libdevice", "cudart", "nvcc"),
                         [f"{root}/nvvm/libdevice/libdevice.10.bc", f"{root}/lib64/libcudart.so.12",
                          f"{root}/bin/nvcc"])

    def test_of_each_kind(self) -> None:
        root = self.world.toolkit("usr/local/cuda-12.9", 12, 9)
        self.world.put(root / "lib64/libcudart_static.a")
        for kind, name, path in (("library", "cudart", "lib64/libcudart.so.12"), ("program", "nvcc", "bin/nvcc"),
                                 ("static", "cudart_static", "lib64/libcudart_static.a"),
                                 ("bitcode", "libdevice.10.bc", "nvvm/libdevice/libdevice.10.bc"),
                                 ("headers", "cudart", "include")):
            with self.subTest(kind):
                self.assertEqual(self.printed("--kind", kind, name), [f"{root}/{path}"])
                self.assertEqual(self.world.component("--kind", kind, name)["kind"], kind)

    def test_with_bytes_that_are_not_text(self) -> None:
        folder = os.fsencode(self.world.root / "usr/local/cuda") + b"\xff"
        os.makedirs(folder + b"/bin")
        with open(folder + b"/bin/nvcc", "wb") as file:
            file.write(b"text")
        os.chmod(folder + b"/bin/nvcc", 0o755)
        command = [str(self.world.python), str(COMMAND), "find", "nvcc"]
        done = subprocess.run(command, capture_output=True, cwd=self.world.root, timeout=120,
                              env={**self.world.variables, "CUDA_PATH": os.fsdecode(folder)})
        self.assertEqual((done.stdout, done.returncode), (folder + b"/bin/nvcc\n", 0), done.stderr)


class Search(FindCase):
    """The decisions are those of the guard rails; their tests have the rules."""

    def test_the_environment_comes_before_the_toolkit(self) -> None:
        root = self.world.toolkit("usr/local/cuda-13.0", 13, 0)
        self.assertEqual(self.printed("cudart"), [f"{root}/lib64/libcudart.so.13"])
        wheel = self.world.runtime_wheel()
        self.assertEqual(self.printed("cudart"), [str(wheel)])

    def test_library_path_comes_first_only_outside_of_python(self) -> None:
        wheel, root = self.world.runtime_wheel(), self.world.toolkit("opt/other", 12, 8)
        self.world.env(LD_LIBRARY_PATH=f"{root}/lib64")
        self.assertEqual(self.printed("cudart"), [str(wheel)])
        self.assertEqual(self.printed("--native", "cudart"), [f"{root}/lib64/libcudart.so.12"])
        self.assertEqual(self.world.found("--native", "cudart")["python"], "")

    def test_the_rest_of_a_toolkit_in_the_library_path(self) -> None:
        """LD_LIBRARY_PATH has only the folder of its libraries."""
        root = self.world.toolkit("opt/other", 12, 8)
        self.world.library(root / "nvvm/lib64/libnvvm.so.4", NOTHING, "libnvvm.so.4")
        self.world.env(LD_LIBRARY_PATH=f"{root}/lib64")
        self.assertEqual(self.printed("nvcc", "nvvm", "libdevice"),
                         [f"{root}/bin/nvcc", f"{root}/nvvm/lib64/libnvvm.so.4",
                          f"{root}/nvvm/libdevice/libdevice.10.bc"])
        self.world.put(root / "include/crt/host_config.h")
        self.assertEqual(self.printed("--kind", "headers", "nvcc"), [f"{root}/include"])

    def test_a_named_python(self) -> None:
        other = World(self)
        wheel = other.runtime_wheel()
        self.assertEqual(self.printed("--python", str(other.python), "cudart"), [str(wheel)])
        self.error(1, "cudart")
        self.assertIn("excludes --python", self.error(2, "--native", "--python", str(other.python), "cudart"))

    def test_the_activated_environment(self) -> None:
        wheel = self.world.runtime_wheel()
        self.world.python = sys.executable
        self.assertEqual(self.printed("cudart"), [str(wheel)])

    def test_the_constraint_takes_another_toolkit(self) -> None:
        self.world.toolkit("opt/cuda", 13, 0)
        root = self.world.toolkit("usr/local/cuda-12.9", 12, 9)
        self.world.env(CUDA_PATH=f"{self.world.root}/opt/cuda")
        self.assertEqual(self.printed("nvcc"), [f"{self.world.root}/opt/cuda/bin/nvcc"])
        self.assertEqual(self.printed("--constraint", "==12.*", "nvcc", "cudart"),
                         [f"{root}/bin/nvcc", f"{root}/lib64/libcudart.so.12"])
        text = self.error(1, "--constraint", "==11.*", "nvcc")
        self.assertIn("does not satisfy the constraint ==11.*", text)
        self.assertIn("--constraint", text)
        self.assertNotIn("Options::", text)

    def test_names_that_do_not_go_together(self) -> None:
        """nvcc and libdevice are of one toolchain: they must be of exactly the same release."""
        root = self.world.toolkit("usr/local/cuda-13.0", 13, 0)
        other = self.world.toolkit("opt/cuda", 12, 9)
        (root / "nvvm/libdevice/libdevice.10.bc").unlink()
        (other / "bin/nvcc").unlink()
        self.assertEqual(len(self.printed("nvcc")), 1)
        self.assertEqual(len(self.printed("libdevice")), 1)
        text = self.error(1, "nvcc", "libdevice")
        self.assertIn("CUDA 13.0", text)
        self.assertIn("CUDA 12.9", text)
        report = self.world.found("nvcc", "libdevice", status=1)
        self.assertEqual([one["error"] and one["error"]["kind"] for one in report["components"]], [None, "mismatch"])

    def test_names_of_two_majors(self) -> None:
        """NVRTC and cuFFT need not be of one release, but of one major."""
        first, other = self.world.toolkit("usr/local/cuda-13.0", 13, 0), self.world.toolkit("opt/cuda", 12, 9)
        self.world.library(first / "lib64/libnvrtc.so.13", NOTHING, "libnvrtc.so.13")
        self.world.library(other / "lib64/libcufft.so.11", NOTHING, "libcufft.so.11")
        text = self.error(1, "nvrtc", "cufft")
        self.assertIn("must be of one CUDA major", text)
        self.assertTrue(text.endswith("install cufft of CUDA 13; or find each by a separate command\n"), text)

    def test_no_driver_is_asked(self) -> None:
        """A machine that builds has none, and a too old one refuses nothing."""
        root = self.world.toolkit("usr/local/cuda-13.0", 13, 0)
        self.world.fake_driver("#include <stdlib.h>\nint cuDriverGetVersion(int* v) { abort(); }\n")
        self.assertEqual(self.printed("cudart"), [f"{root}/lib64/libcudart.so.13"])

    def test_toolkit_variables_that_differ(self) -> None:
        first, other = self.world.toolkit("opt/a", 12, 9), self.world.toolkit("opt/b", 13, 0)
        self.world.env(CUDA_PATH=str(first), CUDA_HOME=str(other))
        done = self.world.find("nvcc")
        self.assertEqual((done.stdout, done.returncode), (f"{first}/bin/nvcc\n", 0))
        self.assertEqual(done.stderr, f"anycuda find: warning: CUDA_PATH={first} and CUDA_HOME={other} name different "
                                      "toolkits: CUDA_PATH goes first (unset one of them)\n")
        self.assertEqual(len(self.world.found("nvcc")["warnings"]), 1)
        self.world.runtime_wheel()  # the variables do not matter for this one
        self.assertEqual(self.world.found("cudart")["warnings"], [])


class Json(FindCase):
    def test_of_a_wheel(self) -> None:
        wheel = self.world.runtime_wheel()
        report = self.world.found("cudart")
        self.assertEqual((report["schema"], report["status"], report["warnings"], report["names"]), (1, 0, [], []))
        self.assertEqual(Path(report["python"]).parent, self.world.venv / "bin")
        self.assertEqual(report["components"], [{
            "name": "cudart", "kind": "library", "path": str(wheel), "place": "wheel", "cuda": "12.9",
            "cuda_source": "wheel nvidia-cuda-runtime-cu12 12.9.79",
            "cuda_file": f"{self.world.site}/nvidia_cuda_runtime_cu12-12.9.79.dist-info/METADATA", "cuda_unknown": "",
            "package": "wheel nvidia-cuda-runtime-cu12 12.9.79", "version": "12.9.79", "error": None}])

    def test_of_a_toolkit_without_packages(self) -> None:
        root = self.world.toolkit("usr/local/cuda-12.9", 12, 9)
        one = self.world.component("nvcc")
        self.assertEqual((one["place"], one["cuda"], one["cuda_source"], one["cuda_file"], one["package"],
                          one["version"]), ("system", "12.9", "cuda.h", f"{root}/include/cuda.h", "", ""))

    def test_of_a_library_with_releases_of_its_own(self) -> None:
        """Its version is not a toolkit's, and a cuda.h beside it says nothing."""
        wheel = self.world.wheel_of("nvidia/nccl/lib/libnccl.so.2", "libnccl.so.2", "nvidia-nccl-cu12", "2.26.2")
        one = self.world.component("nccl")
        self.assertEqual((one["path"], one["cuda"], one["version"], one["package"]),
                         (str(wheel), "", "2.26.2", "wheel nvidia-nccl-cu12 2.26.2"))
        self.assertIn("released apart", one["cuda_unknown"])
        root = self.world.toolkit("opt/cuda", 12, 9)
        self.world.library(root / "lib64/libcudnn.so.9", NOTHING, "libcudnn.so.9")
        self.world.env(CUDA_PATH=str(root))
        one = self.world.component("cudnn")
        self.assertEqual((one["path"], one["cuda"], one["place"]),
                         (f"{root}/lib64/libcudnn.so.9", "", "toolkit_variable"))

    def test_of_packages_of_dpkg(self) -> None:
        file = self.world.system / "libcudart.so.12"
        self.world.library(file, NOTHING, "libcudart.so.12")
        info = self.world.root / "var/lib/dpkg/info"
        self.world.put(info / "cuda-cudart-12-9.list", "/.\n/usr/lib/x86_64-linux-gnu/libcudart.so.12\n")
        one = self.world.component("cudart")
        self.assertEqual((one["path"], one["cuda"], one["package"], one["version"]),
                         (str(file), "12.9", "dpkg package cuda-cudart-12-9", ""))

    def test_of_an_unknown_release(self) -> None:
        root = self.world.toolkit("opt/cuda", 12, 9)
        (root / "include/cuda.h").unlink()
        self.world.env(CUDA_PATH=str(root))
        one = self.world.component("cudart")
        self.assertEqual((one["path"], one["cuda"]), (f"{root}/lib64/libcudart.so.12", ""))
        self.assertIn("cuda.h", one["cuda_unknown"])

    def test_of_a_missing_component(self) -> None:
        self.world.toolkit("usr/local/cuda-12.9", 12, 9)
        report = self.world.found("nvcc", "cufft", status=1)
        self.assertEqual((report["status"], report["components"][0]["error"]), (1, None))
        error = report["components"][1]["error"]
        self.assertEqual((report["components"][1]["path"], error["kind"]), ("", "not_found"))
        self.assertIn(f"{self.world.root}/usr/local/cuda-12.9/lib64", error["searched"])
        self.assertIn("pip install nvidia-cufft", error["text"])

    def test_of_the_names(self) -> None:
        names = self.world.found("--kind", "bitcode")["names"]
        self.assertIn({"name": "libdevice", "kind": "bitcode"}, names)
        self.assertEqual({one["kind"] for one in names}, {"bitcode"})


class Errors(FindCase):
    def test_an_unknown_name_suggests_near_ones(self) -> None:
        for name, near in (("cudar", "did you mean cuda or cudart?"), ("libnvcc", "the valid names are"),
                           ("libcublas.so.99", "did you mean cublas?"), ("nv\ncc", "nv\\x0acc")):
            with self.subTest(name):
                self.assertIn(near, self.error(2, "cudart", name))
        self.assertIn("(but a static library of that name)", self.error(2, "--kind", "library", "cudart_static"))

    def test_a_missing_one_prints_no_path(self) -> None:
        self.world.toolkit("usr/local/cuda-12.9", 12, 9)
        text = self.error(1, "nvcc", "nvdisasm", "cufft")
        self.assertIn("the program nvdisasm was not found", text)
        self.assertIn("the dynamic library cufft was not found", text)

    def test_a_program_without_permission_to_run(self) -> None:
        root = self.world.toolkit("usr/local/cuda-12.9", 12, 9)
        (root / "bin/nvcc").chmod(0o644)
        self.assertIn(f"{root}/bin/nvcc is not executable", self.error(1, "nvcc"))

    def test_invalid_settings(self) -> None:
        self.world.toolkit("usr/local/cuda-12.9", 12, 9)
        self.assertIn('"12" is not a version constraint', self.error(2, "--constraint", "12", "nvcc"))
        self.world.env(ANYCUDA_API_COMPAT="lenient")
        self.assertIn('invalid ANYCUDA_API_COMPAT="lenient"', self.error(2, "nvcc"))

    def test_invalid_options(self) -> None:
        done = self.world.find("--kind", "librarys", "nvcc")
        self.assertEqual((done.stdout, done.returncode), ("", 2))
        for kind in ComponentKind:
            self.assertIn(kind, done.stderr)

    def test_a_search_that_does_not_end(self) -> None:
        with self.assertRaisesRegex(Failure, "no answer within 1 s; its last step: looking.*longer --limit"):
            read(Outcome([], ended="no answer within 1 s", last_step="looking"))

    def test_a_search_that_does_not_start(self) -> None:
        with self.assertRaisesRegex(Failure, "could not start.*libanycuda_find.so: cannot open.*install anycuda again"):
            read(Outcome([], ended="the query could not be sent", complaints=["libanycuda_find.so: cannot open"]))


class Names(FindCase):
    def test_without_a_name_all_are_listed(self) -> None:
        lines = self.printed()
        self.assertEqual(lines[0].split(), ["name", "kind"])
        rows = [tuple(line.split()) for line in lines[1:]]
        self.assertLessEqual({("cudart", "library"), ("cudart", "headers"), ("nvcc", "program"),
                              ("libdevice", "bitcode"), ("cudadevrt", "static")}, {*rows})
        self.assertEqual({kind for _, kind in rows}, set(ComponentKind))


if __name__ == "__main__":
    unittest.main()
