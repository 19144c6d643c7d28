// SPDX-License-Identifier: Apache-2.0

// Functions of a sparse vector x and a dense vector y, which CUDA 12 dropped, made from the generic
// ones. y's size is not among their arguments: the descriptors get the largest that 32-bit indices
// reach. The generic functions touch only the elements that x names.
#include <cstdint>
#include <limits>

#include "stubs/cusparse/adapters/descriptors.h"

namespace anycuda {
namespace {

constexpr Result kSuccess = v12::CUSPARSE_STATUS_SUCCESS;

// The arguments that all of them have.
struct Operands {
  int count;
  const void* x;
  const int* indices;
  const void* y;
  v12::cusparseIndexBase_t base;
  v12::cudaDataType type;
};

// Both vectors, for one call.
class Vectors {
 public:
  Vectors(Handle handle, const char* function, const Operands& given) {
    if (handle == nullptr) {
      status_ = v12::CUSPARSE_STATUS_NOT_INITIALIZED;
    } else if (given.count != 0) {
      status_ = create(function, given);
      ready_ = status_ == kSuccess;
    }
  }
  // Must the generic function be called? If not, the caller gets status(), which is success for x
  // without entries.
  bool ready() const { return ready_; }
  Result status() const { return status_; }
  v12::cusparseSpVecDescr_t x() const { return x_.get(); }
  v12::cusparseDnVecDescr_t y() const { return y_.get(); }

 private:
  // Documented for the generic functions only (cuSPARSE, "cusparseGather()"); a kernel that reads
  // four numbers at once would end the program's context.
  static bool is_aligned(const void* memory) {
    return reinterpret_cast<std::uintptr_t>(memory) % 16 == 0;
  }

  Result create(const char* function, const Operands& given) {
    // From 12.9 on descriptors are made without memory, and the kernel fails.
    if (given.x == nullptr || given.indices == nullptr || given.y == nullptr) {
      return v12::CUSPARSE_STATUS_INVALID_VALUE;
    }
    if (!is_aligned(given.x) || !is_aligned(given.indices)) {
      return refuse(
          v12::CUSPARSE_STATUS_NOT_SUPPORTED, function,
          "CUDA 12 and newer need the values and the indices of a sparse vector aligned to "
          "16 bytes: align them, or install cuSPARSE of CUDA 11");
    }
    // The library requires that size + base fits into an int.
    const std::int64_t size =
        std::numeric_limits<int>::max() - static_cast<std::int64_t>(given.base);
    ANYCUDA_TRY(x_.created(v12::cusparseCreateSpVec(
        x_.place(), size, given.count, writable(given.indices), writable(given.x),
        v12::CUSPARSE_INDEX_32I, given.base, given.type)));
    return y_.created(v12::cusparseCreateDnVec(y_.place(), size, writable(given.y), given.type));
  }

  SparseVector x_;
  DenseVector y_;
  Result status_ = kSuccess;
  bool ready_ = false;
};

Result gather(Handle handle, const char* function, const Operands& given) {
  const Vectors vectors(handle, function, given);
  if (!vectors.ready()) return vectors.status();
  return v12::cusparseGather(handle, vectors.y(), vectors.x());
}

Result scatter(Handle handle, const char* function, const Operands& given) {
  const Vectors vectors(handle, function, given);
  if (!vectors.ready()) return vectors.status();
  return v12::cusparseScatter(handle, vectors.x(), vectors.y());
}

Result rotate(Handle handle, const char* function, const Operands& given, const void* c,
              const void* s) {
  const Vectors vectors(handle, function, given);
  if (!vectors.ready()) return vectors.status();
  if (c == nullptr || s == nullptr) return v12::CUSPARSE_STATUS_INVALID_VALUE;
  return v12::cusparseRot(handle, c, s, vectors.x(), vectors.y());
}

}  // namespace

#define ANYCUDA_DEFINE(letter, LETTER, Type, type)                                         \
  ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_##letter##gthr(                              \
      v11::cusparseHandle_t handle, int count, Pointer<const Type> y, Pointer<Type> x,     \
      const int* indices, v11::cusparseIndexBase_t base) {                                 \
    return gather(handle, "cusparse" #LETTER "gthr", {count, x, indices, y, base, type});  \
  }                                                                                        \
  ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_##letter##sctr(                              \
      v11::cusparseHandle_t handle, int count, Pointer<const Type> x, const int* indices,  \
      Pointer<Type> y, v11::cusparseIndexBase_t base) {                                    \
    return scatter(handle, "cusparse" #LETTER "sctr", {count, x, indices, y, base, type}); \
  }
ANYCUDA_ALL_TYPES(ANYCUDA_DEFINE)
#undef ANYCUDA_DEFINE

#define ANYCUDA_DEFINE(letter, LETTER, Type, type)                                              \
  ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_##letter##roti(                                   \
      v11::cusparseHandle_t handle, int count, Pointer<Type> x, const int* indices,             \
      Pointer<Type> y, Pointer<const Type> c, Pointer<const Type> s,                            \
      v11::cusparseIndexBase_t base) {                                                          \
    return rotate(handle, "cusparse" #LETTER "roti", {count, x, indices, y, base, type}, c, s); \
  }
ANYCUDA_REAL_TYPES(ANYCUDA_DEFINE)
#undef ANYCUDA_DEFINE

}  // namespace anycuda
