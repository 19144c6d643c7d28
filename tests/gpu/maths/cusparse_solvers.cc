// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: equations with few diagonals, incomplete factorisations, sums and colours of matrices.
#include <algorithm>
#include <numeric>

#include "sparse_families.h"

namespace maths {
namespace {

constexpr int kSize = 28, kBatches = 5;

void description(Check& check, const Sparse&) {
  DESCRIPTION(check, description);
  NEED(check, cusparseSetMatType(description, CUSPARSE_MATRIX_TYPE_TRIANGULAR));
  NEED(check, cusparseSetMatFillMode(description, CUSPARSE_FILL_MODE_UPPER));
  NEED(check, cusparseSetMatDiagType(description, CUSPARSE_DIAG_TYPE_UNIT));
  NEED(check, cusparseSetMatIndexBase(description, CUSPARSE_INDEX_BASE_ONE));
  EXPECT(check, cusparseGetMatType(description) == CUSPARSE_MATRIX_TYPE_TRIANGULAR);
  EXPECT(check, cusparseGetMatFillMode(description) == CUSPARSE_FILL_MODE_UPPER);
  EXPECT(check, cusparseGetMatDiagType(description) == CUSPARSE_DIAG_TYPE_UNIT);
  EXPECT(check, cusparseGetMatIndexBase(description) == CUSPARSE_INDEX_BASE_ONE);
}

// Equations whose matrix has 2 * kReach + 1 diagonals, the lowest first, with their solution. The
// element i of the system b is at i * step + b * stride.
template <typename T, int kReach>
struct Bands {
  Bands(int systems, int step, int stride, std::uint32_t seed)
      : solution(random_values<T>(static_cast<std::size_t>(systems) * kSize, seed)),
        right(solution.size()) {
    Numbers numbers(seed + 1);
    for (int band = -kReach; band <= kReach; ++band) {
      std::vector<T> values(solution.size());
      for (int b = 0; b < systems; ++b) {
        for (int i = std::max(0, -band); i < std::min(kSize, kSize - band); ++i) {
          T& value = values[i * step + b * stride];
          value = Draw<T>::one(numbers) + (band == 0 ? T(6) : T(0));
          right[i * step + b * stride] += value * solution[(i + band) * step + b * stride];
        }
      }
      bands.push_back(std::make_unique<DeviceArray<T>>(values));
    }
    x = std::make_unique<DeviceArray<T>>(right);
  }
  auto operator[](int band) const { return pointer(*bands[band + kReach]); }
  auto in_out() const { return pointer(*x); }
  void compare(Check& check, double tolerance) const {
    check.near("x", flat(x->get(check)), flat(solution), tolerance);
    for (const auto& band : bands) band->get(check);
  }

