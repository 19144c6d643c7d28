// SPDX-License-Identifier: Apache-2.0
#include "stubs/cusparse/adapters/workspace.h"

namespace anycuda {
namespace {

using Result = v12::cusparseStatus_t;

// In a thread that has not used the GPU yet, the driver has no current context, while the library
// would use the device's primary context. Creating a handle makes the library set it; then `call`
// is repeated.
template <typename Call>
Status in_context(Call call) {
  const Status status = call();
  if (status != driver::CUDA_ERROR_NOT_INITIALIZED &&
      status != driver::CUDA_ERROR_INVALID_CONTEXT &&
      status != driver::CUDA_ERROR_CONTEXT_IS_DESTROYED) {
    return status;
  }
  v12::cusparseHandle_t handle = nullptr;
  if (v12::cusparseCreate(&handle) != v12::CUSPARSE_STATUS_SUCCESS) return status;
  v12::cusparseDestroy(handle);
  return call();
}

Result status_of(Status driver_status) {
  if (driver_status == driver::CUDA_SUCCESS) return v12::CUSPARSE_STATUS_SUCCESS;
  return driver_status == driver::CUDA_ERROR_OUT_OF_MEMORY ? v12::CUSPARSE_STATUS_ALLOC_FAILED
                                                           : v12::CUSPARSE_STATUS_EXECUTION_FAILED;
}

driver::CUdeviceptr address(const void* memory) {
  return reinterpret_cast<driver::CUdeviceptr>(memory);
}

}  // namespace

Result HandleStream::refuse_capture(const char* function) const {
  driver::CUstreamCaptureStatus capture = driver::CU_STREAM_CAPTURE_STATUS_NONE;
  const Status asked = in_context([&] { return driver::cuStreamIsCapturing(stream_, &capture); });
  if (asked != driver::CUDA_SUCCESS || capture == driver::CU_STREAM_CAPTURE_STATUS_NONE) {
    return status_of(asked);
  }
  return refuse(v12::CUSPARSE_STATUS_NOT_SUPPORTED, function,
                "CUDA 12 and newer cannot capture this call into a graph: make the call before the "
                "capture, or install cuSPARSE of CUDA 11");
}

Result HandleStream::read(const int* on_device, int* value) const {
  const Status copied = in_context([&] {
    return driver::cuMemcpyDtoHAsync_v2(value, address(on_device), sizeof *value, stream_);
  });
  if (copied != driver::CUDA_SUCCESS) return status_of(copied);
  return status_of(driver::cuStreamSynchronize(stream_));
}

Workspace::~Workspace() {
  if (memory_ != 0) driver::cuMemFreeAsync(memory_, stream_);
}

Result Workspace::allocate(const HandleStream& stream) {
  if (bytes_ == 0) return v12::CUSPARSE_STATUS_SUCCESS;
  stream_ = stream.get();
  const Status status =
      in_context([&] { return driver::cuMemAllocAsync(&memory_, bytes_, stream_); });
  if (status == driver::CUDA_SUCCESS) return v12::CUSPARSE_STATUS_SUCCESS;
  memory_ = 0;
  return v12::CUSPARSE_STATUS_ALLOC_FAILED;
}

void* Workspace::memory() const { return reinterpret_cast<void*>(memory_); }

}  // namespace anycuda
