// What holds on this thread until the end of a block.
#pragma once

#include "anycuda/graph/cuda_types.h"
#include "api/cuda_api.h"

namespace anycuda::graph {

// While deleters run: they free memory, which would invalidate a capture that this thread has begun
// (CUDA Driver API, cuThreadExchangeStreamCaptureMode). Where that cannot be asked for, there is no
// capture.
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

// What is made in a context is freed in it, on whatever thread that happens.
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
