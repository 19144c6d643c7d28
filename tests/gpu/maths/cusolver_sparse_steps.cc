// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's sparse factorisations step by step: analysis, work memory, factor and solution, on the
// host and on the device; and QR of several matrices with one call.
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include <memory>

#include "cusolver_csr.h"

namespace maths {
namespace {

// An object that describes one factorisation.
template <typename Info>
struct Owner {
  using Destroy = cusolverStatus_t (*)(Info);
  Owner(Check& check, const char* name, cusolverStatus_t (*create)(Info*), Destroy destroy)
      : destroy_(destroy) {
    Guarded<Info> made;
    if (!check.call(name, create(made.get()))) return;
    INTACT(check, made);
    value = *made;
  }
  ~Owner() {
    if (value != nullptr) destroy_(value);
  }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  Info value = nullptr;

 private:
  Destroy destroy_;
};
#define OWNER(type, create, destroy) const Owner<type> of(check, #create, create, destroy)

// What a factorisation holds, and needs to be made.
struct Sizes {
  Guarded<std::size_t> held, work;
  void expect(Check& check) const {
    INTACT(check, held);
    INTACT(check, work);
    EXPECT(check, *work > 0);
  }
};

void expect_no_zero(Check& check, const Guarded<int>& position) {
  INTACT(check, position);
  check.equal("position", *position, -1);
}

void cholesky_on_host(Check& check, const SparseSolver& solver) {
  OWNER(csrcholInfoHost_t, cusolverSpCreateCsrcholInfoHost, cusolverSpDestroyCsrcholInfoHost);
  if (!check) return;
  const auto a = grid<float>(5, -1, -1);
  const auto x = random_values<float>(kPoints, 1);
  const std::vector<float> b = a.times(x);
  std::vector<float> found(kPoints);
  Sizes sizes;
  Guarded<int> zero_at;
  NEED(check, cusolverSpXcsrcholAnalysisHost(solver.handle, kPoints, a.count(), solver.matrix,
                                             a.rows.data(), a.columns.data(), of.value));
  NEED(check, cusolverSpScsrcholBufferInfoHost(solver.handle, kPoints, a.count(), solver.matrix,
                                               a.values.data(), a.rows.data(), a.columns.data(),
                                               of.value, sizes.held.get(), sizes.work.get()));
  sizes.expect(check);
  std::vector<char> work(*sizes.work);
  NEED(check, cusolverSpScsrcholFactorHost(solver.handle, kPoints, a.count(), solver.matrix,
                                           a.values.data(), a.rows.data(), a.columns.data(),
                                           of.value, work.data()));
  NEED(check, cusolverSpScsrcholZeroPivotHost(solver.handle, of.value, 1e-6f, zero_at.get()));
  expect_no_zero(check, zero_at);
  NEED(check, cusolverSpScsrcholSolveHost(solver.handle, kPoints, b.data(), found.data(), of.value,
                                          work.data()));
  check.near("x", flat(found), flat(x), 1e-4);
}

// The squares of the factor's diagonal, multiplied, are the determinant, which elimination on the
// CPU finds.
double logarithm_of_determinant(const Csr<double>& a) {
  std::vector<double> dense(kPoints * kPoints);
  for (int i = 0; i < kPoints; ++i) {
    for (int at = a.rows[i]; at < a.rows[i + 1]; ++at) {
      dense[i + a.columns[at] * kPoints] = a.values[at];
    }
  }
  double sum = 0;
  for (int k = 0; k < kPoints; ++k) {
    sum += std::log(dense[k + k * kPoints]);
    for (int i = k + 1; i < kPoints; ++i) {
      const double factor = dense[i + k * kPoints] / dense[k + k * kPoints];
      for (int j = k; j < kPoints; ++j) dense[i + j * kPoints] -= factor * dense[k + j * kPoints];
    }
  }
  return sum;
}

void cholesky_on_device(Check& check, const SparseSolver& solver) {
  OWNER(csrcholInfo_t, cusolverSpCreateCsrcholInfo, cusolverSpDestroyCsrcholInfo);
  if (!check) return;
  const auto a = grid<double>(5, -1, -1);
  const auto x = random_values<double>(kPoints, 2);
  const CsrOnDevice<double> on(a);
  DeviceArray<double> b(a.times(x)), found(kPoints), diagonal(kPoints);
  Sizes sizes;
  Guarded<int> zero_at;
  NEED(check, cusolverSpXcsrcholAnalysis(solver.handle, kPoints, a.count(), solver.matrix,
                                         on.rows.data(), on.columns.data(), of.value));
  NEED(check, cusolverSpDcsrcholBufferInfo(solver.handle, kPoints, a.count(), solver.matrix,
                                           on.values.data(), on.rows.data(), on.columns.data(),
                                           of.value, sizes.held.get(), sizes.work.get()));
  sizes.expect(check);
  DeviceArray<char> work(*sizes.work);
  NEED(check,
       cusolverSpDcsrcholFactor(solver.handle, kPoints, a.count(), solver.matrix, on.values.data(),
                                on.rows.data(), on.columns.data(), of.value, work.data()));
  NEED(check, cusolverSpDcsrcholZeroPivot(solver.handle, of.value, 1e-12, zero_at.get()));
  expect_no_zero(check, zero_at);
  NEED(check, cusolverSpDcsrcholSolve(solver.handle, kPoints, b.data(), found.data(), of.value,
                                      work.data()));
  NEED(check, cusolverSpDcsrcholDiag(solver.handle, of.value, diagonal.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  check.near("x", found.get(check), x, 1e-10);
  double sum = 0;
  for (const double value : diagonal.get(check)) sum += std::log(value) * 2;
  check.near("diagonal", {sum}, {logarithm_of_determinant(a)}, 1e-9);
  work.get(check);
}

void qr_on_host(Check& check, const SparseSolver& solver) {
  OWNER(csrqrInfoHost_t, cusolverSpCreateCsrqrInfoHost, cusolverSpDestroyCsrqrInfoHost);
  if (!check) return;
  const auto a = grid<double>(5, -1.25, -0.75);
  const auto x = random_values<double>(kPoints, 3);
  std::vector<double> b = a.times(x), found(kPoints);
  Sizes sizes;
  Guarded<int> zero_at;
  NEED(check,
       cusolverSpXcsrqrAnalysisHost(solver.handle, kPoints, kPoints, a.count(), solver.matrix,
                                    a.rows.data(), a.columns.data(), of.value));
  NEED(check, cusolverSpDcsrqrBufferInfoHost(
                  solver.handle, kPoints, kPoints, a.count(), solver.matrix, a.values.data(),
                  a.rows.data(), a.columns.data(), of.value, sizes.held.get(), sizes.work.get()));
  sizes.expect(check);
  std::vector<char> work(*sizes.work);
  NEED(check,
       cusolverSpDcsrqrSetupHost(solver.handle, kPoints, kPoints, a.count(), solver.matrix,
                                 a.values.data(), a.rows.data(), a.columns.data(), 0, of.value));
  NEED(check, cusolverSpDcsrqrFactorHost(solver.handle, kPoints, kPoints, a.count(), nullptr,
                                         nullptr, of.value, work.data()));
  NEED(check, cusolverSpDcsrqrZeroPivotHost(solver.handle, of.value, 1e-12, zero_at.get()));
  expect_no_zero(check, zero_at);
  NEED(check, cusolverSpDcsrqrSolveHost(solver.handle, kPoints, kPoints, b.data(), found.data(),
                                        of.value, work.data()));
  check.near("x", found, x, 1e-10);
}

void qr_on_device(Check& check, const SparseSolver& solver) {
  OWNER(csrqrInfo_t, cusolverSpCreateCsrqrInfo, cusolverSpDestroyCsrqrInfo);
  if (!check) return;
  const auto a = grid<Complex>({5, 1}, {-1, 0.5}, {-0.5, 0.25});
  const auto x = random_values<Complex>(kPoints, 4);
  const CsrOnDevice<Complex> on(a);
  auto* const values = on.values.template as<cuDoubleComplex>();
  DeviceArray<Complex> b(a.times(x)), found(kPoints);
  Sizes sizes;
  Guarded<int> zero_at;
  NEED(check, cusolverSpXcsrqrAnalysis(solver.handle, kPoints, kPoints, a.count(), solver.matrix,
                                       on.rows.data(), on.columns.data(), of.value));
  NEED(check, cusolverSpZcsrqrBufferInfo(solver.handle, kPoints, kPoints, a.count(), solver.matrix,
                                         values, on.rows.data(), on.columns.data(), of.value,
                                         sizes.held.get(), sizes.work.get()));
  sizes.expect(check);
  DeviceArray<char> work(*sizes.work);
  NEED(check, cusolverSpZcsrqrSetup(solver.handle, kPoints, kPoints, a.count(), solver.matrix,
                                    values, on.rows.data(), on.columns.data(),
                                    make_cuDoubleComplex(0, 0), of.value));
  NEED(check, cusolverSpZcsrqrFactor(solver.handle, kPoints, kPoints, a.count(), nullptr, nullptr,
                                     of.value, work.data()));
  NEED(check, cusolverSpZcsrqrZeroPivot(solver.handle, of.value, 1e-12, zero_at.get()));
  expect_no_zero(check, zero_at);
  NEED(check, cusolverSpZcsrqrSolve(solver.handle, kPoints, kPoints, b.as<cuDoubleComplex>(),
                                    found.as<cuDoubleComplex>(), of.value, work.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  check.near("x", flat(found.get(check)), flat(x), 1e-10);
  work.get(check);
}

// Matrices of one pattern with other values.
void qr_batched(Check& check, const SparseSolver& solver) {
  OWNER(csrqrInfo_t, cusolverSpCreateCsrqrInfo, cusolverSpDestroyCsrqrInfo);
  if (!check) return;
  constexpr int kBatch = 3;
  Csr<double> all = grid<double>(5, -1.25, -0.75);
  const int count = all.count();
  std::vector<double> values, b, x;
  for (int i = 0; i < kBatch; ++i) {
    const auto a = grid<double>(5 + i, -1.25, -0.75);
    const auto own = random_values<double>(kPoints, 5 + i), right = a.times(own);
    values.insert(values.end(), a.values.begin(), a.values.end());
    b.insert(b.end(), right.begin(), right.end());
    x.insert(x.end(), own.begin(), own.end());
  }
  all.values = values;
  const CsrOnDevice<double> on(all);
  DeviceArray<double> on_b(b), found(kPoints * kBatch);
  Sizes sizes;
  NEED(check, cusolverSpXcsrqrAnalysisBatched(solver.handle, kPoints, kPoints, count, solver.matrix,
                                              on.rows.data(), on.columns.data(), of.value));
  NEED(check,
       cusolverSpDcsrqrBufferInfoBatched(solver.handle, kPoints, kPoints, count, solver.matrix,
                                         on.values.data(), on.rows.data(), on.columns.data(),
                                         kBatch, of.value, sizes.held.get(), sizes.work.get()));
  sizes.expect(check);
  DeviceArray<char> work(*sizes.work);
  NEED(check, cusolverSpDcsrqrsvBatched(solver.handle, kPoints, kPoints, count, solver.matrix,
                                        on.values.data(), on.rows.data(), on.columns.data(),
                                        on_b.data(), found.data(), kBatch, of.value, work.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  check.near("x", found.get(check), x, 1e-10);
  work.get(check);
}

}  // namespace

void run() {
  run_topics_with<SparseSolver>("cusolver_sparse_steps",
                                {{"cholesky_on_host", cholesky_on_host},
                                 {"cholesky_on_device", cholesky_on_device},
                                 {"qr_on_host", qr_on_host},
                                 {"qr_on_device", qr_on_device},
                                 {"qr_batched", qr_batched}});
}

}  // namespace maths
