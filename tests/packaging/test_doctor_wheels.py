# SPDX-License-Identifier: Apache-2.0
"""`anycuda doctor` on incomplete environments: missing files, wheels without their files, two CUDA majors."""

import unittest

from build_folder import with_real_libraries
from situation_support import Computer


@with_real_libraries
class Incomplete(unittest.TestCase):
    def computer(self, nvrtc: str = "12.4") -> Computer:
        computer = Computer(self).works().wheel("cudart", "12.4").wheel("nvrtc", nvrtc)
        next(computer.site.rglob(f"libnvrtc-builtins.so.{nvrtc}")).unlink()
        return computer

    def test_nvrtc_without_its_builtins(self):
        computer = self.computer()
        done = computer.doctor("--library", "nvrtc")
        lines = done.stdout.splitlines()
        self.assertEqual((done.returncode, lines[1]), (1, "CUDA work is not possible: NVRTC is incomplete "
                                                          "(libnvrtc-builtins.so.12.4 is missing)."))
        self.assertIn("libnvrtc.so.12 is incomplete. libnvrtc-builtins.so.12.4, which it opens at its first use, is "
                      "missing. Install its package again.", lines[2])
        self.assertEqual(lines[3].strip(), f"$ {computer.python} -m pip install --force-reinstall --no-deps "
                                           "nvidia-cuda-nvrtc-cu12==12.4.127")
        self.assertRegex(done.stdout, r"(?m)^  +incomplete: libnvrtc-builtins.so.12.4 is missing")

    def test_a_library_that_nobody_asked_for(self):
        line = self.computer().doctor("--library", "cudart", "--library", "nvrtc").stdout.splitlines()[1]
        self.assertIn("NVRTC is incomplete", line)
        computer = self.computer()
        done = super(Computer, computer).doctor()
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("; NVRTC is incomplete (libnvrtc-builtins.so.12.4 is missing).", done.stdout.splitlines()[1])

    def test_complete_one_elsewhere_is_used(self):
        computer = self.computer()
        own, computer.site = computer.site, computer.root / "other"
        computer.site.mkdir()
        computer.wheel("nvrtc", "12.8").env(PYTHONPATH=str(computer.site))
        computer.site = own
        self.assertEqual([one["situation"] for one in computer.json_report("--library", "nvrtc")["help"]],
                         ["incomplete"])
        page = computer.doctor("--library", "nvrtc").stdout
        self.assertIn("CUDA work is possible", page)
        self.assertRegex(page, r"(?m)^  >  12\.8 .* taken ")
        self.assertRegex(page, r"(?m)^     12\.4 .* incomplete ")


@with_real_libraries
class Gone(unittest.TestCase):
    def test_wheel_without_its_library(self):
        computer = Computer(self).works().wheel("cudart", "12.9")
        next(computer.site.rglob("libcudart.so.12")).unlink()
        report = computer.json_report("--library", "cudart")
        self.assertEqual(report["reasons"],
                         ["no CUDA runtime: the files of nvidia-cuda-runtime-cu12 12.9.79 are missing"])
        one, = report["help"]
        self.assertEqual((one["situation"], one["commands"]), ("wheel_gone", [
            f"{computer.python} -m pip install --force-reinstall --no-deps nvidia-cuda-runtime-cu12==12.9.79"]))
        self.assertIn("/nvidia/cuda_runtime/lib/libcudart.so.12 does not exist. 1 of the libraries that "
                      "nvidia-cuda-runtime-cu12 12.9.79 installed is missing", one["why"])

    def test_wheel_of_another_environment(self):
        computer = Computer(self).works().wheel("cudart", "12.9")
        own, computer.site = computer.site, computer.root / "other"
        computer.site.mkdir()
        computer.wheel("nvrtc", "12.9").env(PYTHONPATH=str(computer.site))
        for file in computer.site.rglob("*.so*"):
            file.unlink()
        one, = computer.json_report("--library", "cudart")["help"]
        self.assertEqual(one["commands"],
                         [f"# in the environment of {computer.site}: install nvidia-cuda-nvrtc-cu12==12.9.86 again"])
        computer.site = own

    def test_closed_folder_is_not_a_missing_file(self):
        computer = Computer(self).works().wheel("cudart", "12.9")
        folder = computer.site / "nvidia"
        folder.chmod(0)
        self.addCleanup(folder.chmod, 0o700)
        report = computer.as_ordinary_user().json_report("--library", "cudart")
        self.assertNotIn("wheel_gone", [one["situation"] for one in report["help"]])

    def test_complete_wheels_and_records_that_are_not_readable(self):
        computer = Computer(self).works().wheel("cudart", "12.9")
        (computer.site / "nvidia_odd-1.dist-info").mkdir()
        self.assertEqual(computer.json_report("--library", "cudart")["help"], [])


@with_real_libraries
class TwoMajors(unittest.TestCase):
    def test_neither_is_complete(self):
        computer = Computer(self).works().wheel("cudart", "12.9").wheel("nvrtc", "11.8")
        done = computer.doctor("--library", "cudart,nvrtc")
        lines = done.stdout.splitlines()
        self.assertIn(f"several CUDA majors in {computer.venv}: 11 (NVRTC) and 12 (CUDA runtime)", lines[1])
        self.assertIn("Install NVRTC of CUDA 12 too.", lines[2])
        self.assertEqual(lines[3].strip(), f"$ {computer.python} -m pip install nvidia-cuda-nvrtc-cu12")

    def test_a_library_that_the_older_cuda_does_not_have(self):
        computer = Computer(self).works()
        for name, release in (("cudart", "11.8"), ("nvrtc", "11.8"), ("nvjitlink", "12.9")):
            computer.wheel(name, release)
        report = computer.json_report("--library", "cudart,nvrtc,nvjitlink")
        one, = [one for one in report["help"] if one["situation"] == "two_majors"]
        self.assertEqual(one["commands"], [f"{computer.python} -m pip install nvidia-cuda-runtime-cu12",
                                           f"{computer.python} -m pip install nvidia-cuda-nvrtc-cu12"])

    def test_one_is_complete(self):
        computer = Computer(self).works()
        for name, release in (("cudart", "12.9"), ("nvrtc", "12.9"), ("cudart", "11.8")):
            computer.wheel(name, release)
        done = computer.doctor("--library", "cudart,nvrtc")
        self.assertNotIn("  1.  ", done.stdout)
        self.assertIn(f"  several CUDA majors in {computer.venv}: 11 and 12; a process uses one of them", done.stdout)


@with_real_libraries
class HiddenDriver(unittest.TestCase):
    def computer(self, module: str) -> Computer:
        computer = Computer(self).wheel("cudart", "12.9").gpu().module(module)
        computer.answers(803, "usr/lib64", version="580.65.06")
        return computer.answers(803, version="535.104.05")

    def test_older_library_hides_that_of_the_kernel_module(self):
        computer = self.computer("580.65.06")
        one = computer.json_report("--library", "cudart")["help"][0]
        self.assertEqual((one["situation"], one["commands"][1]),
                         ("driver_hidden", f"rm {computer.system}/libcuda.so.1"))
        self.assertIn(f"{computer.system}/libcuda.so.1 is old. It is of driver 535.104.05 and hides {computer.root}/usr"
                      "/lib64/libcuda.so.580.65.06, of driver 580.65.06, which the loaded kernel module belongs to",
                      one["why"])

    def test_older_library_is_that_of_the_kernel_module(self):
        report = self.computer("535.104.05").json_report("--library", "cudart")
        self.assertNotIn("driver_hidden", [one["situation"] for one in report["help"]])


if __name__ == "__main__":
    unittest.main()
