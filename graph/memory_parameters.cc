// SPDX-License-Identifier: Apache-2.0

// Copies and memsets: where an operand lies, and whether it has room.
#include <cstdint>

#include "graph/error.h"
#include "graph/parameters.h"

namespace anycuda::graph {
namespace {

// More than any address space of a CPU or GPU that CUDA runs on has: 57 bits.
constexpr std::size_t kMostBytes = std::size_t{1} << 57;

struct Extent {
  std::size_t width;  // bytes
  std::size_t rows;
  std::size_t layers;
};

struct OperandLocation {
  unsigned type;
  CUdeviceptr device;
  char* host;
  CUarray array;
  std::size_t x;  // bytes; of arrays only
  std::size_t y;  // row and layer; of arrays only
  std::size_t z;
  std::size_t pitch;
  std::size_t height;
  std::size_t skipped;  // bytes before the first row; not of arrays
  bool too_far;         // no size holds these bytes
};

// Bytes from the operand's beginning to the end of its last row. False where no size holds that.
bool last_byte(const MemoryOperand& operand, const OperandLocation& place, const Extent& extent,
               std::size_t* end) {
  if (extent.rows == 0 || extent.layers == 0) return true;
  std::size_t rows = 0;
  return !__builtin_mul_overflow(extent.layers - 1, place.height, &rows) &&
         !__builtin_add_overflow(rows, extent.rows - 1, &rows) &&
         !__builtin_mul_overflow(rows, place.pitch, end) &&
         !__builtin_add_overflow(*end, extent.width, end) &&
         !__builtin_add_overflow(*end, operand.offset, end) && !place.too_far &&
         !__builtin_add_overflow(*end, place.skipped, end);
}

// Bytes before the row and layer where the access begins.
void skip_rows(const MemoryOperand& operand, OperandLocation* place) {
  std::size_t rows = 0;
  place->too_far = __builtin_mul_overflow(operand.layer, place->height, &rows) ||
                   __builtin_add_overflow(rows, operand.row, &rows) ||
                   __builtin_mul_overflow(rows, place->pitch, &place->skipped);
}

CUresult check_ways(const char* name, const MemoryOperand& operand) {
  const int raw = (operand.address != 0) + (operand.host != nullptr) + (operand.array != nullptr);
  if (operand.buffer.closed()) {
    return fail(CUDA_ERROR_INVALID_VALUE, "%s: the Buffer was closed", name);
  }
  if (operand.buffer && raw != 0) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%s: both a Buffer and a raw address, host pointer or array are given", name);
  }
  if (operand.buffer && operand.owner != nullptr) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%s: both a Buffer, which owns itself, and an owner are given", name);
  }
  if (!operand.buffer && raw == 0) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%s: neither a Buffer nor a raw address, host pointer or array is given", name);
  }
  if (raw > 1) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%s: more than one of address, host pointer and array are given", name);
  }
  return CUDA_SUCCESS;
}

// Rows and layers that overlap, and sizes beyond any memory. Drivers do not check this.
CUresult check_extent(const char* name, const MemoryOperand& operand, const OperandLocation& place,
                      const Extent& extent) {
  if (extent.rows == 0 || extent.layers == 0) return CUDA_SUCCESS;
  const bool linear = operand.array == nullptr;
  if (linear && (extent.rows > 1 || extent.layers > 1) && place.pitch < extent.width) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%s: a pitch of %zu bytes is less than the %zu bytes of a row", name, place.pitch,
                extent.width);
  }
  if (linear && extent.layers > 1 && place.height < extent.rows) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%s: a height of %zu rows is less than the %zu rows of a layer", name, place.height,
                extent.rows);
  }
  std::size_t end = 0;
  const bool known = last_byte(operand, place, extent, &end);
  if (operand.buffer && operand.buffer.size() != 0 && (!known || end > operand.buffer.size())) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%s: %zu layers of %zu rows of %zu bytes from byte %zu on are more than the "
                "Buffer's %zu bytes",
                name, extent.layers, extent.rows, extent.width, operand.offset,
                operand.buffer.size());
  }
  std::uintptr_t last = reinterpret_cast<std::uintptr_t>(operand.host) + operand.address;
  if (!known || end > kMostBytes || __builtin_add_overflow(last, end, &last)) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "%s: %zu layers of %zu rows of %zu bytes from byte %zu on are more than any memory "
                "has",
                name, extent.layers, extent.rows, extent.width, operand.offset);
  }
  return CUDA_SUCCESS;
}

