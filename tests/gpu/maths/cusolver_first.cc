// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's functions of any type with 64-bit sizes under their first names, which CUDA 13 dropped
// for cusolverDnX*: there the stub makes them from those.
#include <algorithm>
#include <memory>

#include "cusolver_support.h"

namespace maths {
namespace {

// Large enough that the library's blocked algorithms run.
constexpr int kSize = 160, kSides = 3;

// The one size that a function asks for, and memory of that size between guard bytes.
struct Work {
  Guarded<std::size_t> bytes;
  void take(Check& check) {
    INTACT(check, bytes);
    memory.reset(new DeviceArray<char>(*bytes));
  }
  void* data() const { return memory->data(); }
  std::unique_ptr<DeviceArray<char>> memory;
};

void cholesky(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  const std::vector<double> a = positive_matrix(kSize, 1);
  const auto x = random_values<double>(kSize * kSides, 2);
  DeviceArray<double> on_a(a), on_b(product(a, x, kSize, kSides, kSize));
  DeviceArray<int> info(1);
  Work work;
  NEED(check,
       cusolverDnPotrf_bufferSize(solver.handle, parameters.value, CUBLAS_FILL_MODE_LOWER, kSize,
                                  CUDA_R_64F, on_a.data(), kSize, CUDA_R_64F, work.bytes.get()));
  work.take(check);
  NEED(check,
       cusolverDnPotrf(solver.handle, parameters.value, CUBLAS_FILL_MODE_LOWER, kSize, CUDA_R_64F,
                       on_a.data(), kSize, CUDA_R_64F, work.data(), *work.bytes, info.data()));
  NEED(check, cusolverDnPotrs(solver.handle, parameters.value, CUBLAS_FILL_MODE_LOWER, kSize,
                              kSides, CUDA_R_64F, on_a.data(), kSize, CUDA_R_64F, on_b.data(),
                              kSize, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  check.near("x", on_b.get(check), x, 1e-9);
  work.memory->get(check);
}

void lu(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  const std::vector<double> a = positive_matrix(kSize, 3);
  const auto x = random_values<double>(kSize * kSides, 4);
  DeviceArray<double> on_a(a), on_b(product(a, x, kSize, kSides, kSize));
  DeviceArray<std::int64_t> pivots(kSize);
  DeviceArray<int> info(1);
  Work work;
  NEED(check, cusolverDnGetrf_bufferSize(solver.handle, parameters.value, kSize, kSize, CUDA_R_64F,
                                         on_a.data(), kSize, CUDA_R_64F, work.bytes.get()));
  work.take(check);
  NEED(check,
       cusolverDnGetrf(solver.handle, parameters.value, kSize, kSize, CUDA_R_64F, on_a.data(),
                       kSize, pivots.data(), CUDA_R_64F, work.data(), *work.bytes, info.data()));
  NEED(check, cusolverDnGetrs(solver.handle, parameters.value, CUBLAS_OP_N, kSize, kSides,
                              CUDA_R_64F, on_a.data(), kSize, pivots.data(), CUDA_R_64F,
                              on_b.data(), kSize, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  check.near("x", on_b.get(check), x, 1e-9);
  pivots.get(check);
  work.memory->get(check);
}

// R' R is A' A, whatever signs the library gives the rows of R.
void qr(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  constexpr int kRows = kSize + 20;
  const auto a = random_values<double>(kRows * kSize, 5);
  DeviceArray<double> on_a(a), tau(kSize);
  DeviceArray<int> info(1);
  Work work;
  NEED(check, cusolverDnGeqrf_bufferSize(solver.handle, parameters.value, kRows, kSize, CUDA_R_64F,
                                         on_a.data(), kRows, CUDA_R_64F, tau.data(), CUDA_R_64F,
                                         work.bytes.get()));
  work.take(check);
  NEED(check, cusolverDnGeqrf(solver.handle, parameters.value, kRows, kSize, CUDA_R_64F,
                              on_a.data(), kRows, CUDA_R_64F, tau.data(), CUDA_R_64F, work.data(),
                              *work.bytes, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  const std::vector<double> factored = on_a.get(check);
  std::vector<double> r(kSize * kSize);
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i <= j; ++i) r[i + j * kSize] = factored[i + j * kRows];
  }
  check.near("R' R", product(transposed(r, kSize, kSize), r, kSize, kSize, kSize),
             product(transposed(a, kRows, kSize), a, kSize, kSize, kRows), 1e-9);
  tau.get(check);
  work.memory->get(check);
}

// Several calls behind each other, with nothing between them that waits for the GPU.
void eigen(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  constexpr int kCalls = 4;
  std::vector<std::vector<double>> a;
  std::vector<std::unique_ptr<DeviceArray<double>>> v, w;
  for (int i = 0; i < kCalls; ++i) {
    a.push_back(positive_matrix(kSize, 6 + i));
    v.emplace_back(new DeviceArray<double>(a.back()));
    w.emplace_back(new DeviceArray<double>(kSize));
  }
  DeviceArray<int> info(1);
  Work work;
  NEED(check,
       cusolverDnSyevd_bufferSize(solver.handle, parameters.value, CUSOLVER_EIG_MODE_VECTOR,
                                  CUBLAS_FILL_MODE_LOWER, kSize, CUDA_R_64F, v[0]->data(), kSize,
                                  CUDA_R_64F, w[0]->data(), CUDA_R_64F, work.bytes.get()));
  work.take(check);
  for (int i = 0; i < kCalls; ++i) {
    NEED(check,
         cusolverDnSyevd(solver.handle, parameters.value, CUSOLVER_EIG_MODE_VECTOR,
                         CUBLAS_FILL_MODE_LOWER, kSize, CUDA_R_64F, v[i]->data(), kSize, CUDA_R_64F,
                         w[i]->data(), CUDA_R_64F, work.data(), *work.bytes, info.data()));
  }
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  for (int i = 0; i < kCalls; ++i) {
    expect_eigen(check, a[i], v[i]->get(check), w[i]->get(check), kSize);
  }
  work.memory->get(check);
}

// The smallest eigenvalues, against all of them.
void eigen_range(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  constexpr int kFound = 7;
  const std::vector<double> a = positive_matrix(kSize, 20);
  DeviceArray<double> on_a(a), v(a), w(kSize), all(kSize);
  DeviceArray<int> info(1);
  double low = 0, high = 0;
  Guarded<std::int64_t> found;
  Work work;
  NEED(check, cusolverDnSyevdx_bufferSize(
                  solver.handle, parameters.value, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I,
                  CUBLAS_FILL_MODE_LOWER, kSize, CUDA_R_64F, v.data(), kSize, &low, &high, 1,
                  kFound, found.get(), CUDA_R_64F, w.data(), CUDA_R_64F, work.bytes.get()));
  work.take(check);
  NEED(check, cusolverDnSyevdx(solver.handle, parameters.value, CUSOLVER_EIG_MODE_VECTOR,
                               CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, kSize, CUDA_R_64F,
                               v.data(), kSize, &low, &high, 1, kFound, found.get(), CUDA_R_64F,
                               w.data(), CUDA_R_64F, work.data(), *work.bytes, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  INTACT(check, found);
  check.equal("found", static_cast<double>(*found), kFound);
  work.memory->get(check);
  std::vector<double> vectors = v.get(check), values = w.get(check);
  vectors.resize(kSize * kFound);
  values.resize(kFound);
  std::vector<double> scaled = vectors;
  for (int j = 0; j < kFound; ++j) {
    for (int i = 0; i < kSize; ++i) scaled[i + j * kSize] *= values[j];
  }
  check.near("A V", product(a, vectors, kSize, kFound, kSize), scaled, 1e-8);

  int size = 0;
  NEED(check, cusolverDnDsyevd_bufferSize(solver.handle, CUSOLVER_EIG_MODE_NOVECTOR,
                                          CUBLAS_FILL_MODE_LOWER, kSize, on_a.data(), kSize,
                                          all.data(), &size));
  DeviceArray<double> more(size);
  NEED(check,
       cusolverDnDsyevd(solver.handle, CUSOLVER_EIG_MODE_NOVECTOR, CUBLAS_FILL_MODE_LOWER, kSize,
                        on_a.data(), kSize, all.data(), more.data(), size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  std::vector<double> smallest = all.get(check);
  smallest.resize(kFound);
  check.near("w", values, smallest, 1e-9);
}

void singular(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  constexpr int kRows = kSize, kColumns = kSize - 40;
  const auto a = random_values<double>(kRows * kColumns, 21);
  DeviceArray<double> on_a(a), s(kColumns), u(kRows * kRows), vt(kColumns * kColumns);
  DeviceArray<int> info(1);
  Work work;
  NEED(check, cusolverDnGesvd_bufferSize(solver.handle, parameters.value, 'A', 'A', kRows, kColumns,
                                         CUDA_R_64F, on_a.data(), kRows, CUDA_R_64F, s.data(),
                                         CUDA_R_64F, u.data(), kRows, CUDA_R_64F, vt.data(),
                                         kColumns, CUDA_R_64F, work.bytes.get()));
  work.take(check);
  NEED(check, cusolverDnGesvd(solver.handle, parameters.value, 'A', 'A', kRows, kColumns,
                              CUDA_R_64F, on_a.data(), kRows, CUDA_R_64F, s.data(), CUDA_R_64F,
                              u.data(), kRows, CUDA_R_64F, vt.data(), kColumns, CUDA_R_64F,
                              work.data(), *work.bytes, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  check.near("U S V'", composed(u.get(check), s.get(check), vt.get(check), kRows, kColumns), a,
             1e-9);
  work.memory->get(check);
}

// For the log: how much host memory the newer functions ask for on this machine.
void host_bytes(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  DeviceArray<double> a(kSize * kSize), w(kSize);
  DeviceArray<double> u(kSize * kSize), vt(kSize * kSize);
  std::size_t device = 0, host = 0;
  NEED(check, cusolverDnXgetrf_bufferSize(solver.handle, parameters.value, kSize, kSize, CUDA_R_64F,
                                          a.data(), kSize, CUDA_R_64F, &device, &host));
  check.value("getrf", static_cast<double>(host));
  NEED(check,
       cusolverDnXpotrf_bufferSize(solver.handle, parameters.value, CUBLAS_FILL_MODE_LOWER, kSize,
                                   CUDA_R_64F, a.data(), kSize, CUDA_R_64F, &device, &host));
  check.value("potrf", static_cast<double>(host));
  NEED(check, cusolverDnXgeqrf_bufferSize(solver.handle, parameters.value, kSize, kSize, CUDA_R_64F,
                                          a.data(), kSize, CUDA_R_64F, w.data(), CUDA_R_64F,
                                          &device, &host));
  check.value("geqrf", static_cast<double>(host));
  NEED(check, cusolverDnXsyevd_bufferSize(solver.handle, parameters.value, CUSOLVER_EIG_MODE_VECTOR,
                                          CUBLAS_FILL_MODE_LOWER, kSize, CUDA_R_64F, a.data(),
                                          kSize, CUDA_R_64F, w.data(), CUDA_R_64F, &device, &host));
  check.value("syevd", static_cast<double>(host));
  NEED(check, cusolverDnXgesvd_bufferSize(solver.handle, parameters.value, 'A', 'A', kSize, kSize,
                                          CUDA_R_64F, a.data(), kSize, CUDA_R_64F, w.data(),
                                          CUDA_R_64F, u.data(), kSize, CUDA_R_64F, vt.data(), kSize,
                                          CUDA_R_64F, &device, &host));
  check.value("gesvd", static_cast<double>(host));
}

}  // namespace

void run() {
  run_topics_with<Solver>("cusolver_first", {{"cholesky", cholesky},
                                             {"lu", lu},
                                             {"qr", qr},
                                             {"eigen", eigen},
                                             {"eigen_range", eigen_range},
                                             {"singular", singular},
                                             {"host_bytes", host_bytes}});
}

}  // namespace maths
