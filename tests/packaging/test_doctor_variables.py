# SPDX-License-Identifier: Apache-2.0
"""`anycuda doctor` names variables that are malformed, or that name nothing."""

import unittest

from situation_support import Computer

# A file system that does not answer: /hangs.
HANGING = """
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
int stat(const char* path, struct stat* status) {
  while (strncmp(path, "/hangs/", 7) == 0) pause();
  return fstatat(AT_FDCWD, path, status, 0);
}
int stat64(const char* path, struct stat64* status) { return stat(path, (struct stat*)status); }
"""


class Variables(unittest.TestCase):
    def hints(self, computer: Computer) -> list[dict]:
        return [one for one in computer.json_report("--library", "cudart")["help"]
                if one["situation"].startswith("variable_")]

    def test_library_path_names_nothing(self):
        computer = Computer(self).works()
        path = f"{computer.system}:{computer.root}/usr/local/cudaa/lib64"
        one, = self.hints(computer.env(LD_LIBRARY_PATH=path))
        self.assertEqual((one["situation"], one["commands"]),
                         ("variable_nothing", [f"export LD_LIBRARY_PATH={computer.system}"]))
        self.assertIn(f"{computer.root}/usr/local/cudaa/lib64 does not exist", one["why"])

    def test_typing_error_is_the_first_advice_without_a_runtime(self):
        computer = Computer(self).works().env(LD_LIBRARY_PATH="/opt/absent/lib")
        self.assertIn("/opt/absent/lib does not exist", computer.doctor("--library", "cudart").stdout.splitlines()[2])

    def test_toolkit_variables(self):
        computer = Computer(self).works().file("opt/cuda/bin/nvcc")
        folder = f"{computer.root}/opt/cuda"
        for value, kind, command in ((f":{folder}", "list", f"export CUDA_HOME={folder}"),
                                     ("cuda-12", "relative", "unset CUDA_HOME"),
                                     (f"{folder}/bin/nvcc", "file", "unset CUDA_HOME"),
                                     ("/opt/absent", "nothing", "unset CUDA_HOME")):
            one, = self.hints(computer.env(CUDA_HOME=value))
            self.assertEqual((one["situation"], one["commands"]), (f"variable_{kind}", [command]), value)

    def test_folder_that_hangs_does_not_hang_the_doctor(self):
        computer = Computer(self).works()
        shim = computer.library(computer.root / "elsewhere/libhanging.so", HANGING, "libhanging.so").root
        computer.env(LD_PRELOAD=f"{shim}/elsewhere/libhanging.so", CUDA_HOME="/hangs/cuda", CUDA_PATH="/absent")
        report = computer.json_report("--library", "cudart", "--limit", "2")
        self.assertEqual([one["situation"] for one in report["help"]][:2], ["variable_hangs", "variable_nothing"])
        self.assertIn("/hangs/cuda does not answer", report["help"][0]["why"])
        self.assertIn("unset CUDA_HOME", report["help"][0]["commands"])

    def test_whole_values_are_right(self):
        computer = Computer(self).works().file("opt/cuda/lib64/README")
        computer.env(CUDA_HOME=f"{computer.root}/opt/cuda", LD_LIBRARY_PATH=f":{computer.root}/opt/cuda/lib64:$ORIGIN")
        self.assertEqual(self.hints(computer), [])


if __name__ == "__main__":
    unittest.main()
