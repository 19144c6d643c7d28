// SPDX-License-Identifier: Apache-2.0

// Compiles a kernel with the installed NVRTC.
#include <nvrtc.h>

#include <cstdio>
#include <cstring>

int main() {
  int major = -1, minor = -1;
  std::printf("version %d", nvrtcVersion(&major, &minor));
  std::printf(" %d.%d\n", major, minor);
  nvrtcProgram program = nullptr;
  const char* options[] = {"--gpu-architecture=compute_80"};
  int status =
      nvrtcCreateProgram(&program, "extern \"C\" __global__ void twice(int* x) { *x *= 2; }",
                         "twice.cu", 0, nullptr, nullptr);
  std::printf("create %d, %s\n", status, program != nullptr ? "a program" : "none");
  if (status != 0) return 0;
  status = nvrtcCompileProgram(program, 1, options);
  std::size_t size = 0;
  const int sized = nvrtcGetPTXSize(program, &size);
  static char ptx[1 << 16];
  if (size > sizeof ptx) return 1;
  const int got = nvrtcGetPTX(program, ptx);
  std::printf("compile %d %d %d\n%s\n", status, sized, got,
              std::strstr(ptx, ".entry twice") != nullptr ? "PTX with the kernel" : ptx);
  return 0;
}
