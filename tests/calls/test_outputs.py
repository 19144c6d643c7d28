# SPDX-License-Identifier: Apache-2.0
"""A failing call sets its single outputs in host memory to zero: a function that the installed release lacks, and
every function without a library."""

import platform
import subprocess
import tempfile
import unittest
from pathlib import Path

from build_folder import BUILD
import small_library

CLIENT = """\
#include <stdio.h>
int cusolverDnXlarft_bufferSize(void*, void*, int, int, long, long, int, void*, long, int, void*, int, void*, long, int,
                                unsigned long*, unsigned long*);
int cublasCreate_v2(void**), cufftPlan1d(int*, int, int, int), cusparseSpMatGetFormat(void*, int*);
struct id { char bytes[128]; };
int ncclCommInitRank(void**, int, struct id, int), cudnnCreate(void**);
unsigned long cudnnGetVersion(void);
int main(void) {
  unsigned long bytes = 7, on_host = 7;
  void* handle = &bytes;
  void* communicator = &bytes;
  void* network = &bytes;
  struct id id = {{0}};
  int plan = 7, format = 7, status[6];
  status[0] = cusolverDnXlarft_bufferSize(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, &bytes, &on_host);
  status[1] = cublasCreate_v2(&handle);
  status[2] = cufftPlan1d(&plan, 8, 0, 1);
  status[3] = cusparseSpMatGetFormat(0, &format);
  status[4] = ncclCommInitRank(&communicator, 1, id, 0);
  status[5] = cudnnCreate(&network);
  printf("%d %p, %d %p %lu, ", status[4], communicator, status[5], network, cudnnGetVersion());
  printf("%d %lu %lu, %d %p, ", status[0], bytes, on_host, status[1], handle);
  printf("%d %d, %d %d\\n", status[2], plan, status[3], format);
  return 0;
}
"""


class Outputs(unittest.TestCase):
    def test_are_zero_after_a_failure(self):
        with tempfile.TemporaryDirectory(prefix="anycuda-calls-") as name:
            folder = Path(name)
            (folder / "client.c").write_text(CLIENT, encoding="utf-8")
            linked = [BUILD / "lib" / "link" / "12" / f"lib{one}.so"
                      for one in ("cusolver", "cublas", "cufft", "cusparse", "cudnn")]
            linked.append(BUILD / "lib" / "libnccl_stub.so")
            subprocess.run(["cc", "-o", folder / "client", folder / "client.c", *linked, f"-Wl,-rpath,{BUILD}/lib"],
                           check=True)
            file = small_library.make("cusolver", "11.8", folder / "libraries", platform.machine())
            environment = {"ANYCUDA_SYSTEM_ROOT": name, "ANYCUDA_LOG": "off", "ANYCUDA_CUSOLVER": str(file)}
            done = subprocess.run([folder / "client"], env=environment, capture_output=True, text=True, check=True)
            self.assertEqual(done.stdout, "2 (nil), 1001 (nil) 0, 9 0 0, 1 (nil), 5 0, 1 0\n")


if __name__ == "__main__":
    unittest.main()
