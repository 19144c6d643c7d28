// The driver's handle types: NVIDIA's <cuda.h> where it is found (any release from 11.7 on), else
// the same names here, so that programs which only pass handles on need no CUDA toolkit to build.
// Both ways give the same binary interface: handles are pointers to NVIDIA's tags, CUresult is an
// int-sized enumeration, and nothing else of <cuda.h> is in the signatures of this library.
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
// The statuses that this library makes itself. It hands all others on as the driver gave them.
typedef enum cudaError_enum {  // NOLINT(readability-identifier-naming): NVIDIA's
  CUDA_SUCCESS = 0,
  CUDA_ERROR_INVALID_VALUE = 1,
  CUDA_ERROR_OUT_OF_MEMORY = 2,
  CUDA_ERROR_NOT_INITIALIZED = 3,
  CUDA_ERROR_NOT_SUPPORTED = 801,
  CUDA_ERROR_UNKNOWN = 999
} CUresult;
#endif
