// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/process_token.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18  // Linux 4.14
#endif

namespace anycuda {
namespace {

// A page that the kernel clears in a forked child. 0: the process is new. (aarch64 has pages of up
// to 64 KB.)
#ifdef __aarch64__
constexpr std::size_t kPage = 65536;
#else
constexpr std::size_t kPage = 4096;
#endif
struct alignas(kPage) Page {
  std::atomic<std::uint32_t> token;
};
Page page;
// The last token of this process or, in a new child, of its parent.
std::atomic<std::uint32_t> latest{0};

}  // namespace

std::uint32_t process_token() {
  std::uint32_t known = page.token.load(std::memory_order_relaxed);
  if (known != 0) return known;
  if (madvise(&page, sizeof page, MADV_WIPEONFORK) != 0)
    return static_cast<std::uint32_t>(getpid());
  // First: a child that is forked meanwhile must not take the same one.
  const std::uint32_t mine = latest.fetch_add(1, std::memory_order_relaxed) + 1;
  return page.token.compare_exchange_strong(known, mine, std::memory_order_relaxed) ? mine : known;
}

}  // namespace anycuda
