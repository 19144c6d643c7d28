// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: products and solutions with sparse matrices by the generic functions, conversions, and
// functions that CUDA 12 dropped.
#include "sparse_support.h"

namespace maths {
namespace {

constexpr int kRows = 30, kColumns = 22;

void texts(Check& check, const Sparse& sparse) {
  EXPECT(check, std::string(cusparseGetErrorName(CUSPARSE_STATUS_ALLOC_FAILED)) ==
                    "CUSPARSE_STATUS_ALLOC_FAILED");
  Guarded<int> version;
  NEED(check, cusparseGetVersion(sparse.handle, version.get()));
  INTACT(check, version);
  EXPECT(check, *version >= 11000);
}

void vector(Check& check, const Sparse& sparse) {
  const Csr csr(dense_with_holes(kRows, kColumns, 1), kRows, kColumns);
  const CsrOnDevice a(check, csr);
  const auto x = random_values<double>(kColumns, 2), y = random_values<double>(kRows, 3);
  const DenseVector on_x(check, x), on_y(check, y);
  if (!check) return;
  const double two = 2, half = 0.5;
  Guarded<std::size_t> size;
  NEED(check,
       cusparseSpMV_bufferSize(sparse.handle, kN, &two, a.matrix, on_x.vector, &half, on_y.vector,
                               CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, size.get()));
  INTACT(check, size);
  DeviceArray<char> work(*size + 1);
  NEED(check, cusparseSpMV(sparse.handle, kN, &two, a.matrix, on_x.vector, &half, on_y.vector,
                           CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, work.data()));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  std::vector<double> want = product(csr.dense, x, kRows, 1, kColumns);
  for (int i = 0; i < kRows; ++i) want[i] = 2 * want[i] + 0.5 * y[i];
  check.near("2 A x + y / 2", on_y.memory.get(check), want, 1e-12);
  work.get(check);
}

void matrix(Check& check, const Sparse& sparse) {
  constexpr int kSides = 7;
  const Csr csr(dense_with_holes(kRows, kColumns, 4), kRows, kColumns);
  const CsrOnDevice a(check, csr);
  const auto b = random_values<double>(kColumns * kSides, 5);
  const DenseMatrix on_b(check, b, kColumns, kSides);
  const DenseMatrix on_c(check, std::vector<double>(kRows * kSides), kRows, kSides);
  if (!check) return;
  const double one = 1, zero = 0;
  Guarded<std::size_t> size;
  NEED(check,
       cusparseSpMM_bufferSize(sparse.handle, kN, kN, &one, a.matrix, on_b.matrix, &zero,
                               on_c.matrix, CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, size.get()));
  INTACT(check, size);
  DeviceArray<char> work(*size + 1);
  NEED(check, cusparseSpMM(sparse.handle, kN, kN, &one, a.matrix, on_b.matrix, &zero, on_c.matrix,
                           CUDA_R_64F, CUSPARSE_SPMM_ALG_DEFAULT, work.data()));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  check.near("A B", on_c.memory.get(check), product(csr.dense, b, kRows, kSides, kColumns), 1e-12);
  work.get(check);
}

// Two sparse matrices: the product's size is known only after the first steps.
void both_sparse(Check& check, const Sparse& sparse) {
  const Csr left(dense_with_holes(kRows, kColumns, 6), kRows, kColumns);
  const Csr right(dense_with_holes(kColumns, kRows, 7), kColumns, kRows);
  const CsrOnDevice a(check, left), b(check, right);
  DeviceArray<int> rows(kRows + 1);
  Guarded<cusparseSpMatDescr_t> c;
  Guarded<cusparseSpGEMMDescr_t> state;
  NEED(check, cusparseCreateCsr(c.get(), kRows, kRows, 0, rows.data(), nullptr, nullptr,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                CUDA_R_64F));
  NEED(check, cusparseSpGEMM_createDescr(state.get()));
  INTACT(check, c);
  INTACT(check, state);
  const double one = 1, zero = 0;
  Guarded<std::size_t> first, second;
  const auto estimate = [&](void* memory) {
    return cusparseSpGEMM_workEstimation(sparse.handle, kN, kN, &one, a.matrix, b.matrix, &zero, *c,
                                         CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, *state, first.get(),
                                         memory);
  };
  const auto compute = [&](void* memory) {
    return cusparseSpGEMM_compute(sparse.handle, kN, kN, &one, a.matrix, b.matrix, &zero, *c,
                                  CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, *state, second.get(),
                                  memory);
  };
  NEED(check, estimate(nullptr));
  INTACT(check, first);
  DeviceArray<char> work1(*first + 1);
  NEED(check, estimate(work1.data()));
  NEED(check, compute(nullptr));
  INTACT(check, second);
  DeviceArray<char> work2(*second + 1);
  NEED(check, compute(work2.data()));
  Guarded<std::int64_t> got_rows, got_columns, count;
  NEED(check, cusparseSpMatGetSize(*c, got_rows.get(), got_columns.get(), count.get()));
  INTACT(check, got_rows);
  INTACT(check, got_columns);
  INTACT(check, count);
  EXPECT(check, *got_rows == kRows && *got_columns == kRows);
  DeviceArray<int> columns(*count);
  DeviceArray<double> values(*count);
  NEED(check, cusparseCsrSetPointers(*c, rows.data(), columns.data(), values.data()));
  NEED(check, cusparseSpGEMM_copy(sparse.handle, kN, kN, &one, a.matrix, b.matrix, &zero, *c,
                                  CUDA_R_64F, CUSPARSE_SPGEMM_DEFAULT, *state));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  check.near("A B", dense_of(rows.get(check), columns.get(check), values.get(check), kRows, kRows),
             product(left.dense, right.dense, kRows, kRows, kColumns), 1e-12);
  NEED(check, cusparseSpGEMM_destroyDescr(*state));
  NEED(check, cusparseDestroySpMat(*c));
}

// The lower triangle of equations.
void triangle(Check& check, const Sparse& sparse) {
  std::vector<double> dense = dense_with_holes(kRows, kRows, 8);
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < j; ++i) dense[i + j * kRows] = 0;
    dense[j + j * kRows] = 4;
  }
  const Csr csr(dense, kRows, kRows);
  const CsrOnDevice a(check, csr);
  const auto x = random_values<double>(kRows, 9);
  const DenseVector on_b(check, product(dense, x, kRows, 1, kRows)), on_x(check, x);
  if (!check) return;
  on_x.forget();
  const cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
  NEED(check, cusparseSpMatSetAttribute(a.matrix, CUSPARSE_SPMAT_FILL_MODE,
                                        const_cast<cusparseFillMode_t*>(&lower), sizeof lower));
  Guarded<cusparseSpSVDescr_t> state;
  NEED(check, cusparseSpSV_createDescr(state.get()));
  INTACT(check, state);
  const double one = 1;
  Guarded<std::size_t> size;
  NEED(check, cusparseSpSV_bufferSize(sparse.handle, kN, &one, a.matrix, on_b.vector, on_x.vector,
                                      CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, *state, size.get()));
  INTACT(check, size);
  DeviceArray<char> work(*size + 1);
  NEED(check, cusparseSpSV_analysis(sparse.handle, kN, &one, a.matrix, on_b.vector, on_x.vector,
                                    CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, *state, work.data()));
  NEED(check, cusparseSpSV_solve(sparse.handle, kN, &one, a.matrix, on_b.vector, on_x.vector,
                                 CUDA_R_64F, CUSPARSE_SPSV_ALG_DEFAULT, *state));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  check.near("x", on_x.memory.get(check), x, 1e-9);
  work.get(check);
  NEED(check, cusparseSpSV_destroyDescr(*state));
}

