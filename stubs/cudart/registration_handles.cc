// SPDX-License-Identifier: Apache-2.0
#include <atomic>

#include "stubs/cudart/base/growing_array.h"
#include "stubs/cudart/registration.h"

namespace anycuda::registration {
namespace {

// A caller sees a handle as void** and may dereference it, as it may with a real one.
struct Handle {
  std::atomic<void**> real;
  std::atomic<bool> cancelled;
};

// 4 KB in the first block, 4 MB at most. Number 0 means "none".
using Handles = GrowingArray<Handle, 256, 10>;  // zeroed memory is a valid handle

Handles handles;
std::atomic<std::uint32_t> taken{1};

}  // namespace

std::uint32_t new_handle() {
  std::uint32_t index = taken.load(std::memory_order_relaxed);
  do {
    if (index >= Handles::kCapacity || !handles.make(index)) return 0;
  } while (!taken.compare_exchange_weak(index, index + 1, std::memory_order_relaxed));
  return index;
}

void** handle_address(std::uint32_t index) { return reinterpret_cast<void**>(&handles[index]); }

std::uint32_t handle_index(void** handle) {
  const std::size_t index = handles.index_of(handle);
  return index != Handles::kCapacity ? static_cast<std::uint32_t>(index) : 0;
}

void** real_handle(std::uint32_t index) {
  return handles[index].real.load(std::memory_order_acquire);
}
void set_real_handle(std::uint32_t index, void** real) {
  handles[index].real.store(real, std::memory_order_release);
}
bool cancelled(std::uint32_t index) {
  return handles[index].cancelled.load(std::memory_order_seq_cst);
}
void** handle_unless_cancelled(std::uint32_t index) {
  const Handle& handle = handles[index];
  if (handle.cancelled.load(std::memory_order_seq_cst)) return nullptr;
  return handle.real.load(std::memory_order_acquire);
}
void cancel(std::uint32_t index) {
  handles[index].cancelled.store(true, std::memory_order_seq_cst);
}

}  // namespace anycuda::registration
