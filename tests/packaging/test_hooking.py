# SPDX-License-Identifier: Apache-2.0
"""Files that rewrite functions of the driver, as UCX does: they keep libcuda.so.1."""

import unittest

from build_folder import with_real_libraries
from test_repair import RepairCase, compiled
from wheel_support import anycuda, unpack

from anycuda.elf import read

_SOURCE = """
int cuInit(unsigned), cudaRuntimeGetVersion(int*), REWRITES(void*, void*);
int hook(void) { return REWRITES((void*)cuInit, (void*)hook) + cuInit(0) + cudaRuntimeGetVersion(0); }
"""
_DRIVER = "int cuInit(unsigned flags) { return 100 + flags; }"
_NOTE = "still needs libcuda.so.1: it rewrites functions of this library, which a stub does not allow"


def files(case: RepairCase) -> dict[str, bytes]:
    """A library that rewrites the driver's functions, and one that calls another function of that kind."""
    driver = case.top / "libcuda.so.1"
    compiled(_DRIVER, driver, "-Wl,-soname,libcuda.so.1")
    return {f"thing/{name}.so": case.library("12.9", driver, f"-DREWRITES={function}", source=_SOURCE)
            for name, function in (("hooks", "ucm_bistro_patch"), ("plain", "ucm_event_enter"))}


@with_real_libraries
class Hooking(RepairCase):
    def test_repair_keeps_the_driver_of_the_file_that_rewrites_it(self):
        path = self.wheel(files(self))
        done = anycuda("repair", "-w", self.top / "out", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"thing/hooks.so {_NOTE}", done.stdout)
        self.assertNotIn(f"thing/plain.so {_NOTE}", done.stdout)
        folder = unpack(self.top / "out" / path.name, self.top / "unpacked")
        for name, keeps in (("hooks", True), ("plain", False)):
            needed = read.read(folder / f"thing/{name}.so").needed
            self.assertEqual("libcuda.so.1" in needed, keeps, needed)
            self.assertNotIn("libcudart.so.12", needed)

    def test_check_names_the_library_that_stays(self):
        done = anycuda("check", self.wheel(files(self)))
        self.assertEqual(done.stdout.count("libcuda.so.1 (kept: the file rewrites its functions)"), 1, done.stdout)

    def test_patch_keeps_the_driver_and_replaces_the_rest(self):
        made = files(self)
        path = self.top / "hooks.so"
        path.write_bytes(made["thing/hooks.so"])
        done = anycuda("patch", "--copy-stubs", path)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(_NOTE, done.stdout)
        self.assertEqual({"libcuda.so.1", "libcudart_stub.so"} - set(read.read(path).needed), set())

    def test_patch_refuses_a_file_with_nothing_else(self):
        driver = self.top / "libcuda.so.1"
        compiled(_DRIVER, driver, "-Wl,-soname,libcuda.so.1")
        source = "int cuInit(unsigned), DobbyHook(void*); int hook(void) { return DobbyHook((void*)cuInit); }"
        path = self.top / "hooks.so"
        path.write_bytes(self.library("", "-x", "none", driver, source=source))
        done = anycuda("patch", path)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("rewrites functions of libcuda.so.1, which a stub does not allow: it works without a change",
                      done.stderr)


if __name__ == "__main__":
    unittest.main()
