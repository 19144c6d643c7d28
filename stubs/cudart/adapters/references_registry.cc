// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/adapters/references_registry.h"

#include <atomic>
#include <cstddef>

#include "loader/stub_copies.h"
#include "stubs/cudart/base/growing_array.h"

namespace anycuda::references {
namespace {

// A list that only grows. A zeroed entry is unused.
template <typename Entry>
class List {
 public:
  // A new entry, zeroed; nullptr without memory.
  Entry* append() {
    std::size_t index = taken_.load(std::memory_order_relaxed);
    do {
      if (index >= Entries::kCapacity || !entries_.make(index)) return nullptr;
    } while (!taken_.compare_exchange_weak(index, index + 1, std::memory_order_acq_rel));
    return &entries_[index];
  }
  // Passes entries to `look`, the newest first, until it returns true.
  template <typename Look>
  void each(Look look) {
    for (std::size_t i = taken_.load(std::memory_order_acquire); i-- > 0;) {
      if (look(entries_[i])) return;
    }
  }

 private:
  using Entries = GrowingArray<Entry, 64, 10>;

  Entries entries_;
  std::atomic<std::size_t> taken_{0};
};

struct FatBinary {
  std::atomic<void**> handle;
  std::atomic<const void*> kernel;
};
struct Registered : Reference {
  std::atomic<bool> registered;  // set last
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
    if (!one.registered.load(std::memory_order_acquire)) return false;
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
  mine->registered.store(true, std::memory_order_release);
}

void remove_fat_binary(void** handle) {
  FatBinary* known = find_fat_binary(handle);
  if (known == nullptr) return;
  known->handle.store(nullptr, std::memory_order_release);
  all_references.each([&](Registered& one) {
    if (one.registered.load(std::memory_order_acquire) && one.fat_binary == handle) {
      one.registered.store(false, std::memory_order_release);
    }
    return false;
  });
}

namespace {

const Reference* find_anywhere(const void* host, bool surface) {
  const auto leaders = of_leader<copy_functions::FindReference>();
  return leaders != nullptr ? static_cast<const Reference*>(leaders(host, surface ? 1 : 0))
                            : find(host, surface);
}

bool stands(const void* reference) {
  return static_cast<const Registered*>(reference)->registered.load(std::memory_order_acquire);
}

const void* find_kernel(void** fat_binary) {
  const FatBinary* known = find_fat_binary(fat_binary);
  return known != nullptr ? known->kernel.load(std::memory_order_acquire) : nullptr;
}

}  // namespace

const Reference* find_texture(const void* host) { return find_anywhere(host, false); }
const Reference* find_surface(const void* host) { return find_anywhere(host, true); }

bool registered(const Reference& reference) {
  const auto leaders = of_leader<copy_functions::ReferenceStands>();
  return leaders != nullptr ? leaders(&reference) != 0 : stands(&reference);
}

const void* kernel_of(void** fat_binary) {
  const auto leaders = of_leader<copy_functions::KernelOf>();
  return leaders != nullptr ? leaders(fat_binary) : find_kernel(fat_binary);
}

}  // namespace anycuda::references

// The functions that other copies of the stub call in this one.
#define ANYCUDA_COPY extern "C" __attribute__((visibility("hidden")))
ANYCUDA_COPY const void* anycuda_copy_find_reference(const void* host, int surface) {
  return anycuda::references::find(host, surface != 0);
}
ANYCUDA_COPY int anycuda_copy_reference_stands(const void* reference) {
  return anycuda::references::stands(reference) ? 1 : 0;
}
ANYCUDA_COPY const void* anycuda_copy_kernel_of(void** fat_binary) {
  return anycuda::references::find_kernel(fat_binary);
}
