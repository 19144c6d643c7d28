// SPDX-License-Identifier: Apache-2.0

// An array that only grows, for records that outlive the code that made them: no element ever
// moves, and no lock is taken.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>

#include "compat/base/reserve.h"

namespace anycuda {

// Elements are zeroed memory. They lie in blocks, each twice as large as the one before, so the
// array takes at most three times the memory that it uses, and nothing is reserved: a process that
// locks its memory (mlockall) gets every mapped page at once, used or not.
template <typename Element, std::size_t kFirst, unsigned kBlocks>
class GrowingArray {
 public:
  static constexpr std::size_t kCapacity = kFirst * ((std::size_t{1} << kBlocks) - 1);

  // Makes room for element `i` < kCapacity. False without memory.
  bool make(std::size_t i) {
    const unsigned block = block_of(i);
    return blocks_[block].load(std::memory_order_acquire) != nullptr || add(block);
  }
  // An element that make() has made room for.
  Element& operator[](std::size_t i) const {
    const unsigned block = block_of(i);
    return blocks_[block].load(std::memory_order_acquire)[i - start_of(block)];
  }
  // Element `i` and those behind it in the same block; `first` is nullptr where make() is due.
  struct Run {
    Element* first;
    std::size_t count;
  };
  Run run(std::size_t i) const {
    const unsigned block = block_of(i);
    const std::size_t offset = i - start_of(block);
    Element* start = blocks_[block].load(std::memory_order_acquire);
    return {start != nullptr ? start + offset : nullptr, (kFirst << block) - offset};
  }
  // Which element is at `address`? kCapacity: none.
  std::size_t index_of(const void* address) const {
    for (unsigned block = 0; block < kBlocks; ++block) {
      const Element* first = blocks_[block].load(std::memory_order_acquire);
      if (first == nullptr) break;
      const auto distance = reinterpret_cast<std::size_t>(address) -
                            reinterpret_cast<std::size_t>(first);  // wraps below `first`
      if (distance < bytes_of(block)) return start_of(block) + distance / sizeof(Element);
    }
    return kCapacity;
  }
  // Returns the memory to the system. The elements are zero again: the addresses stay, for threads
  // that have looked them up before.
  void release() {
    for (unsigned block = 0; block < kBlocks; ++block) {
      Element* first = blocks_[block].load(std::memory_order_acquire);
      if (first == nullptr) break;
      munlock(first, bytes_of(block));  // locked pages (mlockall) would stay
      madvise(first, bytes_of(block), MADV_DONTNEED);
    }
  }

 private:
  static constexpr std::size_t start_of(unsigned block) {
    return kFirst * ((std::size_t{1} << block) - 1);
  }
  static constexpr std::size_t bytes_of(unsigned block) {
    return (kFirst << block) * sizeof(Element);
  }
  static unsigned block_of(std::size_t i) {
    return 63 - static_cast<unsigned>(__builtin_clzll(i / kFirst + 1));
  }

  // Rare: not inlined into what runs for every element.
  [[gnu::noinline, gnu::cold]] bool add(unsigned block) {
    auto* mine = static_cast<Element*>(map_pages(bytes_of(block)));
    if (mine == nullptr) return false;
    Element* other = nullptr;
    if (!blocks_[block].compare_exchange_strong(other, mine, std::memory_order_acq_rel)) {
      munmap(mine, bytes_of(block));
    }
    return true;
  }

  std::atomic<Element*> blocks_[kBlocks] = {};
};

}  // namespace anycuda
