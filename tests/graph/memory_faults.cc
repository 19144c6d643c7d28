// SPDX-License-Identifier: Apache-2.0
#include "tests/graph/memory_faults.h"

#include <cstdlib>
#include <new>

namespace {
thread_local std::size_t left = 0;
thread_local bool failed = false;
}  // namespace

namespace anycuda::graph {
void fail_allocation(std::size_t nth) {
  left = nth;
  failed = false;
}
bool allocation_failed() { return failed; }
}  // namespace anycuda::graph

void* operator new(std::size_t size) {
  if (left != 0 && --left == 0) {
    failed = true;
    throw std::bad_alloc();
  }
  void* const memory = std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
