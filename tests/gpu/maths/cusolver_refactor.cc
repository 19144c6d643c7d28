// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's sparse LU on the host, and from its factors the repeated factorisations of cusolverRf
// on the device: of one matrix after another, and of several with one call.
#include <cusolverRf.h>
#include <cusolverSp.h>
#include <cusolverSp_LOWLEVEL_PREVIEW.h>

#include "cusolver_csr.h"

namespace maths {
namespace {

constexpr int kBatch = 3;

Csr<double> matrix_of(double middle) { return grid<double>(middle, -1.25, -0.75); }

// L U x in the order of A, whose row P[i] and column Q[j] are those of the product. L's diagonal is
// one, and need not be stored.
std::vector<double> factors_times(const Csr<double>& l, const Csr<double>& u,
                                  const std::vector<int>& p, const std::vector<int>& q,
                                  const std::vector<double>& x) {
  std::vector<double> moved(kPoints), result(kPoints);
  for (int j = 0; j < kPoints; ++j) moved[j] = x[q[j]];
  const std::vector<double> y = u.times(moved);
  std::vector<double> z = l.times(y);
  for (int i = 0; i < kPoints; ++i) {
    const auto from = l.columns.begin() + l.rows[i], to = l.columns.begin() + l.rows[i + 1];
    if (std::find(from, to, i) == to) z[i] += y[i];
    result[p[i]] = z[i];
  }
  return result;
}

// A and its factors by the host's LU.
struct Factors {
  Factors(Check& check, const SparseSolver& solver) : a(matrix_of(5)), p(kPoints), q(kPoints) {
    make(check, solver);
  }

  Csr<double> a, l, u;
  std::vector<int> p, q;

 private:
  void make(Check& check, const SparseSolver& solver) {
    Guarded<csrluInfoHost_t> info;
    NEED(check, cusolverSpCreateCsrluInfoHost(info.get()));
    INTACT(check, info);
    steps(check, solver, *info);
    NEED(check, cusolverSpDestroyCsrluInfoHost(*info));
  }
  void steps(Check& check, const SparseSolver& solver, csrluInfoHost_t info) {
    const int count = a.count();
    const auto x = random_values<double>(kPoints, 1);
    const std::vector<double> b = a.times(x);
    std::vector<double> found(kPoints);
    Guarded<std::size_t> held, bytes;
    Guarded<int> zero_at, of_l, of_u;
    NEED(check, cusolverSpXcsrluAnalysisHost(solver.handle, kPoints, count, solver.matrix,
                                             a.rows.data(), a.columns.data(), info));
    NEED(check, cusolverSpDcsrluBufferInfoHost(solver.handle, kPoints, count, solver.matrix,
                                               a.values.data(), a.rows.data(), a.columns.data(),
                                               info, held.get(), bytes.get()));
    INTACT(check, held);
    INTACT(check, bytes);
    std::vector<char> work(*bytes);
    NEED(check,
         cusolverSpDcsrluFactorHost(solver.handle, kPoints, count, solver.matrix, a.values.data(),
                                    a.rows.data(), a.columns.data(), info, 1.0, work.data()));
    NEED(check, cusolverSpDcsrluZeroPivotHost(solver.handle, info, 1e-12, zero_at.get()));
    INTACT(check, zero_at);
    check.equal("position", *zero_at, -1);
    NEED(check, cusolverSpDcsrluSolveHost(solver.handle, kPoints, b.data(), found.data(), info,
                                          work.data()));
    check.near("x of LU", found, x, 1e-10);
    NEED(check, cusolverSpXcsrluNnzHost(solver.handle, of_l.get(), of_u.get(), info));
    INTACT(check, of_l);
    INTACT(check, of_u);
    for (auto* const part : {&l, &u}) {
      const int size = part == &l ? *of_l : *of_u;
      part->rows.resize(kPoints + 1);
      part->columns.resize(size);
      part->values.resize(size);
    }
    NEED(check, cusolverSpDcsrluExtractHost(solver.handle, p.data(), q.data(), solver.matrix,
                                            l.values.data(), l.rows.data(), l.columns.data(),
                                            solver.matrix, u.values.data(), u.rows.data(),
                                            u.columns.data(), info, work.data()));
    check.near("L U", factors_times(l, u, p, q, x), b, 1e-10);
  }
};

// A handle whose settings are set, and read back.
struct Refactoring {
  explicit Refactoring(Check& check) {
    Guarded<cusolverRfHandle_t> made;
    if (!CALL(check, cusolverRfCreate(made.get()))) return;
    INTACT(check, made);
    handle = *made;
    set(check);
  }
  ~Refactoring() {
    if (handle != nullptr) cusolverRfDestroy(handle);
  }
  Refactoring(const Refactoring&) = delete;
  Refactoring& operator=(const Refactoring&) = delete;
  cusolverRfHandle_t handle = nullptr;

