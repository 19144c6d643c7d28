# SPDX-License-Identifier: Apache-2.0
"""Ranges and marks of a program without NVTX: every call does nothing and prints nothing."""

import subprocess
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD

CLIENT = """\
#include <stdio.h>
int nvtxRangePushA(const char*), nvtxRangePop(void);
unsigned long nvtxRangeStartA(const char*);
void nvtxMarkA(const char*), *nvtxDomainCreateA(const char*), nvtxRangeEnd(unsigned long);
int main(void) {
  nvtxMarkA("start");
  printf("%d %d %lu %p\\n", nvtxRangePushA("a"), nvtxRangePop(), nvtxRangeStartA("b"), nvtxDomainCreateA("c"));
  nvtxRangeEnd(0);
  return 0;
}
"""


class WithoutNvtx(unittest.TestCase):
    def test_calls_give_what_they_give_without_a_profiler(self):
        """NVTX_NO_PUSH_POP_TRACKING (-2) for ranges, as the library without a tool (NVTX, "nvtxRangePush")."""
        with tempfile.TemporaryDirectory(prefix="anycuda-calls-") as name:
            folder = Path(name)
            (folder / "client.c").write_text(CLIENT, encoding="utf-8")
            linked = BUILD / "lib" / "link" / "12" / "libnvToolsExt.so"
            subprocess.run(["cc", "-o", folder / "client", folder / "client.c", linked, f"-Wl,-rpath,{BUILD}/lib"],
                           check=True)
            done = subprocess.run([folder / "client"], env={"ANYCUDA_SYSTEM_ROOT": name}, capture_output=True,
                                  text=True)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "-2 -2 0 (nil)\n", ""))


if __name__ == "__main__":
    unittest.main()
