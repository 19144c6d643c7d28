// SPDX-License-Identifier: Apache-2.0

// Batches of copies made from single ones, for drivers before 12.8.
//
// Copies that follow each other in the stream are one of the orders that a batch may take, and
// hints about places and about overlapping with compute may be ignored (CUDA Runtime API,
// cudaMemcpyBatchAsync). DuringApiCall, a copy that has read its source when the call returns,
// without waiting for the stream, is impossible: it is refused before anything is copied.
#pragma once

#include "context.h"

namespace anycuda {

using CopyAttributes = driver::CUmemcpyAttributes_st;
using CopyOperation = driver::CUDA_MEMCPY3D_BATCH_OP_st;

constexpr std::size_t kNoEntry = SIZE_MAX;  // an error of the whole batch

// One batch, as the driver's function takes it.
struct Copies {
  const char* function;  // the called function
  void* const* destinations;
  const void* const* sources;
  const std::size_t* sizes;
  std::size_t count;
  const CopyAttributes* attributes;
  const std::size_t* firsts;
  std::size_t attribute_count;
};

// `fail_index` gets the index of the failed copy; nullptr: not needed.
template <bool per_thread>
Status copy_one_by_one(const Copies& batch, std::size_t* fail_index, v13::cudaStream_t stream);

struct Operations {
  const char* function;
  const CopyOperation* list;
  std::size_t count;
  unsigned long long flags;
};
template <bool per_thread>
Status copy_one_by_one(const Operations& batch, std::size_t* fail_index, v13::cudaStream_t stream);

}  // namespace anycuda