CUresult locate(const char* name, const MemoryOperand& operand, const Extent& extent,
                OperandLocation* out) {
  const CUresult result = check_ways(name, operand);
  if (result != CUDA_SUCCESS) return result;
  *out = {};
  out->pitch = operand.pitch != 0 ? operand.pitch : extent.width;
  out->height = operand.height != 0 ? operand.height : extent.rows;
  if (operand.array == nullptr && (operand.row != 0 || operand.layer != 0)) {
    skip_rows(operand, out);
  }
  const std::size_t first = operand.offset + out->skipped;
  if (operand.host != nullptr) {
    out->type = api::CU_MEMORYTYPE_HOST;
    out->host = static_cast<char*>(operand.host) + first;
  } else if (operand.array != nullptr) {
    out->type = api::CU_MEMORYTYPE_ARRAY;
    out->array = operand.array;
    out->x = operand.offset;
    out->y = operand.row;
    out->z = operand.layer;
  } else {
    out->type = api::CU_MEMORYTYPE_DEVICE;
    out->device = (operand.buffer ? operand.buffer.address() : operand.address) + first;
  }
  return check_extent(name, operand, *out, extent);
}

const OpaqueHandle& owner_of(const MemoryOperand& operand) {
  return operand.buffer ? operand.buffer.allocation() : operand.owner;
}

}  // namespace

CUresult resolve(const MemcpyNode& node, api::CUDA_MEMCPY3D_st* out, Owners* owners) {
  const Extent extent{node.width, node.rows, node.layers};
  OperandLocation to;
  CUresult result = locate("memcpy destination", node.destination, extent, &to);
  if (result != CUDA_SUCCESS) return result;
  OperandLocation from;
  result = locate("memcpy source", node.source, extent, &from);
  if (result != CUDA_SUCCESS) return result;
  *out = {};
  out->srcXInBytes = from.x;
  out->srcY = from.y;
  out->srcZ = from.z;
  out->srcMemoryType = from.type;
  out->srcHost = from.host;
  out->srcDevice = from.device;
  out->srcArray = from.array;
  out->srcPitch = from.pitch;
  out->srcHeight = from.height;
  out->dstXInBytes = to.x;
  out->dstY = to.y;
  out->dstZ = to.z;
  out->dstMemoryType = to.type;
  out->dstHost = to.host;
  out->dstDevice = to.device;
  out->dstArray = to.array;
  out->dstPitch = to.pitch;
  out->dstHeight = to.height;
  out->WidthInBytes = node.width;
  out->Height = node.rows;
  out->Depth = node.layers;
  owner_of_role(owners, OwnerRole::destination) = owner_of(node.destination);
  owner_of_role(owners, OwnerRole::source) = owner_of(node.source);
  return CUDA_SUCCESS;
}

CUresult resolve(const MemsetNode& node, api::CUDA_MEMSET_NODE_PARAMS_st* out, Owners* owners) {
  const unsigned bytes = node.element_bytes;
  if (bytes != 1 && bytes != 2 && bytes != 4) {
    return fail(CUDA_ERROR_INVALID_VALUE, "memset: an element must have 1, 2 or 4 bytes, not %u",
                bytes);
  }
  if (bytes < sizeof node.value && node.value >> (8 * bytes) != 0) {
    return fail(CUDA_ERROR_INVALID_VALUE, "memset: the value %#x is wider than an element of %u %s",
                node.value, bytes, bytes == 1 ? "byte" : "bytes");
  }
  if (node.destination.host != nullptr || node.destination.array != nullptr) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "memset destination: a host pointer or an array is given, not device memory");
  }
  Extent extent{0, node.rows, 1};
  if (__builtin_mul_overflow(node.width, std::size_t{bytes}, &extent.width)) {
    return fail(CUDA_ERROR_INVALID_VALUE, "memset: %zu elements of %u bytes are too many",
                node.width, bytes);
  }
  OperandLocation to;
  const CUresult result = locate("memset destination", node.destination, extent, &to);
  if (result != CUDA_SUCCESS) return result;
  const std::size_t within = bytes - 1;  // an element: a power of two
  if ((to.device & within) != 0) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "memset destination: the address %#llx is not a multiple of the element's %u bytes",
                to.device, bytes);
  }
  if (node.rows > 1 && (to.pitch & within) != 0) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "memset destination: a pitch of %zu bytes is not a multiple of the element's %u "
                "bytes",
                to.pitch, bytes);
  }
  *out = {to.device, to.pitch, node.value, bytes, node.width, node.rows};
  owner_of_role(owners, OwnerRole::destination) = owner_of(node.destination);
  return CUDA_SUCCESS;
}

}  // namespace anycuda::graph
