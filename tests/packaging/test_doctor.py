# SPDX-License-Identifier: Apache-2.0
"""`anycuda doctor` on machines with the real libraries."""

import shutil
import unittest
from pathlib import Path

from abi_support import DESCRIBED
from build_folder import with_real_libraries
from doctor_support import (COMMAND, WORKING, Machine, decisions, library, library_file, place, taken,
                            with_core)

MATHS = [name for name in DESCRIBED if name not in ("cudart", "nvrtc", "nvjitlink", "cuda")]
CUDARTS = ("11.8", "12.9", "13.5")
CRASHING = """
int cuDriverGetVersion(int* version) { *(volatile int*)8 = 1; return 0; }
"""
HANGING = """
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
int cuDriverGetVersion(int* version) {
  dprintf(open("pids", O_WRONLY | O_APPEND | O_CREAT, 0600), "%d\\n", getpid());
  for (;;) pause();
}
"""
NVML = """
#include <string.h>
int nvmlInit_v2(void) { return 0; }
int nvmlShutdown(void) { return 0; }
const char* nvmlErrorString(int status) { return "no"; }
int nvmlSystemGetDriverVersion(char* version, unsigned size) { strncpy(version, "BRANCH.1", size); return 0; }
"""


@with_real_libraries
class Machines(unittest.TestCase):
    def with_runtimes(self, *releases: str) -> Machine:
        machine = Machine(self)
        for release in releases:
            machine.wheel("cudart", release)
        return machine

    def test_driver_535_and_three_runtimes_gives_12_9(self):
        report = self.with_runtimes(*CUDARTS).driver(535).json_report()
        self.assertEqual(set(taken(report).values()), {"libcudart.so.12"})
        self.assertEqual(decisions(report, "12"), {"libcudart.so.12": "accepted", "libcudart.so.11.0": "accepted",
                                                   "libcudart.so.13": "driver_too_old"})
        self.assertEqual(report["driver"]["cuda"], "12.2")
        versions = [(one["version"], one["exact"], one["source"]) for one in library(report, "cudart")["candidates"]]
        self.assertEqual(versions, [("13.5", True, "wheel nvidia-cuda-runtime 13.5.37"),
                                    ("12.9", True, "wheel nvidia-cuda-runtime-cu12 12.9.79"),
                                    ("11.8", True, "wheel nvidia-cuda-runtime-cu11 11.8.89")])

    def test_driver_550_and_only_13_5_gives_nothing_and_why(self):
        machine = self.with_runtimes("13.5").driver(550)
        report = machine.json_report()
        self.assertEqual(set(taken(report).values()), {""})
        self.assertEqual((report["status"], report["possible"]), (1, False))
        self.assertIn("no usable CUDA runtime", report["reasons"])
        (hint,) = [one for one in report["help"] if one["why"].startswith("A program gets no CUDA runtime. ")]
        self.assertIn("libcudart.so.13: needs a driver for CUDA 13; ", hint["why"])
        self.assertEqual(hint["commands"], [
            f"{machine.python} -m pip install nvidia-cuda-runtime-cu12",
            "# install your distribution's driver package, or use https://www.nvidia.com/drivers",
            "export ANYCUDA_DRIVER_COMPAT=assume_forward_compat  # where NVIDIA's cuda-compat is in use"])
        self.assertIn("CUDA 12 or older", hint["what"])

    def test_no_driver_and_all_gives_13_5(self):
        report = self.with_runtimes(*CUDARTS).json_report()
        self.assertEqual(set(taken(report).values()), {"libcudart.so.13"})
        self.assertEqual((report["status"], report["reasons"]), (1, ["no driver"]))

    def test_nothing_at_all(self):
        machine = Machine(self)
        report = machine.json_report()
        self.assertEqual(set(taken(report).values()), {""})
        self.assertEqual(report["reasons"], ["no CUDA runtime was found", "no driver"])
        done = machine.doctor()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stdout.splitlines()[1],
                         "CUDA work is not possible: no CUDA runtime was found; no driver.")

    def test_all_loads_without_gpu(self):
        for machine in (self.with_runtimes("12.9").driver(535),
                        self.with_runtimes("12.9").fake_driver(with_core(WORKING, count=0))):
            report = machine.json_report()
            self.assertEqual(report["status"], 1)
            self.assertEqual(len(report["reasons"]), 1, report["reasons"])
            self.assertEqual(report["driver"]["gpus"], [])
            self.assertIn("no GPU", report["reasons"][0])

    def test_a_driver_that_does_not_start_is_asked_no_further(self):
        report = Machine(self).driver(535).json_report("--library", "cudart")
        self.assertEqual([call["name"] for call in report["driver"]["calls"]], ["cuInit"])

    def test_a_gpu_and_a_runtime_is_all_that_is_needed(self):
        machine = self.with_runtimes("12.9").fake_driver(with_core(WORKING))
        report = machine.json_report("--library", "cudart")
        self.assertEqual((report["status"], report["possible"], report["reasons"]), (0, True, []))
        self.assertEqual(report["driver"]["gpus"],
                         [{"name": "Test GPU", "compute_capability": "9.0", "memory": 8 << 30}])
        self.assertEqual(report["verdict"],
                         "CUDA work is possible: CUDA runtime 12.9, a driver for CUDA 12.9, 1 GPU.")
        self.assertEqual(report["help"], [])

    def test_newer_minor_is_decided_by_the_branch(self):
        driver = with_core(WORKING.replace("12090", "12020"))
        for branch, verdict, condition in (("535", "served_by_minor_version", "works by minor-version compatibility"),
                                           ("520", "branch_short", "older than this CUDA major needs")):
            machine = self.with_runtimes("12.9").fake_driver(driver)
            machine.library(machine.system / "libnvidia-ml.so.1", NVML.replace("BRANCH", branch), "libnvidia-ml.so.1")
            report = machine.json_report("--library", "cudart")
            self.assertEqual(report["driver"]["branch"], int(branch))
            self.assertRegex(report["driver"]["version"], rf"^{branch}\.\d+")
            self.assertEqual(taken(report)["12"], "libcudart.so.12")
            (candidate,) = library(report, "cudart")["candidates"]
            self.assertEqual({decision["driver"] for decision in candidate["decisions"].values()}, {verdict})
            self.assertIn(condition, " ".join(machine.doctor("--library", "cudart").stdout.split()))

    def test_a_caller_that_gets_nothing_is_named(self):
        machine = self.with_runtimes("12.9").fake_driver(with_core(WORKING)).env(ANYCUDA_CROSS_MAJOR="reject")
        report = machine.json_report()
        self.assertEqual(report["status"], 0)
        self.assertTrue(report["verdict"].endswith("a program built for CUDA 11 or CUDA 13 gets no CUDA runtime."))
        self.assertEqual(machine.json_report("--caller", "13")["status"], 1)

    def test_other_program_library_comes_from_the_library_path(self):
        machine = self.with_runtimes("13.5")
        other = machine.root / "other"
        place(next(self.with_runtimes("12.9").site.rglob("libcudart.so.12")), other / "libcudart.so.12")
        machine.env(LD_LIBRARY_PATH=str(other))
        self.assertEqual(set(taken(machine.json_report()).values()), {"libcudart.so.13"})
        report = machine.json_report("--native")
        self.assertEqual(set(taken(report).values()), {"libcudart.so.12"})
        # What a search does not come to is there all the same.
        self.assertEqual(decisions(report, "12"), {"libcudart.so.12": "accepted", "libcudart.so.13": "accepted"})

    def test_names_that_contradict_the_file_tell_nothing(self):
        machine = Machine(self)
        toolkit = machine.root / "usr/local/cuda-12.9"
        place(library_file("cudart", "13.5"), toolkit / "lib64/libcudart.so.13")
        (toolkit / "include").mkdir()
        (toolkit / "include/cuda.h").write_text("#define CUDA_VERSION 12090\n")
        (candidate,) = library(machine.json_report(), "cudart")["candidates"]
        self.assertEqual((candidate["exact"], candidate["source"]), (False, ""))
        self.assertIn("no name of its file, folders and packages tells it", candidate["source_problem"])

    def test_every_library_is_reported(self):
        machine = self.with_runtimes("12.9").wheel("nvrtc", "12.9").wheel("nvjitlink", "12.9").driver(535)
        report = machine.json_report()
        self.assertEqual([one["name"] for one in report["libraries"]], ["cudart", "nvrtc", "nvjitlink", "cuda", *MATHS])
        self.assertEqual(taken(report, "nvrtc")["13"], "libnvrtc.so.12")
        self.assertEqual(taken(report, "nvjitlink"), dict.fromkeys(("12", "13", "unversioned"), "libnvJitLink.so.12"))
        self.assertEqual(taken(report, "cuda"), {"unversioned": "libcuda.so.1"})


