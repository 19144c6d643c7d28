// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <atomic>
#include <cstdlib>
#include <mutex>
#include <new>

namespace {

constexpr int kBlocks = 1 << 16;
struct Block {
  const char* start;
  std::size_t size;
};
Block blocks[kBlocks];
std::mutex mutex;
std::atomic<long> left{-1};
std::atomic<bool> has_failed{false};

void remember(void* start, std::size_t size) {
  const std::lock_guard<std::mutex> lock(mutex);
  for (Block& block : blocks) {
    if (block.start != nullptr) continue;
    block = {static_cast<const char*>(start), size};
    return;
  }
}

void forget(const void* start) {
  const std::lock_guard<std::mutex> lock(mutex);
  for (Block& block : blocks) {
    if (block.start == start) block = {};
  }
}

}  // namespace

namespace child {

void fail_after(long allocations) {
  has_failed = false;
  left = allocations;
}

bool failed() { return has_failed; }

}  // namespace child

int child_is_live(const void* address) {
  const auto* place = static_cast<const char*>(address);
  const std::lock_guard<std::mutex> lock(mutex);
  for (const Block& block : blocks) {
    if (block.start != nullptr && place >= block.start && place < block.start + block.size)
      return 1;
  }
  return 0;
}

void* operator new(std::size_t size) {
  if (left >= 0 && left-- == 0) {
    has_failed = true;
    throw std::bad_alloc();
  }
  void* start = std::malloc(size != 0 ? size : 1);
  if (start == nullptr) throw std::bad_alloc();
  remember(start, size);
  return start;
}

void operator delete(void* start) noexcept {
  if (start == nullptr) return;
  forget(start);
  std::free(start);
}

void operator delete(void* start, std::size_t) noexcept { operator delete(start); }
