// SPDX-License-Identifier: Apache-2.0

// Queries about the driver that print nothing: calling a function that the driver lacks would make
// the stub print why.
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

// The driver's result of `function`. If this driver does not have the function, it is
// CUDA_ERROR_NOT_SUPPORTED.
CUresult answered(const char* function, unsigned status) noexcept;

// The same for functions of user objects, which have no substitute: without a driver they are not
// supported either.
CUresult user_objects_answered(const char* function, unsigned status) noexcept;

// `given`, or the current context if it is null: for functions that require a context.
CUcontext context_or_current(CUcontext given) noexcept;

}  // namespace anycuda::graph