 private:
  void set(Check& check) {
    Guarded<double> zero, boost;
    NEED(check, cusolverRfSetNumericProperties(handle, 1e-14, 1e-8));
    NEED(check, cusolverRfGetNumericProperties(handle, zero.get(), boost.get()));
    EXPECT(check, *zero == 1e-14 && *boost == 1e-8);
    INTACT(check, zero);
    INTACT(check, boost);

    Guarded<cusolverRfFactorization_t> factor;
    Guarded<cusolverRfTriangularSolve_t> solve;
    NEED(check, cusolverRfSetAlgs(handle, CUSOLVERRF_FACTORIZATION_ALG0,
                                  CUSOLVERRF_TRIANGULAR_SOLVE_ALG1));
    NEED(check, cusolverRfGetAlgs(handle, factor.get(), solve.get()));
    EXPECT(check, *factor == CUSOLVERRF_FACTORIZATION_ALG0);
    EXPECT(check, *solve == CUSOLVERRF_TRIANGULAR_SOLVE_ALG1);
    INTACT(check, factor);
    INTACT(check, solve);

    Guarded<cusolverRfMatrixFormat_t> format;
    Guarded<cusolverRfUnitDiagonal_t> diagonal;
    NEED(check, cusolverRfSetMatrixFormat(handle, CUSOLVERRF_MATRIX_FORMAT_CSR,
                                          CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L));
    NEED(check, cusolverRfGetMatrixFormat(handle, format.get(), diagonal.get()));
    EXPECT(check, *format == CUSOLVERRF_MATRIX_FORMAT_CSR);
    EXPECT(check, *diagonal == CUSOLVERRF_UNIT_DIAGONAL_ASSUMED_L);
    INTACT(check, format);
    INTACT(check, diagonal);

    Guarded<cusolverRfResetValuesFastMode_t> fast;
    NEED(check, cusolverRfSetResetValuesFastMode(handle, CUSOLVERRF_RESET_VALUES_FAST_MODE_ON));
    NEED(check, cusolverRfGetResetValuesFastMode(handle, fast.get()));
    EXPECT(check, *fast == CUSOLVERRF_RESET_VALUES_FAST_MODE_ON);
    INTACT(check, fast);
  }
};

// The pattern of A and the orders of rows and columns, for the calls after the first.
struct Pattern {
  explicit Pattern(const Factors& of) : a(of.a), p(of.p), q(of.q) {}
  CsrOnDevice<double> a;
  DeviceArray<int> p, q;
};

// Factors a matrix of other values, and solves with them.
void again(Check& check, const Refactoring& rf, const Pattern& on, double middle) {
  const Csr<double> a = matrix_of(middle);
  const auto x = random_values<double>(kPoints, 2);
  DeviceArray<double> values(a.values), b(a.times(x)), work(kPoints);
  NEED(check, cusolverRfResetValues(kPoints, a.count(), on.a.rows.data(), on.a.columns.data(),
                                    values.data(), on.p.data(), on.q.data(), rf.handle));
  NEED(check, cusolverRfRefactor(rf.handle));
  NEED(check, cusolverRfSolve(rf.handle, on.p.data(), on.q.data(), 1, work.data(), kPoints,
                              b.data(), kPoints));
  NEED(check, cudaDeviceSynchronize());
  check.near("x", b.get(check), x, 1e-10);
  work.get(check);
}

void expect_no_boost(Check& check, const Refactoring& rf) {
  Guarded<cusolverRfNumericBoostReport_t> report;
  NEED(check, cusolverRfGetNumericBoostReport(rf.handle, report.get()));
  INTACT(check, report);
  EXPECT(check, *report == CUSOLVERRF_NUMERIC_BOOST_NOT_USED);
}

// The factors that the library hands out: in one matrix on the device and on the host, in two
// there.
void expect_factors(Check& check, const Refactoring& rf, const Factors& of, double middle) {
  Guarded<int> on_device, on_host, of_l, of_u;
  Guarded<int*> rows_d, columns_d, rows, columns, rows_l, columns_l, rows_u, columns_u;
  Guarded<double*> values_d, values, values_l, values_u;
  NEED(check, cusolverRfAccessBundledFactorsDevice(rf.handle, on_device.get(), rows_d.get(),
                                                   columns_d.get(), values_d.get()));
  NEED(check, cusolverRfExtractBundledFactorsHost(rf.handle, on_host.get(), rows.get(),
                                                  columns.get(), values.get()));
  NEED(check, cusolverRfExtractSplitFactorsHost(rf.handle, of_l.get(), rows_l.get(),
                                                columns_l.get(), values_l.get(), of_u.get(),
                                                rows_u.get(), columns_u.get(), values_u.get()));
  for (const auto* guarded : {&on_device, &on_host, &of_l, &of_u}) INTACT(check, *guarded);
  for (const auto* guarded :
       {&rows_d, &columns_d, &rows, &columns, &rows_l, &columns_l, &rows_u, &columns_u}) {
    INTACT(check, *guarded);
  }
  for (const auto* guarded : {&values_d, &values, &values_l, &values_u}) INTACT(check, *guarded);
  check.equal("count", *on_device, *on_host);
  if (!check) return;
  std::vector<double> copied(*on_device);
  NEED(check, cudaMemcpy(copied.data(), *values_d, copied.size() * sizeof(double),
                         cudaMemcpyDeviceToHost));
  check.near("bundled", copied, std::vector<double>(*values, *values + *on_host), 0);
  const auto built = [](int* first_rows, int* first_columns, double* first_values, int count) {
    Csr<double> part;
    part.rows.assign(first_rows, first_rows + kPoints + 1);
    part.columns.assign(first_columns, first_columns + count);
    part.values.assign(first_values, first_values + count);
    return part;
  };
  const auto x = random_values<double>(kPoints, 3);
  check.near("L U",
             factors_times(built(*rows_l, *columns_l, *values_l, *of_l),
                           built(*rows_u, *columns_u, *values_u, *of_u), of.p, of.q, x),
             matrix_of(middle).times(x), 1e-10);
}

void from_host(Check& check, const SparseSolver& solver) {
  Factors of(check, solver);
  Refactoring rf(check);
  if (!check) return;
  NEED(check,
       cusolverRfSetupHost(kPoints, of.a.count(), of.a.rows.data(), of.a.columns.data(),
                           of.a.values.data(), of.l.count(), of.l.rows.data(), of.l.columns.data(),
                           of.l.values.data(), of.u.count(), of.u.rows.data(), of.u.columns.data(),
                           of.u.values.data(), of.p.data(), of.q.data(), rf.handle));
  NEED(check, cudaDeviceSynchronize());
  NEED(check, cusolverRfAnalyze(rf.handle));
  const Pattern on(of);
  again(check, rf, on, 6);
  again(check, rf, on, 7);
  expect_no_boost(check, rf);
  expect_factors(check, rf, of, 7);
}

void from_device(Check& check, const SparseSolver& solver) {
  const Factors of(check, solver);
  Refactoring rf(check);
  if (!check) return;
  const Pattern on(of);
  const CsrOnDevice<double> l(of.l), u(of.u);
  NEED(check,
       cusolverRfSetupDevice(kPoints, of.a.count(), on.a.rows.data(), on.a.columns.data(),
                             on.a.values.data(), of.l.count(), l.rows.data(), l.columns.data(),
                             l.values.data(), of.u.count(), u.rows.data(), u.columns.data(),
                             u.values.data(), on.p.data(), on.q.data(), rf.handle));
  NEED(check, cudaDeviceSynchronize());
  NEED(check, cusolverRfAnalyze(rf.handle));
  again(check, rf, on, 6);
}

// Matrices of one pattern: CUDA 13.0's own cusolverRfBatchAnalyze ends the program by SIGSEGV, so
// this stops before it.
void several(Check& check, const SparseSolver& solver) {
  Factors of(check, solver);
  Refactoring rf(check);
  if (!check) return;
  std::vector<Csr<double>> a;
  std::vector<double*> values;
  for (int i = 0; i < kBatch; ++i) a.push_back(matrix_of(6 + i));
  for (auto& one : a) values.push_back(one.values.data());
  NEED(check, cusolverRfBatchSetupHost(kBatch, kPoints, of.a.count(), of.a.rows.data(),
                                       of.a.columns.data(), values.data(), of.l.count(),
                                       of.l.rows.data(), of.l.columns.data(), of.l.values.data(),
                                       of.u.count(), of.u.rows.data(), of.u.columns.data(),
                                       of.u.values.data(), of.p.data(), of.q.data(), rf.handle));
  NEED(check, cudaDeviceSynchronize());
}

}  // namespace

void run() {
  run_topics_with<SparseSolver>(
      "cusolver_refactor",
      {{"from_host", from_host}, {"from_device", from_device}, {"several", several}});
}

}  // namespace maths
