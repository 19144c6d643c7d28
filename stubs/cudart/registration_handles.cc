#include <sys/mman.h>

#include <atomic>

#include "stubs/cudart/registration.h"

namespace anycuda::registration {
namespace {

// A caller sees a handle as void** and may look at what it points to, as it may with a real one.
struct Handle {
  std::atomic<void**> real;
  std::atomic<bool> cancelled;
};

constexpr std::size_t kBytes = std::size_t{4} << 20;
constexpr std::size_t kCount = kBytes / sizeof(Handle);

std::atomic<Handle*> handles{nullptr};
std::atomic<std::uint32_t> taken{1};  // index 0 means none

Handle* table() {
  Handle* known = handles.load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* pages = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (pages == MAP_FAILED) return nullptr;
  auto* mine = static_cast<Handle*>(pages);  // zero bytes are valid handles
  if (handles.compare_exchange_strong(known, mine, std::memory_order_acq_rel)) return mine;
  munmap(pages, kBytes);
  return known;
}

}  // namespace

std::uint32_t new_handle() {
  if (table() == nullptr) return 0;
  const std::uint32_t index = taken.fetch_add(1, std::memory_order_relaxed);
  if (index < kCount) return index;
  taken.store(kCount, std::memory_order_relaxed);
  return 0;
}

void** handle_address(std::uint32_t index) { return reinterpret_cast<void**>(table() + index); }

std::uint32_t handle_index(void** handle) {
  const auto first = reinterpret_cast<std::uintptr_t>(handles.load(std::memory_order_acquire));
  const auto address = reinterpret_cast<std::uintptr_t>(handle);
  if (first == 0 || address < first || address >= first + kBytes) return 0;
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