void to_dense(Check& check, const Sparse& sparse) {
  const Csr csr(dense_with_holes(kRows, kColumns, 10), kRows, kColumns);
  const CsrOnDevice a(check, csr);
  const DenseMatrix b(check, std::vector<double>(kRows * kColumns, 7), kRows, kColumns);
  if (!check) return;
  Guarded<std::size_t> size;
  NEED(check, cusparseSparseToDense_bufferSize(sparse.handle, a.matrix, b.matrix,
                                               CUSPARSE_SPARSETODENSE_ALG_DEFAULT, size.get()));
  INTACT(check, size);
  DeviceArray<char> work(*size + 1);
  NEED(check, cusparseSparseToDense(sparse.handle, a.matrix, b.matrix,
                                    CUSPARSE_SPARSETODENSE_ALG_DEFAULT, work.data()));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  check.near("A", b.memory.get(check), csr.dense, 0);
  work.get(check);
}

void from_dense(Check& check, const Sparse& sparse) {
  const Csr csr(dense_with_holes(kRows, kColumns, 11), kRows, kColumns);
  const DenseMatrix a(check, csr.dense, kRows, kColumns);
  DeviceArray<int> rows(kRows + 1);
  Guarded<cusparseSpMatDescr_t> b;
  NEED(check, cusparseCreateCsr(b.get(), kRows, kColumns, 0, rows.data(), nullptr, nullptr,
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                CUDA_R_64F));
  INTACT(check, b);
  Guarded<std::size_t> size;
  NEED(check, cusparseDenseToSparse_bufferSize(sparse.handle, a.matrix, *b,
                                               CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, size.get()));
  INTACT(check, size);
  DeviceArray<char> work(*size + 1);
  NEED(check, cusparseDenseToSparse_analysis(sparse.handle, a.matrix, *b,
                                             CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, work.data()));
  Guarded<std::int64_t> got_rows, got_columns, count;
  NEED(check, cusparseSpMatGetSize(*b, got_rows.get(), got_columns.get(), count.get()));
  INTACT(check, got_rows);
  INTACT(check, got_columns);
  INTACT(check, count);
  EXPECT(check, *count == static_cast<std::int64_t>(csr.values.size()));
  DeviceArray<int> columns(*count);
  DeviceArray<double> values(*count);
  NEED(check, cusparseCsrSetPointers(*b, rows.data(), columns.data(), values.data()));
  NEED(check, cusparseDenseToSparse_convert(sparse.handle, a.matrix, *b,
                                            CUSPARSE_DENSETOSPARSE_ALG_DEFAULT, work.data()));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  EXPECT(check, rows.get(check) == csr.rows && columns.get(check) == csr.columns);
  EXPECT(check, values.get(check) == csr.values);
  NEED(check, cusparseDestroySpMat(*b));
}

