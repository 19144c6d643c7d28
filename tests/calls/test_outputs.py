# SPDX-License-Identifier: Apache-2.0
"""A failing call sets its single outputs in host memory to zero: a function that the installed release lacks, and
every function without a library. A structure is as large as in the caller's CUDA."""

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

# In guard bytes: each structure is between two words.
STRUCTURES = """\
#include <stdio.h>
#include <string.h>
int cudaIpcGetMemHandle(void*, void*), cudaGetDeviceProperties%(suffix)s(void*, int);
int cudaPointerGetAttributes(void*, const void*), cudaFuncGetAttributes(void*, const void*);
static unsigned char bytes[2048];
static int zeroes(void) {  /* from the eighth byte on */
  int count = 0;
  while (bytes[8 + count] == 0) ++count;
  for (int i = 8 + count; i < 2048; ++i) if (bytes[i] != 7) return -1;
  for (int i = 0; i < 8; ++i) if (bytes[i] != 7) return -1;
  return count;
}
#define TRY(call) (memset(bytes, 7, sizeof bytes), call, printf("%%d ", zeroes()))
int main(void) {
  void* at = bytes + 8;
  TRY(cudaIpcGetMemHandle(at, bytes));
  TRY(cudaGetDeviceProperties%(suffix)s(at, 0));
  TRY(cudaPointerGetAttributes(at, bytes));
  TRY(cudaFuncGetAttributes(at, bytes));
}
"""


class Structures(unittest.TestCase):
    def zeroes(self, linked: Path, suffix: str = "") -> str:
        with tempfile.TemporaryDirectory(prefix="anycuda-calls-") as name:
            client = Path(name) / "client"
            subprocess.run(["cc", "-x", "c", "-", "-x", "none", "-o", client, linked, f"-Wl,-rpath,{BUILD}/lib"],
                           input=STRUCTURES % {"suffix": suffix}, text=True, check=True)
            environment = {"ANYCUDA_SYSTEM_ROOT": name, "ANYCUDA_LOG": "off"}
            done = subprocess.run([client], env=environment, capture_output=True, text=True, check=True)
            return done.stdout.strip()

    def test_have_the_size_of_the_callers_major(self):
        self.assertEqual(self.zeroes(BUILD / "lib/link/11/libcudart.so"), "64 728 24 56")
        self.assertEqual(self.zeroes(BUILD / "lib/link/12/libcudart.so", "_v2"), "64 1032 24 144")
        self.assertEqual(self.zeroes(BUILD / "lib/link/13/libcudart.so"), "64 1008 88 144")

    def test_of_several_sizes_stay_for_a_caller_without_a_major(self):
        self.assertEqual(self.zeroes(BUILD / "lib/libcudart_stub.so"), "64 0 0 0")


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
