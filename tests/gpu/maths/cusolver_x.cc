// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's functions of any type with 64-bit sizes, and the sparse part.
#include <cusolverSp.h>

#include <algorithm>

#include "cusolver_dense.h"

inline bool is_absent(cusparseStatus_t status) { return status == CUSPARSE_STATUS_NOT_SUPPORTED; }

namespace maths {
namespace {

constexpr int kSize = 24, kSides = 3;

void cholesky(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  const std::vector<double> a = positive_matrix(kSize, 1);
  const auto x = random_values<double>(kSize * kSides, 2);
  DeviceArray<double> on_a(a), on_b(product(a, x, kSize, kSides, kSize));
  DeviceArray<int> info(1);
  WorkX work;
  NEED(check, cusolverDnXpotrf_bufferSize(solver.handle, parameters.value, CUBLAS_FILL_MODE_LOWER,
                                          kSize, CUDA_R_64F, on_a.data(), kSize, CUDA_R_64F,
                                          work.device.get(), work.host.get()));
  work.take(check);
  NEED(check, cusolverDnXpotrf(solver.handle, parameters.value, CUBLAS_FILL_MODE_LOWER, kSize,
                               CUDA_R_64F, on_a.data(), kSize, CUDA_R_64F, work.on_device->data(),
                               *work.device, work.on_host.data(), *work.host, info.data()));
  NEED(check, cusolverDnXpotrs(solver.handle, parameters.value, CUBLAS_FILL_MODE_LOWER, kSize,
                               kSides, CUDA_R_64F, on_a.data(), kSize, CUDA_R_64F, on_b.data(),
                               kSize, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  check.near("x", on_b.get(check), x, 1e-9);
  work.on_device->get(check);
}

void lu(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  expect_lu_solution(check, solver, parameters, positive_matrix(kSize, 3),
                     random_values<double>(kSize * kSides, 4), kSize, kSides);
}

void eigen(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  const std::vector<double> a = positive_matrix(kSize, 5);
  DeviceArray<double> v(a), w(kSize);
  DeviceArray<int> info(1);
  WorkX work;
  NEED(check, cusolverDnXsyevd_bufferSize(solver.handle, parameters.value, CUSOLVER_EIG_MODE_VECTOR,
                                          CUBLAS_FILL_MODE_LOWER, kSize, CUDA_R_64F, v.data(),
                                          kSize, CUDA_R_64F, w.data(), CUDA_R_64F,
                                          work.device.get(), work.host.get()));
  work.take(check);
  NEED(check, cusolverDnXsyevd(solver.handle, parameters.value, CUSOLVER_EIG_MODE_VECTOR,
                               CUBLAS_FILL_MODE_LOWER, kSize, CUDA_R_64F, v.data(), kSize,
                               CUDA_R_64F, w.data(), CUDA_R_64F, work.on_device->data(),
                               *work.device, work.on_host.data(), *work.host, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  expect_eigen(check, a, v.get(check), w.get(check), kSize);
}

void singular(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  constexpr int kRows = 20, kColumns = 12;
  const auto a = random_values<double>(kRows * kColumns, 6);
  DeviceArray<double> on_a(a), s(kColumns), u(kRows * kRows), vt(kColumns * kColumns);
  DeviceArray<int> info(1);
  WorkX work;
  NEED(check, cusolverDnXgesvd_bufferSize(
                  solver.handle, parameters.value, 'A', 'A', kRows, kColumns, CUDA_R_64F,
                  on_a.data(), kRows, CUDA_R_64F, s.data(), CUDA_R_64F, u.data(), kRows, CUDA_R_64F,
                  vt.data(), kColumns, CUDA_R_64F, work.device.get(), work.host.get()));
  work.take(check);
  NEED(check,
       cusolverDnXgesvd(solver.handle, parameters.value, 'A', 'A', kRows, kColumns, CUDA_R_64F,
                        on_a.data(), kRows, CUDA_R_64F, s.data(), CUDA_R_64F, u.data(), kRows,
                        CUDA_R_64F, vt.data(), kColumns, CUDA_R_64F, work.on_device->data(),
                        *work.device, work.on_host.data(), *work.host, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  check.near("U S V'", composed(u.get(check), s.get(check), vt.get(check), kRows, kColumns), a,
             1e-9);
}

// A system of equations with a sparse matrix: 4 on the diagonal, 1 beside it.
void sparse(Check& check) {
  Guarded<cusolverSpHandle_t> handle;
  NEED(check, cusolverSpCreate(handle.get()));
  INTACT(check, handle);
  std::vector<double> values, x = random_values<double>(kSize, 8), b(kSize);
  std::vector<int> rows{0}, columns;
  for (int i = 0; i < kSize; ++i) {
    for (int j = std::max(0, i - 1); j <= std::min(kSize - 1, i + 1); ++j) {
      values.push_back(i == j ? 4 : 1);
      columns.push_back(j);
      b[i] += values.back() * x[j];
    }
    rows.push_back(static_cast<int>(columns.size()));
  }
  Guarded<cusparseMatDescr_t> matrix;
  NEED(check, cusparseCreateMatDescr(matrix.get()));
  INTACT(check, matrix);
  DeviceArray<double> on_values(values), on_b(b), on_x(kSize);
  DeviceArray<int> on_rows(rows), on_columns(columns);
  Guarded<int> singular_at;
  NEED(check, cusolverSpDcsrlsvqr(*handle, kSize, static_cast<int>(values.size()), *matrix,
                                  on_values.data(), on_rows.data(), on_columns.data(), on_b.data(),
                                  1e-12, 0, on_x.data(), singular_at.get()));
  NEED(check, cudaDeviceSynchronize());
  INTACT(check, singular_at);
  EXPECT(check, *singular_at == -1);
  check.near("x", on_x.get(check), x, 1e-10);
  NEED(check, cusparseDestroyMatDescr(*matrix));
  NEED(check, cusolverSpDestroy(*handle));
}

}  // namespace

void run() {
  {
    Check check("cusolver_x.sparse");
    sparse(check);
  }
  run_topics_with<Solver>(
      "cusolver_x", {{"cholesky", cholesky}, {"lu", lu}, {"eigen", eigen}, {"singular", singular}});
}

}  // namespace maths
