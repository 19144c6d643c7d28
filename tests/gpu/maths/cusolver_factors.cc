// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's factors and inverses: Cholesky's, symmetric indefinite ones, triangles, row exchanges.
#include "cusolver_dense.h"

namespace maths {
namespace {

constexpr int kSize = 24, kSides = 3, kBatch = 3;

// A inv(A) of a Hermitian A, from Cholesky's factor.
void inverse(Check& check, const Solver& solver) {
  const auto a = positive<Complex>(kSize, 1);
  DeviceArray<Complex> on_a(a);
  auto* const data = on_a.as<cuDoubleComplex>();
  DeviceArray<int> info(1);
  Work<cuDoubleComplex> factor, invert;
  NEED(check,
       cusolverDnZpotrf_bufferSize(solver.handle, kLower, kSize, data, kSize, factor.size.get()));
  NEED(check,
       cusolverDnZpotri_bufferSize(solver.handle, kLower, kSize, data, kSize, invert.size.get()));
  NEED(check, cusolverDnZpotrf(solver.handle, kLower, kSize, data, kSize, factor.take(check),
                               *factor.size, info.data()));
  NEED(check, cusolverDnZpotri(solver.handle, kLower, kSize, data, kSize, invert.take(check),
                               *invert.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  expect_same(check, "A inv(A)", product(a, completed(on_a.get(check), kSize), kSize, kSize, kSize),
              identity<Complex>(kSize), 1e-9);
  invert.memory->get(check);
}

// L' L, over the lower triangle L.
void triangle_product(Check& check, const Solver& solver) {
  auto l = triangle(random_values<SingleComplex>(kSize * kSize, 2), kSize, kSize, kLower);
  for (int i = 0; i < kSize; ++i) l[i + i * kSize] = 1.0f + 0.25f * static_cast<float>(i % 3);
  DeviceArray<SingleComplex> on_l(l);
  DeviceArray<int> info(1);
  Work<cuComplex> work;
  NEED(check, cusolverDnClauum_bufferSize(solver.handle, kLower, kSize, on_l.as<cuComplex>(), kSize,
                                          work.size.get()));
  NEED(check, cusolverDnClauum(solver.handle, kLower, kSize, on_l.as<cuComplex>(), kSize,
                               work.take(check), *work.size, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  const auto exact = converted<Complex>(l);
  const auto wanted = product(adjoint(exact, kSize, kSize), exact, kSize, kSize, kSize);
  expect_same(check, "L' L", triangle(converted<Complex>(on_l.get(check)), kSize, kSize, kLower),
              triangle(wanted, kSize, kSize, kLower), 1e-4);
  work.memory->get(check);
}

// Rows 1 to 4 in turn with others, counted from 1.
void exchanges(Check& check, const Solver& solver) {
  constexpr int kRows = 7, kColumns = 5;
  const std::vector<int> with{3, 7, 3, 6};
  auto a = random_values<double>(kRows * kColumns, 3);
  DeviceArray<double> on_a(a);
  DeviceArray<int> pivots(with);
  NEED(check, cusolverDnDlaswp(solver.handle, kColumns, on_a.data(), kRows, 1,
                               static_cast<int>(with.size()), pivots.data(), 1));
  NEED(check, cudaStreamSynchronize(solver.stream));
  for (std::size_t i = 0; i < with.size(); ++i) {
    for (int j = 0; j < kColumns; ++j) std::swap(a[i + j * kRows], a[with[i] - 1 + j * kRows]);
  }
  check.near("rows", on_a.get(check), a, 0);
}

// A symmetric matrix with eigenvalues of both signs.
std::vector<double> indefinite(std::uint32_t seed) {
  std::vector<double> a = random_values<double>(kSize * kSize, seed);
  for (int i = 0; i < kSize; ++i) a[i + i * kSize] += i % 2 == 0 ? 6 : -6;
  return completed(a, kSize);
}

struct Indefinite {
  Indefinite(Check& check, const Solver& solver, std::uint32_t seed)
      : a(indefinite(seed)), factored(a), pivots(kSize), info(1) {
    Work<double> work;
    if (!CALL(check, cusolverDnDsytrf_bufferSize(solver.handle, kSize, factored.data(), kSize,
                                                 work.size.get()))) {
      return;
    }
    double* const memory = work.take(check);
    CALL(check, cusolverDnDsytrf(solver.handle, kLower, kSize, factored.data(), kSize,
                                 pivots.data(), memory, *work.size, info.data()));
    CALL(check, cudaStreamSynchronize(solver.stream));
    expect_no_info(check, info);
    work.memory->get(check);
  }
  std::vector<double> a;
  DeviceArray<double> factored;
  DeviceArray<int> pivots, info;
};

// A inv(A) of an indefinite A. CUDA 13.0's function succeeds and leaves the factor as it was,
// natively too.
void indefinite_inverse(Check& check, const Solver& solver) {
  Indefinite of(check, solver, 4);
  if (!check) return;
  const std::vector<double> factor = of.factored.get(check);
  Work<double> work;
  NEED(check, cusolverDnDsytri_bufferSize(solver.handle, kLower, kSize, of.factored.data(), kSize,
                                          of.pivots.data(), work.size.get()));
  double* const memory = work.take(check);
  NEED(check, cusolverDnDsytri(solver.handle, kLower, kSize, of.factored.data(), kSize,
                               of.pivots.data(), memory, *work.size, of.info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, of.info);
  work.memory->get(check);
  const std::vector<double> result = of.factored.get(check);
  check.value("unchanged", result == factor);
  if (result == factor) return;
  check.near("A inv(A)", product(of.a, completed(result, kSize), kSize, kSize, kSize),
             identity<double>(kSize), 1e-9);
}

// The solution of an indefinite system; Xsytrs takes the exchanges as 64-bit numbers.
void indefinite_solution(Check& check, const Solver& solver) {
  Indefinite of(check, solver, 5);
  if (!check) return;
  const auto x = random_values<double>(kSize * kSides, 6);
  DeviceArray<double> on_b(product(of.a, x, kSize, kSides, kSize));
  DeviceArray<std::int64_t> pivots(converted<std::int64_t>(of.pivots.get(check)));
  WorkX work;
  NEED(check, cusolverDnXsytrs_bufferSize(solver.handle, kLower, kSize, kSides, CUDA_R_64F,
                                          of.factored.data(), kSize, pivots.data(), CUDA_R_64F,
                                          on_b.data(), kSize, work.device.get(), work.host.get()));
  work.take(check);
  NEED(check,
       cusolverDnXsytrs(solver.handle, kLower, kSize, kSides, CUDA_R_64F, of.factored.data(), kSize,
                        pivots.data(), CUDA_R_64F, on_b.data(), kSize, work.on_device->data(),
                        *work.device, work.on_host.data(), *work.host, of.info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, of.info);
  check.near("x", on_b.get(check), x, 1e-9);
  work.on_device->get(check);
}

// U inv(U) of an upper triangle.
void triangle_inverse(Check& check, const Solver& solver) {
  auto u = triangle(random_values<SingleComplex>(kSize * kSize, 7), kSize, kSize, kUpper);
  for (int i = 0; i < kSize; ++i) u[i + i * kSize] += SingleComplex(8);
  DeviceArray<SingleComplex> on_u(u);
  DeviceArray<int> info(1);
  WorkX work;
  NEED(check,
       cusolverDnXtrtri_bufferSize(solver.handle, kUpper, CUBLAS_DIAG_NON_UNIT, kSize, CUDA_C_32F,
                                   on_u.data(), kSize, work.device.get(), work.host.get()));
  work.take(check);
  NEED(check, cusolverDnXtrtri(solver.handle, kUpper, CUBLAS_DIAG_NON_UNIT, kSize, CUDA_C_32F,
                               on_u.data(), kSize, work.on_device->data(), *work.device,
                               work.on_host.data(), *work.host, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  expect_same(
      check, "U inv(U)",
      product(converted<Complex>(u), converted<Complex>(on_u.get(check)), kSize, kSize, kSize),
      identity<Complex>(kSize), 1e-4);
  work.on_device->get(check);
}

// Several Cholesky factors and solutions with one call each.
void batched(Check& check, const Solver& solver) {
  std::vector<std::vector<SingleComplex>> x;
  std::vector<std::unique_ptr<DeviceArray<SingleComplex>>> a, b;
  std::vector<cuComplex*> to_a, to_b;
  for (int i = 0; i < kBatch; ++i) {
    const auto matrix = positive<SingleComplex>(kSize, 10 + i);
    x.push_back(random_values<SingleComplex>(kSize, 20 + i));
    a.emplace_back(new DeviceArray<SingleComplex>(matrix));
    b.emplace_back(new DeviceArray<SingleComplex>(product(matrix, x.back(), kSize, 1, kSize)));
    to_a.push_back(a.back()->as<cuComplex>());
    to_b.push_back(b.back()->as<cuComplex>());
  }
  DeviceArray<cuComplex*> list_a(to_a), list_b(to_b);
  DeviceArray<int> infos(kBatch), info(1);
  NEED(check, cusolverDnCpotrfBatched(solver.handle, kLower, kSize, list_a.data(), kSize,
                                      infos.data(), kBatch));
  NEED(check, cusolverDnCpotrsBatched(solver.handle, kLower, kSize, 1, list_a.data(), kSize,
                                      list_b.data(), kSize, info.data(), kBatch));
  NEED(check, cudaStreamSynchronize(solver.stream));
  check.near("infos", flat(infos.get(check)), std::vector<double>(kBatch), 0);
  expect_no_info(check, info);
  for (int i = 0; i < kBatch; ++i) {
    expect_same(check, "x", b[i]->get(check), x[i], 1e-3);
    a[i]->get(check);
  }
}

}  // namespace

void run() {
  run_topics_with<Solver>("cusolver_factors", {{"inverse", inverse},
                                               {"triangle_product", triangle_product},
                                               {"exchanges", exchanges},
                                               {"indefinite_inverse", indefinite_inverse},
                                               {"indefinite_solution", indefinite_solution},
                                               {"triangle_inverse", triangle_inverse},
                                               {"batched", batched}});
}

}  // namespace maths
