// SPDX-License-Identifier: Apache-2.0

// Counts the walks over the list of loaded objects: this dl_iterate_phdr() is found before libc's.
#pragma once

#include <dlfcn.h>
#include <link.h>

#include <atomic>

namespace anycuda::test {
inline std::atomic<int> walks{0};
}

extern "C" inline __attribute__((used, visibility("default"))) int dl_iterate_phdr(
    int (*visit)(dl_phdr_info*, std::size_t, void*), void* argument) {
  using Walk = int (*)(int (*)(dl_phdr_info*, std::size_t, void*), void*);
  static const auto real = reinterpret_cast<Walk>(dlsym(RTLD_NEXT, "dl_iterate_phdr"));
  anycuda::test::walks.fetch_add(1);
  return real(visit, argument);
}
