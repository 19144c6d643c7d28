// Calls of the driver that need no context. (Those that do: context.h.)
#pragma once

#include "cudart_adapters.h"

namespace anycuda {

// cudaGetDeviceCount initialises the driver, and what is wrong with it is the runtime's own answer,
// remembered there. The runtime's device numbers are the driver's: cudaDeviceGetAttribute hands
// them on as they are (read in the machine code of 11.8, 12.9 and 13.5).
template <typename Call>
Status in_driver(Call call) {
  int count = 0;
  const Status status = v11::cudaGetDeviceCount(&count);
  return status != 0 ? status : driver_answer(call());
}

}  // namespace anycuda
