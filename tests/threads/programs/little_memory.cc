// SPDX-License-Identifier: Apache-2.0

// Registers kernels while the process may have only so many more bytes of address space as its
// argument says, then calls CUDA.
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime.h"

namespace {

std::size_t address_space() {
  std::size_t pages = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) std::abort();
  std::fclose(file);
  return pages * 4096;
}

}  // namespace

int main(int, char** arguments) {
  constexpr int kKernels = 4000;
  static int fat_binaries[kKernels];
  std::vector<std::string> names;
  for (int i = 0; i < kKernels; ++i) names.push_back("kernel" + std::to_string(i));

  rlimit limit{};
  getrlimit(RLIMIT_AS, &limit);
  limit.rlim_cur = address_space() + std::strtoul(arguments[1], nullptr, 10);
  if (setrlimit(RLIMIT_AS, &limit) != 0) return 2;
  for (int i = 0; i < kKernels; ++i) {
    anycuda::test::register_kernel(&fat_binaries[i], names[static_cast<std::size_t>(i)].c_str());
  }
  int devices = 0;
  const int status = cudaGetDeviceCount(&devices);
  std::printf("devices %d:%d\n", status, devices);
  return 0;
}
