// SPDX-License-Identifier: Apache-2.0
#include "compat/descriptor/toolkit_libraries.h"

#include <cstring>

namespace anycuda {
namespace {

#include "compat/toolkit_libraries.inc"

constexpr char kSoname[] = ".so.";
constexpr char kStub[] = "_stub.so";

// What follows `part` at the start of the text; nullptr: it does not begin so.
const char* behind(const char* text, const char* part) {
  while (*part != '\0') {
    if (*text++ != *part++) return nullptr;
  }
  return text;
}

// The number of the SONAME, if it is of this library.
const char* number_of(const Row& row, const char* soname) {
  const char* const rest = behind(soname + 3, row.stem);
  return rest != nullptr ? behind(rest, kSoname) : nullptr;
}

}  // namespace

const int kToolkitLibraries = static_cast<int>(sizeof kRows / sizeof *kRows);

// Five letters exclude most objects of a process.
bool is_named_like_cuda(const char* soname) {
  return behind(soname, "libcu") != nullptr || behind(soname, "libnv") != nullptr;
}

bool is_companion(const char* soname) {
  return is_named_like_cuda(soname) && std::strncmp(soname, "libcuda.", 8) != 0;
}

int toolkit_library_of(const char* soname) {
  if (!is_named_like_cuda(soname)) return -1;
  for (int i = 0; i < kToolkitLibraries; ++i) {
    const char* const rest = behind(soname + 3, kRows[i].name);
    const bool is_stub = rest != nullptr && std::strcmp(rest, kStub) == 0;
    if (is_stub || number_of(kRows[i], soname) != nullptr) return i;
  }
  return -1;
}

int toolkit_major_of(int library, const char* soname) {
  const char* const number = library >= 0 ? number_of(kRows[library], soname) : nullptr;
  int found = 0;
  for (int i = 0; number != nullptr && i < kMajors; ++i) {
    if (std::strcmp(kRows[library].numbers[i], number) != 0) continue;
    if (found != 0) return 0;
    found = kFirstMajor + i;
  }
  return found;
}

ToolkitFile toolkit_file(int library, int cuda_major) {
  const Row& row = kRows[library];
  const bool is_known = kFirstMajor <= cuda_major && cuda_major < kFirstMajor + kMajors;
  return {row.stem, is_known ? row.numbers[cuda_major - kFirstMajor] : "", row.wheel};
}

}  // namespace anycuda
