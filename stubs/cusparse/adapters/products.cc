// SPDX-License-Identifier: Apache-2.0

// Products with sparse matrices, which CUDA 12 dropped, made from the generic ones.
#include <cstdint>

#include "stubs/cusparse/adapters/descriptors.h"
#include "stubs/cusparse/adapters/workspace.h"

namespace anycuda {
namespace {

constexpr Result kInvalid = v12::CUSPARSE_STATUS_INVALID_VALUE;

// C = alpha A B + beta C with a sparse matrix B, stored by columns. A matrix by columns is its
// transposed by rows, so C' = alpha B' A' + beta C' is what cusparseSpMM does, with the same
// memory.
struct Gemmi {
  int m, n, k, count;
  const void* alpha;
  const void* a;
  int leading_a;
  const void* values;
  const int* offsets;
  const int* indices;
  const void* beta;
  void* c;
  int leading_c;
  v12::cudaDataType type;
};

Result multiply(Handle handle, const char* function, const Gemmi& given) {
  if (handle == nullptr) return v12::CUSPARSE_STATUS_NOT_INITIALIZED;
  if (given.m == 0 || given.n == 0) return v12::CUSPARSE_STATUS_SUCCESS;
  const bool has_entries = given.values != nullptr && given.indices != nullptr;
  if (given.alpha == nullptr || given.beta == nullptr || given.a == nullptr || given.c == nullptr ||
      given.offsets == nullptr || (given.count != 0 && !has_entries)) {
    return kInvalid;
  }
  SparseMatrix b;
  DenseMatrix a, c;
  ANYCUDA_TRY(b.created(v12::cusparseCreateCsr(
      b.place(), given.n, given.k, given.count, writable(given.offsets), writable(given.indices),
      writable(given.values), v12::CUSPARSE_INDEX_32I, v12::CUSPARSE_INDEX_32I,
      v12::CUSPARSE_INDEX_BASE_ZERO, given.type)));
  ANYCUDA_TRY(
      a.created(v12::cusparseCreateDnMat(a.place(), given.k, given.m, given.leading_a,
                                         writable(given.a), given.type, v12::CUSPARSE_ORDER_ROW)));
  ANYCUDA_TRY(c.created(v12::cusparseCreateDnMat(c.place(), given.n, given.m, given.leading_c,
                                                 given.c, given.type, v12::CUSPARSE_ORDER_ROW)));

  constexpr auto kAsItIs = v12::CUSPARSE_OPERATION_NON_TRANSPOSE;
  constexpr auto kAlgorithm = v12::CUSPARSE_SPMM_ALG_DEFAULT;
  Workspace work;
  ANYCUDA_TRY(v12::cusparseSpMM_bufferSize(handle, kAsItIs, kAsItIs, given.alpha, b.get(), a.get(),
                                           given.beta, c.get(), given.type, kAlgorithm,
                                           work.bytes()));
  if (work.needed()) {
    HandleStream stream;
    ANYCUDA_TRY(stream.open(handle));
    ANYCUDA_TRY(stream.refuse_capture(function));
    ANYCUDA_TRY(work.allocate(stream));
  }
  return v12::cusparseSpMM(handle, kAsItIs, kAsItIs, given.alpha, b.get(), a.get(), given.beta,
                           c.get(), given.type, kAlgorithm, work.memory());
}

// y = alpha op(A) x + beta y, of any types. The caller asks for the size of a workspace first, with
// the same arguments, and gets that of the generic function.
struct CsrmvEx {
  v12::cusparseOperation_t operation;
  int m, n, count;
  const void* alpha;
  v12::cudaDataType alpha_type;
  v12::cusparseMatDescr_t description;
  const void* values;
  v12::cudaDataType values_type;
  const int* offsets;
  const int* indices;
  const void* x;
  v12::cudaDataType x_type;
  const void* beta;
  v12::cudaDataType beta_type;
  void* y;
  v12::cudaDataType y_type, execution_type;
};

struct CsrmvExOperands {
  SparseMatrix a;
  DenseVector x, y;

