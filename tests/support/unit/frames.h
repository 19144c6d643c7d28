// SPDX-License-Identifier: Apache-2.0

// A Frame as this CPU's entry makes it, for tests that call the resolver directly.
#pragma once

#include "loader/frame.h"

namespace anycuda::unit {

// stack: the return address, then the arguments on the stack.
inline void set_stack(Frame* frame, const std::uint64_t* stack) {
#if defined(__aarch64__)
  frame->link = stack[0];
  frame->arguments = stack + 1;
#else
  frame->caller = stack;
#endif
}

inline void set_structure_result(Frame* frame, const void* place) {
#if defined(__aarch64__)
  frame->indirect_result = reinterpret_cast<std::uintptr_t>(place);
#else
  frame->integer[0] = reinterpret_cast<std::uintptr_t>(place);
#endif
}

}  // namespace anycuda::unit
