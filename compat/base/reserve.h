// SPDX-License-Identifier: Apache-2.0

// Memory from the system, without malloc.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace anycuda {

// Zeroed; nullptr without memory.
inline void* map_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages != MAP_FAILED ? pages : nullptr;
}

// Address space for a short-lived object that grows in one piece: only the pages that are written
// become memory.
struct Stretch {
  void* start = nullptr;  // zeroed; nullptr: not even `least` bytes are left
  std::size_t bytes = 0;
};

// `most` bytes or a half, a quarter, ... of them, down to `least`: a size that leaves three times
// as much for the libraries that the process has yet to load. A process with little address space
// left (ulimit -v) gets less.
Stretch reserve(std::size_t most, std::size_t least);

}  // namespace anycuda
