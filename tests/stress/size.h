// SPDX-License-Identifier: Apache-2.0

// The resources of a process: a test measures them twice, and they must not have grown.
#pragma once

#include <fcntl.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace stress {

struct Size {
  long resident = 0;  // KB
  long mappings = 0;
  long files = 0;
};

inline Size size_of_process() {
  Size size;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::sscanf(line.c_str(), "VmRSS: %ld", &size.resident);
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) ++size.mappings;
  for (int file = 0; file < 1024; ++file) size.files += fcntl(file, F_GETFD) >= 0 ? 1 : 0;
  return size;
}

inline void print(const Size& size) {
  std::printf("# resident %ld KB, mappings %ld, files %ld\n", size.resident, size.mappings,
              size.files);
}

// As stress_test.cc reads it.
inline void print_growth(const Size& before, const Size& after) {
  std::printf("# growth %ld %ld %ld\n", after.resident - before.resident,
              after.mappings - before.mappings, after.files - before.files);
}

}  // namespace stress
