// SPDX-License-Identifier: Apache-2.0

// The memory pools of a location, which 13 asks for by location and type of memory. Its runtime
// passes these calls on to the driver (read in the machine code of 13.0 and 13.5). A driver before
// 13.0 knows only the pools of devices; for those cudaMemGetMemPool and its like are the same as
// cudaDeviceGetMemPool (CUDA Runtime API, cudaMemSetMemPool).
#include "locations.h"

namespace anycuda {
namespace {

DriverLocation* driver_words(v13::cudaMemLocation* location) {
  return same_layout<DriverLocation>(location);
}

// 0, or the status to return instead of asking for a device's pool.
Status not_a_devices(const char* function, const v13::cudaMemLocation* location, unsigned type) {
  if (location == nullptr || type == v13::cudaMemAllocationTypeInvalid) {
    return remember(v13::cudaErrorInvalidValue);
  }
  if (location->type == v13::cudaMemLocationTypeDevice &&
      type == v13::cudaMemAllocationTypePinned) {
    return 0;
  }
  return refuse_old_driver(
      v13::cudaErrorNotSupported, function,
      "a driver before CUDA 13.0 has only memory pools of location type device and allocation type "
      "pinned");
}

}  // namespace

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_get_default_mem_pool(v13::cudaMemPool_t* pool,
                                                                v13::cudaMemLocation* location,
                                                                v13::cudaMemAllocationType type) {
  static OfDriver by_location{"cuMemGetDefaultMemPool"};
  if (by_location.available()) {
    return in_context(
        [&] { return driver::cuMemGetDefaultMemPool(pool, driver_words(location), type); });
  }
  const Status problem = not_a_devices("cudaMemGetDefaultMemPool", location, type);
  return problem != 0 ? problem : v11::cudaDeviceGetDefaultMemPool(pool, location->id);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_get_mem_pool(v13::cudaMemPool_t* pool,
                                                        v13::cudaMemLocation* location,
                                                        v13::cudaMemAllocationType type) {
  static OfDriver by_location{"cuMemGetMemPool"};
  if (by_location.available()) {
    return in_context([&] { return driver::cuMemGetMemPool(pool, driver_words(location), type); });
  }
  const Status problem = not_a_devices("cudaMemGetMemPool", location, type);
  return problem != 0 ? problem : v11::cudaDeviceGetMemPool(pool, location->id);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_set_mem_pool(v13::cudaMemLocation* location,
                                                        v13::cudaMemAllocationType type,
                                                        v13::cudaMemPool_t pool) {
  static OfDriver by_location{"cuMemSetMemPool"};
  if (by_location.available()) {
    return in_context([&] { return driver::cuMemSetMemPool(driver_words(location), type, pool); });
  }
  const Status problem = not_a_devices("cudaMemSetMemPool", location, type);
  return problem != 0 ? problem : v11::cudaDeviceSetMemPool(location->id, pool);
}

}  // namespace anycuda
