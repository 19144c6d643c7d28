// SPDX-License-Identifier: Apache-2.0

// The slots: where each entry jumps to. An entry reads its slot with a plain load, so a slot only
// ever changes from one valid target to another, each fully ready before it is stored.
#pragma once

#include <cstddef>

#include "loader/frame.h"
#include "loader/tables.h"

// Start of the slots' first targets (in the entry file).
extern "C" __attribute__((visibility("hidden"))) char anycuda_lazy[];

namespace anycuda {

inline void* first_target(int slot) {
  return anycuda_lazy + lazy_offset(static_cast<unsigned>(slot));
}

// Stores `target` unless another thread has stored one already; returns the slot's value.
inline void* fill_slot(int slot, void* target) {
  void* expected = first_target(slot);
  const bool mine = __atomic_compare_exchange_n(&anycuda_slots[slot], &expected, target, false,
                                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
  return mine ? target : expected;
}

inline void replace_slot(int slot, void* target) {
  __atomic_store_n(&anycuda_slots[slot], target, __ATOMIC_RELEASE);
}

}  // namespace anycuda
