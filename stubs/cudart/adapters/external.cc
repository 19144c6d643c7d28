// SPDX-License-Identifier: Apache-2.0

// Signalling and waiting for external semaphores by the plain forms of 11 and 12, on 13.
#include "stubs/cudart/adapters/external.h"

#include <cstdlib>

namespace anycuda {
namespace {

constexpr unsigned kOnStack = 8;  // as many as 12.9 keeps there

// Calls `call` with `count` parameters of today's form. A null pointer is an invalid value for
// every count, as in 12.9.
template <typename New, typename Old, typename Call>
Status with_new_form(const Old* parameters, unsigned count, Call call) {
  if (parameters == nullptr) return remember(v12::cudaErrorInvalidValue);
  New few[kOnStack];
  New* all = few;
  if (count > kOnStack) {
    const KeepErrno errno_scope;
    all = static_cast<New*>(std::malloc(std::size_t{count} * sizeof(New)));
    if (all == nullptr) return remember(v12::cudaErrorMemoryAllocation);
  }
  for (unsigned i = 0; i < count; ++i) convert(parameters[i], &all[i]);
  const Status status = call(all);
  if (all != few) {
    const KeepErrno errno_scope;
    std::free(all);
  }
  return status;
}

using Semaphores = const v12::cudaExternalSemaphore_t*;
using Signals = v12::cudaExternalSemaphoreSignalParams_v1;
using Waits = v12::cudaExternalSemaphoreWaitParams_v1;
using NewSignals = v13::cudaExternalSemaphoreSignalParams;
using NewWaits = v13::cudaExternalSemaphoreWaitParams;

}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_signal_external_semaphores(Semaphores semaphores,
                                                                  const Signals* parameters,
                                                                  unsigned count,
                                                                  v12::cudaStream_t stream) {
  return with_new_form<NewSignals>(parameters, count, [&](const NewSignals* all) {
    return v13::cudaSignalExternalSemaphoresAsync(semaphores, all, count, stream);
  });
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_signal_external_semaphores_ptsz(Semaphores semaphores,
                                                                       const Signals* parameters,
                                                                       unsigned count,
                                                                       v12::cudaStream_t stream) {
  return with_new_form<NewSignals>(parameters, count, [&](const NewSignals* all) {
    return v13::cudaSignalExternalSemaphoresAsync_ptsz(semaphores, all, count, stream);
  });
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_wait_external_semaphores(Semaphores semaphores,
                                                                const Waits* parameters,
                                                                unsigned count,
                                                                v12::cudaStream_t stream) {
  return with_new_form<NewWaits>(parameters, count, [&](const NewWaits* all) {
    return v13::cudaWaitExternalSemaphoresAsync(semaphores, all, count, stream);
  });
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_wait_external_semaphores_ptsz(Semaphores semaphores,
                                                                     const Waits* parameters,
                                                                     unsigned count,
                                                                     v12::cudaStream_t stream) {
  return with_new_form<NewWaits>(parameters, count, [&](const NewWaits* all) {
    return v13::cudaWaitExternalSemaphoresAsync_ptsz(semaphores, all, count, stream);
  });
}

}  // namespace anycuda
