# SPDX-License-Identifier: Apache-2.0
"""`anycuda check` on CUDA releases that a driver is too old for, and ANYCUDA_DRIVER_COMPAT."""

from __future__ import annotations

import json
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from analysis_support import BUILD, Folder, library_file, table, with_real_libraries
from doctor_support import COMMAND, WORKING, Machine, with_core
from test_code_rules import FACTS

from anycuda.check import driver_rule
from anycuda.check.driver_rule import TooOld

NEEDED = {"11.8": "libcudart.so.11.0", "12.9": "libcudart.so.12", "13.5": "libcudart.so.13"}
CUDA_13 = "CUDA 13.0-13.5 does not run on driver 535, since it needs driver 580 or newer"
DECLARED = {"ANYCUDA_DRIVER_COMPAT": "assume_forward_compat"}


class Rule(unittest.TestCase):
    def test_first_driver_of_a_major_runs_all_its_releases(self):
        releases = ("11.8", "12.0", "12.9", "13.0", "13.5")
        groups = [("11.8",), ("12.0", "12.9"), ("13.0", "13.5")]
        for branch, expected in ((440, groups), (450, groups[1:]), (524, groups[1:]), (525, groups[2:]),
                                 (579, groups[2:]), (580, []), (900, [])):
            found = driver_rule.too_old(releases, (branch,), FACTS)
            self.assertEqual([one.releases for one in found], expected, branch)

    def test_drivers_of_a_major_are_one_group(self):
        self.assertEqual(driver_rule.too_old(("12.4", "13.0"), (470, 535, 580), FACTS),
                         (TooOld(("12.4",), (470,), 525), TooOld(("13.0",), (470, 535), 580)))

    def test_major_whose_first_driver_is_unknown(self):
        self.assertEqual(driver_rule.too_old(("14.0",), (615,), FACTS), (TooOld(("14.0",), (615,), 0),))

    def test_libraries_that_the_rule_of_the_stubs_covers(self):
        libraries = table().libraries
        self.assertTrue(libraries["cudart"].driver_bound and libraries["nvrtc"].driver_bound)
        self.assertFalse(libraries["cuda"].driver_bound or libraries["nvfatbin"].driver_bound)


