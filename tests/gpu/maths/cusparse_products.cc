// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: products, sums and solutions by the generic functions, in all their steps.
#include <dlfcn.h>

#include <memory>

#include "sparse_families.h"

namespace maths {
namespace {

constexpr int kRows = 30, kColumns = 22, kSides = 6;
constexpr auto kType = CUDA_R_64F;
const double one = 1, two = 2, half = 0.5, zero = 0;

std::vector<double> scaled(std::vector<double> values, double by) {
  for (double& value : values) value *= by;
  return values;
}

// A triangle on both sides, with the attribute that states which one it is.
struct Triangle {
  Triangle(Check& check, std::uint32_t seed)
      : csr(lower_triangle(kRows, seed), kRows, kRows), on(check, csr) {
    cusparseFillMode_t lower = CUSPARSE_FILL_MODE_LOWER;
    if (check) {
      CALL(check,
           cusparseSpMatSetAttribute(on.matrix, CUSPARSE_SPMAT_FILL_MODE, &lower, sizeof lower));
    }
  }
  const Csr csr;
  const CsrOnDevice on;
};

// A X = B for X, and again with other values of A.
void triangle_matrix(Check& check, const Sparse& sparse) {
  const Triangle a(check, 1);
  const auto x = random_values<double>(kRows * kSides, 2);
  const DenseMatrix b(check, product(a.csr.dense, x, kRows, kSides, kRows), kRows, kSides);
  const DenseMatrix on_x(check, std::vector<double>(kRows * kSides), kRows, kSides);
  if (!check) return;
  MADE(check, cusparseSpSMDescr_t, state, cusparseSpSM_createDescr, cusparseSpSM_destroyDescr);
  const auto algorithm = CUSPARSE_SPSM_ALG_DEFAULT;
  WORKSPACE(check, std::size_t, work, cusparseSpSM_bufferSize, sparse.handle, kN, kN, &one,
            a.on.matrix, b.matrix, on_x.matrix, kType, algorithm, state);
  NEED(check, cusparseSpSM_analysis(sparse.handle, kN, kN, &one, a.on.matrix, b.matrix, on_x.matrix,
                                    kType, algorithm, state, work.data()));
  NEED(check, cusparseSpSM_solve(sparse.handle, kN, kN, &one, a.on.matrix, b.matrix, on_x.matrix,
                                 kType, algorithm, state));
  check.near("X", on_x.memory.get(check), x, 1e-9);
#if CUSPARSE_VERSION >= 12300
  const DeviceArray<double> others(scaled(a.csr.values, 2));
  NEED(check, cusparseSpSM_updateMatrix(sparse.handle, state, others.data(),
                                        CUSPARSE_SPSM_UPDATE_GENERAL));
  NEED(check, cusparseSpSM_solve(sparse.handle, kN, kN, &one, a.on.matrix, b.matrix, on_x.matrix,
                                 kType, algorithm, state));
  check.near("X of others", on_x.memory.get(check), scaled(x, 0.5), 1e-9);
#endif
}

// A x = b for x, with other values of A than were analysed.
void triangle_vector([[maybe_unused]] Check& check, [[maybe_unused]] const Sparse& sparse) {
#if CUSPARSE_VERSION >= 12100
  const Triangle a(check, 3);
  const auto x = random_values<double>(kRows, 4);
  const DenseVector b(check, product(a.csr.dense, x, kRows, 1, kRows));
  const DenseVector on_x(check, std::vector<double>(kRows));
  if (!check) return;
  MADE(check, cusparseSpSVDescr_t, state, cusparseSpSV_createDescr, cusparseSpSV_destroyDescr);
  const auto algorithm = CUSPARSE_SPSV_ALG_DEFAULT;
  WORKSPACE(check, std::size_t, work, cusparseSpSV_bufferSize, sparse.handle, kN, &one, a.on.matrix,
            b.vector, on_x.vector, kType, algorithm, state);
  NEED(check, cusparseSpSV_analysis(sparse.handle, kN, &one, a.on.matrix, b.vector, on_x.vector,
                                    kType, algorithm, state, work.data()));
  const DeviceArray<double> others(scaled(a.csr.values, 2));
  NEED(check, cusparseSpSV_updateMatrix(sparse.handle, state, others.data(),
                                        CUSPARSE_SPSV_UPDATE_GENERAL));
  NEED(check, cusparseSpSV_solve(sparse.handle, kN, &one, a.on.matrix, b.vector, on_x.vector, kType,
                                 algorithm, state));
  check.near("x", on_x.memory.get(check), scaled(x, 0.5), 1e-9);
#endif
}

// C = alpha (A B), where C has entries, + beta C
void sampled(Check& check, const Sparse& sparse) {
  constexpr int kInner = 9;
  const Csr pattern(dense_with_holes(kRows, kColumns, 5), kRows, kColumns);
  const CsrOnDevice c(check, pattern);
  const auto a = random_values<double>(kRows * kInner, 6);
  const auto b = random_values<double>(kInner * kColumns, 7);
  const DenseMatrix on_a(check, a, kRows, kInner), on_b(check, b, kInner, kColumns);
  if (!check) return;
  const auto algorithm = CUSPARSE_SDDMM_ALG_DEFAULT;
  WORKSPACE(check, std::size_t, work, cusparseSDDMM_bufferSize, sparse.handle, kN, kN, &two,
            on_a.matrix, on_b.matrix, &half, c.matrix, kType, algorithm);
  NEED(check, cusparseSDDMM_preprocess(sparse.handle, kN, kN, &two, on_a.matrix, on_b.matrix, &half,
                                       c.matrix, kType, algorithm, work.data()));
  NEED(check, cusparseSDDMM(sparse.handle, kN, kN, &two, on_a.matrix, on_b.matrix, &half, c.matrix,
                            kType, algorithm, work.data()));
  const std::vector<double> whole = product(a, b, kRows, kColumns, kInner);
  std::vector<double> want;
  for (int i = 0; i < kRows; ++i) {
    for (int at = pattern.rows[i]; at < pattern.rows[i + 1]; ++at) {
      want.push_back(2 * whole[i + pattern.columns[at] * kRows] + 0.5 * pattern.values[at]);
    }
  }
  check.near("C", c.values.get(check), want, 1e-12);
}

// y = 2 A x after the step that looks at A
void prepared([[maybe_unused]] Check& check, [[maybe_unused]] const Sparse& sparse) {
#if CUSPARSE_VERSION >= 12300
  const Csr csr(dense_with_holes(kRows, kColumns, 8), kRows, kColumns);
  const CsrOnDevice a(check, csr);
  const auto x = random_values<double>(kColumns, 9);
  const DenseVector on_x(check, x), on_y(check, std::vector<double>(kRows));
  if (!check) return;
  const auto algorithm = CUSPARSE_SPMV_CSR_ALG2;
  WORKSPACE(check, std::size_t, work, cusparseSpMV_bufferSize, sparse.handle, kN, &two, a.matrix,
            on_x.vector, &zero, on_y.vector, kType, algorithm);
  NEED(check, cusparseSpMV_preprocess(sparse.handle, kN, &two, a.matrix, on_x.vector, &zero,
                                      on_y.vector, kType, algorithm, work.data()));
  NEED(check, cusparseSpMV(sparse.handle, kN, &two, a.matrix, on_x.vector, &zero, on_y.vector,
                           kType, algorithm, work.data()));
  check.near("y", on_y.memory.get(check), scaled(product(csr.dense, x, kRows, 1, kColumns), 2),
             1e-12);
#endif
}

// Two sparse matrices and their product, whose size is not known at first.
struct Both {
  Both(Check& check, std::uint32_t seed)
      : left(dense_with_holes(kRows, kColumns, seed), kRows, kColumns),
        right(dense_with_holes(kColumns, kRows, seed + 1), kColumns, kRows),
        a(check, left),
        b(check, right),
        c(check, "cusparseCreateCsr", cusparseCreateCsr, "cusparseDestroySpMat",
          cusparseDestroySpMat, kRows, kRows, 0, rows.data(), nullptr, nullptr, kInt, kInt, kBase0,
          kType) {}
  // The memory for the product's entries, when their number is known.
  void take_entries(Check& check) {
    Guarded<std::int64_t> height, width, count;
    NEED(check, cusparseSpMatGetSize(c, height.get(), width.get(), count.get()));
    INTACT(check, height);
    INTACT(check, width);
    INTACT(check, count);
    columns = std::make_unique<DeviceArray<int>>(*count);
    values = std::make_unique<DeviceArray<double>>(*count);
    NEED(check, cusparseCsrSetPointers(c, rows.data(), columns->data(), values->data()));
  }
  void compare(Check& check, double factor) const {
    check.near("A B",
               dense_of(rows.get(check), columns->get(check), values->get(check), kRows, kRows),
               scaled(product(left.dense, right.dense, kRows, kRows, kColumns), factor), 1e-12);
  }
  const Csr left, right;
  CsrOnDevice a, b;
  const DeviceArray<int> rows{std::vector<int>(kRows + 1)};
  const Made<cusparseSpMatDescr_t> c;
  std::unique_ptr<DeviceArray<int>> columns;
  std::unique_ptr<DeviceArray<double>> values;
};

// A B, and again with other values at the same places, without the first steps.
void both_sparse_again(Check& check, const Sparse& sparse) {
  Both both(check, 10);
  if (!check) return;
  MADE(check, cusparseSpGEMMDescr_t, state, cusparseSpGEMM_createDescr,
       cusparseSpGEMM_destroyDescr);
  const auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
  const cusparseSpMatDescr_t a = both.a.matrix, b = both.b.matrix;
  Guarded<std::size_t> sizes[5];
  std::unique_ptr<Workspace> works[5];
  const auto make = [&](int i) {
    INTACT(check, sizes[i]);
    works[i] = std::make_unique<Workspace>(check, *sizes[i]);
  };
  const auto estimate = [&](void* memory) {
    return cusparseSpGEMMreuse_workEstimation(sparse.handle, kN, kN, a, b, both.c, algorithm, state,
                                              sizes[0].get(), memory);
  };
  const auto count = [&](void* memory1, void* memory2, void* memory3) {
    return cusparseSpGEMMreuse_nnz(sparse.handle, kN, kN, a, b, both.c, algorithm, state,
                                   sizes[1].get(), memory1, sizes[2].get(), memory2, sizes[3].get(),
                                   memory3);
  };
  const auto copy = [&](void* memory) {
    return cusparseSpGEMMreuse_copy(sparse.handle, kN, kN, a, b, both.c, algorithm, state,
                                    sizes[4].get(), memory);
  };
  NEED(check, estimate(nullptr));
  make(0);
  NEED(check, estimate(works[0]->data()));
  NEED(check, count(nullptr, nullptr, nullptr));
  for (const int i : {1, 2, 3}) make(i);
  NEED(check, count(works[1]->data(), works[2]->data(), works[3]->data()));
  both.take_entries(check);
  NEED(check, copy(nullptr));
  make(4);
  NEED(check, copy(works[4]->data()));
  for (const double factor : {1, 3}) {
    both.a.values.put(scaled(both.left.values, factor));
    NEED(check, cusparseSpGEMMreuse_compute(sparse.handle, kN, kN, &one, a, b, &zero, both.c, kType,
                                            algorithm, state));
    both.compare(check, factor);
  }
}

// A B with less memory, in parts; and how many products of two numbers that takes.
void both_sparse_in_parts([[maybe_unused]] Check& check, [[maybe_unused]] const Sparse& sparse) {
#if CUSPARSE_VERSION >= 12000
  Both both(check, 12);
  if (!check) return;
  MADE(check, cusparseSpGEMMDescr_t, state, cusparseSpGEMM_createDescr,
       cusparseSpGEMM_destroyDescr);
  const auto algorithm = CUSPARSE_SPGEMM_ALG3;
  const cusparseSpMatDescr_t a = both.a.matrix, b = both.b.matrix;
  Guarded<std::size_t> first, second, third;
  const auto look = [&](void* memory) {
    return cusparseSpGEMM_workEstimation(sparse.handle, kN, kN, &one, a, b, &zero, both.c, kType,
                                         algorithm, state, first.get(), memory);
  };
  const auto estimate = [&](void* memory, std::size_t* size) {
    return cusparseSpGEMM_estimateMemory(sparse.handle, kN, kN, &one, a, b, &zero, both.c, kType,
                                         algorithm, state, 0.2f, third.get(), memory, size);
  };
  NEED(check, look(nullptr));
  INTACT(check, first);
  const Workspace work1(check, *first);
  NEED(check, look(work1.data()));
  GIVEN(check, std::int64_t, products, cusparseSpGEMM_getNumProducts, state);
  int want = 0;
  for (const int k : both.left.columns) want += both.right.rows[k + 1] - both.right.rows[k];
  check.equal("products", static_cast<double>(*products), want);
  NEED(check, estimate(nullptr, nullptr));
  INTACT(check, third);
  const Workspace work3(check, *third);
  NEED(check, estimate(work3.data(), second.get()));
  INTACT(check, second);
  const Workspace work2(check, *second);
  NEED(check, cusparseSpGEMM_compute(sparse.handle, kN, kN, &one, a, b, &zero, both.c, kType,
                                     algorithm, state, second.get(), work2.data()));
  INTACT(check, second);
  both.take_entries(check);
  NEED(check, cusparseSpGEMM_copy(sparse.handle, kN, kN, &one, a, b, &zero, both.c, kType,
                                  algorithm, state));
  both.compare(check, 1);
#endif
}

// 2 A + B / 2, where both are sparse. A native program of 13.5 has no such function on 13.0: it is
// only called, and so only looked for then.
void sum([[maybe_unused]] Check& check, [[maybe_unused]] const Sparse& sparse) {
#if CUSPARSE_VERSION >= 12800
  if (dlsym(RTLD_DEFAULT, "cusparseSpGEAM_createDescr") == nullptr) return;
  Guarded<cusparseSpGEAMDescr_t> made;
  NEED(check, cusparseSpGEAM_createDescr(made.get()));
  INTACT(check, made);
  const cusparseSpGEAMDescr_t state = *made;
  Both both(check, 14);
  const Csr other(dense_with_holes(kRows, kRows, 16), kRows, kRows);
  const Csr another(dense_with_holes(kRows, kRows, 17), kRows, kRows);
  const CsrOnDevice a(check, other), b(check, another);
  if (!check) return;
  const auto algorithm = CUSPARSE_SPGEAM_ALG_DEFAULT;
  WORKSPACE(check, std::size_t, work, cusparseSpGEAM_bufferSize, sparse.handle, kN, kN, &two,
            a.matrix, &half, b.matrix, both.c, kType, algorithm, state);
  NEED(check, cusparseSpGEAM_nnz(sparse.handle, kN, kN, &two, a.matrix, &half, b.matrix, both.c,
                                 kType, algorithm, state, work.data()));
  both.take_entries(check);
  NEED(check, cusparseSpGEAM(sparse.handle, kN, kN, &two, a.matrix, &half, b.matrix, both.c, kType,
                             algorithm, state, work.data()));
  std::vector<double> want = scaled(other.dense, 2);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] += 0.5 * another.dense[i];
  check.near("2 A + B / 2",
             dense_of(both.rows.get(check), both.columns->get(check), both.values->get(check),
                      kRows, kRows),
             want, 1e-12);
  NEED(check, cusparseSpGEAM_destroyDescr(state));
#endif
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse_products", {{"triangle_matrix", triangle_matrix},
                                                {"triangle_vector", triangle_vector},
                                                {"sampled", sampled},
                                                {"prepared", prepared},
                                                {"both_sparse_again", both_sparse_again},
                                                {"both_sparse_in_parts", both_sparse_in_parts},
                                                {"sum", sum}});
}

}  // namespace maths
