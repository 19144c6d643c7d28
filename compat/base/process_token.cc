// SPDX-License-Identifier: Apache-2.0
#include "compat/base/process_token.h"

#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <new>

#include "compat/base/reserve.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18  // Linux 4.14
#endif

namespace anycuda {
namespace {

// In memory that the kernel clears in a forked child. 0: the process is new.
using Token = std::atomic<std::uint32_t>;
std::atomic<Token*> token{nullptr};

Token* new_token() {
  void* const page = map_pages(sizeof(Token));
  if (page == nullptr) return nullptr;
  Token* known = nullptr;
  const bool is_cleared = madvise(page, sizeof(Token), MADV_WIPEONFORK) == 0;
  Token* const mine = is_cleared ? new (page) Token{0} : nullptr;
  if (is_cleared && token.compare_exchange_strong(known, mine, std::memory_order_acq_rel)) {
    return mine;
  }
  munmap(page, sizeof(Token));
  return known;
}

// The number of this process or, in a new child, of its parent.
std::atomic<std::uint32_t> number{0};

}  // namespace

std::uint32_t process_token() {
  Token* place = token.load(std::memory_order_acquire);
  if (place == nullptr) place = new_token();
  if (place == nullptr) return static_cast<std::uint32_t>(getpid());
  std::uint32_t known = place->load(std::memory_order_relaxed);
  if (known != 0) return known;
  const std::uint32_t mine = number.load(std::memory_order_relaxed) + 1;
  if (!place->compare_exchange_strong(known, mine, std::memory_order_relaxed)) return known;
  number.store(mine, std::memory_order_relaxed);
  return mine;
}

}  // namespace anycuda
