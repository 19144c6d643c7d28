// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: matrices to blocks, from blocks, and between blocks of different sizes.
#include "sparse_blocks.h"

namespace maths {
namespace {

template <typename T>
void same(Check& check, const Blocks& blocks, const DeviceArray<int>& rows,
          const DeviceArray<int>& columns, const DeviceArray<T>& values) {
  check.near("rows", flat(rows.get(check)), flat(blocks.rows), 0);
  check.near("columns", flat(columns.get(check)), flat(blocks.columns), 0);
  check.near("values", flat(values.get(check)), flat(turned<T>(blocks.values)), 0);
}

// Rows of numbers to square blocks, and back, where the zeros in blocks are entries.
void square(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const Csr csr(sparse_blocks(kRows, kColumns, 15), kRows, kColumns);
  const Blocks blocks(csr.dense, kRows, kColumns, kBlock, kBlock);
  const CsrOnDevice a(check, csr);
  const int height = kRows / kBlock, width = kColumns / kBlock;
  const DeviceArray<int> rows(height + 1), columns(blocks.columns.size());
  const DeviceArray<double> values(blocks.values.size());
  GIVEN(check, int, count, cusparseXcsr2bsrNnz, sparse.handle, kDirection, kRows, kColumns,
        description, a.rows.data(), a.columns.data(), kBlock, description, rows.data());
  check.equal("count", *count, blocks.count());
  if (!check) return;
  NEED(check, cusparseDcsr2bsr(sparse.handle, kDirection, kRows, kColumns, description,
                               a.values.data(), a.rows.data(), a.columns.data(), kBlock,
                               description, values.data(), rows.data(), columns.data()));
  same(check, blocks, rows, columns, values);
  const DeviceArray<int> back_rows(kRows + 1), back_columns(blocks.values.size());
  const DeviceArray<double> back_values(blocks.values.size());
  NEED(check, cusparseDbsr2csr(sparse.handle, kDirection, height, width, description, values.data(),
                               rows.data(), columns.data(), kBlock, description, back_values.data(),
                               back_rows.data(), back_columns.data()));
  check.near("back",
             dense_of(back_rows.get(check), back_columns.get(check), back_values.get(check), kRows,
                      kColumns),
             csr.dense, 0);
}

// The same with blocks of 3 by 2, then to blocks of 4 by 3, and their transposition.
void oblong(Check& check, const Sparse& sparse) {
  constexpr int kHeight = 3, kWidth = 2, kOtherHeight = 4, kOtherWidth = 3;
  DESCRIPTION(check, description);
  const Csr csr(sparse_blocks(kRows, kColumns, 16), kRows, kColumns);
  const Blocks blocks(csr.dense, kRows, kColumns, kHeight, kWidth);
  const DeviceArray<int> csr_rows(csr.rows), csr_columns(csr.columns);
  const DeviceArray<float> csr_values(as<float>(csr.values));
  const int height = kRows / kHeight, width = kColumns / kWidth;
  const DeviceArray<int> rows(height + 1), columns(blocks.columns.size());
  const DeviceArray<float> values(blocks.values.size());
  WORKSPACE(check, int, work, cusparseScsr2gebsr_bufferSize, sparse.handle, kDirection, kRows,
            kColumns, description, csr_values.data(), csr_rows.data(), csr_columns.data(), kHeight,
            kWidth);
  Guarded<int> count;
  NEED(check, cusparseXcsr2gebsrNnz(sparse.handle, kDirection, kRows, kColumns, description,
                                    csr_rows.data(), csr_columns.data(), description, rows.data(),
                                    kHeight, kWidth, count.get(), work.data()));
  INTACT(check, count);
  check.equal("count", *count, blocks.count());
  if (!check) return;
  NEED(check, cusparseScsr2gebsr(sparse.handle, kDirection, kRows, kColumns, description,
                                 csr_values.data(), csr_rows.data(), csr_columns.data(),
                                 description, values.data(), rows.data(), columns.data(), kHeight,
                                 kWidth, work.data()));
  same(check, blocks, rows, columns, values);

  const DeviceArray<int> back_rows(kRows + 1), back_columns(blocks.values.size());
  const DeviceArray<float> back_values(blocks.values.size());
  NEED(check,
       cusparseSgebsr2csr(sparse.handle, kDirection, height, width, description, values.data(),
                          rows.data(), columns.data(), kHeight, kWidth, description,
                          back_values.data(), back_rows.data(), back_columns.data()));
  check.near("back",
             dense_of(back_rows.get(check), back_columns.get(check), flat(back_values.get(check)),
                      kRows, kColumns),
             flat(as<float>(csr.dense)), 0);

  const Blocks others(csr.dense, blocks.has, kRows, kColumns, kOtherHeight, kOtherWidth);
  WORKSPACE(check, int, other_work, cusparseSgebsr2gebsr_bufferSize, sparse.handle, kDirection,
            height, width, blocks.count(), description, values.data(), rows.data(), columns.data(),
            kHeight, kWidth, kOtherHeight, kOtherWidth);
  const DeviceArray<int> other_rows(kRows / kOtherHeight + 1), other_columns(others.columns.size());
  const DeviceArray<float> other_values(others.values.size());
  NEED(check, cusparseXgebsr2gebsrNnz(sparse.handle, kDirection, height, width, blocks.count(),
                                      description, rows.data(), columns.data(), kHeight, kWidth,
                                      description, other_rows.data(), kOtherHeight, kOtherWidth,
                                      count.get(), other_work.data()));
  INTACT(check, count);
  check.equal("other count", *count, others.count());
  if (!check) return;
  NEED(check,
       cusparseSgebsr2gebsr(sparse.handle, kDirection, height, width, blocks.count(), description,
                            values.data(), rows.data(), columns.data(), kHeight, kWidth,
                            description, other_values.data(), other_rows.data(),
                            other_columns.data(), kOtherHeight, kOtherWidth, other_work.data()));
  same(check, others, other_rows, other_columns, other_values);
}

// By columns of blocks; a block itself stays as it is.
void by_columns(Check& check, const Sparse& sparse) {
  constexpr int kHeight = 3, kWidth = 2;
  const std::vector<double> dense = sparse_blocks(kRows, kColumns, 17);
  const Blocks blocks(dense, kRows, kColumns, kHeight, kWidth);
  const OnDevice<DoubleComplex> a(blocks);
  const int height = kRows / kHeight, width = kColumns / kWidth, size = kHeight * kWidth;
  WORKSPACE(check, int, work, cusparseZgebsr2gebsc_bufferSize, sparse.handle, height, width,
            blocks.count(), of(a.values), a.rows.data(), a.columns.data(), kHeight, kWidth);
  const DeviceArray<DoubleComplex> values(blocks.values.size());
  const DeviceArray<int> rows(blocks.columns.size()), columns(width + 1);
  NEED(check, cusparseZgebsr2gebsc(sparse.handle, height, width, blocks.count(), of(a.values),
                                   a.rows.data(), a.columns.data(), kHeight, kWidth, of(values),
                                   rows.data(), columns.data(), CUSPARSE_ACTION_NUMERIC, kBase0,
                                   work.data()));
  std::vector<int> want_rows, want_columns{0};
  std::vector<double> want;
  for (int column = 0; column < width; ++column) {
    for (int row = 0; row < height; ++row) {
      for (int at = blocks.rows[row]; at < blocks.rows[row + 1]; ++at) {
        if (blocks.columns[at] != column) continue;
        want_rows.push_back(row);
        want.insert(want.end(), blocks.values.begin() + at * size,
                    blocks.values.begin() + (at + 1) * size);
      }
    }
    want_columns.push_back(static_cast<int>(want_rows.size()));
  }
  check.near("rows", flat(rows.get(check)), flat(want_rows), 0);
  check.near("columns", flat(columns.get(check)), flat(want_columns), 0);
  check.near("values", flat(values.get(check)), flat(turned<DoubleComplex>(want)), 0);
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse_block_conversions",
                          {{"square", square}, {"oblong", oblong}, {"by_columns", by_columns}});
}

}  // namespace maths
