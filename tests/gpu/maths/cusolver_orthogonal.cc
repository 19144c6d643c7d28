// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's orthogonal factors: of QR, of the bidiagonal and of the tridiagonal form.
#include "cusolver_dense.h"

namespace maths {
namespace {

constexpr int kRows = 30, kColumns = 20, kSize = 24;

// Q R is A, and Q has orthonormal columns.
void qr(Check& check, const Solver& solver) {
  const auto a = random_values<SingleComplex>(kRows * kColumns, 1);
  DeviceArray<SingleComplex> on_a(a), tau(kColumns);
  auto* const data = on_a.as<cuComplex>();
  auto* const scales = tau.as<cuComplex>();
  DeviceArray<int> info(1);
  Work<cuComplex> factor, form;
  NEED(check,
       cusolverDnCgeqrf_bufferSize(solver.handle, kRows, kColumns, data, kRows, factor.size.get()));
  NEED(check, cusolverDnCungqr_bufferSize(solver.handle, kRows, kColumns, kColumns, data, kRows,
                                          scales, form.size.get()));
  NEED(check, cusolverDnCgeqrf(solver.handle, kRows, kColumns, data, kRows, scales,
                               factor.take(check), *factor.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  const auto r = triangle(converted<Complex>(on_a.get(check)), kRows, kColumns, kUpper);
  NEED(check, cusolverDnCungqr(solver.handle, kRows, kColumns, kColumns, data, kRows, scales,
                               form.take(check), *form.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  const auto q = converted<Complex>(on_a.get(check));
  expect_orthonormal(check, "Q' Q", q, {}, kRows, kColumns, 1e-4);
  expect_same(check, "Q R", product(q, r, kRows, kColumns, kColumns), converted<Complex>(a), 1e-4);
  form.memory->get(check);
  tau.get(check);
}

// Q B P' is A, with B of the diagonal d and, above it, e.
void bidiagonal(Check& check, const Solver& solver) {
  const auto a = random_values<Complex>(kRows * kColumns, 2);
  DeviceArray<Complex> on_a(a), left(kColumns), right(kColumns);
  DeviceArray<double> d(kColumns), e(kColumns);
  DeviceArray<int> info(1);
  Work<cuDoubleComplex> reduce, form_q, form_p;
  NEED(check, cusolverDnZgebrd_bufferSize(solver.handle, kRows, kColumns, reduce.size.get()));
  NEED(check,
       cusolverDnZgebrd(solver.handle, kRows, kColumns, on_a.as<cuDoubleComplex>(), kRows, d.data(),
                        e.data(), left.as<cuDoubleComplex>(), right.as<cuDoubleComplex>(),
                        reduce.take(check), *reduce.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  DeviceArray<Complex> q(on_a.get(check)), p(on_a.get(check));
  auto* const to_q = q.as<cuDoubleComplex>();
  auto* const to_p = p.as<cuDoubleComplex>();
  NEED(check,
       cusolverDnZungbr_bufferSize(solver.handle, CUBLAS_SIDE_LEFT, kRows, kColumns, kColumns, to_q,
                                   kRows, left.as<cuDoubleComplex>(), form_q.size.get()));
  NEED(check,
       cusolverDnZungbr_bufferSize(solver.handle, CUBLAS_SIDE_RIGHT, kColumns, kColumns, kRows,
                                   to_p, kRows, right.as<cuDoubleComplex>(), form_p.size.get()));
  NEED(check,
       cusolverDnZungbr(solver.handle, CUBLAS_SIDE_LEFT, kRows, kColumns, kColumns, to_q, kRows,
                        left.as<cuDoubleComplex>(), form_q.take(check), *form_q.size, info.data()));
  NEED(check, cusolverDnZungbr(solver.handle, CUBLAS_SIDE_RIGHT, kColumns, kColumns, kRows, to_p,
                               kRows, right.as<cuDoubleComplex>(), form_p.take(check), *form_p.size,
                               info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  const std::vector<double> diagonal = d.get(check), above = e.get(check);
  std::vector<Complex> b(kColumns * kColumns), adjoint_p(kColumns * kColumns);
  const auto held = p.get(check);
  for (int j = 0; j < kColumns; ++j) {
    b[j + j * kColumns] = diagonal[j];
    if (j > 0) b[j - 1 + j * kColumns] = above[j - 1];
    for (int i = 0; i < kColumns; ++i) adjoint_p[i + j * kColumns] = held[i + j * kRows];
  }
  const auto columns_of_q = q.get(check);
  expect_orthonormal(check, "Q' Q", columns_of_q, {}, kRows, kColumns, 1e-10);
  expect_orthonormal(check, "P P'", adjoint_p, {}, kColumns, kColumns, 1e-10);
  expect_same(check, "Q B P'",
              product(product(columns_of_q, b, kRows, kColumns, kColumns), adjoint_p, kRows,
                      kColumns, kColumns),
              a, 1e-10);
  reduce.memory->get(check);
  form_q.memory->get(check);
}

// Q T Q' is A, with T of the diagonal d and, beside it, e; and Q' A by ormtr is T Q'.
void tridiagonal(Check& check, const Solver& solver) {
  const std::vector<double> a = positive<double>(kSize, 3);
  DeviceArray<double> on_a(a), q(kSize * kSize), c(a), d(kSize), e(kSize), tau(kSize);
  DeviceArray<int> info(1);
  Work<double> reduce, form, apply;
  NEED(check, cusolverDnDsytrd_bufferSize(solver.handle, kLower, kSize, on_a.data(), kSize,
                                          d.data(), e.data(), tau.data(), reduce.size.get()));
  NEED(check, cusolverDnDorgtr_bufferSize(solver.handle, kLower, kSize, on_a.data(), kSize,
                                          tau.data(), form.size.get()));
  NEED(check, cusolverDnDormtr_bufferSize(solver.handle, CUBLAS_SIDE_LEFT, kLower, CUBLAS_OP_T,
                                          kSize, kSize, on_a.data(), kSize, tau.data(), c.data(),
                                          kSize, apply.size.get()));
  NEED(check, cusolverDnDsytrd(solver.handle, kLower, kSize, on_a.data(), kSize, d.data(), e.data(),
                               tau.data(), reduce.take(check), *reduce.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  q.put(on_a.get(check));
  NEED(check, cusolverDnDormtr(solver.handle, CUBLAS_SIDE_LEFT, kLower, CUBLAS_OP_T, kSize, kSize,
                               on_a.data(), kSize, tau.data(), c.data(), kSize, apply.take(check),
                               *apply.size, info.data()));
  NEED(check, cusolverDnDorgtr(solver.handle, kLower, kSize, q.data(), kSize, tau.data(),
                               form.take(check), *form.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  const std::vector<double> diagonal = d.get(check), beside = e.get(check), own = q.get(check);
  std::vector<double> t(kSize * kSize);
  for (int i = 0; i < kSize; ++i) {
    t[i + i * kSize] = diagonal[i];
    if (i > 0) t[i + (i - 1) * kSize] = t[i - 1 + i * kSize] = beside[i - 1];
  }
  expect_orthonormal(check, "Q' Q", own, {}, kSize, kSize, 1e-10);
  const std::vector<double> applied =
      product(t, transposed(own, kSize, kSize), kSize, kSize, kSize);
  check.near("Q' A", c.get(check), applied, 1e-10);
  check.near("Q T Q'", product(own, applied, kSize, kSize, kSize), a, 1e-10);
  for (const auto* work : {&reduce, &form, &apply}) work->memory->get(check);
}

// 64-bit: R' R is A' A; from CUDA 12.4 on, (I - V T V') R is A: the reflectors of QR as one block.
void qr_x(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  const auto a = random_values<double>(kRows * kColumns, 4);
  DeviceArray<double> on_a(a), tau(kColumns);
  DeviceArray<int> info(1);
  WorkX factor;
  NEED(check, cusolverDnXgeqrf_bufferSize(solver.handle, parameters.value, kRows, kColumns,
                                          CUDA_R_64F, on_a.data(), kRows, CUDA_R_64F, tau.data(),
                                          CUDA_R_64F, factor.device.get(), factor.host.get()));
  factor.take(check);
  NEED(check,
       cusolverDnXgeqrf(solver.handle, parameters.value, kRows, kColumns, CUDA_R_64F, on_a.data(),
                        kRows, CUDA_R_64F, tau.data(), CUDA_R_64F, factor.on_device->data(),
                        *factor.device, factor.on_host.data(), *factor.host, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  std::vector<double> v = on_a.get(check), r(kRows * kColumns);
  const auto upper = triangle(v, kRows, kColumns, kUpper);
  check.near("R' R",
             product(transposed(upper, kColumns, kColumns), upper, kColumns, kColumns, kColumns),
             product(transposed(a, kRows, kColumns), a, kColumns, kColumns, kRows), 1e-10);
#if CUDART_VERSION >= 12040
  for (int j = 0; j < kColumns; ++j) {
    for (int i = 0; i <= j; ++i) {
      r[i + j * kRows] = v[i + j * kRows];
      v[i + j * kRows] = i == j ? 1 : 0;
    }
  }
  DeviceArray<double> on_v(v), on_t(kColumns * kColumns);
  WorkX block;
  NEED(check, cusolverDnXlarft_bufferSize(solver.handle, parameters.value, CUBLAS_DIRECT_FORWARD,
                                          CUBLAS_STOREV_COLUMNWISE, kRows, kColumns, CUDA_R_64F,
                                          on_v.data(), kRows, CUDA_R_64F, tau.data(), CUDA_R_64F,
                                          on_t.data(), kColumns, CUDA_R_64F, block.device.get(),
                                          block.host.get()));
  block.take(check);
  NEED(check,
       cusolverDnXlarft(solver.handle, parameters.value, CUBLAS_DIRECT_FORWARD,
                        CUBLAS_STOREV_COLUMNWISE, kRows, kColumns, CUDA_R_64F, on_v.data(), kRows,
                        CUDA_R_64F, tau.data(), CUDA_R_64F, on_t.data(), kColumns, CUDA_R_64F,
                        block.on_device->data(), *block.device, block.on_host.data(), *block.host));
  NEED(check, cudaStreamSynchronize(solver.stream));
  const auto t = triangle(on_t.get(check), kColumns, kColumns, kUpper);
  const auto change = product(product(v, t, kRows, kColumns, kColumns),
                              product(transposed(v, kRows, kColumns), r, kColumns, kColumns, kRows),
                              kRows, kColumns, kColumns);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= change[i];
  check.near("Q R", r, a, 1e-10);
  block.on_device->get(check);
#endif
}

}  // namespace

void run() {
  run_topics_with<Solver>(
      "cusolver_orthogonal",
      {{"qr", qr}, {"bidiagonal", bidiagonal}, {"tridiagonal", tridiagonal}, {"qr_x", qr_x}});
}

}  // namespace maths
