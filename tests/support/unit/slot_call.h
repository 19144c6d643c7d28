// SPDX-License-Identifier: Apache-2.0

// A call through a slot, from the resolver's entry point on.
#pragma once

#include "loader/frame.h"
#include "loader/jump_slots.h"
#include "tests/support/unit/frames.h"

extern "C" __attribute__((visibility("hidden"))) void* anycuda_resolve(std::uint32_t index,
                                                                       anycuda::Frame* frame);

namespace anycuda::unit {

// What the caller of a slot gets: the result of the function behind it, or of the failure.
inline std::uint64_t call(int slot) {
  std::uint64_t stack[8] = {};
  Frame frame{};
  set_stack(&frame, stack);
  void* target = anycuda_slots[slot];
  if (target == first_target(slot))
    target = anycuda_resolve(static_cast<std::uint32_t>(slot), &frame);
  return target != nullptr ? reinterpret_cast<unsigned (*)()>(target)() : frame.result;
}

}  // namespace anycuda::unit
