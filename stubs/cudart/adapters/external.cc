// SPDX-License-Identifier: Apache-2.0

// Signalling and waiting for external semaphores by the plain forms of 11 and 12, on 13.
#include "stubs/cudart/adapters/external.h"

#include <cstdlib>

namespace anycuda {
namespace {

constexpr unsigned kOnStack = 8;  // as many as 12.9 keeps there

using Semaphores = const v12::cudaExternalSemaphore_t*;
using Signals = v12::cudaExternalSemaphoreSignalParams_v1;
using Waits = v12::cudaExternalSemaphoreWaitParams_v1;
using NewSignals = v13::cudaExternalSemaphoreSignalParams;
using NewWaits = v13::cudaExternalSemaphoreWaitParams;

template <typename New>
using Function = Status(Semaphores, const New*, unsigned, v12::cudaStream_t);

// Calls `call` with `count` parameters of today's form. A null pointer is an invalid value for
// every count, as in 12.9. Once for both kinds of default stream.
template <typename New, typename Old>
[[gnu::noinline]] Status with_new_form(Semaphores semaphores, const Old* parameters, unsigned count,
                                       v12::cudaStream_t stream, Function<New>* call) {
  if (parameters == nullptr) return remember(v12::cudaErrorInvalidValue);
  New few[kOnStack];
  New* all = few;
  if (count > kOnStack) {
    const KeepErrno errno_scope;
    all = static_cast<New*>(std::malloc(std::size_t{count} * sizeof(New)));
    if (all == nullptr) return remember(v12::cudaErrorMemoryAllocation);
  }
  for (unsigned i = 0; i < count; ++i) convert(parameters[i], &all[i]);
  const Status status = call(semaphores, all, count, stream);
  if (all != few) {
    const KeepErrno errno_scope;
    std::free(all);
  }
  return status;
}

}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_signal_external_semaphores(Semaphores semaphores,
                                                                  const Signals* parameters,
                                                                  unsigned count,
                                                                  v12::cudaStream_t stream) {
  return with_new_form<NewSignals>(semaphores, parameters, count, stream,
                                   v13::cudaSignalExternalSemaphoresAsync);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_signal_external_semaphores_ptsz(Semaphores semaphores,
                                                                       const Signals* parameters,
                                                                       unsigned count,
                                                                       v12::cudaStream_t stream) {
  return with_new_form<NewSignals>(semaphores, parameters, count, stream,
                                   v13::cudaSignalExternalSemaphoresAsync_ptsz);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_wait_external_semaphores(Semaphores semaphores,
                                                                const Waits* parameters,
                                                                unsigned count,
                                                                v12::cudaStream_t stream) {
  return with_new_form<NewWaits>(semaphores, parameters, count, stream,
                                 v13::cudaWaitExternalSemaphoresAsync);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_wait_external_semaphores_ptsz(Semaphores semaphores,
                                                                     const Waits* parameters,
                                                                     unsigned count,
                                                                     v12::cudaStream_t stream) {
  return with_new_form<NewWaits>(semaphores, parameters, count, stream,
                                 v13::cudaWaitExternalSemaphoresAsync_ptsz);
}

}  // namespace anycuda
