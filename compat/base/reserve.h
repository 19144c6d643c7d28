// Address space for something that grows in one stretch: only the pages that are written become
// memory. A process with little of it left (ulimit -v) gets a shorter stretch.
#pragma once

#include <sys/mman.h>

#include <cstddef>

namespace anycuda {

struct Stretch {
  void* start = nullptr;  // zeroed; nullptr: not even `least` bytes are left
  std::size_t bytes = 0;
};

inline void* map_pages(std::size_t bytes) {
  void* pages = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return pages != MAP_FAILED ? pages : nullptr;
}

// `most` bytes or a half, a quarter, ... of them, down to `least`: so many that thrice as many are
// left, for the libraries that the process has yet to load.
inline Stretch reserve(std::size_t most, std::size_t least) {
  for (std::size_t bytes = most; bytes > least; bytes /= 2) {
    void* pages = map_pages(4 * bytes);
    if (pages == nullptr) continue;
    munmap(static_cast<char*>(pages) + bytes, 3 * bytes);
    return {pages, bytes};
  }
  void* pages = map_pages(least);
  return {pages, pages != nullptr ? least : 0};
}

}  // namespace anycuda
