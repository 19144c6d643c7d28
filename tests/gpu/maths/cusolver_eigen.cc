// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's eigenvalues: parts of them, of two matrices, by Jacobi's method, of several matrices
// with one call, and of a matrix without symmetry.
#include "cusolver_dense.h"

namespace maths {
namespace {

constexpr int kSize = 24, kFound = 7, kBatch = 3;

// A V = B V W and V' B V = I, where B is the identity if it is empty; W ascends.
template <typename T, typename Real>
void expect_pairs(Check& check, const std::vector<T>& a, const std::vector<T>& b,
                  const std::vector<T>& v, const std::vector<Real>& w, int found,
                  double tolerance) {
  expect_orthonormal(check, "V' B V", v, b, kSize, found, tolerance);
  EXPECT(check, std::is_sorted(w.begin(), w.end()));
  const std::vector<T> right = b.empty() ? v : product(b, v, kSize, found, kSize);
  expect_same(check, "A V", product(a, v, kSize, found, kSize), columns_times(right, w, kSize),
              tolerance * 10);
}

// The smallest eigenvalues with their vectors.
void part(Check& check, const Solver& solver) {
  const auto a = positive<float>(kSize, 1);
  DeviceArray<float> v(a), w(kSize);
  DeviceArray<int> info(1);
  Guarded<int> found;
  Work<float> work;
  NEED(check, cusolverDnSsyevdx_bufferSize(solver.handle, kVectors, CUSOLVER_EIG_RANGE_I, kLower,
                                           kSize, v.data(), kSize, 0, 0, 1, kFound, found.get(),
                                           w.data(), work.size.get()));
  NEED(check, cusolverDnSsyevdx(solver.handle, kVectors, CUSOLVER_EIG_RANGE_I, kLower, kSize,
                                v.data(), kSize, 0, 0, 1, kFound, found.get(), w.data(),
                                work.take(check), *work.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  INTACT(check, found);
  check.equal("found", *found, kFound);
  const auto exact = converted<double>(a);
  const auto values = first_columns(converted<double>(w.get(check)), 1, kFound);
  check.near("w", values, first_columns(eigenvalues_of(exact, kSize), 1, kFound), 1e-4);
  expect_pairs(check, exact, {}, first_columns(converted<double>(v.get(check)), kSize, kFound),
               values, kFound, 1e-4);
  work.memory->get(check);
}

// The same with 64-bit sizes and complex numbers, between two limits.
void part_x(Check& check, const Solver& solver) {
  const Parameters parameters(check);
  if (!check) return;
  const auto a = positive<Complex>(kSize, 2);
  const std::vector<double> all = eigenvalues_of(a, kSize);
  DeviceArray<Complex> v(a);
  DeviceArray<double> w(kSize);
  DeviceArray<int> info(1);
  Guarded<double> low((all[3] + all[4]) / 2), high((all[3 + kFound] + all[4 + kFound]) / 2);
  Guarded<std::int64_t> found;
  WorkX work;
  NEED(check, cusolverDnXsyevdx_bufferSize(
                  solver.handle, parameters.value, kVectors, CUSOLVER_EIG_RANGE_V, kLower, kSize,
                  CUDA_C_64F, v.data(), kSize, low.get(), high.get(), 0, 0, found.get(), CUDA_R_64F,
                  w.data(), CUDA_C_64F, work.device.get(), work.host.get()));
  work.take(check);
  NEED(check,
       cusolverDnXsyevdx(solver.handle, parameters.value, kVectors, CUSOLVER_EIG_RANGE_V, kLower,
                         kSize, CUDA_C_64F, v.data(), kSize, low.get(), high.get(), 0, 0,
                         found.get(), CUDA_R_64F, w.data(), CUDA_C_64F, work.on_device->data(),
                         *work.device, work.on_host.data(), *work.host, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  INTACT(check, found);
  INTACT(check, low);
  INTACT(check, high);
  check.equal("found", static_cast<double>(*found), kFound);
  const auto values = first_columns(w.get(check), 1, kFound);
  check.near("w", values, std::vector<double>(all.begin() + 4, all.begin() + 4 + kFound), 1e-9);
  expect_pairs(check, a, {}, first_columns(v.get(check), kSize, kFound), values, kFound, 1e-9);
  work.on_device->get(check);
}

// A x = w B x.
void two_matrices(Check& check, const Solver& solver) {
  const auto a = positive<double>(kSize, 3), b = positive<double>(kSize, 4);
  DeviceArray<double> v(a), on_b(b), w(kSize);
  DeviceArray<int> info(1);
  Work<double> work;
  NEED(check,
       cusolverDnDsygvd_bufferSize(solver.handle, CUSOLVER_EIG_TYPE_1, kVectors, kLower, kSize,
                                   v.data(), kSize, on_b.data(), kSize, w.data(), work.size.get()));
  NEED(check, cusolverDnDsygvd(solver.handle, CUSOLVER_EIG_TYPE_1, kVectors, kLower, kSize,
                               v.data(), kSize, on_b.data(), kSize, w.data(), work.take(check),
                               *work.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  expect_pairs(check, a, b, v.get(check), w.get(check), kSize, 1e-9);
  on_b.get(check);
  work.memory->get(check);
}

// The smallest of them.
void two_matrices_part(Check& check, const Solver& solver) {
  const auto a = positive<SingleComplex>(kSize, 5), b = positive<SingleComplex>(kSize, 6);
  DeviceArray<SingleComplex> v(a), on_b(b);
  DeviceArray<float> w(kSize);
  DeviceArray<int> info(1);
  Guarded<int> found;
  Work<cuComplex> work;
  NEED(check, cusolverDnChegvdx_bufferSize(solver.handle, CUSOLVER_EIG_TYPE_1, kVectors,
                                           CUSOLVER_EIG_RANGE_I, kLower, kSize, v.as<cuComplex>(),
                                           kSize, on_b.as<cuComplex>(), kSize, 0, 0, 1, kFound,
                                           found.get(), w.data(), work.size.get()));
  NEED(check,
       cusolverDnChegvdx(solver.handle, CUSOLVER_EIG_TYPE_1, kVectors, CUSOLVER_EIG_RANGE_I, kLower,
                         kSize, v.as<cuComplex>(), kSize, on_b.as<cuComplex>(), kSize, 0, 0, 1,
                         kFound, found.get(), w.data(), work.take(check), *work.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  INTACT(check, found);
  check.equal("found", *found, kFound);
  expect_pairs(check, converted<Complex>(a), converted<Complex>(b),
               first_columns(converted<Complex>(v.get(check)), kSize, kFound),
               first_columns(converted<double>(w.get(check)), 1, kFound), kFound, 1e-4);
  work.memory->get(check);
}

// How Jacobi's method is to work; it sorts what it finds.
struct Jacobi {
  explicit Jacobi(Check& check) {
    Guarded<syevjInfo_t> made;
    if (!CALL(check, cusolverDnCreateSyevjInfo(made.get()))) return;
    INTACT(check, made);
    value = *made;
    CALL(check, cusolverDnXsyevjSetTolerance(value, 1e-12));
    CALL(check, cusolverDnXsyevjSetMaxSweeps(value, kSweeps));
    CALL(check, cusolverDnXsyevjSetSortEig(value, 1));
  }
  ~Jacobi() {
    if (value != nullptr) cusolverDnDestroySyevjInfo(value);
  }
  Jacobi(const Jacobi&) = delete;
  Jacobi& operator=(const Jacobi&) = delete;

  void expect_result(Check& check, const Solver& solver) const {
    Guarded<double> residual;
    Guarded<int> sweeps;
    NEED(check, cusolverDnXsyevjGetResidual(solver.handle, value, residual.get()));
    NEED(check, cusolverDnXsyevjGetSweeps(solver.handle, value, sweeps.get()));
    INTACT(check, residual);
    INTACT(check, sweeps);
    EXPECT(check, *residual >= 0 && *residual < 1e-8);
    EXPECT(check, *sweeps > 0 && *sweeps <= kSweeps);
  }
  static constexpr int kSweeps = 40;
  syevjInfo_t value = nullptr;
};

void jacobi(Check& check, const Solver& solver) {
  const Jacobi how(check);
  if (!check) return;
  const auto a = positive<Complex>(kSize, 7);
  DeviceArray<Complex> v(a);
  auto* const data = v.as<cuDoubleComplex>();
  DeviceArray<double> w(kSize);
  DeviceArray<int> info(1);
  Work<cuDoubleComplex> work;
  NEED(check, cusolverDnZheevj_bufferSize(solver.handle, kVectors, kLower, kSize, data, kSize,
                                          w.data(), work.size.get(), how.value));
  NEED(check, cusolverDnZheevj(solver.handle, kVectors, kLower, kSize, data, kSize, w.data(),
                               work.take(check), *work.size, info.data(), how.value));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  how.expect_result(check, solver);
  check.near("w", w.get(check), eigenvalues_of(a, kSize), 1e-9);
  expect_pairs(check, a, {}, v.get(check), w.get(check), kSize, 1e-9);
  work.memory->get(check);
}

void jacobi_two_matrices(Check& check, const Solver& solver) {
  const Jacobi how(check);
  if (!check) return;
  const auto a = positive<double>(kSize, 8), b = positive<double>(kSize, 9);
  DeviceArray<double> v(a), on_b(b), w(kSize);
  DeviceArray<int> info(1);
  Work<double> work;
  NEED(check, cusolverDnDsygvj_bufferSize(solver.handle, CUSOLVER_EIG_TYPE_1, kVectors, kLower,
                                          kSize, v.data(), kSize, on_b.data(), kSize, w.data(),
                                          work.size.get(), how.value));
  NEED(check, cusolverDnDsygvj(solver.handle, CUSOLVER_EIG_TYPE_1, kVectors, kLower, kSize,
                               v.data(), kSize, on_b.data(), kSize, w.data(), work.take(check),
                               *work.size, info.data(), how.value));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  expect_pairs(check, a, b, v.get(check), w.get(check), kSize, 1e-9);
  work.memory->get(check);
}

// Several matrices behind one another, and what is expected of each.
struct Several {
  explicit Several(std::uint32_t seed) {
    for (int i = 0; i < kBatch; ++i) {
      a.push_back(positive<float>(kSize, seed + i));
      all.insert(all.end(), a.back().begin(), a.back().end());
    }
  }
  void expect(Check& check, const DeviceArray<float>& v, const DeviceArray<float>& w,
              const DeviceArray<int>& infos) const {
    check.near("infos", flat(infos.get(check)), std::vector<double>(kBatch), 0);
    const auto vectors = converted<double>(v.get(check)), values = converted<double>(w.get(check));
    for (int i = 0; i < kBatch; ++i) {
      const auto at = vectors.begin() + i * kSize * kSize, from = values.begin() + i * kSize;
      const std::vector<double> own_values(from, from + kSize);
      const auto exact = converted<double>(a[i]);
      check.near("w", own_values, eigenvalues_of(exact, kSize), 1e-4);
      expect_pairs(check, exact, {}, std::vector<double>(at, at + kSize * kSize), own_values, kSize,
                   1e-4);
    }
  }
  std::vector<std::vector<float>> a;
  std::vector<float> all;
};

void jacobi_batched(Check& check, const Solver& solver) {
  const Jacobi how(check);
  if (!check) return;
  const Several of(10);
  DeviceArray<float> v(of.all), w(kSize * kBatch);
  DeviceArray<int> infos(kBatch);
  Work<float> work;
  NEED(check,
       cusolverDnSsyevjBatched_bufferSize(solver.handle, kVectors, kLower, kSize, v.data(), kSize,
                                          w.data(), work.size.get(), how.value, kBatch));
  NEED(check,
       cusolverDnSsyevjBatched(solver.handle, kVectors, kLower, kSize, v.data(), kSize, w.data(),
                               work.take(check), *work.size, infos.data(), how.value, kBatch));
  NEED(check, cudaStreamSynchronize(solver.stream));
  of.expect(check, v, w, infos);
  work.memory->get(check);
}

// Those of CUDA 12.6 and later.
void batched([[maybe_unused]] Check& check, [[maybe_unused]] const Solver& solver) {
#if CUDART_VERSION >= 12060
  const Parameters parameters(check);
  if (!check) return;
  const Several of(20);
  DeviceArray<float> v(of.all), w(kSize * kBatch);
  DeviceArray<int> infos(kBatch);
  WorkX work;
  NEED(check,
       cusolverDnXsyevBatched_bufferSize(solver.handle, parameters.value, kVectors, kLower, kSize,
                                         CUDA_R_32F, v.data(), kSize, CUDA_R_32F, w.data(),
                                         CUDA_R_32F, work.device.get(), work.host.get(), kBatch));
  work.take(check);
  NEED(check, cusolverDnXsyevBatched(solver.handle, parameters.value, kVectors, kLower, kSize,
                                     CUDA_R_32F, v.data(), kSize, CUDA_R_32F, w.data(), CUDA_R_32F,
                                     work.on_device->data(), *work.device, work.on_host.data(),
                                     *work.host, infos.data(), kBatch));
  NEED(check, cudaStreamSynchronize(solver.stream));
  of.expect(check, v, w, infos);
  work.on_device->get(check);
#endif
}

// A V = V W, of a matrix without symmetry.
void general([[maybe_unused]] Check& check, [[maybe_unused]] const Solver& solver) {
#if CUDART_VERSION >= 12060
  const Parameters parameters(check);
  if (!check) return;
  const auto a = random_values<Complex>(kSize * kSize, 30);
  DeviceArray<Complex> on_a(a), v(kSize * kSize), w(kSize);
  DeviceArray<int> info(1);
  WorkX work;
  NEED(check, cusolverDnXgeev_bufferSize(
                  solver.handle, parameters.value, CUSOLVER_EIG_MODE_NOVECTOR, kVectors, kSize,
                  CUDA_C_64F, on_a.data(), kSize, CUDA_C_64F, w.data(), CUDA_C_64F, nullptr, kSize,
                  CUDA_C_64F, v.data(), kSize, CUDA_C_64F, work.device.get(), work.host.get()));
  work.take(check);
  NEED(check,
       cusolverDnXgeev(solver.handle, parameters.value, CUSOLVER_EIG_MODE_NOVECTOR, kVectors, kSize,
                       CUDA_C_64F, on_a.data(), kSize, CUDA_C_64F, w.data(), CUDA_C_64F, nullptr,
                       kSize, CUDA_C_64F, v.data(), kSize, CUDA_C_64F, work.on_device->data(),
                       *work.device, work.on_host.data(), *work.host, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  const auto vectors = v.get(check), values = w.get(check);
  expect_same(check, "A V", product(a, vectors, kSize, kSize, kSize),
              columns_times(vectors, values, kSize), 1e-9);
  Complex trace{}, sum{};
  std::vector<double> lengths(kSize);
  for (int j = 0; j < kSize; ++j) {
    trace += a[j + j * kSize];
    sum += values[j];
    for (int i = 0; i < kSize; ++i) lengths[j] += std::norm(vectors[i + j * kSize]);
  }
  check.near("trace", {sum.real(), sum.imag()}, {trace.real(), trace.imag()}, 1e-9);
  check.near("lengths", lengths, std::vector<double>(kSize, 1), 1e-9);
  work.on_device->get(check);
#endif
}

// All that works on several matrices, and all that is of any type: what a CUDA has of it.
void several(Check& check, const Solver& solver) {
  jacobi_batched(check, solver);
  batched(check, solver);
}
void any_type(Check& check, const Solver& solver) {
  part_x(check, solver);
  general(check, solver);
}

}  // namespace

void run() {
  run_topics_with<Solver>("cusolver_eigen", {{"part", part},
                                             {"any_type", any_type},
                                             {"two_matrices", two_matrices},
                                             {"two_matrices_part", two_matrices_part},
                                             {"jacobi", jacobi},
                                             {"jacobi_two_matrices", jacobi_two_matrices},
                                             {"several", several}});
}

}  // namespace maths
