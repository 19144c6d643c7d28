// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: the formats of sparse matrices and dense ones, what their descriptors say, and products
// with each of them, also in batches.
#include <algorithm>

#include "sparse_families.h"

namespace maths {
namespace {

constexpr int kRows = 24, kColumns = 16, kBlock = 4, kSides = 5;
constexpr auto kType = CUDA_R_64F;

// The same matrix in all formats.
struct Formats {
  explicit Formats(std::uint32_t seed)
      : by_rows(dense_with_holes(kRows, kColumns, seed), kRows, kColumns),
        by_columns(transposed(by_rows.dense, kRows, kColumns), kColumns, kRows) {
    for (int i = 0; i < kRows; ++i) {
      coo_rows.insert(coo_rows.end(), by_rows.rows[i + 1] - by_rows.rows[i], i);
    }
    // All blocks are taken, so that BSR and blocked ELL have the same ones; each by rows.
    for (int row = 0; row < kRows; row += kBlock) {
      for (int column = 0; column < kColumns; column += kBlock) {
        block_columns.push_back(column / kBlock);
        for (int at = 0; at < kBlock * kBlock; ++at) {
          blocks.push_back(at_place(row + at / kBlock, column + at % kBlock));
        }
      }
      block_rows.push_back(static_cast<int>(block_columns.size()));
      for (int at = 0; at < kBlock * kColumns; ++at) {
        ell_values.push_back(at_place(row + at / kColumns, at % kColumns));
      }
    }
    // Slices of kBlock rows, by columns, each as wide as its longest row.
    for (int row = 0; row < kRows; row += kBlock) {
      int width = 0;
      for (int i = row; i < row + kBlock; ++i) {
        width = std::max(width, by_rows.rows[i + 1] - by_rows.rows[i]);
      }
      for (int at = 0; at < width * kBlock; ++at) {
        const int place = by_rows.rows[row + at % kBlock] + at / kBlock;
        const bool is = place < by_rows.rows[row + at % kBlock + 1];
        slice_columns.push_back(is ? by_rows.columns[place] : -1);
        slice_values.push_back(is ? by_rows.values[place] : 0);
      }
      slices.push_back(static_cast<int>(slice_values.size()));
    }
  }
  double at_place(int row, int column) const { return by_rows.dense[row + column * kRows]; }
  std::int64_t count() const { return static_cast<std::int64_t>(by_rows.values.size()); }

  Csr by_rows, by_columns;
  std::vector<int> coo_rows, block_rows{0}, block_columns, slices{0}, slice_columns;
  std::vector<double> blocks, ell_values, slice_values;
};

// What a descriptor says; the parts that it does not say stay untouched.
template <typename Pointer>
struct Said {
  Guarded<std::int64_t> rows, columns, count, more;
  Guarded<Pointer> first, second, values;
  Guarded<cusparseIndexType_t> type1, type2;
  Guarded<cusparseIndexBase_t> base;
  Guarded<cudaDataType> type;

