// SPDX-License-Identifier: Apache-2.0

// Calls of the driver that need no context. (Those that do: context.h.)
#pragma once

#include "cudart_adapters.h"

namespace anycuda {

// cudaGetDeviceCount initialises the driver; if that fails, its status is the runtime's, and the
// runtime remembers it. The runtime's device numbers are the driver's: cudaDeviceGetAttribute
// passes them on unchanged (read in the machine code of 11.8, 12.9 and 13.5).
template <typename Call>
Status in_driver(Call call) {
  int count = 0;
  const Status status = v11::cudaGetDeviceCount(&count);
  return status != 0 ? status : driver_answer(call());
}

}  // namespace anycuda