@with_real_libraries
class Command(Folder):
    def program(self, release: str, name: str = "program") -> Path:
        return self.compile(name, "int cudaFree(void*); int main(void) { return cudaFree(0); }",
                            library_file("cudart", release))

    def lines(self, *arguments: object) -> tuple[int, list[str]]:
        status, out, err = self.check(*arguments)
        self.assertEqual(err, "")
        return status, out.splitlines()

    def first(self, *arguments: object) -> tuple[int, str]:
        status, lines = self.lines(*arguments)
        return status, lines[0]

    def test_driver_older_than_the_cuda_of_the_program(self):
        status, lines = self.lines(self.program("13.5"), "--runtime", "13", "--driver", "535")
        self.assertEqual((status, lines[0]), (1, f"program: {CUDA_13}"))
        self.assertEqual(lines[-1], f"verdict: free; {CUDA_13}")
        self.assertIn("  Install driver 580 or newer, or a CUDA that driver 535 runs (CUDA 12 or older). If NVIDIA's "
                      "forward-compatibility package (cuda-compat) is in use, set "
                      "ANYCUDA_DRIVER_COMPAT=assume_forward_compat.", lines)

    def test_releases_and_drivers(self):
        """The same program, whatever CUDA it was built for: --runtime names the installed one."""
        program = self.program("12.9")
        runs = "all CUDA functions that it uses run on CUDA"
        for runtime, driver, status, line in (
                ("12", "470", 1, "CUDA 12.0-12.9 does not run on driver 470, since it needs driver 525 or newer"),
                ("13.0", "579.99", 1, "CUDA 13.0 does not run on driver 579, since it needs driver 580 or newer"),
                ("11.8", "440", 1, "CUDA 11.8 does not run on driver 440, since it needs driver 450 or newer"),
                ("11.8,12", "515", 1, "CUDA 12.0-12.9 does not run on driver 515, since it needs driver 525 or newer; "
                                      f"otherwise, {runs} 11.8"),
                ("12,13", "535", 1, f"{CUDA_13}; otherwise, {runs} 12.0-12.9"),
                ("13", "535,580", 1, f"{CUDA_13}; otherwise, {runs} 13.0-13.5"),
                ("12,13", "470,535,580", 1,
                 "CUDA 12.0-12.9 does not run on driver 470, since it needs driver 525 or newer; "
                 "CUDA 13.0-13.5 does not run on driver 470, 535, since it needs driver 580 or newer; "
                 f"otherwise, {runs} 12.0-13.5"),
                ("12", "525", 0, f"{runs} 12.0-12.9"), ("13", "580", 0, f"{runs} 13.0-13.5"),
                ("11.8,12", "535", 0, f"{runs} 11.8-12.9"), ("11.8,12,13", "615", 0, f"{runs} 11.8-13.5")):
            self.assertEqual(self.first(program, "--runtime", runtime, "--driver", driver),
                             (status, f"program: {line}"), (runtime, driver))

    def test_driver_among_the_releases(self):
        program = self.program("13.5")
        self.assertEqual(self.first(program, "--runtime", "13,535"), (1, f"program: {CUDA_13}"))
        self.assertEqual(self.first(program, "--runtime", "13,580")[0], 0)
        self.assertEqual(self.first(program, "--runtime", "13,535", "--driver", "580")[0], 1)

    def test_program_that_also_calls_the_driver(self):
        program = self.compile("program", "int cudaFree(void*), cuInit(unsigned); int main(void) "
                               "{ return cudaFree(0) + cuInit(0); }", library_file("cudart", "13.5"),
                               BUILD / "lib/dropin/libcuda.so.1")
        self.assertEqual(self.first(program, "--runtime", "13", "--driver", "535"), (
            1, f"program: {CUDA_13}"))
        self.assertEqual(self.first(program, "--runtime", "12,13", "--driver", "470,535"), (
            1, "program: CUDA 12.0-12.9 does not run on driver 470, since it needs driver 525 or newer; CUDA 13.0-13.5 "
               "does not run on driver 470, 535, since it needs driver 580 or newer; otherwise, all CUDA functions "
               "that it uses run on CUDA 12.0-12.9 and driver 535"))

    def test_libraries_to_which_the_rule_does_not_apply(self):
        none = self.compile("none.so", "int f(void) { return 1; }")
        driver = self.compile("driver.so", "int cuInit(unsigned); int f(void) { return cuInit(0); }",
                              BUILD / "lib/dropin/libcuda.so.1")
        fatbin = self.call("fatbin.so", "nvFatbinVersion")
        for path in none, driver, fatbin:
            self.assertEqual(self.first(path, "--built-for", "13", "--runtime", "13", "--driver", "535")[0], 0, path)
        program = self.program("13.5")
        self.assertEqual(self.first(program, "--runtime", "13", "--driver", "535", "--library", "nvrtc")[0], 0)
        self.assertEqual(self.first(program, "--runtime", "13", "--driver", "535", "--library", "cudart"),
                         (1, f"program: {CUDA_13}"))

    def test_tie_to_one_cuda(self):
        other = self.compile("libcupti.so.13", "int cuptiGetVersion(void) { return 1; }", "-Wl,-soname,libcupti.so.13")
        path = self.compile("user.so", "int cuptiGetVersion(void); int f(void) { return cuptiGetVersion(); }", other)
        self.assertEqual(self.first(path, "--runtime", "13", "--driver", "580")[0], 0)
        status, line = self.first(path, "--runtime", "13", "--driver", "535")
        self.assertEqual(status, 1)
        self.assertTrue(line.startswith(f"user.so: {CUDA_13}; "), line)

    def test_function_that_fails_and_driver_too_old(self):
        path = self.call("private.so", "cudaGetExportTable", library_file("cudart", "12.9"))
        self.assertEqual(self.first(path, "--runtime", "12,13", "--driver", "535"),
                         (1, f"private.so: {CUDA_13}; 1 function would fail on CUDA 13.0-13.5"))

    def test_wheel(self):
        path = self.folder / "thing-1-py3-none-linux_x86_64.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(self.program("12.9"), "thing/a.so")
            archive.write(self.program("13.5"), "thing/b.so")
        self.assertEqual(self.first(path, "--runtime", "12,13", "--driver", "535"), (
            1, f"{path.name}: {CUDA_13}; otherwise, all CUDA functions that it uses run on CUDA 12.0-12.9"))
        self.assertEqual(self.first(path, "--runtime", "12", "--driver", "535")[0], 0)

    def test_declared_forward_compatibility(self):
        program = self.program("13.5")
        with mock.patch.dict("os.environ", DECLARED):
            self.assertEqual(self.first(program, "--runtime", "13", "--driver", "535"), (
                0, "program: all CUDA functions that it uses run on CUDA 13.0-13.5; on driver 535, CUDA 13.0-13.5 "
                   "needs cuda-compat, which ANYCUDA_DRIVER_COMPAT=assume_forward_compat declares"))
            self.assertNotIn("cuda-compat", self.first(program, "--runtime", "13", "--driver", "580")[1])

    def test_invalid_declaration(self):
        program = self.program("13.5")
        with mock.patch.dict("os.environ", ANYCUDA_DRIVER_COMPAT="yes"):
            status, out, err = self.check(program, "--runtime", "13", "--driver", "535")
            self.assertEqual((status, out, err), (
                2, "", 'anycuda check: invalid ANYCUDA_DRIVER_COMPAT="yes": expected assume_forward_compat; set it to '
                       "assume_forward_compat, or unset it\n"))
            self.assertEqual(self.first(program, "--runtime", "13")[0], 0)
        with mock.patch.dict("os.environ", ANYCUDA_DRIVER_COMPAT=""):
            self.assertEqual(self.first(program, "--runtime", "13", "--driver", "535")[0], 1)

    def test_json(self):
        program, arguments = self.program("13.5"), ("--json", "--runtime", "12,13", "--driver", "535")
        whole = json.loads(self.check(program, *arguments)[1])
        (one,) = whole["inputs"]
        self.assertEqual((whole["status"], one["status"], whole["asked"]["forward_compat"]), (1, 1, False))
        self.assertEqual(one["too_old_drivers"], [
            {"releases": ["13.0", "13.1", "13.2", "13.3", "13.4", "13.5"], "drivers": [535], "needs": 580}])
        with mock.patch.dict("os.environ", DECLARED):
            whole = json.loads(self.check(program, *arguments)[1])
        self.assertEqual((whole["status"], whole["asked"]["forward_compat"]), (0, True))
        self.assertEqual(whole["inputs"][0]["too_old_drivers"], [])


@with_real_libraries
class ThisMachine(Folder):
    """A machine with a driver of CUDA 12.9 and the runtime of CUDA 13: the stubs decide."""

    def here(self, **variables: str) -> tuple[int, str]:
        program = self.compile("program", "int cudaFree(void*); int main(void) { return cudaFree(0); }",
                               library_file("cudart", "13.5"))
        machine = Machine(self).fake_driver(with_core(WORKING)).wheel("cudart", "13.5").env(**variables)
        done = machine.run([machine.python, COMMAND, "check", program, "--here"])
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()[-1]

    def test_driver_older_than_the_installed_cuda(self):
        status, line = self.here()
        self.assertEqual(status, 1)
        self.assertIn("here: does not run. This machine has no usable CUDA runtime: update the driver, or install a "
                      "CUDA runtime of CUDA 12 or older", line)

    def test_declared_forward_compatibility(self):
        status, line = self.here(**DECLARED)
        self.assertEqual(status, 0, line)
        self.assertIn("This machine has CUDA runtime 13.5: ", line)


if __name__ == "__main__":
    unittest.main()