 private:
  static auto pointer(const DeviceArray<T>& array) {
    if constexpr (std::is_same_v<T, Complex> || std::is_same_v<T, DoubleComplex>) {
      return of(array);
    } else {
      return array.data();
    }
  }
  std::vector<T> solution, right;
  std::vector<std::unique_ptr<DeviceArray<T>>> bands;
  std::unique_ptr<DeviceArray<T>> x;
};

// Several right sides of one matrix. The bands are those of one system, which all have.
template <typename T, typename Size, typename Solve>
void right_sides(Check& check, const Sparse& sparse, const char* size_name, Size size_of,
                 const char* solve_name, Solve solve) {
  constexpr int kSides = 3;
  const std::vector<double> one = random_values<double>(3 * kSize, 1);
  std::vector<T> low(kSize), middle(kSize), high(kSize), right(kSize * kSides);
  const auto x = random_values<T>(kSize * kSides, 2);
  for (int i = 0; i < kSize; ++i) {
    low[i] = static_cast<T>(i == 0 ? 0 : one[i]);
    middle[i] = static_cast<T>(one[kSize + i] + 5);
    high[i] = static_cast<T>(i == kSize - 1 ? 0 : one[2 * kSize + i]);
    for (int j = i; j < kSize * kSides; j += kSize) {
      right[j] = middle[i] * x[j];
      if (i > 0) right[j] += low[i] * x[j - 1];
      if (i < kSize - 1) right[j] += high[i] * x[j + 1];
    }
  }
  const DeviceArray<T> on_low(low), on_middle(middle), on_high(high), on_x(right);
  Guarded<std::size_t> size;
  if (!check.call(size_name, size_of(sparse.handle, kSize, kSides, on_low.data(), on_middle.data(),
                                     on_high.data(), on_x.data(), kSize, size.get()))) {
    return;
  }
  INTACT(check, size);
  const Workspace work(check, *size);
  if (!check.call(solve_name, solve(sparse.handle, kSize, kSides, on_low.data(), on_middle.data(),
                                    on_high.data(), on_x.data(), kSize, work.data()))) {
    return;
  }
  check.near("X", flat(on_x.get(check)), flat(x), std::is_same_v<T, float> ? 1e-4 : 1e-12);
}
void three_diagonals(Check& check, const Sparse& sparse) {
  right_sides<float>(check, sparse, "cusparseSgtsv2_bufferSizeExt", cusparseSgtsv2_bufferSizeExt,
                     "cusparseSgtsv2", cusparseSgtsv2);
}
void without_pivots(Check& check, const Sparse& sparse) {
  right_sides<double>(check, sparse, "cusparseDgtsv2_nopivot_bufferSizeExt",
                      cusparseDgtsv2_nopivot_bufferSizeExt, "cusparseDgtsv2_nopivot",
                      cusparseDgtsv2_nopivot);
}

// One system after the other.
void strided(Check& check, const Sparse& sparse) {
  const Bands<Complex, 1> a(kBatches, 1, kSize, 3);
  WORKSPACE(check, std::size_t, work, cusparseCgtsv2StridedBatch_bufferSizeExt, sparse.handle,
            kSize, a[-1], a[0], a[1], a.in_out(), kBatches, kSize);
  NEED(check, cusparseCgtsv2StridedBatch(sparse.handle, kSize, a[-1], a[0], a[1], a.in_out(),
                                         kBatches, kSize, work.data()));
  a.compare(check, 1e-4);
}

// The systems' elements by turns, by each algorithm.
void interleaved(Check& check, const Sparse& sparse) {
  for (const int algorithm : {0, 1, 2}) {
    const Bands<DoubleComplex, 1> a(kBatches, kBatches, 1, 4);
    WORKSPACE(check, std::size_t, work, cusparseZgtsvInterleavedBatch_bufferSizeExt, sparse.handle,
              algorithm, kSize, a[-1], a[0], a[1], a.in_out(), kBatches);
    NEED(check, cusparseZgtsvInterleavedBatch(sparse.handle, algorithm, kSize, a[-1], a[0], a[1],
                                              a.in_out(), kBatches, work.data()));
    a.compare(check, 1e-12);
  }
}

void five_diagonals(Check& check, const Sparse& sparse) {
  const Bands<double, 2> a(kBatches, kBatches, 1, 5);
  WORKSPACE(check, std::size_t, work, cusparseDgpsvInterleavedBatch_bufferSizeExt, sparse.handle, 0,
            kSize, a[-2], a[-1], a[0], a[1], a[2], a.in_out(), kBatches);
  NEED(check, cusparseDgpsvInterleavedBatch(sparse.handle, 0, kSize, a[-2], a[-1], a[0], a[1], a[2],
                                            a.in_out(), kBatches, work.data()));
  a.compare(check, 1e-12);
}

// A symmetric matrix with a large diagonal, where it has entries, and their values.
struct Symmetric {
  explicit Symmetric(std::uint32_t seed) : dense(dense_with_holes(kSize, kSize, seed)) {
    for (int j = 0; j < kSize; ++j) {
      for (int i = 0; i < j; ++i) dense[i + j * kSize] = dense[j + i * kSize];
      dense[j + j * kSize] = 20;
    }
    for (const double value : dense) has.push_back(value != 0);
  }
  std::vector<double> dense;
  std::vector<bool> has;
};
std::vector<double> entries(const Csr& csr, const std::vector<double>& dense) {
  std::vector<double> values;
  for (int i = 0; i < kSize; ++i) {
    for (int at = csr.rows[i]; at < csr.rows[i + 1]; ++at) {
      values.push_back(dense[i + csr.columns[at] * kSize]);
    }
  }
  return values;
}

// L U, incomplete; the first pivot is too small and another number stands for it.
void lower_upper(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  MADE(check, csrilu02Info_t, info, cusparseCreateCsrilu02Info, cusparseDestroyCsrilu02Info);
  Symmetric symmetric(6);
  symmetric.dense[0] = 1e-9;
  const Csr csr(symmetric.dense, kSize, kSize);
  const CsrOnDevice a(check, csr);
  const int count = static_cast<int>(csr.values.size());
  double tolerance = 1e-6, boost = 20;
  NEED(check, cusparseDcsrilu02_numericBoost(sparse.handle, info, 1, &tolerance, &boost));
  WORKSPACE(check, int, work, cusparseDcsrilu02_bufferSize, sparse.handle, kSize, count,
            description, a.values.data(), a.rows.data(), a.columns.data(), info);
  NEED(check,
       cusparseDcsrilu02_analysis(sparse.handle, kSize, count, description, a.values.data(),
                                  a.rows.data(), a.columns.data(), info, kLevels, work.data()));
  NEED(check, cusparseDcsrilu02(sparse.handle, kSize, count, description, a.values.data(),
                                a.rows.data(), a.columns.data(), info, kLevels, work.data()));
  symmetric.dense[0] = boost;
  check.near("L U", a.values.get(check),
             entries(csr, incomplete_lu(symmetric.dense, symmetric.has, kSize)), 1e-11);
  GIVEN(check, int, pivot, cusparseXcsrilu02_zeroPivot, sparse.handle, info);
  EXPECT(check, *pivot == -1);
}

// L L', incomplete; only the lower triangle is compared.
void cholesky(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  MADE(check, csric02Info_t, info, cusparseCreateCsric02Info, cusparseDestroyCsric02Info);
  const Symmetric symmetric(7);
  const Csr csr(symmetric.dense, kSize, kSize);
  const DeviceArray<int> rows(csr.rows), columns(csr.columns);
  const DeviceArray<float> values(as<float>(csr.values));
  const int count = static_cast<int>(csr.values.size());
  WORKSPACE(check, int, work, cusparseScsric02_bufferSize, sparse.handle, kSize, count, description,
            values.data(), rows.data(), columns.data(), info);
  NEED(check, cusparseScsric02_analysis(sparse.handle, kSize, count, description, values.data(),
                                        rows.data(), columns.data(), info, kLevels, work.data()));
  NEED(check, cusparseScsric02(sparse.handle, kSize, count, description, values.data(), rows.data(),
                               columns.data(), info, kLevels, work.data()));
  std::vector<double> got = dense_of(csr.rows, csr.columns, flat(values.get(check)), kSize, kSize);
  std::vector<double> want = incomplete_cholesky(symmetric.dense, symmetric.has, kSize);
  for (int j = 0; j < kSize; ++j) {
    for (int i = 0; i < j; ++i) got[i + j * kSize] = want[i + j * kSize] = 0;
  }
  check.near("L", got, want, 1e-5);
  GIVEN(check, int, pivot, cusparseXcsric02_zeroPivot, sparse.handle, info);
  EXPECT(check, *pivot == -1);
}

// C = alpha A + beta B, where all have few entries.
void sum(Check& check, const Sparse& sparse) {
  constexpr int kColumns = 19;
  DESCRIPTION(check, description);
  const Csr left(dense_with_holes(kSize, kColumns, 8), kSize, kColumns);
  const Csr right(dense_with_holes(kSize, kColumns, 9), kSize, kColumns);
  const int left_count = static_cast<int>(left.values.size());
  const int right_count = static_cast<int>(right.values.size());
  const DeviceArray<int> a_rows(left.rows), a_columns(left.columns), b_rows(right.rows);
  const DeviceArray<int> b_columns(right.columns), rows(kSize + 1);
  const DeviceArray<DoubleComplex> a(turned<DoubleComplex>(left.values));
  const DeviceArray<DoubleComplex> b(turned<DoubleComplex>(right.values));
  const cuDoubleComplex alpha{2, 0}, beta{0, 1};
  WORKSPACE(check, std::size_t, work, cusparseZcsrgeam2_bufferSizeExt, sparse.handle, kSize,
            kColumns, &alpha, description, left_count, of(a), a_rows.data(), a_columns.data(),
            &beta, description, right_count, of(b), b_rows.data(), b_columns.data(), description,
            nullptr, rows.data(), nullptr);
  Guarded<int> count;
  NEED(check,
       cusparseXcsrgeam2Nnz(sparse.handle, kSize, kColumns, description, left_count, a_rows.data(),
                            a_columns.data(), description, right_count, b_rows.data(),
                            b_columns.data(), description, rows.data(), count.get(), work.data()));
  INTACT(check, count);
  int wanted = 0;
  std::vector<DoubleComplex> want;
  const auto dense_a = turned<DoubleComplex>(left.dense);
  const auto dense_b = turned<DoubleComplex>(right.dense);
  for (std::size_t i = 0; i < dense_a.size(); ++i) {
    wanted += left.dense[i] != 0 || right.dense[i] != 0;
    want.push_back(2.0 * dense_a[i] + DoubleComplex{0, 1} * dense_b[i]);
  }
  check.equal("count", *count, wanted);
  if (!check) return;
  const DeviceArray<int> columns(*count);
  const DeviceArray<DoubleComplex> values(*count);
  NEED(check, cusparseZcsrgeam2(sparse.handle, kSize, kColumns, &alpha, description, left_count,
                                of(a), a_rows.data(), a_columns.data(), &beta, description,
                                right_count, of(b), b_rows.data(), b_columns.data(), description,
                                of(values), rows.data(), columns.data(), work.data()));
  const std::vector<double> parts = flat(values.get(check));
  for (const int part : {0, 1}) {
    std::vector<double> of_part, wanted_part;
    for (std::size_t i = part; i < parts.size(); i += 2) of_part.push_back(parts[i]);
    for (const DoubleComplex& value : want) {
      wanted_part.push_back(part == 0 ? value.real() : value.imag());
    }
    check.near("C", dense_of(rows.get(check), columns.get(check), of_part, kSize, kColumns),
               wanted_part, 1e-13);
  }
}

// Two rows that are joined by an entry have different colours; the order is by colours.
void colours(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  MADE(check, cusparseColorInfo_t, info, cusparseCreateColorInfo, cusparseDestroyColorInfo);
  const Symmetric symmetric(10);
  const Csr csr(symmetric.dense, kSize, kSize);
  const CsrOnDevice a(check, csr);
  const DeviceArray<int> colouring(kSize), order(kSize);
  const double all = 1;
  Guarded<int> colours;
  NEED(check, cusparseDcsrcolor(sparse.handle, kSize, static_cast<int>(csr.values.size()),
                                description, a.values.data(), a.rows.data(), a.columns.data(), &all,
                                colours.get(), colouring.data(), order.data(), info));
  INTACT(check, colours);
  const std::vector<int> of_rows = colouring.get(check);
  std::vector<int> places = order.get(check);
  int most = 0;
  for (int i = 0; i < kSize; ++i) {
    most = std::max(most, of_rows[i] + 1);
    for (int j = 0; j < i; ++j) {
      EXPECT(check, !symmetric.has[i + j * kSize] || of_rows[i] != of_rows[j]);
    }
  }
  check.equal("colours", *colours, most);
  std::sort(places.begin(), places.end());
  std::vector<int> each(kSize);
  std::iota(each.begin(), each.end(), 0);
  EXPECT(check, places == each);
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse_solvers", {{"description", description},
                                               {"three_diagonals", three_diagonals},
                                               {"without_pivots", without_pivots},
                                               {"strided", strided},
                                               {"interleaved", interleaved},
                                               {"five_diagonals", five_diagonals},
                                               {"lower_upper", lower_upper},
                                               {"cholesky", cholesky},
                                               {"sum", sum},
                                               {"colours", colours}});
}

}  // namespace maths
