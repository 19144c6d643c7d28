// SPDX-License-Identifier: Apache-2.0

// Locations of memory: device numbers until 12, cudaMemLocation from 12.2 on.
#pragma once

#include "context.h"

namespace anycuda {

using DriverLocation = driver::CUmemLocation_st;

// The runtime's enumerators are the driver's.
static_assert(v13::cudaMemLocationTypeDevice == driver::CU_MEM_LOCATION_TYPE_DEVICE);
static_assert(v13::cudaMemLocationTypeHost == driver::CU_MEM_LOCATION_TYPE_HOST);
static_assert(v13::cudaMemLocationTypeHostNuma == driver::CU_MEM_LOCATION_TYPE_HOST_NUMA);
static_assert(v13::cudaMemLocationTypeHostNumaCurrent ==
              driver::CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT);
static_assert(__builtin_offsetof(v12::cudaMemLocation, id) ==
              __builtin_offsetof(DriverLocation, id));
static_assert(__builtin_offsetof(v13::cudaMemLocation, id) ==
              __builtin_offsetof(DriverLocation, id));

template <typename Location>
DriverLocation driver_location(const Location& location) {
  return *same_layout<const DriverLocation>(&location);
}

// Where locations are device numbers, the host has a special number.
inline v13::cudaMemLocation location_of(int device) {
  v13::cudaMemLocation location = {};
  const bool host = device == v12::cudaCpuDeviceId;
  location.type = host ? v13::cudaMemLocationTypeHost : v13::cudaMemLocationTypeDevice;
  location.id = host ? 0 : device;
  return location;
}

// The number of a place that has one. The host's `id` means nothing (CUDA Runtime API,
// cudaMemPrefetchAsync).
inline bool number_of(const DriverLocation& location, int* device) {
  if (location.type == v13::cudaMemLocationTypeHost) {
    *device = static_cast<int>(v12::cudaCpuDeviceId);
    return true;
  }
  *device = location.id;
  return location.type == v13::cudaMemLocationTypeDevice;
}

// The status for a location without a number.
inline Status refuse_location(const DriverLocation& location, const char* function) {
  if (location.type == v13::cudaMemLocationTypeInvalid) {
    return remember(v13::cudaErrorInvalidValue);
  }
  return refuse_old_driver(
      v13::cudaErrorNotSupported, function,
      "a location other than a device or the whole host needs a driver of CUDA 12.2 or later");
}

// One prefetch to a location, for callers that cannot use the runtime (memory.cc).
template <bool per_thread>
Status prefetch(const char* function, const void* address, std::size_t size,
                const DriverLocation& location, unsigned flags, v13::cudaStream_t stream);
// Can the driver prefetch to it?
bool has_place(const DriverLocation& location);

}  // namespace anycuda
