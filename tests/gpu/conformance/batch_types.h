// SPDX-License-Identifier: Apache-2.0

// The types of batch copies for headers of 12 that are older than 12.8: the same names, laid out as
// 12.8 and later have them.
#pragma once

#include <cuda_runtime.h>

#if CUDART_VERSION >= 12020 && CUDART_VERSION < 12080

enum cudaMemcpySrcAccessOrder {
  cudaMemcpySrcAccessOrderStream = 1,
  cudaMemcpySrcAccessOrderDuringApiCall = 2,
  cudaMemcpySrcAccessOrderAny = 3
};

struct cudaMemcpyAttributes {
  cudaMemcpySrcAccessOrder srcAccessOrder;
  cudaMemLocation srcLocHint;
  cudaMemLocation dstLocHint;
  unsigned flags;
};

enum cudaMemcpy3DOperandType {
  cudaMemcpyOperandTypePointer = 1,
  cudaMemcpyOperandTypeArray = 2,
};

struct cudaOffset3D {
  std::size_t x;
  std::size_t y;
  std::size_t z;
};

struct cudaMemcpy3DOperand {
  cudaMemcpy3DOperandType type;
  union {
    struct {
      void* ptr;
      std::size_t rowLength;
      std::size_t layerHeight;
      cudaMemLocation locHint;
    } ptr;
    struct {
      cudaArray_t array;
      cudaOffset3D offset;
    } array;
  } op;
};

struct cudaMemcpy3DBatchOp {
  cudaMemcpy3DOperand src;
  cudaMemcpy3DOperand dst;
  cudaExtent extent;
  cudaMemcpySrcAccessOrder srcAccessOrder;
  unsigned flags;
};

static_assert(sizeof(cudaMemcpyAttributes) == 24 && sizeof(cudaMemcpy3DBatchOp) == 112);

#endif
