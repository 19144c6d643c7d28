// SPDX-License-Identifier: Apache-2.0

// Batches of prefetches and discards of managed memory, new in 13. Its runtime hands them on to the
// driver (read in the machine code of 13.5). For drivers before 13.0:
//
// - prefetches one after the other in the stream are one of the orders that a batch may take;
// - a discard makes the contents of memory undefined (CUDA Runtime API, cudaMemDiscardBatchAsync).
//   So the memory may keep its contents; a discard is then a no-op that frees no memory.
#include "batch_spans.h"
#include "locations.h"

namespace anycuda {
namespace {

struct Ranges {
  void** addresses;
  std::size_t* sizes;
  std::size_t count;
  unsigned long long flags;
};

struct PrefetchLocations {
  v13::cudaMemLocation* list;
  std::size_t* firsts;
  std::size_t count;
};

unsigned long long* driver_pointers(void** addresses) {
  return reinterpret_cast<unsigned long long*>(addresses);
}

DriverLocation* driver_locations(v13::cudaMemLocation* locations) {
  return same_layout<DriverLocation>(locations);
}

// The driver's own answers where it has these functions; the legacy stream is not allowed (CUDA
// Runtime API, cudaMemDiscardBatchAsync).
template <bool per_thread>
bool is_valid(const Ranges& ranges, v13::cudaStream_t stream) {
  return ranges.addresses != nullptr && ranges.sizes != nullptr && ranges.count != 0 &&
         ranges.flags == 0 && !is_legacy<per_thread>(stream);
}

template <bool per_thread>
Status one_by_one(const char* function, const Ranges& ranges, const PrefetchLocations& locations,
                  v13::cudaStream_t stream) {
  if (!is_valid<per_thread>(ranges, stream) || locations.list == nullptr ||
      !spans_cover(locations.firsts, locations.count, ranges.count)) {
    return remember(v13::cudaErrorInvalidValue);
  }
  for (std::size_t i = 0; i < locations.count; ++i) {  // before anything is done
    const DriverLocation place = driver_location(locations.list[i]);
    if (!has_place(place)) return refuse_location(place, function);
  }
  SpanWalk walk(locations.firsts, locations.count);
  for (std::size_t i = 0; i < ranges.count; ++i) {
    const Status status =
        prefetch<per_thread>(function, ranges.addresses[i], ranges.sizes[i],
                             driver_location(locations.list[walk.item_of(i)]), 0, stream);
    if (status != 0) return status;
  }
  return 0;
}

template <bool per_thread>
Status prefetch_batch(const Ranges& ranges, const PrefetchLocations& locations,
                      v13::cudaStream_t stream) {
  static OfDriver in_driver{"cuMemPrefetchBatchAsync"};
  if (!in_driver.available()) {
    return one_by_one<per_thread>("cudaMemPrefetchBatchAsync", ranges, locations, stream);
  }
  return in_context([&] {
    const auto function =
        per_thread ? driver::cuMemPrefetchBatchAsync_ptsz : driver::cuMemPrefetchBatchAsync;
    return function(driver_pointers(ranges.addresses), ranges.sizes, ranges.count,
                    driver_locations(locations.list), locations.firsts, locations.count,
                    ranges.flags, stream);
  });
}

template <bool per_thread>
Status discard_and_prefetch_batch(const Ranges& ranges, const PrefetchLocations& locations,
                                  v13::cudaStream_t stream) {
  static OfDriver in_driver{"cuMemDiscardAndPrefetchBatchAsync"};
  if (!in_driver.available()) {
    return one_by_one<per_thread>("cudaMemDiscardAndPrefetchBatchAsync", ranges, locations, stream);
  }
  return in_context([&] {
    const auto function = per_thread ? driver::cuMemDiscardAndPrefetchBatchAsync_ptsz
                                     : driver::cuMemDiscardAndPrefetchBatchAsync;
    return function(driver_pointers(ranges.addresses), ranges.sizes, ranges.count,
                    driver_locations(locations.list), locations.firsts, locations.count,
                    ranges.flags, stream);
  });
}

template <bool per_thread>
Status discard_batch(const Ranges& ranges, v13::cudaStream_t stream) {
  static OfDriver in_driver{"cuMemDiscardBatchAsync"};
  if (!in_driver.available()) {
    return is_valid<per_thread>(ranges, stream) ? 0 : remember(v13::cudaErrorInvalidValue);
  }
  return in_context([&] {
    const auto function =
        per_thread ? driver::cuMemDiscardBatchAsync_ptsz : driver::cuMemDiscardBatchAsync;
    return function(driver_pointers(ranges.addresses), ranges.sizes, ranges.count, ranges.flags,
                    stream);
  });
}

}  // namespace

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_prefetch_batch(
    void** addresses, std::size_t* sizes, std::size_t count, v13::cudaMemLocation* locations,
    std::size_t* firsts, std::size_t location_count, unsigned long long flags,
    v13::cudaStream_t stream) {
  return prefetch_batch<false>({addresses, sizes, count, flags},
                               {locations, firsts, location_count}, stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_prefetch_batch_ptsz(
    void** addresses, std::size_t* sizes, std::size_t count, v13::cudaMemLocation* locations,
    std::size_t* firsts, std::size_t location_count, unsigned long long flags,
    v13::cudaStream_t stream) {
  return prefetch_batch<true>({addresses, sizes, count, flags}, {locations, firsts, location_count},
                              stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_discard_and_prefetch_batch(
    void** addresses, std::size_t* sizes, std::size_t count, v13::cudaMemLocation* locations,
    std::size_t* firsts, std::size_t location_count, unsigned long long flags,
    v13::cudaStream_t stream) {
  return discard_and_prefetch_batch<false>({addresses, sizes, count, flags},
                                           {locations, firsts, location_count}, stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_discard_and_prefetch_batch_ptsz(
    void** addresses, std::size_t* sizes, std::size_t count, v13::cudaMemLocation* locations,
    std::size_t* firsts, std::size_t location_count, unsigned long long flags,
    v13::cudaStream_t stream) {
  return discard_and_prefetch_batch<true>({addresses, sizes, count, flags},
                                          {locations, firsts, location_count}, stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_discard_batch(void** addresses, std::size_t* sizes,
                                                         std::size_t count,
                                                         unsigned long long flags,
                                                         v13::cudaStream_t stream) {
  return discard_batch<false>({addresses, sizes, count, flags}, stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_mem_discard_batch_ptsz(void** addresses, std::size_t* sizes,
                                                              std::size_t count,
                                                              unsigned long long flags,
                                                              v13::cudaStream_t stream) {
  return discard_batch<true>({addresses, sizes, count, flags}, stream);
}

}  // namespace anycuda
