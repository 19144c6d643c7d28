#include "stubs/cudart/adapters/references_registry.h"

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "compat/base/reserve.h"

namespace anycuda::references {
namespace {

// A list that only grows, in one stretch of address space. A zeroed entry is one that nobody means.
template <typename Entry>
class List {
 public:
  // A new entry, zeroed; nullptr without memory.
  Entry* append() {
    Entry* all = entries();
    if (all == nullptr) return nullptr;
    std::uint32_t index = taken_.load(std::memory_order_relaxed);
    do {
      if (index >= capacity(all)) return nullptr;
    } while (!taken_.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel));
    return all + index;
  }
  // Shows entries to `look`, the newest first, until it says true.
  template <typename Look>
  void each(Look look) {
    Entry* all = entries_.load(std::memory_order_acquire);
    if (all == nullptr) return;
    for (std::uint32_t i = taken_.load(std::memory_order_acquire); i-- > 1;) {
      if (look(all[i])) return;
    }
  }

 private:
  static constexpr std::size_t kMost = std::size_t{4} << 20;
  static constexpr std::size_t kLeast = std::size_t{64} << 10;

  // How many there are lies where entry 0 would.
  static std::size_t& capacity(Entry* all) { return *reinterpret_cast<std::size_t*>(all); }

  Entry* entries() {
    Entry* known = entries_.load(std::memory_order_acquire);
    if (known != nullptr) return known;
    const Stretch mine = reserve(kMost, kLeast);
    if (mine.start == nullptr) return nullptr;
    auto* all = static_cast<Entry*>(mine.start);
    capacity(all) = mine.bytes / sizeof(Entry);
    if (entries_.compare_exchange_strong(known, all, std::memory_order_acq_rel)) return all;
    munmap(mine.start, mine.bytes);
    return known;
  }

  std::atomic<Entry*> entries_{nullptr};
  std::atomic<std::uint32_t> taken_{1};
};

struct FatBinary {
  std::atomic<void**> handle;
  std::atomic<const void*> kernel;
};
struct Registered : Reference {
  std::atomic<bool> there;  // set last
};

List<FatBinary> fat_binaries;
List<Registered> all_references;

FatBinary* find_fat_binary(void** handle) {
  FatBinary* found = nullptr;
  if (handle == nullptr) return nullptr;
  fat_binaries.each([&](FatBinary& one) {
    if (one.handle.load(std::memory_order_acquire) != handle) return false;
    found = &one;
    return true;
  });
  return found;
}

// Of two objects that register the same address the one that defines it counts.
const Reference* find(const void* host, bool surface) {
  const Reference* found = nullptr;
  all_references.each([&](const Registered& one) {
    if (!one.there.load(std::memory_order_acquire)) return false;
    if (one.host != host || one.surface != surface) return false;
    found = &one;
    return !one.external;
  });
  return found;
}

}  // namespace

void add_fat_binary(void** handle) {
  FatBinary* mine = handle != nullptr ? fat_binaries.append() : nullptr;
  if (mine != nullptr) mine->handle.store(handle, std::memory_order_release);
}

void add_kernel(void** fat_binary, const void* host_function) {
  FatBinary* known = find_fat_binary(fat_binary);
  if (known == nullptr || known->kernel.load(std::memory_order_relaxed) != nullptr) return;
  known->kernel.store(host_function, std::memory_order_release);
}

void add_reference(const Reference& reference) {
  Registered* mine = all_references.append();
  if (mine == nullptr) return;
  static_cast<Reference&>(*mine) = reference;
  mine->there.store(true, std::memory_order_release);
}

void remove_fat_binary(void** handle) {
  FatBinary* known = find_fat_binary(handle);
  if (known == nullptr) return;
  known->handle.store(nullptr, std::memory_order_release);
  all_references.each([&](Registered& one) {
    if (one.there.load(std::memory_order_acquire) && one.fat_binary == handle) {
      one.there.store(false, std::memory_order_release);
    }
    return false;
  });
}

const Reference* find_texture(const void* host) { return find(host, false); }
const Reference* find_surface(const void* host) { return find(host, true); }

bool registered(const Reference& reference) {
  return static_cast<const Registered&>(reference).there.load(std::memory_order_acquire);
}

const void* kernel_of(void** fat_binary) {
  const FatBinary* known = find_fat_binary(fat_binary);
  return known != nullptr ? known->kernel.load(std::memory_order_acquire) : nullptr;
}

}  // namespace anycuda::references
