// When a launch of an executable graph has ended: an event that is recorded behind it tells.
#pragma once

#include "anycuda/graph/operands.h"

namespace anycuda::graph {

struct LaunchEnd {
  enum class Is : unsigned char { running, over, unknown };  // unknown: its context is lost

  Event event;  // none: nothing tells
  CUcontext context = nullptr;

  // Without an event where the driver makes none. Throws std::bad_alloc.
  static LaunchEnd make(CUcontext context);
  // Also on a thread that captures a stream.
  Is ask() const noexcept;
};

}  // namespace anycuda::graph