  void expect(Check& check, std::int64_t wanted, const void* wanted_first,
              const void* wanted_second, const void* wanted_values) const {
    EXPECT(check, *rows == kRows && *columns == kColumns && *count == wanted);
    EXPECT(check, *first == wanted_first && *values == wanted_values);
    EXPECT(check, second.untouched() || *second == wanted_second);
    EXPECT(check, *type1 == kInt && (type2.untouched() || *type2 == kInt));
    EXPECT(check, *base == kBase0 && *type == kType);
    for (const auto* guarded : {&rows, &columns, &count, &more}) INTACT(check, *guarded);
    for (const auto* guarded : {&first, &second, &values}) INTACT(check, *guarded);
    INTACT(check, type1);
    INTACT(check, type2);
    INTACT(check, base);
    INTACT(check, type);
  }
};

// A B, where A is sparse
void multiply(Check& check, const Sparse& sparse, cusparseSpMatDescr_t a, const Formats& formats) {
  const auto b = random_values<double>(kColumns * kSides, 5);
  const DenseMatrix on_b(check, b, kColumns, kSides);
  const DenseMatrix on_c(check, std::vector<double>(kRows * kSides), kRows, kSides);
  if (!check) return;
  const double one = 1, zero = 0;
  const auto algorithm = CUSPARSE_SPMM_ALG_DEFAULT;
  WORKSPACE(check, std::size_t, work, cusparseSpMM_bufferSize, sparse.handle, kN, kN, &one, a,
            on_b.matrix, &zero, on_c.matrix, kType, algorithm);
  NEED(check, cusparseSpMM_preprocess(sparse.handle, kN, kN, &one, a, on_b.matrix, &zero,
                                      on_c.matrix, kType, algorithm, work.data()));
  NEED(check, cusparseSpMM(sparse.handle, kN, kN, &one, a, on_b.matrix, &zero, on_c.matrix, kType,
                           algorithm, work.data()));
  check.near("A B", on_c.memory.get(check),
             product(formats.by_rows.dense, b, kRows, kSides, kColumns), 1e-12);
}

void coo(Check& check, const Sparse& sparse) {
  const Formats formats(1);
  const DeviceArray<int> rows(formats.coo_rows), columns(formats.by_rows.columns);
  const DeviceArray<double> values(formats.by_rows.values), others(formats.count());
  MADE(check, cusparseSpMatDescr_t, a, cusparseCreateCoo, cusparseDestroySpMat, kRows, kColumns,
       formats.count(), columns.data(), rows.data(), others.data(), kInt, kBase0, kType);
  NEED(check, cusparseCooSetPointers(a, rows.data(), columns.data(), values.data()));
  Said<void*> said;
  NEED(check, cusparseCooGet(a, said.rows.get(), said.columns.get(), said.count.get(),
                             said.first.get(), said.second.get(), said.values.get(),
                             said.type1.get(), said.base.get(), said.type.get()));
  said.expect(check, formats.count(), rows.data(), columns.data(), values.data());
  multiply(check, sparse, a, formats);
#if CUSPARSE_VERSION >= 12000
  MADE(check, cusparseConstSpMatDescr_t, constant, cusparseCreateConstCoo, cusparseDestroySpMat,
       kRows, kColumns, formats.count(), rows.data(), columns.data(), values.data(), kInt, kBase0,
       kType);
  Said<const void*> again;
  NEED(check,
       cusparseConstCooGet(constant, again.rows.get(), again.columns.get(), again.count.get(),
                           again.first.get(), again.second.get(), again.values.get(),
                           again.type1.get(), again.base.get(), again.type.get()));
  again.expect(check, formats.count(), rows.data(), columns.data(), values.data());
#endif
}

void csr(Check& check, const Sparse& sparse) {
  const Formats formats(2);
  const CsrOnDevice on(check, formats.by_rows);
  if (!check) return;
  Said<void*> said;
  NEED(check, cusparseCsrGet(on.matrix, said.rows.get(), said.columns.get(), said.count.get(),
                             said.first.get(), said.second.get(), said.values.get(),
                             said.type1.get(), said.type2.get(), said.base.get(), said.type.get()));
  said.expect(check, formats.count(), on.rows.data(), on.columns.data(), on.values.data());
  multiply(check, sparse, on.matrix, formats);
#if CUSPARSE_VERSION >= 12000
  MADE(check, cusparseConstSpMatDescr_t, constant, cusparseCreateConstCsr, cusparseDestroySpMat,
       kRows, kColumns, formats.count(), on.rows.data(), on.columns.data(), on.values.data(), kInt,
       kInt, kBase0, kType);
  Said<const void*> again;
  NEED(check, cusparseConstCsrGet(constant, again.rows.get(), again.columns.get(),
                                  again.count.get(), again.first.get(), again.second.get(),
                                  again.values.get(), again.type1.get(), again.type2.get(),
                                  again.base.get(), again.type.get()));
  again.expect(check, formats.count(), on.rows.data(), on.columns.data(), on.values.data());
#endif
}

void csc(Check& check, const Sparse& sparse) {
  const Formats formats(3);
  const DeviceArray<int> offsets(formats.by_columns.rows), rows(formats.by_columns.columns);
  const DeviceArray<double> values(formats.by_columns.values), others(formats.count());
  MADE(check, cusparseSpMatDescr_t, a, cusparseCreateCsc, cusparseDestroySpMat, kRows, kColumns,
       formats.count(), offsets.data(), rows.data(), others.data(), kInt, kInt, kBase0, kType);
  NEED(check, cusparseCscSetPointers(a, offsets.data(), rows.data(), values.data()));
  Said<void*> said;
  NEED(check, cusparseCscGet(a, said.rows.get(), said.columns.get(), said.count.get(),
                             said.first.get(), said.second.get(), said.values.get(),
                             said.type1.get(), said.type2.get(), said.base.get(), said.type.get()));
  said.expect(check, formats.count(), offsets.data(), rows.data(), values.data());
  multiply(check, sparse, a, formats);
#if CUSPARSE_VERSION >= 12000
  MADE(check, cusparseConstSpMatDescr_t, constant, cusparseCreateConstCsc, cusparseDestroySpMat,
       kRows, kColumns, formats.count(), offsets.data(), rows.data(), values.data(), kInt, kInt,
       kBase0, kType);
  Said<const void*> again;
  NEED(check, cusparseConstCscGet(constant, again.rows.get(), again.columns.get(),
                                  again.count.get(), again.first.get(), again.second.get(),
                                  again.values.get(), again.type1.get(), again.type2.get(),
                                  again.base.get(), again.type.get()));
  again.expect(check, formats.count(), offsets.data(), rows.data(), values.data());
#endif
}

void blocked_ell(Check& check, const Sparse& sparse) {
  const Formats formats(4);
  const DeviceArray<int> columns(formats.block_columns);
  const DeviceArray<double> values(formats.ell_values);
  MADE(check, cusparseSpMatDescr_t, a, cusparseCreateBlockedEll, cusparseDestroySpMat, kRows,
       kColumns, kBlock, kColumns, columns.data(), values.data(), kInt, kBase0, kType);
  Said<void*> said;
  NEED(check, cusparseBlockedEllGet(a, said.rows.get(), said.columns.get(), said.count.get(),
                                    said.more.get(), said.first.get(), said.values.get(),
                                    said.type1.get(), said.base.get(), said.type.get()));
  said.expect(check, kBlock, columns.data(), nullptr, values.data());
  EXPECT(check, *said.more == kColumns);
  multiply(check, sparse, a, formats);
#if CUSPARSE_VERSION >= 12000
  MADE(check, cusparseConstSpMatDescr_t, constant, cusparseCreateConstBlockedEll,
       cusparseDestroySpMat, kRows, kColumns, kBlock, kColumns, columns.data(), values.data(), kInt,
       kBase0, kType);
  Said<const void*> again;
  NEED(check, cusparseConstBlockedEllGet(constant, again.rows.get(), again.columns.get(),
                                         again.count.get(), again.more.get(), again.first.get(),
                                         again.values.get(), again.type1.get(), again.base.get(),
                                         again.type.get()));
  again.expect(check, kBlock, columns.data(), nullptr, values.data());
#endif
}

// 11 does not have this format, nor the next.
void bsr([[maybe_unused]] Check& check, [[maybe_unused]] const Sparse& sparse) {
#if CUSPARSE_VERSION >= 12100
  const Formats formats(5);
  const std::int64_t count = static_cast<std::int64_t>(formats.block_columns.size());
  const DeviceArray<int> rows(formats.block_rows), columns(formats.block_columns);
  const DeviceArray<double> values(formats.blocks);
  MADE(check, cusparseSpMatDescr_t, a, cusparseCreateBsr, cusparseDestroySpMat, kRows / kBlock,
       kColumns / kBlock, count, kBlock, kBlock, rows.data(), columns.data(), values.data(), kInt,
       kInt, kBase0, kType, CUSPARSE_ORDER_ROW);
  multiply(check, sparse, a, formats);
  NEED(check, cusparseBsrSetStridedBatch(a, 3, kRows / kBlock + 1, count, count * kBlock * kBlock));
  GIVEN(check, int, batches, cusparseSpMatGetStridedBatch, a);
  EXPECT(check, *batches == 3);
  MADE(check, cusparseConstSpMatDescr_t, constant, cusparseCreateConstBsr, cusparseDestroySpMat,
       kRows / kBlock, kColumns / kBlock, count, kBlock, kBlock, rows.data(), columns.data(),
       values.data(), kInt, kInt, kBase0, kType, CUSPARSE_ORDER_ROW);
  GIVEN(check, const void*, said, cusparseConstSpMatGetValues, constant);
  EXPECT(check, *said == values.data());
#endif
}

// A x, where A is in slices
void sliced_ell([[maybe_unused]] Check& check, [[maybe_unused]] const Sparse& sparse) {
#if CUSPARSE_VERSION >= 12100
  const Formats formats(6);
  const DeviceArray<int> slices(formats.slices), columns(formats.slice_columns);
  const DeviceArray<double> values(formats.slice_values);
  const std::int64_t count = formats.count(), size = formats.slices.back();
  MADE(check, cusparseSpMatDescr_t, a, cusparseCreateSlicedEll, cusparseDestroySpMat, kRows,
       kColumns, count, size, kBlock, slices.data(), columns.data(), values.data(), kInt, kInt,
       kBase0, kType);
  MADE(check, cusparseConstSpMatDescr_t, constant, cusparseCreateConstSlicedEll,
       cusparseDestroySpMat, kRows, kColumns, count, size, kBlock, slices.data(), columns.data(),
       values.data(), kInt, kInt, kBase0, kType);
  const auto x = random_values<double>(kColumns, 7);
  for (const cusparseConstSpMatDescr_t matrix :
       {cusparseConstSpMatDescr_t(a), cusparseConstSpMatDescr_t(constant)}) {
    const DenseVector on_x(check, x), on_y(check, std::vector<double>(kRows));
    if (!check) return;
    const double one = 1, zero = 0;
    WORKSPACE(check, std::size_t, work, cusparseSpMV_bufferSize, sparse.handle, kN, &one, matrix,
              on_x.vector, &zero, on_y.vector, kType, CUSPARSE_SPMV_ALG_DEFAULT);
    NEED(check, cusparseSpMV(sparse.handle, kN, &one, matrix, on_x.vector, &zero, on_y.vector,
                             kType, CUSPARSE_SPMV_ALG_DEFAULT, work.data()));
    check.near("A x", on_y.memory.get(check), product(formats.by_rows.dense, x, kRows, 1, kColumns),
               1e-12);
  }
#endif
}

// What all formats' descriptors say.
void of_sparse(Check& check, const Sparse&) {
  const Formats formats(8);
  const CsrOnDevice on(check, formats.by_rows);
  if (!check) return;
  GIVEN(check, cusparseFormat_t, format, cusparseSpMatGetFormat, on.matrix);
  EXPECT(check, *format == CUSPARSE_FORMAT_CSR);
  GIVEN(check, cusparseIndexBase_t, base, cusparseSpMatGetIndexBase, on.matrix);
  EXPECT(check, *base == kBase0);
  cusparseFillMode_t upper = CUSPARSE_FILL_MODE_UPPER;
  NEED(check, cusparseSpMatSetAttribute(on.matrix, CUSPARSE_SPMAT_FILL_MODE, &upper, sizeof upper));
  Guarded<cusparseFillMode_t> mode;
  NEED(check,
       cusparseSpMatGetAttribute(on.matrix, CUSPARSE_SPMAT_FILL_MODE, mode.get(), sizeof *mode));
  INTACT(check, mode);
  EXPECT(check, *mode == upper);
  const DeviceArray<double> others(formats.count());
  NEED(check, cusparseSpMatSetValues(on.matrix, others.data()));
  GIVEN(check, void*, values, cusparseSpMatGetValues, on.matrix);
  EXPECT(check, *values == others.data());
}

void of_dense(Check& check, const Sparse&) {
  const DenseMatrix on(check, random_values<double>(kRows * kColumns, 9), kRows, kColumns);
  if (!check) return;
  Guarded<std::int64_t> rows, columns, leading;
  Guarded<void*> values;
  Guarded<cudaDataType> type;
  Guarded<cusparseOrder_t> order;
  NEED(check, cusparseDnMatGet(on.matrix, rows.get(), columns.get(), leading.get(), values.get(),
                               type.get(), order.get()));
  for (const auto* guarded : {&rows, &columns, &leading}) INTACT(check, *guarded);
  INTACT(check, values);
  INTACT(check, type);
  INTACT(check, order);
  EXPECT(check, *rows == kRows && *columns == kColumns && *leading == kRows);
  EXPECT(check, *values == on.memory.data() && *type == kType && *order == CUSPARSE_ORDER_COL);
  NEED(check, cusparseDnMatSetStridedBatch(on.matrix, 2, kRows * kColumns));
  Guarded<int> batches;
  Guarded<std::int64_t> stride;
  NEED(check, cusparseDnMatGetStridedBatch(on.matrix, batches.get(), stride.get()));
  INTACT(check, batches);
  INTACT(check, stride);
  EXPECT(check, *batches == 2 && *stride == kRows * kColumns);
  const DeviceArray<double> others(kRows * kColumns);
  NEED(check, cusparseDnMatSetValues(on.matrix, others.data()));
  GIVEN(check, void*, set, cusparseDnMatGetValues, on.matrix);
  EXPECT(check, *set == others.data());
#if CUSPARSE_VERSION >= 12000
  MADE(check, cusparseConstDnMatDescr_t, constant, cusparseCreateConstDnMat, cusparseDestroyDnMat,
       kRows, kColumns, kRows, others.data(), kType, CUSPARSE_ORDER_ROW);
  Guarded<const void*> constant_values;
  NEED(check, cusparseConstDnMatGet(constant, rows.get(), columns.get(), leading.get(),
                                    constant_values.get(), type.get(), order.get()));
  INTACT(check, constant_values);
  EXPECT(check, *constant_values == others.data() && *order == CUSPARSE_ORDER_ROW);
  GIVEN(check, const void*, got, cusparseConstDnMatGetValues, constant);
  EXPECT(check, *got == others.data());
#endif
}

// Two products in one call: the same places with different values.
void batches(Check& check, const Sparse& sparse) {
  const Formats formats(10);
  const int count = static_cast<int>(formats.count());
  const auto twice = [](auto values) {
    const auto once = values;
    values.insert(values.end(), once.begin(), once.end());
    return values;
  };
  std::vector<double> values = twice(formats.by_rows.values);
  for (int i = 0; i < count; ++i) values[count + i] *= i + 2;
  const DeviceArray<int> rows(twice(formats.by_rows.rows)), coo_rows(twice(formats.coo_rows));
  const DeviceArray<int> columns(twice(formats.by_rows.columns));
  const DeviceArray<double> on_values(values);
  MADE(check, cusparseSpMatDescr_t, by_rows, cusparseCreateCsr, cusparseDestroySpMat, kRows,
       kColumns, count, rows.data(), columns.data(), on_values.data(), kInt, kInt, kBase0, kType);
  MADE(check, cusparseSpMatDescr_t, places, cusparseCreateCoo, cusparseDestroySpMat, kRows,
       kColumns, count, coo_rows.data(), columns.data(), on_values.data(), kInt, kBase0, kType);
  NEED(check, cusparseCsrSetStridedBatch(by_rows, 2, kRows + 1, count));
  NEED(check, cusparseCooSetStridedBatch(places, 2, count));
  const auto b = random_values<double>(2 * kColumns * kSides, 11);
  std::vector<double> want;
  for (int batch = 0; batch < 2; ++batch) {
    const std::vector<double> a = dense_of(
        formats.by_rows.rows, formats.by_rows.columns,
        {values.begin() + batch * count, values.begin() + (batch + 1) * count}, kRows, kColumns);
    const std::vector<double> c =
        product(a, {b.begin() + batch * kColumns * kSides, b.end()}, kRows, kSides, kColumns);
    want.insert(want.end(), c.begin(), c.end());
  }
  const DeviceArray<double> on_b(b);
  MADE(check, cusparseDnMatDescr_t, b_matrix, cusparseCreateDnMat, cusparseDestroyDnMat, kColumns,
       kSides, kColumns, on_b.data(), kType, CUSPARSE_ORDER_COL);
  NEED(check, cusparseDnMatSetStridedBatch(b_matrix, 2, kColumns * kSides));
  for (const auto& [matrix, algorithm] :
       {std::pair<cusparseSpMatDescr_t, cusparseSpMMAlg_t>{by_rows, CUSPARSE_SPMM_CSR_ALG1},
        {places, CUSPARSE_SPMM_COO_ALG1}}) {
    const DeviceArray<double> on_c(std::vector<double>(2 * kRows * kSides));
    MADE(check, cusparseDnMatDescr_t, c_matrix, cusparseCreateDnMat, cusparseDestroyDnMat, kRows,
         kSides, kRows, on_c.data(), kType, CUSPARSE_ORDER_COL);
    NEED(check, cusparseDnMatSetStridedBatch(c_matrix, 2, kRows * kSides));
    const double one = 1, zero = 0;
    WORKSPACE(check, std::size_t, work, cusparseSpMM_bufferSize, sparse.handle, kN, kN, &one,
              matrix, b_matrix, &zero, c_matrix, kType, algorithm);
    NEED(check, cusparseSpMM(sparse.handle, kN, kN, &one, matrix, b_matrix, &zero, c_matrix, kType,
                             algorithm, work.data()));
    check.near("A B", on_c.get(check), want, 1e-12);
  }
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse_formats", {{"coo", coo},
                                               {"csr", csr},
                                               {"csc", csc},
                                               {"blocked_ell", blocked_ell},
                                               {"bsr", bsr},
                                               {"sliced_ell", sliced_ell},
                                               {"of_sparse", of_sparse},
                                               {"of_dense", of_dense},
                                               {"batches", batches}});
}

}  // namespace maths
