// SPDX-License-Identifier: Apache-2.0

// The layer that throws, beside the one that returns statuses. What it offers:
// - The functions that have an output parameter `out` have an overload without it, which returns
//   the output: Graph::create(), Exec::instantiate(graph), Buffer::allocate(bytes) and so on.
// - graph.add(...) and its siblings (adding.h) add nodes and return them.
// - throw_if_failed() makes an exception of any other status.
// All of them throw Error where the function beside them returns an error, and nothing has changed
// then. Everything else about them is as for that function.
#pragma once

#include <stdexcept>

#include "anycuda/graph/cuda_types.h"

namespace anycuda::graph {

// The name of a status, such as "CUDA_ERROR_INVALID_VALUE": the driver's (cuGetErrorName), or
// without a driver this library's own. "unknown" for a status that neither knows. Any thread.
const char* name_of(CUresult status) noexcept;

// A call that failed. what() has the status's name, and the sentence of last_error() if it is about
// this status.
class Error : public std::runtime_error {
 public:
  // Describes this thread's last failure. Throws std::bad_alloc.
  explicit Error(CUresult status);
  CUresult status() const noexcept { return status_; }
  const char* name() const noexcept { return name_of(status_); }

 private:
  CUresult status_;
};

// Throws Error unless the status is CUDA_SUCCESS. For statuses of this library, directly after the
// call, on its thread; also for statuses of the driver.
void throw_if_failed(CUresult status);

}  // namespace anycuda::graph
