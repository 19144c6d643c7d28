// SPDX-License-Identifier: Apache-2.0

// Advice about managed memory and prefetching it. Every release of 11 and 12 takes the number of a
// device; 13, and the _v2 functions of 12.2 on, take a location. The runtimes hand both on to the
// driver (read in the machine code of 11.8, 12.9 and 13.5), which since 12.2 has both.
#include "locations.h"

namespace anycuda {
namespace {

unsigned long long driver_pointer(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

OfDriver prefetch_to_location{"cuMemPrefetchAsync_v2"};
OfDriver advise_location{"cuMemAdvise_v2"};

// CUDA Runtime API, cudaMemAdvise: the other advice has no location.
bool names_a_location(unsigned advice) {
  return advice != v13::cudaMemAdviseSetReadMostly && advice != v13::cudaMemAdviseUnsetReadMostly &&
         advice != v13::cudaMemAdviseUnsetPreferredLocation;
}

Status advise(const char* function, const void* address, std::size_t size, unsigned advice,
              const DriverLocation& location) {
  if (advise_location.available()) {
    return in_context(
        [&] { return driver::cuMemAdvise_v2(driver_pointer(address), size, advice, location); });
  }
  int device = static_cast<int>(v12::cudaCpuDeviceId);
  if (names_a_location(advice) && !number_of(location, &device)) {
    return refuse_location(location, function);
  }
  return v11::cudaMemAdvise(address, size, advice, device);
}

}  // namespace

bool has_place(const DriverLocation& location) {
  int device;
  return prefetch_to_location.available() || number_of(location, &device);
}

template <bool per_thread>
Status prefetch(const char* function, const void* address, std::size_t size,
                const DriverLocation& location, unsigned flags, v13::cudaStream_t stream) {
  if (prefetch_to_location.available()) {
    return in_context([&] {
      const auto by_location =
          per_thread ? driver::cuMemPrefetchAsync_v2_ptsz : driver::cuMemPrefetchAsync_v2;
      return by_location(driver_pointer(address), size, location, flags, stream);
    });
  }
  if (flags != 0) return remember(v13::cudaErrorInvalidValue);
  int device;
  if (!number_of(location, &device)) return refuse_location(location, function);
  const auto by_number = per_thread ? v11::cudaMemPrefetchAsync_ptsz : v11::cudaMemPrefetchAsync;
  return by_number(address, size, device, stream);
}
template Status prefetch<false>(const char*, const void*, std::size_t, const DriverLocation&,
                                unsigned, v13::cudaStream_t);
template Status prefetch<true>(const char*, const void*, std::size_t, const DriverLocation&,
                               unsigned, v13::cudaStream_t);

// Callers of 11 and 12 on 13.
ANYCUDA_ADAPTER v12::cudaError_t adapt_mem_advise_by_device(const void* address, std::size_t size,
                                                            v12::cudaMemoryAdvise advice,
                                                            int device) {
  return v13::cudaMemAdvise(address, size, advice, location_of(device));
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_mem_prefetch_by_device(const void* address, std::size_t size,
                                                              int device,
                                                              v12::cudaStream_t stream) {
  return v13::cudaMemPrefetchAsync(address, size, location_of(device), 0, stream);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_mem_prefetch_by_device_ptsz(const void* address,
                                                                   std::size_t size, int device,
                                                                   v12::cudaStream_t stream) {
  return v13::cudaMemPrefetchAsync_ptsz(address, size, location_of(device), 0, stream);
}

// Callers of 12's _v2 functions on 11.
ANYCUDA_ADAPTER v12::cudaError_t adapt_mem_advise_v2(const void* address, std::size_t size,
                                                     v12::cudaMemoryAdvise advice,
                                                     v12::cudaMemLocation location) {
  return advise("cudaMemAdvise_v2", address, size, advice, driver_location(location));
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_mem_prefetch_v2(const void* address, std::size_t size,
                                                       v12::cudaMemLocation location,
                                                       unsigned flags, v12::cudaStream_t stream) {
  return prefetch<false>("cudaMemPrefetchAsync_v2", address, size, driver_location(location), flags,
                         stream);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_mem_prefetch_v2_ptsz(const void* address, std::size_t size,
                                                            v12::cudaMemLocation location,
                                                            unsigned flags,
                                                            v12::cudaStream_t stream) {
  return prefetch<true>("cudaMemPrefetchAsync_v2", address, size, driver_location(location), flags,
                        stream);
}

// Callers of 13 on 11 and 12.
ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_advise_by_location(const void* address, std::size_t size,
                                                              v13::cudaMemoryAdvise advice,
                                                              v13::cudaMemLocation location) {
  return advise("cudaMemAdvise", address, size, advice, driver_location(location));
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_prefetch_by_location(const void* address,
                                                                std::size_t size,
                                                                v13::cudaMemLocation location,
                                                                unsigned flags,
                                                                v13::cudaStream_t stream) {
  return prefetch<false>("cudaMemPrefetchAsync", address, size, driver_location(location), flags,
                         stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_prefetch_by_location_ptsz(const void* address,
                                                                     std::size_t size,
                                                                     v13::cudaMemLocation location,
                                                                     unsigned flags,
                                                                     v13::cudaStream_t stream) {
  return prefetch<true>("cudaMemPrefetchAsync", address, size, driver_location(location), flags,
                        stream);
}

}  // namespace anycuda
