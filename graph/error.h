// Statuses and the sentences behind them; what every function of this library does at its edge.
#pragma once

#include <new>

#include "anycuda/graph/cuda_types.h"

namespace anycuda::graph {

// Keeps the sentence for last_error() on this thread, and returns the status. No memory is needed,
// so that it works where there is none.
[[gnu::format(printf, 2, 3)]] CUresult fail(CUresult status, const char* format, ...) noexcept;

// What the driver answered to `function`. A function that this driver does not have is
// CUDA_ERROR_NOT_SUPPORTED.
CUresult answered(const char* function, unsigned status) noexcept;

// The same for functions of user objects, which nothing can take the place of: without a driver
// they are not supported, too.
CUresult user_objects_answered(const char* function, unsigned status) noexcept;

void drain_at_entry() noexcept;  // drain.cc

// Runs the body of a public function: lets go what is over, and lets no exception out.
template <typename Body>
CUresult entry(const Body& body) noexcept {
  drain_at_entry();
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return fail(CUDA_ERROR_OUT_OF_MEMORY, "there is no memory left on the host");
  } catch (...) {
    return fail(CUDA_ERROR_UNKNOWN, "a function of the caller threw an exception");
  }
}

}  // namespace anycuda::graph
