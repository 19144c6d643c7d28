// SPDX-License-Identifier: Apache-2.0

// A copy of the stub that serves those of earlier versions (docs/copies.md): it handles every call
// of theirs, so their program runs on a CUDA that they do not know.
#include <cstring>

#include "loader/jump_slots.h"
#include "loader/stub_copies.h"
#include "loader/tables.h"

namespace anycuda {
namespace {

bool is_same(const char* one, const char* other) {
  if (one == nullptr || other == nullptr) return one == other;
  return std::strcmp(one, other) == 0;
}

}  // namespace
}  // namespace anycuda

extern "C" __attribute__((visibility("hidden"))) void* anycuda_copy_serve(
    const char* name, const char* symbol_version, int* is_final) {
  using namespace anycuda;
  const int symbol = kTables.find_symbol(name);
  for (int i = 0; symbol >= 0 && i < kTables.slot_count; ++i) {
    const SlotRow& slot = kTables.slots[i];
    if (slot.symbol != symbol || !is_same(symbol_version_of(slot), symbol_version)) continue;
    // At first the slot leads to the resolver, by way of its number.
    void* const target = __atomic_load_n(&anycuda_slots[i], __ATOMIC_ACQUIRE);
    *is_final = target != first_target(i) ? 1 : 0;
    return target;
  }
  return nullptr;
}
