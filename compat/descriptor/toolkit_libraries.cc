// SPDX-License-Identifier: Apache-2.0
#include "compat/descriptor/toolkit_libraries.h"

#include <cstring>

namespace anycuda {
namespace {

#include "compat/toolkit_libraries.inc"

constexpr int kFirstSoname = 2;
constexpr int kParts = kFirstSoname + kLastMajor - kFirstMajor + 1;
constexpr char kStub[] = "_stub.so";

}  // namespace

// Five letters exclude most objects of a process.
bool is_named_like_cuda(const char* soname) {
  return std::strncmp(soname, "libcu", 5) == 0 || std::strncmp(soname, "libnv", 5) == 0;
}

const char* wheel_folder_of(const char* soname) {
  for (ToolkitLibrary library; library.valid(); ++library) {
    if (library.is_stub(soname)) return library.wheel_folder();
  }
  return nullptr;
}

ToolkitLibrary::ToolkitLibrary() : row_(kToolkitLibraries) {}

const char* ToolkitLibrary::part(int number) const {
  const char* text = row_;
  while (number-- > 0) text += std::strlen(text) + 1;
  return text;
}

ToolkitLibrary& ToolkitLibrary::operator++() {
  row_ = part(kParts);
  bit_ <<= 1;
  return *this;
}

const char* ToolkitLibrary::soname(int cuda_major) const {
  const bool is_known = kFirstMajor <= cuda_major && cuda_major <= kLastMajor;
  return is_known ? part(kFirstSoname + cuda_major - kFirstMajor) : "";
}

bool ToolkitLibrary::is_stub(const char* soname) const {
  const std::size_t length = std::strlen(row_);
  if (std::strncmp(soname + 3, row_, length) == 0 && std::strcmp(soname + 3 + length, kStub) == 0) {
    return true;
  }
  for (int major = kFirstMajor; major <= kLastMajor; ++major) {
    if (std::strcmp(this->soname(major), soname + 3) == 0) return true;
  }
  return false;
}

int ToolkitLibrary::major_of(const char* soname) const {
  int found = 0;
  for (int major = kFirstMajor; major <= kLastMajor; ++major) {
    if (std::strcmp(this->soname(major), soname + 3) != 0) continue;
    if (found != 0) return 0;
    found = major;
  }
  return found;
}

int toolkit_major_of(const char* soname) {
  int major = 0;
  ToolkitLibrary library;
  for (; is_named_like_cuda(soname) && library.valid() && major == 0; ++library) {
    major = library.major_of(soname);
  }
  return major;
}

std::uint32_t toolkit_bit_of_stub(const char* soname) {
  ToolkitLibrary library;
  while (is_named_like_cuda(soname) && library.valid()) {
    if (library.is_stub(soname)) return library.bit();
    ++library;
  }
  return 0;
}

}  // namespace anycuda
