// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: matrices of blocks, their products, solutions and factorisations.
#include "sparse_blocks.h"

namespace maths {
namespace {

constexpr int kSides = 5;

// Of these blocks' places, the values of a dense matrix: as the library has them.
std::vector<double> values_at(const Blocks& blocks, const std::vector<double>& dense, int n) {
  std::vector<double> values;
  for (int row = 0; row < n / kBlock; ++row) {
    for (int at = blocks.rows[row]; at < blocks.rows[row + 1]; ++at) {
      for (int i = 0; i < kBlock * kBlock; ++i) {
        values.push_back(
            dense[row * kBlock + i / kBlock + (blocks.columns[at] * kBlock + i % kBlock) * n]);
      }
    }
  }
  return values;
}

// y = alpha A x + beta y
void vector(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const std::vector<double> dense = sparse_blocks(kRows, kColumns, 1);
  const Blocks blocks(dense, kRows, kColumns, kBlock, kBlock);
  const OnDevice<double> a(blocks);
  const auto x = random_values<double>(kColumns, 2), y = random_values<double>(kRows, 3);
  const DeviceArray<double> on_x(x), on_y(y);
  const double alpha = 2, beta = 0.5;
  NEED(check, cusparseDbsrmv(sparse.handle, kDirection, kN, kRows / kBlock, kColumns / kBlock,
                             blocks.count(), &alpha, description, a.values.data(), a.rows.data(),
                             a.columns.data(), kBlock, on_x.data(), &beta, on_y.data()));
  std::vector<double> want = product(dense, x, kRows, 1, kColumns);
  for (int i = 0; i < kRows; ++i) want[i] = alpha * want[i] + beta * y[i];
  check.near("y", on_y.get(check), want, 1e-12);
}

// The same for some of the rows of blocks; the others stay as they are.
void masked(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const std::vector<double> dense = sparse_blocks(kRows, kColumns, 4);
  const Blocks blocks(dense, kRows, kColumns, kBlock, kBlock);
  const OnDevice<float> a(blocks);
  const std::vector<int> mask{1, 4, 6};
  const DeviceArray<int> on_mask(mask);
  const auto x = random_values<float>(kColumns, 5), y = random_values<float>(kRows, 6);
  const DeviceArray<float> on_x(x), on_y(y);
  const float alpha = 2, beta = 0.5;
  NEED(check,
       cusparseSbsrxmv(sparse.handle, kDirection, kN, static_cast<int>(mask.size()), kRows / kBlock,
                       kColumns / kBlock, blocks.count(), &alpha, description, a.values.data(),
                       on_mask.data(), a.rows.data(), a.rows.data() + 1, a.columns.data(), kBlock,
                       on_x.data(), &beta, on_y.data()));
  const std::vector<double> whole = product(dense, flat(x), kRows, 1, kColumns);
  std::vector<double> want = flat(y);
  for (const int row : mask) {
    for (int i = row * kBlock; i < (row + 1) * kBlock; ++i) want[i] = 2 * whole[i] + 0.5 * y[i];
  }
  check.near("y", flat(on_y.get(check)), want, 1e-5);
}

// C = alpha A B
void matrix(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const std::vector<double> dense = sparse_blocks(kRows, kColumns, 7);
  const Blocks blocks(dense, kRows, kColumns, kBlock, kBlock);
  const OnDevice<Complex> a(blocks);
  const auto b = random_values<Complex>(kColumns * kSides, 8);
  const DeviceArray<Complex> on_b(b), on_c(std::vector<Complex>(kRows * kSides));
  const cuComplex alpha{0, 1}, beta{0, 0};
  NEED(check,
       cusparseCbsrmm(sparse.handle, kDirection, kN, kN, kRows / kBlock, kSides, kColumns / kBlock,
                      blocks.count(), &alpha, description, of(a.values), a.rows.data(),
                      a.columns.data(), kBlock, of(on_b), kColumns, &beta, of(on_c), kRows));
  std::vector<Complex> want = product(turned<Complex>(dense), b, kRows, kSides, kColumns);
  for (Complex& value : want) value *= Complex{0, 1};
  check.near("C", flat(on_c.get(check)), flat(want), 1e-5);
}

// A x = b for x, and A X = B, where A is a lower triangle.
void triangle(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  NEED(check, cusparseSetMatFillMode(description, CUSPARSE_FILL_MODE_LOWER));
  NEED(check, cusparseSetMatDiagType(description, CUSPARSE_DIAG_TYPE_NON_UNIT));
  MADE(check, bsrsv2Info_t, info, cusparseCreateBsrsv2Info, cusparseDestroyBsrsv2Info);
  const std::vector<double> dense = lower_triangle(kRows, 9);
  const Blocks blocks(dense, kRows, kRows, kBlock, kBlock);
  const OnDevice<double> a(blocks);
  const auto x = random_values<double>(kRows, 10);
  const DeviceArray<double> b(product(dense, x, kRows, 1, kRows)), on_x(kRows);
  const double one = 1;
  const int size = kRows / kBlock, count = blocks.count();
  WORKSPACE(check, int, work, cusparseDbsrsv2_bufferSize, sparse.handle, kDirection, kN, size,
            count, description, a.values.data(), a.rows.data(), a.columns.data(), kBlock, info);
  NEED(check, cusparseDbsrsv2_analysis(sparse.handle, kDirection, kN, size, count, description,
                                       a.values.data(), a.rows.data(), a.columns.data(), kBlock,
                                       info, kLevels, work.data()));
  NEED(check, cusparseDbsrsv2_solve(sparse.handle, kDirection, kN, size, count, &one, description,
                                    a.values.data(), a.rows.data(), a.columns.data(), kBlock, info,
                                    b.data(), on_x.data(), kLevels, work.data()));
  check.near("x", on_x.get(check), x, 1e-9);
  GIVEN(check, int, pivot, cusparseXbsrsv2_zeroPivot, sparse.handle, info);
  EXPECT(check, *pivot == -1);
}

void triangle_matrix(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  NEED(check, cusparseSetMatFillMode(description, CUSPARSE_FILL_MODE_LOWER));
  MADE(check, bsrsm2Info_t, info, cusparseCreateBsrsm2Info, cusparseDestroyBsrsm2Info);
  const std::vector<double> dense = lower_triangle(kRows, 11);
  const Blocks blocks(dense, kRows, kRows, kBlock, kBlock);
  const OnDevice<DoubleComplex> a(blocks);
  const auto x = random_values<DoubleComplex>(kRows * kSides, 12);
  const DeviceArray<DoubleComplex> b(
      product(turned<DoubleComplex>(dense), x, kRows, kSides, kRows)),
      on_x(kRows * kSides);
  const cuDoubleComplex one{1, 0};
  const int size = kRows / kBlock, count = blocks.count();
  WORKSPACE(check, int, work, cusparseZbsrsm2_bufferSize, sparse.handle, kDirection, kN, kN, size,
            kSides, count, description, of(a.values), a.rows.data(), a.columns.data(), kBlock,
            info);
  NEED(check, cusparseZbsrsm2_analysis(sparse.handle, kDirection, kN, kN, size, kSides, count,
                                       description, of(a.values), a.rows.data(), a.columns.data(),
                                       kBlock, info, kLevels, work.data()));
  NEED(check,
       cusparseZbsrsm2_solve(sparse.handle, kDirection, kN, kN, size, kSides, count, &one,
                             description, of(a.values), a.rows.data(), a.columns.data(), kBlock,
                             info, of(b), kRows, of(on_x), kRows, kLevels, work.data()));
  check.near("X", flat(on_x.get(check)), flat(x), 1e-9);
  GIVEN(check, int, pivot, cusparseXbsrsm2_zeroPivot, sparse.handle, info);
  EXPECT(check, *pivot == -1);
}

// L U, incomplete; the first pivot is too small and another number stands for it.
void lower_upper(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  MADE(check, bsrilu02Info_t, info, cusparseCreateBsrilu02Info, cusparseDestroyBsrilu02Info);
  std::vector<double> dense = sparse_blocks(kRows, kRows, 13);
  for (int i = 0; i < kRows; ++i) dense[i + i * kRows] = 12;
  dense[0] = 1e-9;
  const Blocks blocks(dense, kRows, kRows, kBlock, kBlock);
  const OnDevice<double> a(blocks);
  const int size = kRows / kBlock, count = blocks.count();
  double tolerance = 1e-6, boost = 12;
  NEED(check, cusparseDbsrilu02_numericBoost(sparse.handle, info, 1, &tolerance, &boost));
  WORKSPACE(check, int, work, cusparseDbsrilu02_bufferSize, sparse.handle, kDirection, size, count,
            description, a.values.data(), a.rows.data(), a.columns.data(), kBlock, info);
  NEED(check, cusparseDbsrilu02_analysis(sparse.handle, kDirection, size, count, description,
                                         a.values.data(), a.rows.data(), a.columns.data(), kBlock,
                                         info, kLevels, work.data()));
  NEED(check,
       cusparseDbsrilu02(sparse.handle, kDirection, size, count, description, a.values.data(),
                         a.rows.data(), a.columns.data(), kBlock, info, kLevels, work.data()));
  dense[0] = boost;
  check.near("L U", a.values.get(check),
             values_at(blocks, incomplete_lu(dense, blocks.has, kRows), kRows), 1e-11);
  GIVEN(check, int, pivot, cusparseXbsrilu02_zeroPivot, sparse.handle, info);
  EXPECT(check, *pivot == -1);
}

// L L', incomplete, of a symmetric matrix; only the lower triangle is compared.
void cholesky(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  MADE(check, bsric02Info_t, info, cusparseCreateBsric02Info, cusparseDestroyBsric02Info);
  std::vector<double> dense = sparse_blocks(kRows, kRows, 14);
  for (int j = 0; j < kRows; ++j) {
    for (int i = 0; i < j; ++i) dense[i + j * kRows] = dense[j + i * kRows];
    dense[j + j * kRows] = 20;
  }
  const Blocks blocks(dense, kRows, kRows, kBlock, kBlock);
  const OnDevice<double> a(blocks);
  const int size = kRows / kBlock, count = blocks.count();
  WORKSPACE(check, int, work, cusparseDbsric02_bufferSize, sparse.handle, kDirection, size, count,
            description, a.values.data(), a.rows.data(), a.columns.data(), kBlock, info);
  NEED(check, cusparseDbsric02_analysis(sparse.handle, kDirection, size, count, description,
                                        a.values.data(), a.rows.data(), a.columns.data(), kBlock,
                                        info, kLevels, work.data()));
  NEED(check,
       cusparseDbsric02(sparse.handle, kDirection, size, count, description, a.values.data(),
                        a.rows.data(), a.columns.data(), kBlock, info, kLevels, work.data()));
  std::vector<double> lower(dense.size(), 0);
  for (int j = 0; j < kRows; ++j) {
    for (int i = j; i < kRows; ++i) lower[i + j * kRows] = 1;
  }
  std::vector<double> got = a.values.get(check), of_lower = values_at(blocks, lower, kRows);
  std::vector<double> want =
      values_at(blocks, incomplete_cholesky(dense, blocks.has, kRows), kRows);
  for (std::size_t i = 0; i < got.size(); ++i) {
    got[i] *= of_lower[i];
    want[i] *= of_lower[i];
  }
  check.near("L", got, want, 1e-11);
  GIVEN(check, int, pivot, cusparseXbsric02_zeroPivot, sparse.handle, info);
  EXPECT(check, *pivot == -1);
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse_blocks", {{"vector", vector},
                                              {"masked", masked},
                                              {"matrix", matrix},
                                              {"triangle", triangle},
                                              {"triangle_matrix", triangle_matrix},
                                              {"lower_upper", lower_upper},
                                              {"cholesky", cholesky}});
}

}  // namespace maths