  Result create(Handle handle, const char* function, const CsrmvEx& given) {
    ANYCUDA_TRY(checked(handle, given.description));
    if (given.alpha_type != given.execution_type || given.beta_type != given.execution_type) {
      return refuse(v12::CUSPARSE_STATUS_NOT_SUPPORTED, function,
                    "in CUDA 12 and newer, alpha and beta must have the type of the computation: "
                    "use one type for all three, or install cuSPARSE of CUDA 11");
    }
    if (given.offsets == nullptr || given.x == nullptr || given.y == nullptr ||
        (given.count != 0 && (given.values == nullptr || given.indices == nullptr))) {
      return kInvalid;
    }
    ANYCUDA_TRY(a.created(v12::cusparseCreateCsr(
        a.place(), given.m, given.n, given.count, writable(given.offsets), writable(given.indices),
        writable(given.values), v12::CUSPARSE_INDEX_32I, v12::CUSPARSE_INDEX_32I,
        v12::cusparseGetMatIndexBase(given.description), given.values_type)));
    const bool as_it_is = given.operation == v12::CUSPARSE_OPERATION_NON_TRANSPOSE;
    ANYCUDA_TRY(x.created(v12::cusparseCreateDnVec(x.place(), as_it_is ? given.n : given.m,
                                                   writable(given.x), given.x_type)));
    return y.created(
        v12::cusparseCreateDnVec(y.place(), as_it_is ? given.m : given.n, given.y, given.y_type));
  }
};

// The default one of CUDA 13.0 sometimes gives a wrong last row (docs/gpu.md).
constexpr auto kProduct = v12::CUSPARSE_SPMV_CSR_ALG2;
constexpr auto kSampledProduct = v12::CUSPARSE_SDDMM_ALG_DEFAULT;

}  // namespace

#define ANYCUDA_DEFINE(letter, LETTER, Type, type)                                             \
  ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_##letter##gemmi(                                 \
      v11::cusparseHandle_t handle, int m, int n, int k, int count, Pointer<const Type> alpha, \
      Pointer<const Type> a, int leading_a, Pointer<const Type> values, const int* offsets,    \
      const int* indices, Pointer<const Type> beta, Pointer<Type> c, int leading_c) {          \
    return multiply(handle, "cusparse" #LETTER "gemmi",                                        \
                    {m, n, k, count, alpha, a, leading_a, values, offsets, indices, beta, c,   \
                     leading_c, type});                                                        \
  }
ANYCUDA_ALL_TYPES(ANYCUDA_DEFINE)
#undef ANYCUDA_DEFINE

ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_csrmv_ex_buffer_size(
    v11::cusparseHandle_t handle, v11::cusparseAlgMode_t, v11::cusparseOperation_t operation, int m,
    int n, int count, const void* alpha, v11::cudaDataType alpha_type,
    const v11::cusparseMatDescr_t description, const void* values, v11::cudaDataType values_type,
    const int* offsets, const int* indices, const void* x, v11::cudaDataType x_type,
    const void* beta, v11::cudaDataType beta_type, void* y, v11::cudaDataType y_type,
    v11::cudaDataType execution_type, std::size_t* bytes) {
  CsrmvExOperands operands;
  ANYCUDA_TRY(
      operands.create(handle, "cusparseCsrmvEx_bufferSize",
                      {operation, m, n, count, alpha, alpha_type, description, values, values_type,
                       offsets, indices, x, x_type, beta, beta_type, y, y_type, execution_type}));
  return v12::cusparseSpMV_bufferSize(handle, operation, alpha, operands.a.get(), operands.x.get(),
                                      beta, operands.y.get(), execution_type, kProduct, bytes);
}

ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_csrmv_ex(
    v11::cusparseHandle_t handle, v11::cusparseAlgMode_t, v11::cusparseOperation_t operation, int m,
    int n, int count, const void* alpha, v11::cudaDataType alpha_type,
    const v11::cusparseMatDescr_t description, const void* values, v11::cudaDataType values_type,
    const int* offsets, const int* indices, const void* x, v11::cudaDataType x_type,
    const void* beta, v11::cudaDataType beta_type, void* y, v11::cudaDataType y_type,
    v11::cudaDataType execution_type, void* buffer) {
  CsrmvExOperands operands;
  ANYCUDA_TRY(
      operands.create(handle, "cusparseCsrmvEx",
                      {operation, m, n, count, alpha, alpha_type, description, values, values_type,
                       offsets, indices, x, x_type, beta, beta_type, y, y_type, execution_type}));
  return v12::cusparseSpMV(handle, operation, alpha, operands.a.get(), operands.x.get(), beta,
                           operands.y.get(), execution_type, kProduct, buffer);
}

// The same function under its newer name, which takes an algorithm too.
ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_constrained_gemm_buffer_size(
    v11::cusparseHandle_t handle, v11::cusparseOperation_t operation_a,
    v11::cusparseOperation_t operation_b, const void* alpha, v11::cusparseDnMatDescr_t a,
    v11::cusparseDnMatDescr_t b, const void* beta, v11::cusparseSpMatDescr_t c,
    v11::cudaDataType compute_type, std::size_t* bytes) {
  return v12::cusparseSDDMM_bufferSize(handle, operation_a, operation_b, alpha, a, b, beta, c,
                                       compute_type, kSampledProduct, bytes);
}

ANYCUDA_ADAPTER v11::cusparseStatus_t adapt_constrained_gemm(
    v11::cusparseHandle_t handle, v11::cusparseOperation_t operation_a,
    v11::cusparseOperation_t operation_b, const void* alpha, v11::cusparseDnMatDescr_t a,
    v11::cusparseDnMatDescr_t b, const void* beta, v11::cusparseSpMatDescr_t c,
    v11::cudaDataType compute_type, void* buffer) {
  return v12::cusparseSDDMM(handle, operation_a, operation_b, alpha, a, b, beta, c, compute_type,
                            kSampledProduct, buffer);
}

}  // namespace anycuda
