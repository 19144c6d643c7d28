// SPDX-License-Identifier: Apache-2.0
#include "memory_copies.h"

#include "batch_spans.h"

namespace anycuda {
namespace {

constexpr unsigned kPreferOverlapWithCompute = 1;  // cudaMemcpyFlags, which no prototype names

Status failed(Status status, std::size_t entry, std::size_t* fail_index) {
  if (fail_index != nullptr) *fail_index = entry;
  return status;
}

// 0, or the status for a copy with this attribute.
Status order_problem(const char* function, unsigned order, unsigned flags) {
  if ((flags & ~kPreferOverlapWithCompute) != 0) return remember(v12::cudaErrorInvalidValue);
  switch (order) {
    case v12::cudaMemcpySrcAccessOrderStream:
    case v12::cudaMemcpySrcAccessOrderAny:
      return 0;
    case v12::cudaMemcpySrcAccessOrderDuringApiCall:
      return refuse_old_driver(v12::cudaErrorNotSupported, function,
                               "cudaMemcpySrcAccessOrderDuringApiCall needs a driver of CUDA 12.8 "
                               "or later (in the legacy stream: 13.2)");
    default:
      return remember(v12::cudaErrorInvalidValue);
  }
}

// The bytes of an array's element; 0 if it has no such single number.
Status element_of(v11::cudaArray_t array, std::size_t* bytes) {
  v11::cudaChannelFormatDesc format = {};
  const Status status = v11::cudaArrayGetInfo(&format, nullptr, nullptr, array);
  if (status != 0) return status;
  const int bits = format.x + format.y + format.z + format.w;
  const bool plain = format.f <= v11::cudaChannelFormatKindFloat ||
                     (format.f >= v11::cudaChannelFormatKindUnsignedNormalized8X1 &&
                      format.f <= v11::cudaChannelFormatKindSignedNormalized16X4);
  *bytes = plain && bits > 0 && bits % 8 == 0 ? static_cast<std::size_t>(bits) / 8 : 0;
  return 0;
}

// A length that may be left out, in bytes. False if that is more than there can be.
bool stride(std::size_t given, std::size_t packed, std::size_t element, std::size_t* result) {
  return given == 0 || given >= packed
             ? !__builtin_mul_overflow(given == 0 ? packed : given, element, result)
             : false;
}

bool is_array(const driver::CUmemcpy3DOperand_st& operand) {
  return operand.type == v12::cudaMemcpyOperandTypeArray;
}

bool is_operand(const driver::CUmemcpy3DOperand_st& operand) {
  return is_array(operand) || operand.type == v12::cudaMemcpyOperandTypePointer;
}

v11::cudaArray_t runtime_array(const driver::CUmemcpy3DOperand_st& operand) {
  return reinterpret_cast<v11::cudaArray_t>(operand.op.array.array);
}

// Fills one side of a single copy. Positions and lengths count elements on both sides, but the
// single copy needs the pitch of a pointer in bytes.
bool set_side(const driver::CUmemcpy3DOperand_st& operand, const v11::cudaExtent& extent,
              std::size_t element, v11::cudaArray_t* array, v11::cudaPos* position,
              v11::cudaPitchedPtr* pointer) {
  if (is_array(operand)) {
    *array = runtime_array(operand);
    *position = {operand.op.array.offset.x, operand.op.array.offset.y, operand.op.array.offset.z};
    return true;
  }
  pointer->ptr = reinterpret_cast<void*>(static_cast<std::uintptr_t>(operand.op.ptr.ptr));
  pointer->xsize = extent.width;
  return stride(operand.op.ptr.rowLength, extent.width, element, &pointer->pitch) &&
         stride(operand.op.ptr.layerHeight, extent.height, 1, &pointer->ysize);
}

template <bool per_thread>
Status copy_operation(const char* function, const CopyOperation& operation,
                      v13::cudaStream_t stream) {
  std::size_t element = 1;
  if (is_array(operation.src) != is_array(operation.dst)) {
    const auto& side = is_array(operation.src) ? operation.src : operation.dst;
    const Status status = element_of(runtime_array(side), &element);
    if (status != 0) return status;
    if (element == 0) {
      return refuse_old_driver(v12::cudaErrorNotSupported, function,
                               "copies between memory and a compressed or planar array need a "
                               "driver of CUDA 12.8 or later (in the legacy stream: 13.2)");
    }
  }
  v11::cudaMemcpy3DParms copy = {};
  copy.extent = {operation.extent.width, operation.extent.height, operation.extent.depth};
  copy.kind = v11::cudaMemcpyDefault;
  if (!set_side(operation.src, copy.extent, element, &copy.srcArray, &copy.srcPos, &copy.srcPtr) ||
      !set_side(operation.dst, copy.extent, element, &copy.dstArray, &copy.dstPos, &copy.dstPtr)) {
    return remember(v12::cudaErrorInvalidValue);
  }
  const auto single = per_thread ? v11::cudaMemcpy3DAsync_ptsz : v11::cudaMemcpy3DAsync;
  return single(&copy, stream);
}

}  // namespace

template <bool per_thread>
Status copy_one_by_one(const Copies& batch, std::size_t* fail_index, v13::cudaStream_t stream) {
  if (batch.destinations == nullptr || batch.sources == nullptr || batch.sizes == nullptr ||
      batch.attributes == nullptr ||
      !spans_cover(batch.firsts, batch.attribute_count, batch.count)) {
    return failed(remember(v12::cudaErrorInvalidValue), kNoEntry, fail_index);
  }
  for (std::size_t i = 0; i < batch.attribute_count; ++i) {
    const Status problem = order_problem(batch.function, batch.attributes[i].srcAccessOrder,
                                         batch.attributes[i].flags);
    if (problem != 0) return failed(problem, batch.firsts[i], fail_index);
  }
  const auto single = per_thread ? v11::cudaMemcpyAsync_ptsz : v11::cudaMemcpyAsync;
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Status status = single(batch.destinations[i], batch.sources[i], batch.sizes[i],
                                 v11::cudaMemcpyDefault, stream);
    if (status != 0) return failed(status, i, fail_index);
  }
  return 0;
}
template Status copy_one_by_one<false>(const Copies&, std::size_t*, v13::cudaStream_t);
template Status copy_one_by_one<true>(const Copies&, std::size_t*, v13::cudaStream_t);

template <bool per_thread>
Status copy_one_by_one(const Operations& batch, std::size_t* fail_index, v13::cudaStream_t stream) {
  if (batch.list == nullptr || batch.count == 0 || batch.flags != 0) {
    return failed(remember(v12::cudaErrorInvalidValue), kNoEntry, fail_index);
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    const CopyOperation& one = batch.list[i];
    const bool sound = is_operand(one.src) && is_operand(one.dst) && one.extent.width != 0 &&
                       one.extent.height != 0 && one.extent.depth != 0;
    const Status problem = sound ? order_problem(batch.function, one.srcAccessOrder, one.flags)
                                 : remember(v12::cudaErrorInvalidValue);
    if (problem != 0) return failed(problem, i, fail_index);
  }
  for (std::size_t i = 0; i < batch.count; ++i) {
    const Status status = copy_operation<per_thread>(batch.function, batch.list[i], stream);
    if (status != 0) return failed(status, i, fail_index);
  }
  return 0;
}
template Status copy_one_by_one<false>(const Operations&, std::size_t*, v13::cudaStream_t);
template Status copy_one_by_one<true>(const Operations&, std::size_t*, v13::cudaStream_t);

}  // namespace anycuda
