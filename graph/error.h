// SPDX-License-Identifier: Apache-2.0

// Statuses and the sentences behind them; what every function of this library does at its edge.
#pragma once

#include <new>

#include "anycuda/graph/cuda_types.h"

namespace anycuda::graph {

// Keeps the sentence for last_error() on this thread, and returns the status. Allocates nothing, so
// it works when memory is exhausted.
[[gnu::format(printf, 2, 3)]] CUresult fail(CUresult status, const char* format, ...) noexcept;

CUresult last_status() noexcept;  // the status of last_error()

// Keeps last_error() of this thread as it is, whatever fails until the end of a block.
class LastErrorScope {
 public:
  LastErrorScope() noexcept;
  ~LastErrorScope();
  LastErrorScope(const LastErrorScope&) = delete;
  LastErrorScope& operator=(const LastErrorScope&) = delete;
};

void drain_at_entry() noexcept;  // drain.cc

// Runs the body of a public function: first releases retired owners; turns exceptions into
// statuses.
template <typename Body>
CUresult entry(const Body& body) noexcept {
  drain_at_entry();
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(CUDA_ERROR_OUT_OF_MEMORY, "the host is out of memory");
  } catch (...) {
    return fail(CUDA_ERROR_UNKNOWN, "a function of the caller threw an exception");
  }
}

}  // namespace anycuda::graph