// Rows to columns, which are the rows of the transposed.
void to_columns(Check& check, const Sparse& sparse) {
  const Csr csr(dense_with_holes(kRows, kColumns, 12), kRows, kColumns);
  const int count = static_cast<int>(csr.values.size());
  DeviceArray<double> values(csr.values), out_values(count);
  DeviceArray<int> rows(csr.rows), columns(csr.columns), out_columns(kColumns + 1), out_rows(count);
  Guarded<std::size_t> size;
  NEED(check, cusparseCsr2cscEx2_bufferSize(sparse.handle, kRows, kColumns, count, values.data(),
                                            rows.data(), columns.data(), out_values.data(),
                                            out_columns.data(), out_rows.data(), CUDA_R_64F,
                                            CUSPARSE_ACTION_NUMERIC, CUSPARSE_INDEX_BASE_ZERO,
                                            CUSPARSE_CSR2CSC_ALG1, size.get()));
  INTACT(check, size);
  DeviceArray<char> work(*size + 1);
  NEED(check, cusparseCsr2cscEx2(sparse.handle, kRows, kColumns, count, values.data(), rows.data(),
                                 columns.data(), out_values.data(), out_columns.data(),
                                 out_rows.data(), CUDA_R_64F, CUSPARSE_ACTION_NUMERIC,
                                 CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG1, work.data()));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  check.near(
      "A'",
      dense_of(out_columns.get(check), out_rows.get(check), out_values.get(check), kColumns, kRows),
      transposed(csr.dense, kRows, kColumns), 0);
}

// What CUDA 11 still had, and nothing makes from others.
void older_solver(Check& check, const Sparse&) {
#if CUSPARSE_VERSION < 12000
  Guarded<csrsv2Info_t> state;
  NEED(check, cusparseCreateCsrsv2Info(state.get()));
  INTACT(check, state);
#else
  (void)check;
#endif
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse", {{"texts", texts},
                                       {"vector", vector},
                                       {"matrix", matrix},
                                       {"both_sparse", both_sparse},
                                       {"triangle", triangle},
                                       {"to_dense", to_dense},
                                       {"from_dense", from_dense},
                                       {"to_columns", to_columns},
                                       {"older_solver", older_solver}});
}

}  // namespace maths
