// SPDX-License-Identifier: Apache-2.0
#include "status.h"

namespace anycuda {
namespace {

struct Same {
  Status of_9;
  Status of_8;
};
constexpr Same kSame[] = {
    {v9::CUDNN_STATUS_NOT_INITIALIZED, v8::CUDNN_STATUS_NOT_INITIALIZED},
    {v9::CUDNN_STATUS_VERSION_MISMATCH, v8::CUDNN_STATUS_VERSION_MISMATCH},
    {v9::CUDNN_STATUS_LICENSE_ERROR, v8::CUDNN_STATUS_LICENSE_ERROR},
    {v9::CUDNN_STATUS_RUNTIME_IN_PROGRESS, v8::CUDNN_STATUS_RUNTIME_IN_PROGRESS},
    {v9::CUDNN_STATUS_RUNTIME_FP_OVERFLOW, v8::CUDNN_STATUS_RUNTIME_FP_OVERFLOW},
    {v9::CUDNN_STATUS_BAD_PARAM, v8::CUDNN_STATUS_BAD_PARAM},
    {v9::CUDNN_STATUS_INVALID_VALUE, v8::CUDNN_STATUS_INVALID_VALUE},
    {v9::CUDNN_STATUS_NOT_SUPPORTED, v8::CUDNN_STATUS_NOT_SUPPORTED},
    {v9::CUDNN_STATUS_ARCH_MISMATCH, v8::CUDNN_STATUS_ARCH_MISMATCH},
    {v9::CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING, v8::CUDNN_STATUS_RUNTIME_PREREQUISITE_MISSING},
    {v9::CUDNN_STATUS_INTERNAL_ERROR, v8::CUDNN_STATUS_INTERNAL_ERROR},
    {v9::CUDNN_STATUS_ALLOC_FAILED, v8::CUDNN_STATUS_ALLOC_FAILED},
    {v9::CUDNN_STATUS_MAPPING_ERROR, v8::CUDNN_STATUS_MAPPING_ERROR},
    {v9::CUDNN_STATUS_EXECUTION_FAILED, v8::CUDNN_STATUS_EXECUTION_FAILED},
    // New ones that 8 has a closer status for than that of their class.
    {v9::CUDNN_STATUS_SERIALIZATION_VERSION_MISMATCH, v8::CUDNN_STATUS_VERSION_MISMATCH},
    {v9::CUDNN_STATUS_DEPRECATED, v8::CUDNN_STATUS_NOT_SUPPORTED},
    {v9::CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED, v8::CUDNN_STATUS_ALLOC_FAILED},
};

// A class of cuDNN 9 has a thousand numbers. The first class has no status without a class.
constexpr Status kClasses[] = {v8::CUDNN_STATUS_INTERNAL_ERROR, v8::CUDNN_STATUS_NOT_INITIALIZED,
                               v8::CUDNN_STATUS_BAD_PARAM,      v8::CUDNN_STATUS_NOT_SUPPORTED,
                               v8::CUDNN_STATUS_INTERNAL_ERROR, v8::CUDNN_STATUS_EXECUTION_FAILED};
constexpr Status kClassSize = 1000;
static_assert(v9::CUDNN_STATUS_BAD_PARAM == 2 * kClassSize, "the class of wrong arguments");
static_assert(v9::CUDNN_STATUS_EXECUTION_FAILED == 5 * kClassSize, "the last class");

}  // namespace

Status status_of_8(Status of_9) {
  if (of_9 < kClassSize) return of_9;  // success; or the stub's own, for what the library lacks
  for (const Same& same : kSame) {
    if (same.of_9 == of_9) return same.of_8;
  }
  const Status number = of_9 / kClassSize;
  return number < sizeof kClasses / sizeof *kClasses ? kClasses[number]
                                                     : v8::CUDNN_STATUS_INTERNAL_ERROR;
}

// For a number of cuDNN 8 the library returns its text for unknown ones; the loader then returns
// cuDNN 8's text (loader/error_text.h).
const char* adapt_error_string(Status status) { return v9::cudnnGetErrorString(status); }

Status adapt_query_runtime_error(v8::cudnnHandle_t handle, v8::cudnnStatus_t* found,
                                 v8::cudnnErrQueryMode_t mode, v8::cudnnRuntimeTag_t* tag) {
  const Status status = v9::cudnnQueryRuntimeError(handle, found, mode, tag);
  if (status == v9::CUDNN_STATUS_SUCCESS && found != nullptr) *found = status_of_8(*found);
  return status_of_8(status);
}

}  // namespace anycuda
