// SPDX-License-Identifier: Apache-2.0

// Copies in batches and copies with attributes. 12.8 and 12.9 report which copy of a batch failed,
// 13 does not; 13.2 has the same attributes for a single copy. The runtimes pass all of it on to
// the driver (read in the machine code of 12.9, 13.0 and 13.5). A driver keeps its old functions,
// so the function of 12.8 serves every caller on every runtime; copies.cc replaces it on older
// drivers.
#include "memory_copies.h"

namespace anycuda {
namespace {

// Fields with different names in the runtime and the driver have the same offset.
static_assert(v12::cudaMemcpySrcAccessOrderDuringApiCall ==
              driver::CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL);
static_assert(v12::cudaMemcpyOperandTypeArray == driver::CU_MEMCPY_OPERAND_TYPE_ARRAY);
template <typename One, typename Other>
constexpr bool kSameAttributes = __builtin_offsetof(One, srcLocHint) ==
                                     __builtin_offsetof(Other, srcLocHint) &&
                                 __builtin_offsetof(One, dstLocHint) ==
                                     __builtin_offsetof(Other, dstLocHint) &&
                                 __builtin_offsetof(One, flags) == __builtin_offsetof(Other, flags);
static_assert(kSameAttributes<v12::cudaMemcpyAttributes, CopyAttributes>);
static_assert(kSameAttributes<v13::cudaMemcpyAttributes, CopyAttributes>);
template <typename One, typename Other>
constexpr bool kSameOperation =
    __builtin_offsetof(One, dst) == __builtin_offsetof(Other, dst) &&
    __builtin_offsetof(One, src.op.ptr.rowLength) ==
        __builtin_offsetof(Other, src.op.ptr.rowLength) &&
    __builtin_offsetof(One, src.op.ptr.layerHeight) ==
        __builtin_offsetof(Other, src.op.ptr.layerHeight) &&
    __builtin_offsetof(One, src.op.ptr.locHint) == __builtin_offsetof(Other, src.op.ptr.locHint) &&
    __builtin_offsetof(One, src.op.array.offset) ==
        __builtin_offsetof(Other, src.op.array.offset) &&
    __builtin_offsetof(One, extent) == __builtin_offsetof(Other, extent) &&
    __builtin_offsetof(One, srcAccessOrder) == __builtin_offsetof(Other, srcAccessOrder) &&
    __builtin_offsetof(One, flags) == __builtin_offsetof(Other, flags);
static_assert(kSameOperation<v12::cudaMemcpy3DBatchOp, CopyOperation>);
static_assert(kSameOperation<v13::cudaMemcpy3DBatchOp, CopyOperation>);

OfDriver driver_batch{"cuMemcpyBatchAsync"};
OfDriver driver_batch_3d{"cuMemcpy3DBatchAsync"};

template <bool per_thread>
Status by_driver(const Copies& batch, std::size_t* fail_index, v13::cudaStream_t stream) {
  // The driver writes to none of the arrays: its function of 13 takes the same as const.
  const auto pointers = [](const void* array) {
    return static_cast<unsigned long long*>(const_cast<void*>(array));
  };
  return in_context([&] {
    const auto function = per_thread ? driver::cuMemcpyBatchAsync_ptsz : driver::cuMemcpyBatchAsync;
    return function(pointers(batch.destinations), pointers(batch.sources),
                    const_cast<std::size_t*>(batch.sizes), batch.count,
                    const_cast<CopyAttributes*>(batch.attributes),
                    const_cast<std::size_t*>(batch.firsts), batch.attribute_count, fail_index,
                    stream);
  });
}

template <bool per_thread>
Status by_driver(const Operations& batch, std::size_t* fail_index, v13::cudaStream_t stream) {
  return in_context([&] {
    const auto function =
        per_thread ? driver::cuMemcpy3DBatchAsync_ptsz : driver::cuMemcpy3DBatchAsync;
    return function(batch.count, const_cast<CopyOperation*>(batch.list), fail_index, batch.flags,
                    stream);
  });
}

bool driver_has(const Copies&) { return driver_batch.available(); }
bool driver_has(const Operations&) { return driver_batch_3d.available(); }

template <bool per_thread, typename Batch>
Status copy_batch(const Batch& batch, std::size_t* fail_index, v13::cudaStream_t stream) {
  if (driver_has(batch)) return by_driver<per_thread>(batch, fail_index, stream);
  // CUDA Runtime API, cudaMemcpyBatchAsync: not in the legacy stream.
  if (is_legacy<per_thread>(stream)) {
    if (fail_index != nullptr) *fail_index = kNoEntry;
    return remember(v12::cudaErrorInvalidValue);
  }
  return copy_one_by_one<per_thread>(batch, fail_index, stream);
}

OfDriver driver_single{"cuMemcpyWithAttributesAsync"};
OfDriver driver_single_3d{"cuMemcpy3DWithAttributesAsync"};

// A single copy is a batch of one, but may go into any stream.
template <bool per_thread, typename Batch>
Status as_batch(const Batch& batch, bool given, v13::cudaStream_t stream) {
  if (!given) return remember(v13::cudaErrorInvalidValue);
  std::size_t fail_index;
  return driver_has(batch) && !is_legacy<per_thread>(stream)
             ? by_driver<per_thread>(batch, &fail_index, stream)
             : copy_one_by_one<per_thread>(batch, &fail_index, stream);
}

template <bool per_thread>
Status copy_single(void* destination, const void* source, std::size_t size,
                   CopyAttributes* attributes, v13::cudaStream_t stream) {
  if (!driver_single.available()) {
    const std::size_t first = 0;
    return as_batch<per_thread>(Copies{"cudaMemcpyWithAttributesAsync", &destination, &source,
                                       &size, 1, attributes, &first, 1},
                                attributes != nullptr, stream);
  }
  return in_context([&] {
    const auto function =
        per_thread ? driver::cuMemcpyWithAttributesAsync_ptsz : driver::cuMemcpyWithAttributesAsync;
    return function(reinterpret_cast<std::uintptr_t>(destination),
                    reinterpret_cast<std::uintptr_t>(source), size, attributes, stream);
  });
}

template <bool per_thread>
Status copy_single(CopyOperation* operation, unsigned long long flags, v13::cudaStream_t stream) {
  if (!driver_single_3d.available()) {
    return as_batch<per_thread>(Operations{"cudaMemcpy3DWithAttributesAsync", operation, 1, flags},
                                operation != nullptr, stream);
  }
  return in_context([&] {
    const auto function = per_thread ? driver::cuMemcpy3DWithAttributesAsync_ptsz
                                     : driver::cuMemcpy3DWithAttributesAsync;
    return function(operation, flags, stream);
  });
}

}  // namespace

// Callers of 12, which get the index of the failed copy.
ANYCUDA_ADAPTER v12::cudaError_t adapt_memcpy_batch_index(
    void** destinations, void** sources, std::size_t* sizes, std::size_t count,
    v12::cudaMemcpyAttributes* attributes, std::size_t* firsts, std::size_t attribute_count,
    std::size_t* fail_index, v12::cudaStream_t stream) {
  return copy_batch<false>(Copies{"cudaMemcpyBatchAsync", destinations, sources, sizes, count,
                                  same_layout<CopyAttributes>(attributes), firsts, attribute_count},
                           fail_index, stream);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_memcpy_batch_index_ptsz(
    void** destinations, void** sources, std::size_t* sizes, std::size_t count,
    v12::cudaMemcpyAttributes* attributes, std::size_t* firsts, std::size_t attribute_count,
    std::size_t* fail_index, v12::cudaStream_t stream) {
  return copy_batch<true>(Copies{"cudaMemcpyBatchAsync", destinations, sources, sizes, count,
                                 same_layout<CopyAttributes>(attributes), firsts, attribute_count},
                          fail_index, stream);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_memcpy_3d_batch_index(std::size_t count,
                                                             v12::cudaMemcpy3DBatchOp* list,
                                                             std::size_t* fail_index,
                                                             unsigned long long flags,
                                                             v12::cudaStream_t stream) {
  return copy_batch<false>(
      Operations{"cudaMemcpy3DBatchAsync", same_layout<CopyOperation>(list), count, flags},
      fail_index, stream);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_memcpy_3d_batch_index_ptsz(std::size_t count,
                                                                  v12::cudaMemcpy3DBatchOp* list,
                                                                  std::size_t* fail_index,
                                                                  unsigned long long flags,
                                                                  v12::cudaStream_t stream) {
  return copy_batch<true>(
      Operations{"cudaMemcpy3DBatchAsync", same_layout<CopyOperation>(list), count, flags},
      fail_index, stream);
}

// Callers of 13.
ANYCUDA_ADAPTER v13::cudaError_t adapt_memcpy_batch(
    void* const* destinations, const void* const* sources, const std::size_t* sizes,
    std::size_t count, v13::cudaMemcpyAttributes* attributes, std::size_t* firsts,
    std::size_t attribute_count, v13::cudaStream_t stream) {
  std::size_t fail_index;
  return copy_batch<false>(Copies{"cudaMemcpyBatchAsync", destinations, sources, sizes, count,
                                  same_layout<CopyAttributes>(attributes), firsts, attribute_count},
                           &fail_index, stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_memcpy_batch_ptsz(
    void* const* destinations, const void* const* sources, const std::size_t* sizes,
    std::size_t count, v13::cudaMemcpyAttributes* attributes, std::size_t* firsts,
    std::size_t attribute_count, v13::cudaStream_t stream) {
  std::size_t fail_index;
  return copy_batch<true>(Copies{"cudaMemcpyBatchAsync", destinations, sources, sizes, count,
                                 same_layout<CopyAttributes>(attributes), firsts, attribute_count},
                          &fail_index, stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_memcpy_3d_batch(std::size_t count,
                                                       v13::cudaMemcpy3DBatchOp* list,
                                                       unsigned long long flags,
                                                       v13::cudaStream_t stream) {
  std::size_t fail_index;
  return copy_batch<false>(
      Operations{"cudaMemcpy3DBatchAsync", same_layout<CopyOperation>(list), count, flags},
      &fail_index, stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_memcpy_3d_batch_ptsz(std::size_t count,
                                                            v13::cudaMemcpy3DBatchOp* list,
                                                            unsigned long long flags,
                                                            v13::cudaStream_t stream) {
  std::size_t fail_index;
  return copy_batch<true>(
      Operations{"cudaMemcpy3DBatchAsync", same_layout<CopyOperation>(list), count, flags},
      &fail_index, stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_memcpy_with_attributes(void* destination, const void* source,
                                                              std::size_t size,
                                                              v13::cudaMemcpyAttributes* attributes,
                                                              v13::cudaStream_t stream) {
  return copy_single<false>(destination, source, size, same_layout<CopyAttributes>(attributes),
                            stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_memcpy_with_attributes_ptsz(
    void* destination, const void* source, std::size_t size, v13::cudaMemcpyAttributes* attributes,
    v13::cudaStream_t stream) {
  return copy_single<true>(destination, source, size, same_layout<CopyAttributes>(attributes),
                           stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_memcpy_3d_with_attributes(
    v13::cudaMemcpy3DBatchOp* operation, unsigned long long flags, v13::cudaStream_t stream) {
  return copy_single<false>(same_layout<CopyOperation>(operation), flags, stream);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_memcpy_3d_with_attributes_ptsz(
    v13::cudaMemcpy3DBatchOp* operation, unsigned long long flags, v13::cudaStream_t stream) {
  return copy_single<true>(same_layout<CopyOperation>(operation), flags, stream);
}

}  // namespace anycuda
