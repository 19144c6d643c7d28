// What the driver has, asked quietly: a call of a function that it lacks makes the stub print why.
#pragma once

#include "anycuda/graph/cuda_types.h"
#include "api/cuda_api.h"

namespace anycuda::graph {

// Flags whose enumerations the ABI database does not have.
constexpr unsigned kNoDestructorSync = 1;  // CU_USER_OBJECT_NO_DESTRUCTOR_SYNC
constexpr unsigned kMove = 1;              // CU_GRAPH_USER_OBJECT_MOVE
constexpr unsigned kDisableTiming = 2;     // CU_EVENT_DISABLE_TIMING

// 12030 for a driver of CUDA 12.3; 0 without a driver.
int driver_version() noexcept;

// CUDA_SUCCESS, or CUDA_ERROR_NOT_SUPPORTED where the driver is too old for the function.
CUresult need(const char* function) noexcept;

// CUDA_ERROR_NOT_SUPPORTED with a sentence that names the function and the CUDA that has it.
CUresult not_supported(const char* function) noexcept;

// What the driver answered to `function`. A function that this driver does not have is
// CUDA_ERROR_NOT_SUPPORTED.
CUresult answered(const char* function, unsigned status) noexcept;

// The same for functions of user objects, which nothing can take the place of: without a driver
// they are not supported, too.
CUresult user_objects_answered(const char* function, unsigned status) noexcept;

// The current context where `given` is none: what the functions that want one are called with.
CUcontext context_or_current(CUcontext given) noexcept;

}  // namespace anycuda::graph
