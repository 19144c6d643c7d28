# SPDX-License-Identifier: Apache-2.0
"""`anycuda repair` on wheels from PyPI: the dynamic linker loads them on machines without CUDA, with only another
major, and with several."""

import re
import tempfile
import unittest
import zipfile
from pathlib import Path

from build_folder import artifact
from doctor_support import Machine
from wheel_support import libraries, linked, load, needed, problems, real_wheel, repaired, stub_in, unpack

# Libraries that are not CUDA's and not on every machine: PyTorch, FFmpeg, RDMA, NUMA, Python built as a library.
# Whether this machine has one of them must not matter: a repaired file and the original lack the same ones.
ELSEWHERE = re.compile(r"lib(torch\w*|c10\w*|av\w+|ibverbs|mlx5|numa|ctc_prefix_decoder)\.so[.0-9]*"
                       r"|libpython3\.\d+\.so[.0-9]*")
CUDA = re.compile(r"lib(cudart|cuda|nvrtc)\b.*\.so.*")


class RealWheel:
    """Of each: `wheel`, its name in the set; `changed`, how many files are; `left_out`, how many libraries; `loads`,
    those that need nothing else."""

    left_out, loads = 0, ()

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory(prefix="wheels-")
        cls.addClassCleanup(cls.folder.cleanup)
        top = Path(cls.folder.name).resolve()
        cls.source = real_wheel(cls.wheel)
        cls.result = repaired(cls.source, top / "out")
        cls.native, cls.repaired = unpack(cls.source, top / "native"), unpack(cls.result, top / "repaired")
        cls.users = [path for path in libraries(cls.repaired) if any("libanycuda_" in name for name in needed(path))]

    def machine(self, *releases: str) -> Machine:
        machine = Machine(self)
        for release in releases:
            machine.wheel("cudart", release)
        return machine

    def test_is_a_whole_wheel_with_what_it_had(self):
        self.assertEqual(problems(self.result), [])
        old, new = (set(zipfile.ZipFile(path).namelist()) for path in (self.source, self.result))
        about = re.compile(r"[^/]+\.dist-info/(licenses/.*|sboms/anycuda\.cdx\.json)")
        self.assertEqual([name for name in new - old if "libanycuda_" not in name and not about.fullmatch(name)], [])
        gone = {name for name in old - new if f"/licenses/{Path(name).name}" not in "".join(new)}
        self.assertEqual(len(gone), self.left_out)
        self.assertTrue(all(CUDA.fullmatch(Path(name).name) for name in gone), gone)

    def test_no_file_needs_a_library_of_cuda(self):
        self.assertEqual(len(self.users), self.changed)
        for path in libraries(self.repaired):
            with self.subTest(path=path.name):
                self.assertEqual([name for name in needed(path) if CUDA.fullmatch(name)], [])

    def test_the_dynamic_linker_finds_every_function_without_cuda(self):
        nothing = self.machine()
        for path in self.users:
            with self.subTest(path=path.name):
                files, functions = linked(nothing, path)
                self.assertEqual(functions, [])
                self.assertEqual([file for file in files if not ELSEWHERE.fullmatch(file)], [])
                native, _ = linked(nothing, self.native / path.relative_to(self.repaired))
                self.assertEqual(set(files), {file for file in native if not CUDA.fullmatch(file)})


class LoadsAlone(RealWheel):
    def test_self_contained_library_loads_with_the_installed_runtime(self):
        stub = stub_in(self.repaired, "cudart")
        for releases, expected in (((), "35 0 0"), (("13.5",), "0 13050 1"), (("11.8", "12.9", "13.5"), "0 13050 1"),
                                   (("12.9",), "0 12090 1")):
            machine = self.machine(*releases)
            for name in self.loads:
                with self.subTest(name=name, releases=releases):
                    self.assertEqual(load(machine, self.repaired / name, stub), expected)


class NeedsOthers(RealWheel):
    def test_the_others_lack_what_they_lacked_before(self):
        machine = self.machine("13.5")
        for path in self.users:
            name = str(path.relative_to(self.repaired))
            if name not in self.loads and ".so" in name:
                with self.subTest(name=name):
                    # It loads where this computer has them.
                    self.assertRegex(load(machine, path), f"^$|{ELSEWHERE.pattern}: cannot open shared object file")


class TorchMemorySaver(LoadsAlone, unittest.TestCase):
    wheel, changed = "torch_memory_saver", 2
    loads = [f"torch_memory_saver_hook_mode_{mode}.abi3.so" for mode in ("preload", "torch")]

    def test_as_it_comes_it_loads_on_no_other_cuda(self):
        for name in self.loads:
            self.assertRegex(load(self.machine("13.5"), self.native / name), r"libcuda(rt)?\.so\.\d+: cannot open")


class Mooncake(LoadsAlone, NeedsOthers, unittest.TestCase):
    wheel, changed = "mooncake", 9
    loads = ["mooncake/nvlink_allocator.so"]

    def test_function_without_a_library_gets_the_version_of_12(self):
        from anycuda.elf import read
        image = read.read(self.repaired / self.loads[0])
        self.assertEqual([symbol.version for symbol in image.undefined() if symbol.name == "cudaGetDeviceCount"],
                         ["libcudart.so.12"])


class Cumm(LoadsAlone, unittest.TestCase):
    """Its copies of cudart, NVRTC and NVRTC's builtins were renamed by auditwheel."""

    wheel, changed, left_out = "cumm", 1, 3
    loads = ["cumm/core_cc.cpython-311-x86_64-linux-gnu.so"]

    def test_self_contained_library_loads_with_the_installed_runtime(self):
        artifact("python-3.11")  # its library is for this Python, which runs the tests
        super().test_self_contained_library_loads_with_the_installed_runtime()


class Torchvision(NeedsOthers, unittest.TestCase):
    wheel, changed, left_out = "torchvision", 2, 1

    def test_a_copy_that_runs_without_cuda_stays(self):
        """Its nvJPEG has a CUDA runtime in it: a stub would need an nvJPEG that neither PyTorch nor the wheel wants."""
        (copy,) = self.repaired.glob("torchvision.libs/libnvjpeg*.so*")
        self.assertIn(copy.name, needed(self.repaired / "torchvision/image.so"))
        before = self.native / copy.relative_to(self.repaired)
        self.assertEqual(copy.read_bytes(), before.read_bytes())


class Torchaudio(NeedsOthers, unittest.TestCase):
    wheel, changed = "torchaudio", 6


if __name__ == "__main__":
    unittest.main()
