// SPDX-License-Identifier: Apache-2.0

// States of this thread that last until the end of a block.
#pragma once

#include "anycuda/graph/cuda_types.h"
#include "api/cuda_api.h"

namespace anycuda::graph {

// Puts the thread into the relaxed capture mode while deleters run: they free memory, which would
// else invalidate a capture that this thread has begun (CUDA Driver API,
// cuThreadExchangeStreamCaptureMode). If that call fails, no capture can be invalidated.
class RelaxedCaptureScope {
 public:
  RelaxedCaptureScope()
      : is_(api::cuThreadExchangeStreamCaptureMode(&mode_) == api::CUDA_SUCCESS) {}
  ~RelaxedCaptureScope() {
    if (is_) api::cuThreadExchangeStreamCaptureMode(&mode_);
  }
  RelaxedCaptureScope(const RelaxedCaptureScope&) = delete;
  RelaxedCaptureScope& operator=(const RelaxedCaptureScope&) = delete;

 private:
  unsigned mode_ = api::CU_STREAM_CAPTURE_MODE_RELAXED;  // later the one before
  bool is_;
};

// Makes a context current, so that a deleter on any thread frees a resource in the context in which
// it was made.
class InContext {
 public:
  explicit InContext(CUcontext context)
      : pushed_(context != nullptr && api::cuCtxPushCurrent_v2(context) == api::CUDA_SUCCESS) {}
  ~InContext() {
    CUcontext context = nullptr;
    if (pushed_) api::cuCtxPopCurrent_v2(&context);
  }
  InContext(const InContext&) = delete;
  InContext& operator=(const InContext&) = delete;

 private:
  bool pushed_;
};

}  // namespace anycuda::graph
