// SPDX-License-Identifier: Apache-2.0

// An event that is recorded behind a launch of an executable graph, and whether it is complete.
#pragma once

#include "anycuda/graph/operands.h"

namespace anycuda::graph {

struct LaunchEnd {
  // unknown: the driver gives an error, as where the context is destroyed.
  enum class State : unsigned char { running, ended, unknown };

  Event event;
  CUcontext context = nullptr;

  // Creates the event; returns the driver's status. Throws std::bad_alloc.
  static unsigned make(CUcontext context, LaunchEnd* out);
  // Also on a thread that captures a stream.
  State state() const noexcept;
};

}  // namespace anycuda::graph