class Faults(unittest.TestCase):
    @with_real_libraries
    def test_a_driver_that_crashes_is_a_finding(self):
        machine = Machine(self).wheel("cudart", "12.9").fake_driver(with_core(CRASHING))
        report = machine.json_report()
        self.assertEqual(report["status"], 1)
        self.assertEqual(report["driver"]["ended"], "crash: signal 11, Segmentation fault")
        answer = library(report, "cudart")["answers"]["12"]
        self.assertEqual(answer["path"], "")
        self.assertIn("opening", answer["last_step"])
        self.assertIn("libcuda.so.1", answer["last_step"])
        # The driver's own stub asks it for its version, too.
        self.assertIn("crash", library(report, "cuda")["answers"]["unversioned"]["ended"])
        self.assertIn("Segmentation fault", machine.doctor().stdout)

    @with_real_libraries
    def test_a_driver_that_never_answers_is_a_finding(self):
        machine = Machine(self).wheel("cudart", "12.9").fake_driver(with_core(HANGING))
        report = machine.json_report("--limit", "2")
        self.assertEqual((report["status"], report["driver"]["ended"]), (1, "no answer within 2 s"))
        self.assertIn("the query of the driver ended without an answer (no answer within 2 s)", report["reasons"])
        left = (machine.root / "pids").read_text().split()
        self.assertTrue(left)
        self.assertEqual([pid for pid in left if Path("/proc", pid).exists()], [], "processes that were left behind")

    def test_library_that_crashes_on_opening_is_reported(self):
        machine = Machine(self)
        (machine.root / "tmp").mkdir()
        machine.library(machine.system / "libcuda.so.1",
                        with_core(WORKING) + "__attribute__((constructor)) void die(void) { __builtin_trap(); }",
                        "libcuda.so.1")
        report = machine.json_report()
        self.assertTrue(report["driver"]["ended"].startswith("crash: signal"), report["driver"])
        self.assertTrue(report["driver"]["last_step"].endswith("libcuda.so.1"))

    @with_real_libraries
    def test_wrong_settings_are_flagged_and_nothing_is_loaded(self):
        machine = Machine(self).wheel("cudart", "12.9").env(ANYCUDA_CROSS_MAJOR="perhaps", ANYCUDA_LOG="loud")
        report = machine.json_report()
        self.assertEqual(set(taken(report).values()), {""})
        wrong = {one["name"]: one["values"] for one in report["settings"] if not one["understood"]}
        self.assertEqual(set(wrong), {"ANYCUDA_CROSS_MAJOR", "ANYCUDA_LOG"})
        self.assertEqual(wrong["ANYCUDA_CROSS_MAJOR"], "adapt or reject")
        self.assertIn("unset ANYCUDA_LOG", [command for one in report["help"] for command in one["commands"]])
        self.assertEqual(decisions(report, "12"), {"libcudart.so.12": "not_looked_at"})
        self.assertIn("the CUDA runtime is not searched for (invalid ANYCUDA_CROSS_MAJOR=perhaps)",
                      report["reasons"])
        self.assertRegex(machine.doctor().stdout, "ANYCUDA_CROSS_MAJOR=perhaps +invalid: expected adapt or reject")

    @with_real_libraries
    def test_stubs_answer_is_reported_before_a_driver_crash(self):
        """The candidates that the stub does not look at are evaluated after the answer; that asks the driver."""
        machine = Machine(self).wheel("cudart", "12.9").fake_driver(with_core(CRASHING))
        report = machine.env(ANYCUDA_CROSS_MAJOR="perhaps").json_report()
        answer = library(report, "cudart")["answers"]["12"]
        self.assertEqual(answer["refused"], "invalid ANYCUDA_CROSS_MAJOR=perhaps")
        self.assertIn("crash", answer["ended"])
        self.assertIn("the CUDA runtime is not searched for (invalid ANYCUDA_CROSS_MAJOR=perhaps)",
                      report["reasons"])

    @with_real_libraries
    def test_missing_named_file_hides_all_others(self):
        machine = Machine(self).wheel("cudart", "12.9").env(ANYCUDA_CUDART="/nowhere/libcudart.so.12")
        report = machine.json_report()
        self.assertEqual([(one["place"], one["state"], one["decisions"]["12"]["verdict"])
                          for one in library(report, "cudart")["candidates"]],
                         [("variable", "missing", ""), ("python", "usable", "not_looked_at")])

    def test_invalid_setting_is_flagged(self):
        report = Machine(self).env(ANYCUDA_CUDRT="/x", ANYCUDA_CACHE="/y").json_report()
        self.assertEqual([(one["name"], one["understood"]) for one in report["settings"]],
                         [("ANYCUDA_SYSTEM_ROOT", True), ("ANYCUDA_CUDRT", False)])

    def test_folder_of_the_linkers_cache(self):
        for value, understood in (("off", True), ("/folder", True), ("no", False), ("folder", False)):
            report = Machine(self).env(ANYCUDA_CODE_CACHE=value).json_report()
            self.assertIn(("ANYCUDA_CODE_CACHE", understood),
                          [(one["name"], one["understood"]) for one in report["settings"]], value)

    def test_names_of_files_come_whole_whatever_is_in_them(self):
        name = "/a\tpath=b\nc\\n\\d=e"
        (candidate,) = library(Machine(self).env(ANYCUDA_CUDART=name).json_report(), "cudart")["candidates"]
        self.assertEqual(candidate["path"], name)

    def test_a_file_that_cannot_be_read_says_so(self):
        machine = Machine(self)
        folder = machine.site / "nvidia/cuda_runtime/lib"
        folder.mkdir(parents=True)
        (folder / "libcudart.so.12").symlink_to("libcudart.so.12")  # a loop: nobody can read it
        (folder / "libcudart.so.11.0").write_bytes(b"no library")
        report = machine.json_report()
        self.assertEqual(decisions(report, "12"), {"libcudart.so.12": "unreadable", "libcudart.so.11.0": "not_elf"})
        self.assertIn("no usable CUDA runtime", report["reasons"])

    def test_a_file_without_rights_says_so(self):
        machine = Machine(self)
        file = machine.site / "nvidia/cuda_runtime/lib/libcudart.so.12"
        file.parent.mkdir(parents=True)
        file.write_bytes(b"secret")
        file.chmod(0)
        machine.as_ordinary_user()
        self.assertEqual(decisions(machine.json_report(), "12"), {"libcudart.so.12": "unreadable"})

    def test_missing_doctor_library_is_named_in_the_error(self):
        machine = Machine(self)
        command = machine.root / "bin/anycuda"
        command.parent.mkdir()
        command.write_text(COMMAND.read_text())
        (machine.root / "share").symlink_to(machine.root / "copied")
        copy = machine.root / "copied/anycuda/anycuda"
        for file in (COMMAND.parent.parent / "share/anycuda/anycuda").rglob("*.py"):
            target = copy / file.relative_to(COMMAND.parent.parent / "share/anycuda/anycuda")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(file.read_text())
        shutil.copy(COMMAND.parent.parent / "share/anycuda/installation.json", copy.parent)
        # It stands where a path of the file leads: copied/anycuda/../../lib.
        (machine.root / "lib").mkdir()
        done = machine.doctor(command=command)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^anycuda doctor: .*/libanycuda_doctor.so is missing")
        (machine.root / "lib/libanycuda_doctor.so").write_bytes(b"no library")
        done = machine.doctor(command=command)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"libanycuda_doctor.so cannot be used \(the query could not be sent; "
                         ".*file too short")

    def test_unknown_argument_error_lists_the_known_ones(self):
        known = ", ".join(("cudart", "nvrtc", "nvjitlink", "cuda", *MATHS))
        for arguments, expected in ((("--library", "cudrt"), "unknown library 'cudrt' (did you mean cudart?): "
                                     f"use one of {known}"),
                                    (("--caller", "14"), "unknown caller '14': use one of 11, 12, 13, unversioned")):
            done = Machine(self).doctor(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(expected, done.stderr)


if __name__ == "__main__":
    unittest.main()
