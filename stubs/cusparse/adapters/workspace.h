// SPDX-License-Identifier: Apache-2.0

// The GPU's memory and stream, for adapters whose generic function needs more than the first one:
// memory to work in, or a number that is in the GPU's memory.
#pragma once

#include <cstddef>

#include "cusparse_adapters.h"

namespace anycuda {

// The stream of a handle.
class HandleStream {
 public:
  // Nothing but the library is asked. A failure is the library's own status.
  v12::cusparseStatus_t open(v12::cusparseHandle_t handle) {
    return v12::cusparseGetStream(handle, &stream_);
  }
  // Refuses `function` while the stream is captured: a graph would repeat work that is valid only
  // for this call. Other failures are the driver's.
  v12::cusparseStatus_t refuse_capture(const char* function) const;
  // Copies one number from the GPU, and so waits until the stream has finished its work.
  v12::cusparseStatus_t read(const int* on_device, int* value) const;

  v12::cudaStream_t get() const { return stream_; }

 private:
  v12::cudaStream_t stream_ = nullptr;
};

// Memory of the GPU that is allocated and freed in the order of a stream: the call between them has
// it, and nothing waits.
class Workspace {
 public:
  Workspace() = default;
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;

  // Where a function for sizes writes.
  std::size_t* bytes() { return &bytes_; }
  bool needed() const { return bytes_ != 0; }
  // Without bytes nothing is allocated, and the driver is not asked.
  v12::cusparseStatus_t allocate(const HandleStream& stream);
  void* memory() const;

 private:
  std::size_t bytes_ = 0;
  driver::CUdeviceptr memory_ = 0;
  v12::cudaStream_t stream_ = nullptr;
};

}  // namespace anycuda
