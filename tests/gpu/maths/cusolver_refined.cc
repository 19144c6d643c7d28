// SPDX-License-Identifier: Apache-2.0

// cuSOLVER's solvers that factor in a lower precision and refine the solution, and the settings
// of a handle.
#include "cusolver_dense.h"

namespace maths {
namespace {

constexpr int kSize = 32, kRows = 48, kSides = 2;
// The default of the rounds of refinement.
constexpr int kMost = 50;

// What a solver of square systems or of least squares takes, in the numbers of one type.
template <typename T, typename Cuda>
struct Problem {
  Problem(int m, int sides, std::uint32_t seed) : rows(m), columns(sides) {
    matrix = random_values<T>(m * kSize, seed);
    for (int i = 0; i < kSize; ++i) matrix[i + i * m] += T(8);
    solution = random_values<T>(kSize * sides, seed + 1);
    right = product(matrix, solution, m, sides, kSize);
    a.reset(new DeviceArray<T>(matrix));
    b.reset(new DeviceArray<T>(right));
    x.reset(new DeviceArray<T>(std::vector<T>(kSize * sides)));
  }
  Cuda* on_a() const { return a->template as<Cuda>(); }
  Cuda* on_b() const { return b->template as<Cuda>(); }
  Cuda* on_x() const { return x->template as<Cuda>(); }
  // `fewest`: 0 where refinement must go well. A negative number of rounds tells that it did not,
  // and that the solver then used the main precision.
  void expect(Check& check, const char* text, const Guarded<int>& rounds, int fewest,
              const DeviceArray<int>& info, double tolerance) const {
    INTACT(check, rounds);
    EXPECT(check, *rounds >= fewest && *rounds <= kMost);
    expect_no_info(check, info);
    expect_same(check, text, x->get(check), solution, tolerance);
    a->get(check);
    b->get(check);
  }
  int rows, columns;
  std::vector<T> matrix, solution, right;
  std::unique_ptr<DeviceArray<T>> a, b, x;
};

using Bytes = Work<char, std::size_t>;

// T: of the program; Cuda: the same in the header.
template <typename T, typename Cuda>
using SizeOfSquare = cusolverStatus_t (*)(cusolverDnHandle_t, int, int, Cuda*, int, int*, Cuda*,
                                          int, Cuda*, int, void*, std::size_t*);
template <typename T, typename Cuda>
using Square = cusolverStatus_t (*)(cusolverDnHandle_t, int, int, Cuda*, int, int*, Cuda*, int,
                                    Cuda*, int, void*, std::size_t, int*, int*);

template <typename T, typename Cuda>
void square(Check& check, const Solver& solver, const char* name, SizeOfSquare<T, Cuda> size,
            Square<T, Cuda> solve, double tolerance) {
  const Problem<T, Cuda> of(kSize, kSides, 1);
  DeviceArray<int> pivots(kSize), info(1);
  Guarded<int> rounds;
  Bytes work;
  if (!check.call(name, size(solver.handle, kSize, kSides, of.on_a(), kSize, pivots.data(),
                             of.on_b(), kSize, of.on_x(), kSize, nullptr, work.size.get()))) {
    return;
  }
  char* const memory = work.take(check);
  if (!check.call(name,
                  solve(solver.handle, kSize, kSides, of.on_a(), kSize, pivots.data(), of.on_b(),
                        kSize, of.on_x(), kSize, memory, *work.size, rounds.get(), info.data()))) {
    return;
  }
  CALL(check, cudaStreamSynchronize(solver.stream));
  of.expect(check, name, rounds, 0, info, tolerance);
  work.memory->get(check);
}

template <typename T, typename Cuda>
using SizeOfLeast = cusolverStatus_t (*)(cusolverDnHandle_t, int, int, int, Cuda*, int, Cuda*, int,
                                         Cuda*, int, void*, std::size_t*);
template <typename T, typename Cuda>
using Least = cusolverStatus_t (*)(cusolverDnHandle_t, int, int, int, Cuda*, int, Cuda*, int, Cuda*,
                                   int, void*, std::size_t, int*, int*);

template <typename T, typename Cuda>
void least(Check& check, const Solver& solver, const char* name, SizeOfLeast<T, Cuda> size,
           Least<T, Cuda> solve, double tolerance) {
  const Problem<T, Cuda> of(kRows, 1, 3);
  DeviceArray<int> info(1);
  Guarded<int> rounds;
  Bytes work;
  if (!check.call(name, size(solver.handle, kRows, kSize, 1, of.on_a(), kRows, of.on_b(), kRows,
                             of.on_x(), kSize, nullptr, work.size.get()))) {
    return;
  }
  char* const memory = work.take(check);
  if (!check.call(name, solve(solver.handle, kRows, kSize, 1, of.on_a(), kRows, of.on_b(), kRows,
                              of.on_x(), kSize, memory, *work.size, rounds.get(), info.data()))) {
    return;
  }
  CALL(check, cudaStreamSynchronize(solver.stream));
  of.expect(check, name, rounds, -kMost, info, tolerance);
  work.memory->get(check);
}

#define SOLVE(how, T, Cuda, function, tolerance) \
  how<T, Cuda>(check, solver, #function, function##_bufferSize, function, tolerance)

// Each main type with each lower precision.
void all_square(Check& check, const Solver& solver) {
  SOLVE(square, double, double, cusolverDnDDgesv, 1e-9);
  SOLVE(square, double, double, cusolverDnDSgesv, 1e-9);
  SOLVE(square, double, double, cusolverDnDHgesv, 1e-9);
  SOLVE(square, double, double, cusolverDnDBgesv, 1e-9);
  SOLVE(square, double, double, cusolverDnDXgesv, 1e-9);
  SOLVE(square, float, float, cusolverDnSSgesv, 1e-3);
  SOLVE(square, float, float, cusolverDnSHgesv, 1e-3);
  SOLVE(square, float, float, cusolverDnSBgesv, 1e-3);
  SOLVE(square, float, float, cusolverDnSXgesv, 1e-3);
  SOLVE(square, Complex, cuDoubleComplex, cusolverDnZZgesv, 1e-9);
  SOLVE(square, Complex, cuDoubleComplex, cusolverDnZCgesv, 1e-9);
  SOLVE(square, Complex, cuDoubleComplex, cusolverDnZKgesv, 1e-9);
  SOLVE(square, Complex, cuDoubleComplex, cusolverDnZEgesv, 1e-9);
  SOLVE(square, Complex, cuDoubleComplex, cusolverDnZYgesv, 1e-9);
  SOLVE(square, SingleComplex, cuComplex, cusolverDnCCgesv, 1e-3);
  SOLVE(square, SingleComplex, cuComplex, cusolverDnCKgesv, 1e-3);
  SOLVE(square, SingleComplex, cuComplex, cusolverDnCEgesv, 1e-3);
  SOLVE(square, SingleComplex, cuComplex, cusolverDnCYgesv, 1e-3);
}

// On CUDA 13.0 one of these goes back to the main precision, natively too.
void all_least(Check& check, const Solver& solver) {
  SOLVE(least, double, double, cusolverDnDDgels, 1e-9);
  SOLVE(least, double, double, cusolverDnDSgels, 1e-9);
  SOLVE(least, double, double, cusolverDnDHgels, 1e-9);
  SOLVE(least, float, float, cusolverDnSSgels, 1e-3);
  SOLVE(least, float, float, cusolverDnSBgels, 1e-3);
  SOLVE(least, Complex, cuDoubleComplex, cusolverDnZZgels, 1e-9);
  SOLVE(least, Complex, cuDoubleComplex, cusolverDnZCgels, 1e-9);
  SOLVE(least, SingleComplex, cuComplex, cusolverDnCCgels, 1e-3);
  SOLVE(least, SingleComplex, cuComplex, cusolverDnCYgels, 1e-3);
}

// How to refine, and a solver's report of it.
struct Refinement {
  Refinement(Check& check, cusolverIRSRefinement_t kind) {
    Guarded<cusolverDnIRSParams_t> made;
    Guarded<cusolverDnIRSInfos_t> told;
    if (!CALL(check, cusolverDnIRSParamsCreate(made.get()))) return;
    INTACT(check, made);
    how = *made;
    if (!CALL(check, cusolverDnIRSInfosCreate(told.get()))) return;
    INTACT(check, told);
    infos = *told;
    CALL(check, cusolverDnIRSParamsSetSolverPrecisions(how, CUSOLVER_R_64F, CUSOLVER_R_64F));
    CALL(check, cusolverDnIRSParamsSetSolverMainPrecision(how, CUSOLVER_R_64F));
    CALL(check, cusolverDnIRSParamsSetSolverLowestPrecision(how, CUSOLVER_R_32F));
    CALL(check, cusolverDnIRSParamsSetRefinementSolver(how, kind));
    CALL(check, cusolverDnIRSParamsSetTol(how, 1e-13));
    CALL(check, cusolverDnIRSParamsSetTolInner(how, 1e-6));
    CALL(check, cusolverDnIRSParamsSetMaxIters(how, kOwnMost));
    CALL(check, cusolverDnIRSParamsSetMaxItersInner(how, 20));
    CALL(check, cusolverDnIRSParamsDisableFallback(how));
    CALL(check, cusolverDnIRSParamsEnableFallback(how));
    CALL(check, cusolverDnIRSInfosRequestResidual(infos));
    Guarded<cusolver_int_t> most;
    CALL(check, cusolverDnIRSParamsGetMaxIters(how, most.get()));
    INTACT(check, most);
    check.equal("most", *most, kOwnMost);
  }
  ~Refinement() {
    if (infos != nullptr) cusolverDnIRSInfosDestroy(infos);
    if (how != nullptr) cusolverDnIRSParamsDestroy(how);
  }
  Refinement(const Refinement&) = delete;
  Refinement& operator=(const Refinement&) = delete;

  void expect_infos(Check& check, int rounds) const {
    Guarded<cusolver_int_t> count, outer, most;
    Guarded<void*> history;
    CALL(check, cusolverDnIRSInfosGetNiters(infos, count.get()));
    CALL(check, cusolverDnIRSInfosGetOuterNiters(infos, outer.get()));
    CALL(check, cusolverDnIRSInfosGetMaxIters(infos, most.get()));
    CALL(check, cusolverDnIRSInfosGetResidualHistory(infos, history.get()));
    INTACT(check, count);
    INTACT(check, outer);
    INTACT(check, most);
    INTACT(check, history);
    check.equal("count", *count, rounds);
    EXPECT(check, *outer >= 0 && *outer <= *count);
    check.equal("most", *most, kOwnMost);
    EXPECT(check, *history != nullptr);
  }
  static constexpr int kOwnMost = 60;
  cusolverDnIRSParams_t how = nullptr;
  cusolverDnIRSInfos_t infos = nullptr;
};

void expert_square(Check& check, const Solver& solver) {
  const Refinement refinement(check, CUSOLVER_IRS_REFINE_GMRES);
  if (!check) return;
  const Problem<double, double> of(kSize, 1, 5);
  DeviceArray<int> info(1);
  Guarded<int> rounds;
  Bytes work;
  NEED(check,
       cusolverDnIRSXgesv_bufferSize(solver.handle, refinement.how, kSize, 1, work.size.get()));
  char* const memory = work.take(check);
  NEED(check, cusolverDnIRSXgesv(solver.handle, refinement.how, refinement.infos, kSize, 1,
                                 of.on_a(), kSize, of.on_b(), kSize, of.on_x(), kSize, memory,
                                 *work.size, rounds.get(), info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  of.expect(check, "x", rounds, 0, info, 1e-9);
  refinement.expect_infos(check, *rounds);
  work.memory->get(check);
}

// GMRES refines only square systems.
void expert_least(Check& check, const Solver& solver) {
  const Refinement refinement(check, CUSOLVER_IRS_REFINE_CLASSICAL);
  if (!check) return;
  const Problem<double, double> of(kRows, 1, 7);
  DeviceArray<int> info(1);
  Guarded<int> rounds;
  Bytes work;
  NEED(check, cusolverDnIRSXgels_bufferSize(solver.handle, refinement.how, kRows, kSize, 1,
                                            work.size.get()));
  char* const memory = work.take(check);
  NEED(check, cusolverDnIRSXgels(solver.handle, refinement.how, refinement.infos, kRows, kSize, 1,
                                 of.on_a(), kRows, of.on_b(), kRows, of.on_x(), kSize, memory,
                                 *work.size, rounds.get(), info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  of.expect(check, "x", rounds, 0, info, 1e-9);
  refinement.expect_infos(check, *rounds);
  work.memory->get(check);
}

// A handle and parameters keep their settings; the older LU finds the same solution.
void settings(Check& check, const Solver& solver) {
  Guarded<cudaStream_t> stream;
  NEED(check, cusolverDnGetStream(solver.handle, stream.get()));
  INTACT(check, stream);
  EXPECT(check, *stream == solver.stream);
#if CUDART_VERSION >= 12020
  Guarded<cusolverDeterministicMode_t> deterministic;
  const cusolverDeterministicMode_t other = CUSOLVER_ALLOW_NON_DETERMINISTIC_RESULTS;
  NEED(check, cusolverDnSetDeterministicMode(solver.handle, other));
  NEED(check, cusolverDnGetDeterministicMode(solver.handle, deterministic.get()));
  INTACT(check, deterministic);
  EXPECT(check, *deterministic == other);
#endif
#if CUDART_VERSION >= 13000
  Guarded<cusolverMathMode_t> mode;
  NEED(check, cusolverDnSetMathMode(solver.handle, CUSOLVER_FP32_EMULATED_BF16X9_MATH));
  NEED(check, cusolverDnGetMathMode(solver.handle, mode.get()));
  INTACT(check, mode);
  EXPECT(check, *mode == CUSOLVER_FP32_EMULATED_BF16X9_MATH);
  Guarded<cudaEmulationStrategy_t> strategy;
  NEED(check, cusolverDnSetEmulationStrategy(solver.handle, CUDA_EMULATION_STRATEGY_PERFORMANT));
  NEED(check, cusolverDnGetEmulationStrategy(solver.handle, strategy.get()));
  INTACT(check, strategy);
  EXPECT(check, *strategy == CUDA_EMULATION_STRATEGY_PERFORMANT);
#endif
  const Parameters parameters(check);
  NEED(check, cusolverDnSetAdvOptions(parameters.value, CUSOLVERDN_GETRF, CUSOLVER_ALG_1));
  expect_lu_solution(check, solver, parameters, positive<double>(kSize, 9),
                     random_values<double>(kSize, 10), kSize, 1);
}

}  // namespace

void run() {
  run_topics_with<Solver>("cusolver_refined", {{"all_square", all_square},
                                               {"all_least", all_least},
                                               {"expert_square", expert_square},
                                               {"expert_least", expert_least},
                                               {"settings", settings}});
}

}  // namespace maths
