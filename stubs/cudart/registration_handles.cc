#include <sys/mman.h>

#include <atomic>

#include "compat/base/reserve.h"
#include "stubs/cudart/registration.h"

namespace anycuda::registration {
namespace {

// A caller sees a handle as void** and may look at what it points to, as it may with a real one.
struct Handle {
  std::atomic<void**> real;
  std::atomic<bool> cancelled;
};

constexpr std::size_t kMost = std::size_t{4} << 20;
constexpr std::size_t kLeast = std::size_t{64} << 10;

// Lies where handle 0 would, which means "none".
struct TableSize {
  std::size_t bytes;
};
static_assert(sizeof(TableSize) <= sizeof(Handle));

std::atomic<Handle*> handles{nullptr};
std::atomic<std::uint32_t> taken{1};

std::size_t size_of(const Handle* table) {
  return reinterpret_cast<const TableSize*>(table)->bytes;
}

Handle* table() {
  Handle* known = handles.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  const Stretch mine = reserve(kMost, kLeast);
  if (mine.start == nullptr) return nullptr;
  static_cast<TableSize*>(mine.start)->bytes = mine.bytes;
  auto* first = static_cast<Handle*>(mine.start);  // zero bytes are valid handles
  if (handles.compare_exchange_strong(known, first, std::memory_order_acq_rel)) return first;
  munmap(mine.start, mine.bytes);
  return known;
}

}  // namespace

std::uint32_t new_handle() {
  const Handle* all = table();
  if (all == nullptr) return 0;
  const std::size_t count = size_of(all) / sizeof(Handle);
  std::uint32_t index = taken.load(std::memory_order_relaxed);
  do {
    if (index >= count) return 0;
  } while (!taken.compare_exchange_weak(index, index + 1, std::memory_order_relaxed));
  return index;
}

void** handle_address(std::uint32_t index) { return reinterpret_cast<void**>(table() + index); }

std::uint32_t handle_index(void** handle) {
  const Handle* all = handles.load(std::memory_order_acquire);
  const auto first = reinterpret_cast<std::uintptr_t>(all);
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  if (all == nullptr || address < first || address >= first + size_of(all)) return 0;
  return static_cast<std::uint32_t>((address - first) / sizeof(Handle));
}

void** real_handle(std::uint32_t index) {
  return table()[index].real.load(std::memory_order_acquire);
}
void set_real_handle(std::uint32_t index, void** real) {
  table()[index].real.store(real, std::memory_order_release);
}
bool cancelled(std::uint32_t index) {
  return table()[index].cancelled.load(std::memory_order_seq_cst);
}
void cancel(std::uint32_t index) {
  table()[index].cancelled.store(true, std::memory_order_seq_cst);
}

}  // namespace anycuda::registration
