// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's dense functions of one type each: factors, solutions, singular and own values.
#include "cusolver_support.h"

namespace maths {
namespace {

constexpr int kSize = 24, kSides = 3;

void cholesky(Check& check, const Solver& solver) {
  const std::vector<double> a = positive_matrix(kSize, 1);
  const auto x = random_values<double>(kSize * kSides, 2);
  DeviceArray<double> on_a(a), on_b(product(a, x, kSize, kSides, kSize));
  DeviceArray<int> info(1);
  Guarded<int> size;
  NEED(check, cusolverDnDpotrf_bufferSize(solver.handle, CUBLAS_FILL_MODE_LOWER, kSize, on_a.data(),
                                          kSize, size.get()));
  INTACT(check, size);
  DeviceArray<double> work(*size);
  NEED(check, cusolverDnDpotrf(solver.handle, CUBLAS_FILL_MODE_LOWER, kSize, on_a.data(), kSize,
                               work.data(), *size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  NEED(check, cusolverDnDpotrs(solver.handle, CUBLAS_FILL_MODE_LOWER, kSize, kSides, on_a.data(),
                               kSize, on_b.data(), kSize, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  check.near("x", on_b.get(check), x, 1e-9);
  work.get(check);
}

void lu(Check& check, const Solver& solver) {
  auto a = random_values<float>(kSize * kSize, 3);
  for (int i = 0; i < kSize; ++i) a[i + i * kSize] += 8;
  const auto x = random_values<float>(kSize * kSides, 4);
  DeviceArray<float> on_a(a), on_b(product(a, x, kSize, kSides, kSize));
  DeviceArray<int> info(1), pivots(kSize);
  Guarded<int> size;
  NEED(check,
       cusolverDnSgetrf_bufferSize(solver.handle, kSize, kSize, on_a.data(), kSize, size.get()));
  INTACT(check, size);
  DeviceArray<float> work(*size);
  NEED(check, cusolverDnSgetrf(solver.handle, kSize, kSize, on_a.data(), kSize, work.data(),
                               pivots.data(), info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  NEED(check, cusolverDnSgetrs(solver.handle, CUBLAS_OP_N, kSize, kSides, on_a.data(), kSize,
                               pivots.data(), on_b.data(), kSize, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  check.near("x", flat(on_b.get(check)), flat(x), 1e-3);
  pivots.get(check);
  work.get(check);
}

// Q' A is R, the upper triangle of what is made of A.
void qr(Check& check, const Solver& solver) {
  constexpr int kRows = 30, kColumns = 20;
  const auto a = random_values<double>(kRows * kColumns, 5);
  DeviceArray<double> on_a(a), tau(kColumns), on_c(a);
  DeviceArray<int> info(1);
  Guarded<int> size, more;
  NEED(check,
       cusolverDnDgeqrf_bufferSize(solver.handle, kRows, kColumns, on_a.data(), kRows, size.get()));
  NEED(check, cusolverDnDormqr_bufferSize(solver.handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, kRows,
                                          kColumns, kColumns, on_a.data(), kRows, tau.data(),
                                          on_c.data(), kRows, more.get()));
  INTACT(check, size);
  INTACT(check, more);
  DeviceArray<double> work(std::max(*size, *more));
  const int count = static_cast<int>(work.count());
  NEED(check, cusolverDnDgeqrf(solver.handle, kRows, kColumns, on_a.data(), kRows, tau.data(),
                               work.data(), count, info.data()));
  NEED(check, cusolverDnDormqr(solver.handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, kRows, kColumns,
                               kColumns, on_a.data(), kRows, tau.data(), on_c.data(), kRows,
                               work.data(), count, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  std::vector<double> r = on_a.get(check);
  for (int j = 0; j < kColumns; ++j) {
    for (int i = j + 1; i < kRows; ++i) r[i + j * kRows] = 0;
  }
  check.near("Q' A", on_c.get(check), r, 1e-10);
  tau.get(check);
  work.get(check);
}

void singular(Check& check, const Solver& solver) {
  constexpr int kRows = 20, kColumns = 12;
  const auto a = random_values<double>(kRows * kColumns, 6);
  DeviceArray<double> on_a(a), s(kColumns), u(kRows * kRows), vt(kColumns * kColumns),
      rest(kColumns);
  DeviceArray<int> info(1);
  Guarded<int> size;
  NEED(check, cusolverDnDgesvd_bufferSize(solver.handle, kRows, kColumns, size.get()));
  INTACT(check, size);
  DeviceArray<double> work(*size);
  NEED(check, cusolverDnDgesvd(solver.handle, 'A', 'A', kRows, kColumns, on_a.data(), kRows,
                               s.data(), u.data(), kRows, vt.data(), kColumns, work.data(), *size,
                               rest.data(), info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  check.near("U S V'", composed(u.get(check), s.get(check), vt.get(check), kRows, kColumns), a,
             1e-9);
  rest.get(check);
  work.get(check);
}

void eigen(Check& check, const Solver& solver) {
  const std::vector<double> a = positive_matrix(kSize, 7);
  DeviceArray<double> v(a), w(kSize);
  DeviceArray<int> info(1);
  Guarded<int> size;
  NEED(check,
       cusolverDnDsyevd_bufferSize(solver.handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                                   kSize, v.data(), kSize, w.data(), size.get()));
  INTACT(check, size);
  DeviceArray<double> work(*size);
  NEED(check, cusolverDnDsyevd(solver.handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                               kSize, v.data(), kSize, w.data(), work.data(), *size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  expect_eigen(check, a, v.get(check), w.get(check), kSize);
  work.get(check);
}

// A handle that has its parameters, of Jacobi's method.
void jacobi(Check& check, const Solver& solver) {
  Guarded<syevjInfo_t> parameters;
  NEED(check, cusolverDnCreateSyevjInfo(parameters.get()));
  INTACT(check, parameters);
  NEED(check, cusolverDnXsyevjSetTolerance(*parameters, 1e-12));
  const std::vector<double> a = positive_matrix(kSize, 8);
  DeviceArray<double> v(a), w(kSize);
  DeviceArray<int> info(1);
  Guarded<int> size;
  NEED(check,
       cusolverDnDsyevj_bufferSize(solver.handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                                   kSize, v.data(), kSize, w.data(), size.get(), *parameters));
  INTACT(check, size);
  DeviceArray<double> work(*size);
  NEED(check,
       cusolverDnDsyevj(solver.handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, kSize,
                        v.data(), kSize, w.data(), work.data(), *size, info.data(), *parameters));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  expect_eigen(check, a, v.get(check), w.get(check), kSize);
  work.get(check);
  NEED(check, cusolverDnDestroySyevjInfo(*parameters));
}

void version(Check& check, const Solver&) {
  Guarded<int> number, major;
  NEED(check, cusolverGetVersion(number.get()));
  NEED(check, cusolverGetProperty(MAJOR_VERSION, major.get()));
  EXPECT(check, *major == *number / 1000);
  INTACT(check, number);
  INTACT(check, major);
}

}  // namespace

void run() {
  run_topics_with<Solver>("cusolver", {{"version", version},
                                       {"cholesky", cholesky},
                                       {"lu", lu},
                                       {"qr", qr},
                                       {"singular", singular},
                                       {"eigen", eigen},
                                       {"jacobi", jacobi}});
}

}  // namespace maths
