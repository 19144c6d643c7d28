// SPDX-License-Identifier: Apache-2.0

// Conversions between sparse and dense matrices, which CUDA 12 dropped, made from the generic ones.
#include <cstdint>

#include "stubs/cusparse/adapters/descriptors.h"
#include "stubs/cusparse/adapters/workspace.h"

namespace anycuda {
namespace {

using Description = v12::cusparseMatDescr_t;

constexpr Result kInvalid = v12::CUSPARSE_STATUS_INVALID_VALUE;

// A sparse matrix that is stored by rows (CSR) or by columns (CSC).
struct Sparse {
  bool by_rows;
  int rows, columns;
  Description description;
  const void* values;
  const int* offsets;
  const int* indices;
  v12::cudaDataType type;

  v12::cusparseIndexBase_t base() const { return v12::cusparseGetMatIndexBase(description); }
  // The last offset, which says how many entries there are.
  const int* end() const { return offsets + (by_rows ? rows : columns); }
  bool has_memory() const { return values != nullptr && indices != nullptr; }

  Result create(SparseMatrix* matrix, std::int64_t count) const {
    const auto function = by_rows ? v12::cusparseCreateCsr : v12::cusparseCreateCsc;
    return matrix->created(
        function(matrix->place(), rows, columns, count, writable(offsets),
                 count != 0 ? writable(indices) : nullptr, count != 0 ? writable(values) : nullptr,
                 v12::CUSPARSE_INDEX_32I, v12::CUSPARSE_INDEX_32I, base(), type));
  }
  Result set_entries(const SparseMatrix& matrix) const {
    const auto function = by_rows ? v12::cusparseCsrSetPointers : v12::cusparseCscSetPointers;
    return function(matrix.get(), writable(offsets), writable(indices), writable(values));
  }
};

// A dense matrix by columns, of the same size and type.
struct Dense {
  const void* values;
  int leading;

  Result create(DenseMatrix* matrix, const Sparse& like) const {
    return matrix->created(v12::cusparseCreateDnMat(matrix->place(), like.rows, like.columns,
                                                    leading, writable(values), like.type,
                                                    v12::CUSPARSE_ORDER_COL));
  }
};

// The first functions do not take the number of entries, which the generic one may rely on.
Result to_dense(Handle handle, const char* function, const Sparse& a, const Dense& b) {
  constexpr auto kAlgorithm = v12::CUSPARSE_SPARSETODENSE_ALG_DEFAULT;
  ANYCUDA_TRY(checked(handle, a.description));
  if (a.rows == 0 || a.columns == 0) return v12::CUSPARSE_STATUS_SUCCESS;
  if (a.rows < 0 || a.columns < 0 || a.offsets == nullptr || b.values == nullptr) return kInvalid;

  HandleStream stream;
  int end = 0;
  ANYCUDA_TRY(stream.open(handle));
  ANYCUDA_TRY(stream.refuse_capture(function));
  ANYCUDA_TRY(stream.read(a.end(), &end));
  const std::int64_t count = end - static_cast<std::int64_t>(a.base());
  if (count != 0 && !a.has_memory()) return kInvalid;

  SparseMatrix sparse;
  DenseMatrix dense;
  Workspace work;
  ANYCUDA_TRY(a.create(&sparse, count));
  ANYCUDA_TRY(b.create(&dense, a));
  ANYCUDA_TRY(v12::cusparseSparseToDense_bufferSize(handle, sparse.get(), dense.get(), kAlgorithm,
                                                    work.bytes()));
  ANYCUDA_TRY(work.allocate(stream));
  return v12::cusparseSparseToDense(handle, sparse.get(), dense.get(), kAlgorithm, work.memory());
}

// The first step counts the entries of each row once more, as the caller has done already
// (`counts`), and writes the offsets; the last one writes the entries.
Result to_sparse(Handle handle, const char* function, const Dense& a, const int* counts,
                 const Sparse& b) {
  constexpr auto kAlgorithm = v12::CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
  ANYCUDA_TRY(checked(handle, b.description));
  if (a.values == nullptr || counts == nullptr || b.offsets == nullptr) return kInvalid;

  HandleStream stream;
  ANYCUDA_TRY(stream.open(handle));
  ANYCUDA_TRY(stream.refuse_capture(function));

  DenseMatrix dense;
  SparseMatrix sparse;
  Workspace work;
  ANYCUDA_TRY(a.create(&dense, b));
  ANYCUDA_TRY(b.create(&sparse, 0));
  ANYCUDA_TRY(v12::cusparseDenseToSparse_bufferSize(handle, dense.get(), sparse.get(), kAlgorithm,
                                                    work.bytes()));
  ANYCUDA_TRY(work.allocate(stream));
  ANYCUDA_TRY(v12::cusparseDenseToSparse_analysis(handle, dense.get(), sparse.get(), kAlgorithm,
                                                  work.memory()));
  std::int64_t rows = 0, columns = 0, count = 0;
  ANYCUDA_TRY(v12::cusparseSpMatGetSize(sparse.get(), &rows, &columns, &count));
  if (count != 0 && !b.has_memory()) return kInvalid;
  if (count != 0) ANYCUDA_TRY(b.set_entries(sparse));
  return v12::cusparseDenseToSparse_convert(handle, dense.get(), sparse.get(), kAlgorithm,
                                            work.memory());
}

}  // namespace

#define ANYCUDA_DEFINE(letter, LETTER, Type, type)                                                 \
  ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_##letter##csr2dense(                                 \
      v11::cusparseHandle_t handle, int m, int n, const v11::cusparseMatDescr_t description,       \
      Pointer<const Type> values, const int* offsets, const int* indices, Pointer<Type> dense,     \
      int leading) {                                                                               \
    return to_dense(handle, "cusparse" #LETTER "csr2dense",                                        \
                    {true, m, n, description, values, offsets, indices, type}, {dense, leading});  \
  }                                                                                                \
  ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_##letter##csc2dense(                                 \
      v11::cusparseHandle_t handle, int m, int n, const v11::cusparseMatDescr_t description,       \
      Pointer<const Type> values, const int* indices, const int* offsets, Pointer<Type> dense,     \
      int leading) {                                                                               \
    return to_dense(handle, "cusparse" #LETTER "csc2dense",                                        \
                    {false, m, n, description, values, offsets, indices, type}, {dense, leading}); \
  }                                                                                                \
  ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_##letter##dense2csr(                                 \
      v11::cusparseHandle_t handle, int m, int n, const v11::cusparseMatDescr_t description,       \
      Pointer<const Type> dense, int leading, const int* counts, Pointer<Type> values,             \
      int* offsets, int* indices) {                                                                \
    return to_sparse(handle, "cusparse" #LETTER "dense2csr", {dense, leading}, counts,             \
                     {true, m, n, description, values, offsets, indices, type});                   \
  }                                                                                                \
  ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_##letter##dense2csc(                                 \
      v11::cusparseHandle_t handle, int m, int n, const v11::cusparseMatDescr_t description,       \
      Pointer<const Type> dense, int leading, const int* counts, Pointer<Type> values,             \
      int* indices, int* offsets) {                                                                \
    return to_sparse(handle, "cusparse" #LETTER "dense2csc", {dense, leading}, counts,             \
                     {false, m, n, description, values, offsets, indices, type});                  \
  }
ANYCUDA_ALL_TYPES(ANYCUDA_DEFINE)
#undef ANYCUDA_DEFINE

}  // namespace anycuda
