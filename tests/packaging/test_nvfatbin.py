# SPDX-License-Identifier: Apache-2.0
"""nvFatbin through its stub: programs for CUDA 12 and 13 on real libraries of both make the bytes that the library
makes directly. The library has symbol versions from 13.5 on only."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD, with_real_libraries
from doctor_support import library_file

CLIENT = """\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
typedef struct handle* handle;
int nvFatbinCreate(handle*, const char**, size_t), nvFatbinDestroy(handle*);
int nvFatbinAddPTX(handle, const char*, size_t, const char*, const char*, const char*);
int nvFatbinSize(handle, size_t*), nvFatbinGet(handle, void*), nvFatbinVersion(unsigned*, unsigned*);
const char* nvFatbinGetErrorString(int);
int main(void) {
  const char* options[] = {"-64", "-compress=false"};
  const char ptx[] = ".version 7.0\\n.target sm_75\\n.address_size 64\\n.visible .entry none() { ret; }\\n";
  unsigned major = 7, minor = 7, sum = 0;
  handle fatbin = (handle)&sum;
  size_t size = 7;
  int status = nvFatbinVersion(&major, &minor);
  printf("version %d %u.%u\\n", status, major, minor);
  for (int one = 0; one < 20; ++one) printf("%d %s\\n", one, nvFatbinGetErrorString(one));
  status = nvFatbinCreate(&fatbin, options, 2);
  printf("create %d %d\\n", status, fatbin != 0);
  if (status != 0) return 0;
  printf("ptx %d\\n", nvFatbinAddPTX(fatbin, ptx, sizeof ptx, "75", "none", ""));
  printf("wrong %d\\n", nvFatbinAddPTX(fatbin, ptx, sizeof ptx, "0", "none", ""));
  status = nvFatbinSize(fatbin, &size);
  printf("size %d %zu\\n", status, size);
  unsigned char* bytes = calloc(size, 1);
  printf("get %d\\n", nvFatbinGet(fatbin, bytes));
  for (size_t i = 0; i < size; ++i) sum = sum * 31 + bytes[i];
  printf("bytes %u\\n", sum);
  printf("destroy %d\\n", nvFatbinDestroy(&fatbin));
  return 0;
}
"""
WORDS = 20  # lines of status texts


@unittest.skipUnless(BUILD, "needs a build")
class NvFatbin(unittest.TestCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-nvfatbin-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        (self.folder / "client.c").write_text(CLIENT, encoding="utf-8")

    def client(self, name: str, linked: Path, folder: Path) -> Path:
        program = self.folder / name
        subprocess.run(["cc", "-w", "-o", program, self.folder / "client.c", linked, f"-Wl,-rpath,{folder}",
                        "-Wl,--allow-shlib-undefined"], check=True)
        return program

    def lines(self, program: Path, **environment: str) -> list[str]:
        environment |= {"ANYCUDA_LOG": "off", "ANYCUDA_SYSTEM_ROOT": str(self.folder / "empty")}
        done = subprocess.run([program], env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    @with_real_libraries
    def test_makes_what_the_library_makes(self) -> None:
        for release in ("12.9", "13.5"):
            file = library_file("nvfatbin", release)
            direct = self.lines(self.client(f"direct-{release}", file, file.parent))
            self.assertEqual(direct[0], f"version 0 {release}")
            self.assertEqual(direct[WORDS + 1:WORDS + 3], ["create 0 1", "ptx 0"])
            for major in ("12", "13"):
                linked = BUILD / "lib" / "link" / major / "libnvfatbin.so"
                program = self.client(f"stub-{major}", linked, BUILD / "lib")
                with self.subTest(built_for=major, on=release):
                    through = self.lines(program, ANYCUDA_NVFATBIN=str(file))
                    self.assertEqual(through[:1] + through[WORDS + 1:], direct[:1] + direct[WORDS + 1:])

    def test_correct_link_is_reported_as_such(self) -> None:
        """A program for CUDA 12 has the stub's own version, since that library has none: no mistake of its link."""
        for major in ("12", "13"):
            program = self.client(f"through-{major}", BUILD / "lib" / "link" / major / "libnvfatbin.so", BUILD / "lib")
            done = subprocess.run([BUILD / "bin" / "anycuda", "check", program, "--library", "nvfatbin"],
                                  capture_output=True, text=True, env={"PATH": os.environ["PATH"]})
            self.assertIn("nvfatbin", done.stdout)
            self.assertNotIn("linked with -l", done.stdout)

    def test_without_the_library(self) -> None:
        program = self.client("stub", BUILD / "lib" / "link" / "13" / "libnvfatbin.so", BUILD / "lib")
        lines = self.lines(program)
        self.assertEqual((lines[0], lines[WORDS + 1:]), ("version 1 0.0", ["create 1 0"]))


if __name__ == "__main__":
    unittest.main()
