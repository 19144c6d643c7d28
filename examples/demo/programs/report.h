// SPDX-License-Identifier: Apache-2.0

// What the demo's programs share: how they report, and how they look at themselves.
// A program prints one "name: value" line per fact, so that a person can read it and the demo can
// check it.
#pragma once

#include <link.h>
#include <string.h>

#include <cstdio>
#include <string>

namespace report {

inline void fact(const char* name, const std::string& value) {
  std::printf("%s: %s\n", name, value.c_str());
  // At once: if a later step crashed, the facts before it must still be there to see.
  std::fflush(stdout);
}

// "cudaErrorNoDevice (100)" and the like.
inline std::string code(const char* name, int value) {
  return std::string(name != nullptr ? name : "?") + " (" + std::to_string(value) + ")";
}

// Path of the loaded library whose file name starts with `prefix`, "none" if it is not loaded.
// Reads the dynamic linker's list instead of dladdr: the address of a CUDA function is, in this
// program, an address in the stub.
inline std::string loaded_file(const char* prefix) {
  struct Search {
    const char* prefix;
    std::string found;
  } search{prefix, "none"};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* data) {
        auto* wanted = static_cast<Search*>(data);
        const char* slash = strrchr(info->dlpi_name, '/');
        const char* base = slash != nullptr ? slash + 1 : info->dlpi_name;
        if (strncmp(base, wanted->prefix, strlen(wanted->prefix)) != 0) return 0;
        wanted->found = info->dlpi_name;
        return 1;
      },
      &search);
  return search.found;
}

// CUDA writes 12.9 as 12090.
inline std::string version(int number) {
  return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

}  // namespace report
