// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's singular values by other ways than QR: Jacobi's, a polar one, an approximate one, a
// random one; and those of several matrices with one call.
#include <array>

#include "cusolver_dense.h"

namespace maths {
namespace {

constexpr int kRows = 20, kColumns = 12, kBatch = 3;

// How Jacobi's method is to work; it sorts what it finds.
struct Jacobi {
  explicit Jacobi(Check& check) {
    Guarded<gesvdjInfo_t> made;
    if (!CALL(check, cusolverDnCreateGesvdjInfo(made.get()))) return;
    INTACT(check, made);
    value = *made;
    CALL(check, cusolverDnXgesvdjSetTolerance(value, 1e-12));
    CALL(check, cusolverDnXgesvdjSetMaxSweeps(value, kSweeps));
    CALL(check, cusolverDnXgesvdjSetSortEig(value, 1));
  }
  ~Jacobi() {
    if (value != nullptr) cusolverDnDestroyGesvdjInfo(value);
  }
  Jacobi(const Jacobi&) = delete;
  Jacobi& operator=(const Jacobi&) = delete;
  static constexpr int kSweeps = 40;
  gesvdjInfo_t value = nullptr;
};

void jacobi(Check& check, const Solver& solver) {
  const Jacobi how(check);
  if (!check) return;
  const auto a = random_values<Complex>(kRows * kColumns, 1);
  DeviceArray<Complex> on_a(a), u(kRows * kColumns), v(kColumns * kColumns);
  auto* const data = on_a.as<cuDoubleComplex>();
  auto* const to_u = u.as<cuDoubleComplex>();
  auto* const to_v = v.as<cuDoubleComplex>();
  DeviceArray<double> s(kColumns);
  DeviceArray<int> info(1);
  Work<cuDoubleComplex> work;
  NEED(check, cusolverDnZgesvdj_bufferSize(solver.handle, kVectors, 1, kRows, kColumns, data, kRows,
                                           s.data(), to_u, kRows, to_v, kColumns, work.size.get(),
                                           how.value));
  NEED(check, cusolverDnZgesvdj(solver.handle, kVectors, 1, kRows, kColumns, data, kRows, s.data(),
                                to_u, kRows, to_v, kColumns, work.take(check), *work.size,
                                info.data(), how.value));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  Guarded<double> residual;
  Guarded<int> sweeps;
  NEED(check, cusolverDnXgesvdjGetResidual(solver.handle, how.value, residual.get()));
  NEED(check, cusolverDnXgesvdjGetSweeps(solver.handle, how.value, sweeps.get()));
  INTACT(check, residual);
  INTACT(check, sweeps);
  EXPECT(check, *residual >= 0 && *residual < 1e-8);
  EXPECT(check, *sweeps > 0 && *sweeps <= Jacobi::kSweeps);
  expect_singular(check, a, u.get(check), s.get(check), v.get(check), kRows, kColumns, kColumns,
                  1e-9);
  work.memory->get(check);
}

// Several matrices behind one another, and what is expected of each: U of `columns_of_u` columns.
template <typename T>
struct Several {
  explicit Several(std::uint32_t seed) : all(random_values<T>(kRows * kColumns * kBatch, seed)) {}
  void expect(Check& check, const DeviceArray<T>& u, int columns_of_u, const DeviceArray<T>& s,
              const DeviceArray<T>& v, const DeviceArray<int>& infos, double tolerance) const {
    check.near("infos", flat(infos.get(check)), std::vector<double>(kBatch), 0);
    const auto left = flat(u.get(check)), values = flat(s.get(check)), right = flat(v.get(check));
    const auto from = [](const std::vector<double>& numbers, int at, int count) {
      return std::vector<double>(numbers.begin() + at, numbers.begin() + at + count);
    };
    for (int i = 0; i < kBatch; ++i) {
      expect_singular(check, from(flat(all), i * kRows * kColumns, kRows * kColumns),
                      from(left, i * kRows * columns_of_u, kRows * kColumns),
                      from(values, i * kColumns, kColumns),
                      from(right, i * kColumns * kColumns, kColumns * kColumns), kRows, kColumns,
                      kColumns, tolerance);
    }
  }
  std::vector<T> all;
};

void jacobi_batched(Check& check, const Solver& solver) {
  const Jacobi how(check);
  if (!check) return;
  const Several<float> of(2);
  DeviceArray<float> on_a(of.all), u(kRows * kRows * kBatch), v(kColumns * kColumns * kBatch),
      s(kColumns * kBatch);
  DeviceArray<int> infos(kBatch);
  Work<float> work;
  NEED(check, cusolverDnSgesvdjBatched_bufferSize(
                  solver.handle, kVectors, kRows, kColumns, on_a.data(), kRows, s.data(), u.data(),
                  kRows, v.data(), kColumns, work.size.get(), how.value, kBatch));
  NEED(check,
       cusolverDnSgesvdjBatched(solver.handle, kVectors, kRows, kColumns, on_a.data(), kRows,
                                s.data(), u.data(), kRows, v.data(), kColumns, work.take(check),
                                *work.size, infos.data(), how.value, kBatch));
  NEED(check, cudaStreamSynchronize(solver.stream));
  of.expect(check, u, kRows, s, v, infos, 1e-4);
  work.memory->get(check);
}

// The approximate way, which reports on the host how far A is from U S V'.
void approximate(Check& check, const Solver& solver) {
  const Several<double> of(3);
  DeviceArray<double> on_a(of.all), u(kRows * kColumns * kBatch), v(kColumns * kColumns * kBatch),
      s(kColumns * kBatch);
  DeviceArray<int> infos(kBatch);
  Guarded<std::array<double, kBatch>> errors;
  Work<double> work;
  constexpr long long kOfA = kRows * kColumns, kOfV = kColumns * kColumns;
  NEED(check,
       cusolverDnDgesvdaStridedBatched_bufferSize(
           solver.handle, kVectors, kColumns, kRows, kColumns, on_a.data(), kRows, kOfA, s.data(),
           kColumns, u.data(), kRows, kOfA, v.data(), kColumns, kOfV, work.size.get(), kBatch));
  double* const memory = work.take(check);
  NEED(check, cusolverDnDgesvdaStridedBatched(
                  solver.handle, kVectors, kColumns, kRows, kColumns, on_a.data(), kRows, kOfA,
                  s.data(), kColumns, u.data(), kRows, kOfA, v.data(), kColumns, kOfV, memory,
                  *work.size, infos.data(), errors->data(), kBatch));
  NEED(check, cudaStreamSynchronize(solver.stream));
  INTACT(check, errors);
  check.near("errors", {(*errors)[0], (*errors)[1], (*errors)[2]}, {0, 0, 0}, 1e-6);
  of.expect(check, u, kColumns, s, v, infos, 1e-6);
  work.memory->get(check);
}

void polar(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  const auto a = random_values<double>(kRows * kColumns, 4);
  DeviceArray<double> on_a(a), u(kRows * kColumns), v(kColumns * kColumns), s(kColumns);
  DeviceArray<int> info(1);
  Guarded<double> error;
  WorkX work;
  NEED(check, cusolverDnXgesvdp_bufferSize(
                  solver.handle, parameters.value, kVectors, 1, kRows, kColumns, CUDA_R_64F,
                  on_a.data(), kRows, CUDA_R_64F, s.data(), CUDA_R_64F, u.data(), kRows, CUDA_R_64F,
                  v.data(), kColumns, CUDA_R_64F, work.device.get(), work.host.get()));
  work.take(check);
  NEED(check,
       cusolverDnXgesvdp(solver.handle, parameters.value, kVectors, 1, kRows, kColumns, CUDA_R_64F,
                         on_a.data(), kRows, CUDA_R_64F, s.data(), CUDA_R_64F, u.data(), kRows,
                         CUDA_R_64F, v.data(), kColumns, CUDA_R_64F, work.on_device->data(),
                         *work.device, work.on_host.data(), *work.host, info.data(), error.get()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  INTACT(check, error);
  EXPECT(check, *error >= 0 && *error < 1e-8);
  expect_singular(check, a, u.get(check), s.get(check), v.get(check), kRows, kColumns, kColumns,
                  1e-9);
  work.on_device->get(check);
}

// A matrix of rank 4: its first four singular values are all.
void random_rank(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  constexpr int kRank = 4, kMore = 4, kRounds = 2;
  const auto a = product(random_values<double>(kRows * kRank, 5),
                         random_values<double>(kRank * kColumns, 6), kRows, kColumns, kRank);
  DeviceArray<double> on_a(a), u(kRows * kRows), v(kColumns * kColumns), s(kColumns);
  DeviceArray<int> info(1);
  WorkX work;
  NEED(check, cusolverDnXgesvdr_bufferSize(
                  solver.handle, parameters.value, 'S', 'S', kRows, kColumns, kRank, kMore, kRounds,
                  CUDA_R_64F, on_a.data(), kRows, CUDA_R_64F, s.data(), CUDA_R_64F, u.data(), kRows,
                  CUDA_R_64F, v.data(), kColumns, CUDA_R_64F, work.device.get(), work.host.get()));
  work.take(check);
  NEED(check, cusolverDnXgesvdr(solver.handle, parameters.value, 'S', 'S', kRows, kColumns, kRank,
                                kMore, kRounds, CUDA_R_64F, on_a.data(), kRows, CUDA_R_64F,
                                s.data(), CUDA_R_64F, u.data(), kRows, CUDA_R_64F, v.data(),
                                kColumns, CUDA_R_64F, work.on_device->data(), *work.device,
                                work.on_host.data(), *work.host, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  expect_singular(check, a, first_columns(u.get(check), kRows, kRank),
                  first_columns(s.get(check), 1, kRank),
                  first_columns(v.get(check), kColumns, kRank), kRows, kColumns, kRank, 1e-8);
  work.on_device->get(check);
}

}  // namespace

void run() {
  run_topics_with<Solver>("cusolver_singular", {{"jacobi", jacobi},
                                                {"jacobi_batched", jacobi_batched},
                                                {"approximate", approximate},
                                                {"polar", polar},
                                                {"random_rank", random_rank}});
}

}  // namespace maths
