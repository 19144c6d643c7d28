// SPDX-License-Identifier: Apache-2.0
#include "compat/search/elf/classify.h"

#include <cstring>

namespace anycuda {
namespace {

// SONAMEs and symbol versions of a library begin like its files. Hardly any name in a process does.
bool is_named_like(const LibraryDescriptor& library, const char* name) {
  const char* prefix = library.file_prefix;
  for (; *prefix != '\0' && *prefix == *name; ++prefix) ++name;
  return *prefix == '\0';
}

struct Number {
  int value;
  const char* rest;
};

Number number_at(const char* digit) {
  int value = 0;
  for (; *digit >= '0' && *digit <= '9' && value < 10000; ++digit)
    value = value * 10 + *digit - '0';
  return {value, digit};
}

// Behind "lib": as whole names they would be taken for what this file opens (anycuda check).
constexpr char kRuntime[] = "cudart.so.";  // "11.0" of CUDA 11

// The number that follows "lib" and `rest`, 0 for another name.
int major_of(const char* name, const char* rest) {
  if (std::strncmp(name, "lib", 3) != 0) return 0;
  const std::size_t length = std::strlen(rest);
  return std::strncmp(name + 3, rest, length) == 0 ? number_at(name + 3 + length).value : 0;
}

// The number behind ".so.": 12 of "libcusparse.so.12"; 0 where it is not all.
int number_of(const char* soname, std::size_t prefix) {
  if (soname[prefix] != '.') return 0;
  const Number number = number_at(soname + prefix + 1);
  return *number.rest == '\0' ? number.value : 0;
}

}  // namespace

int major_of_soname(const LibraryDescriptor& library, const char* name) {
  if (!is_named_like(library, name)) return 0;
  for (int i = 0; i < library.major_count; ++i) {
    if (std::strcmp(name, library.majors[i].soname) == 0) return library.majors[i].major;
  }
  if (library.is_earlier(name)) return library.majors[0].major;
  // "libcudart.so.12.9.79" as a SONAME would not be a name that NVIDIA gives: only a bare new
  // number, one more for each new major.
  const std::size_t prefix = std::strlen(library.file_prefix);
  const int newest = number_of(library.majors[library.major_count - 1].soname, prefix);
  const int number = number_of(name, prefix);
  return number > newest ? library.rules.newest_known_major + number - newest : 0;
}

int major_of_runtime(const char* name) { return major_of(name, kRuntime); }

int major_of_needed(const char* name) {
  // Their SONAMEs have CUDA's major: stubs/<library>/abi/versions.txt.
  constexpr char kCountedAsCuda[][16] = {"cublas.so.", "cublasLt.so.", "nvJitLink.so."};
  for (const auto& rest : kCountedAsCuda) {
    if (const int major = major_of(name, rest)) return major;
  }
  return major_of_runtime(name);
}

bool is_soname(const LibraryDescriptor& library, const char* name) {
  for (int i = 0; i < library.major_count; ++i) {
    if (std::strcmp(name, library.majors[i].soname) == 0) return true;
  }
  return library.is_earlier(name);
}

void Classifier::soname(const char* name) {
  by_soname_ = major_of_soname(library_, name);
  is_earlier_ = library_.is_earlier(name);
}

void Classifier::compare(const char* name) {
  if (std::strcmp(name, kStubSymbolVersion) == 0) stub_ = true;
  if (stub_ || !is_named_like(library_, name)) return;
  for (int i = 0; i < library_.major_count; ++i) {
    const char* symbol_version = library_.majors[i].symbol_version;
    if (symbol_version == nullptr) return;  // an unversioned library
    if (std::strcmp(name, symbol_version) == 0) by_symbol_version_ = library_.majors[i].major;
  }
  // A symbol version is named like the SONAME, so it shows an unknown major too.
  const int unknown = by_symbol_version_ == 0 ? major_of_soname(library_, name) : 0;
  if (unknown > library_.rules.newest_known_major) by_symbol_version_ = unknown;
}

bool Classifier::wants_needed() const {
  const int row = library_.index_of(major());
  if (row < 0) return false;
  return library_.relative_count != 0 || library_.majors[row].newest != library_.majors[row].major;
}

void Classifier::put_into(ImageFacts* facts) const {
  facts->version = {major(), -1};
  facts->newest_major = major();
  facts->needs_runtime = needs_runtime_;
  facts->is_earlier = is_earlier_;
  const int row = library_.index_of(major());
  if (row < 0) return;
  facts->newest_major = library_.majors[row].newest;
  if (library_.majors[row].holds(by_needed_)) {
    facts->version.major = facts->newest_major = by_needed_;
  }
}

}  // namespace anycuda
