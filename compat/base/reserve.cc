// SPDX-License-Identifier: Apache-2.0
#include "compat/base/reserve.h"

#include <sys/mman.h>

namespace anycuda {
namespace {

#ifdef __SANITIZE_THREAD__
// ThreadSanitizer does not see mremap(): a later mapping at the page's old address looks like a
// race.
void* map_unlocked(std::size_t bytes) { return map_pages(bytes); }
#else
// In a process that locks all its memory (mlockall with MCL_FUTURE) a new mapping gets all of its
// pages at once and counts against RLIMIT_MEMLOCK. One that is unlocked and then grows does
// neither, so this one begins as one page.
void* map_unlocked(std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  void* page = map_pages(kPage);
  if (page == nullptr) return nullptr;
  munlock(page, kPage);
  void* pages = mremap(page, kPage, bytes, MREMAP_MAYMOVE);
  if (pages != MAP_FAILED) return pages;
  munmap(page, kPage);
  return nullptr;
}
#endif

}  // namespace

Stretch reserve(std::size_t most, std::size_t least) {
  for (std::size_t bytes = most; bytes > least; bytes /= 2) {
    void* pages = map_unlocked(4 * bytes);
    if (pages == nullptr) continue;
    munmap(static_cast<char*>(pages) + bytes, 3 * bytes);
    return {pages, bytes};
  }
  void* pages = map_unlocked(least);
  return {pages, pages != nullptr ? least : 0};
}

}  // namespace anycuda
