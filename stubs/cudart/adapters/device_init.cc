// SPDX-License-Identifier: Apache-2.0

// cudaInitDevice, which came with 12, on the runtime of 11: a device's primary context is made
// without becoming the thread's current one. The checks and their order are read in the machine
// code of 12.9.
#include "cudart_adapters.h"

namespace anycuda {
namespace {

// Of cudaSetDeviceFlags: one way to wait, and only defined bits.
bool valid(unsigned flags) {
  const unsigned schedule = flags & v12::cudaDeviceScheduleMask;
  return (flags & ~v12::cudaDeviceMask) == 0 &&
         (schedule == v12::cudaDeviceScheduleAuto || schedule == v12::cudaDeviceScheduleSpin ||
          schedule == v12::cudaDeviceScheduleYield ||
          schedule == v12::cudaDeviceScheduleBlockingSync);
}

// The runtime's device numbers are the driver's (cudaDeviceGetAttribute hands them on as they are).
// The context is never released, like the runtime's; a second call finds it active.
Status make_context(int device) {
  unsigned flags = 0;
  int active = 0;
  const Status status = driver::cuDevicePrimaryCtxGetState(device, &flags, &active);
  if (status != 0 || active != 0) return status;
  driver::CUcontext context = nullptr;
  return driver::cuDevicePrimaryCtxRetain(&context, device);
}

}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_init_device(int device, unsigned device_flags,
                                                   unsigned flags) {
  int count = 0;
  // Initialises the driver; if that fails, its status is the runtime's, and the runtime remembers
  // it.
  Status status = v11::cudaGetDeviceCount(&count);
  if (status != 0) return status;
  if (device < 0 || device >= count) return remember(v12::cudaErrorInvalidDevice);
  status = make_context(device);
  if (status != 0 || (flags & v12::cudaInitDeviceFlagsAreValid) == 0) return driver_answer(status);
  if (!valid(device_flags)) return remember(v12::cudaErrorInvalidValue);
  // Mapping host memory needs no flag since unified addressing; every runtime takes it out.
  return driver_answer(
      driver::cuDevicePrimaryCtxSetFlags_v2(device, device_flags & ~v12::cudaDeviceMapHost));
}

}  // namespace anycuda
