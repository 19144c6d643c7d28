#include "compat/search/elf/classify.h"

#include <cstring>

namespace anycuda {
namespace {

// SONAMEs and symbol versions of a library begin like its files. Hardly any name in a process does.
bool is_named_like(const LibraryDescriptor& library, const char* name) {
  return std::strncmp(name, library.file_prefix, std::strlen(library.file_prefix)) == 0;
}

}  // namespace

int major_of_soname(const LibraryDescriptor& library, const char* name) {
  if (!is_named_like(library, name)) return 0;
  for (int i = 0; i < library.major_count; ++i) {
    if (std::strcmp(name, library.majors[i].soname) == 0) return library.majors[i].major;
  }
  const std::size_t prefix = std::strlen(library.file_prefix);
  if (name[prefix] != '.') return 0;
  int major = 0;
  const char* digit = name + prefix + 1;
  for (; *digit >= '0' && *digit <= '9' && major < 10000; ++digit)
    major = major * 10 + *digit - '0';
  // "libcudart.so.12.9.79" as a SONAME would be no name that NVIDIA gives: only a bare new major.
  return *digit == '\0' && major > library.rules.newest_known_major ? major : 0;
}

bool is_soname(const LibraryDescriptor& library, const char* name) {
  for (int i = 0; i < library.major_count; ++i) {
    if (std::strcmp(name, library.majors[i].soname) == 0) return true;
  }
  return false;
}

void Classifier::soname(const char* name) { by_soname_ = major_of_soname(library_, name); }

void Classifier::compare(const char* name) {
  if (std::strcmp(name, kStubSymbolVersion) == 0) stub_ = true;
  if (!is_named_like(library_, name)) return;
  for (int i = 0; i < library_.major_count; ++i) {
    const char* symbol_version = library_.majors[i].symbol_version;
    if (symbol_version == nullptr) return;  // an unversioned library
    if (std::strcmp(name, symbol_version) == 0) by_symbol_version_ = library_.majors[i].major;
  }
  // A symbol version is named like the SONAME, so it shows an unknown major too.
  const int unknown = by_symbol_version_ == 0 ? major_of_soname(library_, name) : 0;
  if (unknown > library_.rules.newest_known_major) by_symbol_version_ = unknown;
}

}  // namespace anycuda
