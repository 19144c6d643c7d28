// SPDX-License-Identifier: Apache-2.0

// main() of each program: the machine, the library's part, and which files were loaded.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>

#include "check.h"

namespace {

std::string base(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// NVIDIA's libraries of this process; the stubs are anycuda's.
void print_maps() {
  std::set<std::string> files;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const std::size_t at = line.find('/');
    if (at == std::string::npos) continue;
    const std::string path = line.substr(at), name = base(path);
    const bool cuda =
        name.rfind("libcu", 0) == 0 || name.rfind("libnv", 0) == 0 || name.rfind("libnccl", 0) == 0;
    if (cuda && name.find(".so") != std::string::npos && name.find("_stub") == std::string::npos) {
      files.insert(path);
    }
  }
  for (const std::string& file : files) std::printf("map %s\n", file.c_str());
}

}  // namespace

int main(int, char** arguments) {
  {
    maths::Check check("machine");
    int devices = 0;
    if (CALL(check, cudaGetDeviceCount(&devices)) && devices == 0) check.fail("no GPU");
    if (check) CALL(check, cudaSetDevice(0));
  }
  int runtime = 0;
  if (cudaRuntimeGetVersion(&runtime) == cudaSuccess) std::printf("runtime %d\n", runtime);
  // Also without a GPU: a library must then refuse, and not crash.
  maths::run();
  if (maths::failures() == 0) {
    maths::Check check("end");
    CALL(check, cudaDeviceSynchronize());
    CALL(check, cudaGetLastError());
  }
  print_maps();
  std::printf("done %s\n", base(arguments[0]).c_str());
  return maths::failures() == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
