// SPDX-License-Identifier: Apache-2.0

// The parameters of signalling and waiting for external semaphores, from the form of CUDA 10, which
// the plain functions of 11 and 12 take, to today's form. Field by field, as in 12.9 (read in its
// machine code); fields that the short form lacks are zero.
#pragma once

#include "cudart_adapters.h"

namespace anycuda {

inline void convert(const v12::cudaExternalSemaphoreSignalParams_v1& from,
                    v13::cudaExternalSemaphoreSignalParams* to) {
  *to = {};
  to->params.fence.value = from.params.fence.value;
  to->params.nvSciSync.reserved = from.params.nvSciSync.reserved;  // the whole union
  to->params.keyedMutex.key = from.params.keyedMutex.key;
  to->flags = from.flags;
}

inline void convert(const v12::cudaExternalSemaphoreWaitParams_v1& from,
                    v13::cudaExternalSemaphoreWaitParams* to) {
  *to = {};
  to->params.fence.value = from.params.fence.value;
  to->params.nvSciSync.reserved = from.params.nvSciSync.reserved;  // the whole union
  to->params.keyedMutex.key = from.params.keyedMutex.key;
  to->params.keyedMutex.timeoutMs = from.params.keyedMutex.timeoutMs;
  to->flags = from.flags;
}

}  // namespace anycuda
