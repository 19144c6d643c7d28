// SPDX-License-Identifier: Apache-2.0

// The driver's handle types: from NVIDIA's <cuda.h> if the compiler finds it (11.7 or later), else
// declared here under the same names, so that programs which only pass handles on need no CUDA
// toolkit to build. Both give the same binary interface: handles are pointers to NVIDIA's tags,
// CUresult is an int-sized enumeration, and the signatures of this library use nothing else of
// <cuda.h>.
#pragma once

#include <cstdint>

#if defined(__has_include) && !defined(ANYCUDA_NO_CUDA_H)
#if __has_include(<cuda.h>)
#define ANYCUDA_HAS_CUDA_H 1
#endif
#endif

#ifdef ANYCUDA_HAS_CUDA_H
#include <cuda.h>
#else
typedef struct CUctx_st* CUcontext;
typedef struct CUfunc_st* CUfunction;
typedef struct CUarray_st* CUarray;
typedef struct CUevent_st* CUevent;
typedef struct CUstream_st* CUstream;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphNode_st* CUgraphNode;
typedef struct CUgraphExec_st* CUgraphExec;
typedef unsigned long long CUdeviceptr;
typedef void (*CUhostFn)(void* userData);
// The statuses that this library returns by itself. It passes all others on from the driver.
typedef enum cudaError_enum {  // NOLINT(readability-identifier-naming): NVIDIA's
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
} CUresult;
#endif
