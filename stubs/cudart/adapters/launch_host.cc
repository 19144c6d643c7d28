// SPDX-License-Identifier: Apache-2.0

// Host functions in a stream. 13.2's _v2 also says how the thread that runs them waits for them;
// its runtime hands the call on to the driver (read in the machine code of 13.5).
#include "context.h"

namespace anycuda {
namespace {

constexpr unsigned kBlocking = 0;  // cudaHostTaskSyncMode, which no prototype names
constexpr unsigned kSpinWait = 1;

template <bool per_thread>
Status launch(v13::cudaStream_t stream, v13::cudaHostFn_t function, void* data, unsigned mode) {
  static OfDriver with_mode{"cuLaunchHostFunc_v2"};
  if (with_mode.available()) {
    return in_context([&] {
      const auto launch =
          per_thread ? driver::cuLaunchHostFunc_v2_ptsz : driver::cuLaunchHostFunc_v2;
      return launch(stream, function, data, mode);
    });
  }
  if (mode == kSpinWait) {
    return refuse_old_driver(v13::cudaErrorNotSupported, "cudaLaunchHostFunc_v2",
                             "cudaHostTaskSpinWait needs a driver of CUDA 13.2 or later");
  }
  if (mode != kBlocking) return remember(v13::cudaErrorInvalidValue);
  return per_thread ? v11::cudaLaunchHostFunc_ptsz(stream, function, data)
                    : v11::cudaLaunchHostFunc(stream, function, data);
}

}  // namespace

ANYCUDA_ADAPTER v13::cudaError_t adapt_launch_host_func_v2(v13::cudaStream_t stream,
                                                           v13::cudaHostFn_t function, void* data,
                                                           unsigned mode) {
  return launch<false>(stream, function, data, mode);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_launch_host_func_v2_ptsz(v13::cudaStream_t stream,
                                                                v13::cudaHostFn_t function,
                                                                void* data, unsigned mode) {
  return launch<true>(stream, function, data, mode);
}

}  // namespace anycuda
