// SPDX-License-Identifier: Apache-2.0

// Slots of the runtime's stub that change their target while it runs (loader/jump_slots.h).
#include "loader/jump_slots.h"
#include "loader/open.h"
#include "stubs/cudart/adapters/references.h"

namespace anycuda::references {

void lead_slots(const char* name, int caller_major, void* function) {
  const Opened* library = opened_library();
  const int symbol = kTables.find_symbol(name);
  if (library == nullptr || library->major_index < 0 || symbol < 0) return;
  for (int i = 0; i < kTables.slot_count; ++i) {
    const SlotRow& slot = kTables.slots[i];
    if (slot.symbol != symbol || major_of_symbol_version(slot.symbol_version) != caller_major)
      continue;
    const std::uint16_t disposition =
        kTables.dispositions[slot.dispositions * kLibrary.major_count + library->major_index];
    // A slot may be redirected before its first call, too: a thread that is about to fill it finds
    // it filled (fill_slot), and the steps before a first call are done for the caller of this.
    if (disposition == kDirect) replace_slot(i, function);
  }
}

}  // namespace anycuda::references
