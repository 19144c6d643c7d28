// SPDX-License-Identifier: Apache-2.0

// cuSPARSE: conversions of sparse matrices, their order, and matrices without their small entries.
#include <algorithm>
#include <cmath>

#include "sparse_families.h"

namespace maths {
namespace {

constexpr int kRows = 30, kColumns = 22;

// A matrix in all that the conversions come from and go to.
struct Source {
  Source(Check& check, std::uint32_t seed)
      : csr(dense_with_holes(kRows, kColumns, seed), kRows, kColumns), on(check, csr) {
    for (int i = 0; i < kRows; ++i) {
      coo_rows.insert(coo_rows.end(), csr.rows[i + 1] - csr.rows[i], i);
    }
  }
  int count() const { return static_cast<int>(csr.values.size()); }
  const Csr csr;
  const CsrOnDevice on;
  std::vector<int> coo_rows;
};

// Of the same matrix, only what is larger than a threshold.
Csr larger(std::vector<double> dense, double threshold) {
  for (double& value : dense) value = std::fabs(value) > threshold ? value : 0;
  return Csr(dense, kRows, kColumns);
}

void same(Check& check, const Csr& want, const DeviceArray<int>& rows,
          const DeviceArray<int>& columns, const std::vector<double>& values) {
  check.near("rows", flat(rows.get(check)), flat(want.rows), 0);
  check.near("columns", flat(columns.get(check)), flat(want.columns), 0);
  check.near("values", values, want.values, 1e-6);
}

// The rows of each entry, and how many entries come before each row.
void places(Check& check, const Sparse& sparse) {
  const Source source(check, 1);
  const DeviceArray<int> coo_rows(source.count()), rows(kRows + 1);
  NEED(check, cusparseXcsr2coo(sparse.handle, source.on.rows.data(), source.count(), kRows,
                               coo_rows.data(), kBase0));
  check.near("rows of entries", flat(coo_rows.get(check)), flat(source.coo_rows), 0);
  NEED(check, cusparseXcoo2csr(sparse.handle, coo_rows.data(), source.count(), kRows, rows.data(),
                               kBase0));
  check.near("rows", flat(rows.get(check)), flat(source.csr.rows), 0);
}

// Entries in no order, then by rows, and by columns. Where they came from is an array too.
void order(Check& check, const Sparse& sparse) {
  const Source source(check, 2);
  const int count = source.count();
  std::vector<int> rows(count), columns(count);
  for (int i = 0; i < count; ++i) {
    const int from = count - 1 - i;
    rows[i] = source.coo_rows[from];
    columns[i] = source.csr.columns[from];
  }
  const DeviceArray<int> on_rows(rows), on_columns(columns), from(count);
  WORKSPACE(check, std::size_t, work, cusparseXcoosort_bufferSizeExt, sparse.handle, kRows,
            kColumns, count, on_rows.data(), on_columns.data());
  NEED(check, cusparseCreateIdentityPermutation(sparse.handle, count, from.data()));
  std::vector<int> want(count);
  for (int i = 0; i < count; ++i) want[i] = i;
  check.near("identity", flat(from.get(check)), flat(want), 0);
  const auto compare = [&] {
    check.near("from", flat(from.get(check)), flat(want), 0);
    for (const auto& [array, values] : {std::pair(&on_rows, &rows), {&on_columns, &columns}}) {
      std::vector<double> sorted;
      for (const int place : want) sorted.push_back((*values)[place]);
      check.near("sorted", flat(array->get(check)), sorted, 0);
    }
  };
  NEED(check, cusparseXcoosortByRow(sparse.handle, kRows, kColumns, count, on_rows.data(),
                                    on_columns.data(), from.data(), work.data()));
  const auto by = [&](const std::vector<int>& first, const std::vector<int>& second) {
    std::sort(want.begin(), want.end(), [&](int a, int b) {
      return std::pair(first[a], second[a]) < std::pair(first[b], second[b]);
    });
  };
  by(rows, columns);
  compare();
  NEED(check, cusparseXcoosortByColumn(sparse.handle, kRows, kColumns, count, on_rows.data(),
                                       on_columns.data(), from.data(), work.data()));
  by(columns, rows);
  compare();
}

// Each row's entries from the last to the first, and where they go.
struct Backwards {
  explicit Backwards(const Csr& csr) : columns(csr.columns), values(csr.values) {
    for (std::size_t row = 0; row + 1 < csr.rows.size(); ++row) {
      std::reverse(columns.begin() + csr.rows[row], columns.begin() + csr.rows[row + 1]);
      std::reverse(values.begin() + csr.rows[row], values.begin() + csr.rows[row + 1]);
      for (int at = csr.rows[row + 1]; at-- > csr.rows[row];) from.push_back(at);
    }
  }
  std::vector<int> columns, from;
  std::vector<double> values;
};

void order_of_rows(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const Source source(check, 3);
  const Backwards backwards(source.csr);
  const DeviceArray<int> columns(backwards.columns), from(source.count());
  WORKSPACE(check, std::size_t, work, cusparseXcsrsort_bufferSizeExt, sparse.handle, kRows,
            kColumns, source.count(), source.on.rows.data(), columns.data());
  NEED(check, cusparseCreateIdentityPermutation(sparse.handle, source.count(), from.data()));
  NEED(check, cusparseXcsrsort(sparse.handle, kRows, kColumns, source.count(), description,
                               source.on.rows.data(), columns.data(), from.data(), work.data()));
  check.near("columns", flat(columns.get(check)), flat(source.csr.columns), 0);
  check.near("from", flat(from.get(check)), flat(backwards.from), 0);
}

// The rows of the transposed are columns.
void order_of_columns(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const Csr csc(transposed(dense_with_holes(kRows, kColumns, 4), kRows, kColumns), kColumns, kRows);
  const int count = static_cast<int>(csc.values.size());
  const Backwards backwards(csc);
  const DeviceArray<int> offsets(csc.rows), rows(backwards.columns), from(count);
  WORKSPACE(check, std::size_t, work, cusparseXcscsort_bufferSizeExt, sparse.handle, kRows,
            kColumns, count, offsets.data(), rows.data());
  NEED(check, cusparseCreateIdentityPermutation(sparse.handle, count, from.data()));
  NEED(check, cusparseXcscsort(sparse.handle, kRows, kColumns, count, description, offsets.data(),
                               rows.data(), from.data(), work.data()));
  check.near("rows", flat(rows.get(check)), flat(csc.columns), 0);
  check.near("from", flat(from.get(check)), flat(backwards.from), 0);
}

// To rows in order, with the values, and back to as they were.
void unordered(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  MADE(check, csru2csrInfo_t, info, cusparseCreateCsru2csrInfo, cusparseDestroyCsru2csrInfo);
  const Source source(check, 5);
  const Backwards backwards(source.csr);
  const int count = source.count();
  const DeviceArray<int> columns(backwards.columns);
  const DeviceArray<Complex> values(turned<Complex>(backwards.values));
  WORKSPACE(check, std::size_t, work, cusparseCcsru2csr_bufferSizeExt, sparse.handle, kRows,
            kColumns, count, of(values), source.on.rows.data(), columns.data(), info);
  NEED(check, cusparseCcsru2csr(sparse.handle, kRows, kColumns, count, description, of(values),
                                source.on.rows.data(), columns.data(), info, work.data()));
  check.near("columns", flat(columns.get(check)), flat(source.csr.columns), 0);
  check.near("values", flat(values.get(check)), flat(turned<Complex>(source.csr.values)), 0);
  NEED(check, cusparseCcsr2csru(sparse.handle, kRows, kColumns, count, description, of(values),
                                source.on.rows.data(), columns.data(), info, work.data()));
  check.near("columns again", flat(columns.get(check)), flat(backwards.columns), 0);
  check.near("values again", flat(values.get(check)), flat(turned<Complex>(backwards.values)), 0);
}

// How many entries a dense matrix has in its columns and altogether.
void entries(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const std::vector<double> dense = dense_with_holes(kRows, kColumns, 6);
  const DeviceArray<DoubleComplex> a(turned<DoubleComplex>(dense));
  const DeviceArray<int> counts(kColumns);
  Guarded<int> total;
  NEED(check, cusparseZnnz(sparse.handle, CUSPARSE_DIRECTION_COLUMN, kRows, kColumns, description,
                           of(a), kRows, counts.data(), total.get()));
  INTACT(check, total);
  std::vector<double> want(kColumns);
  double all = 0;
  for (std::size_t i = 0; i < dense.size(); ++i) {
    want[i / kRows] += dense[i] != 0;
    all += dense[i] != 0;
  }
  check.near("counts", flat(counts.get(check)), want, 0);
  check.equal("total", *total, all);
}

// Without the entries that are not larger than a number.
void compressed(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const Source source(check, 7);
  const Csr want = larger(source.csr.dense, 1.0);
  const DeviceArray<int> counts(kRows), rows(kRows + 1);
  Guarded<int> total;
  NEED(check, cusparseDnnz_compress(sparse.handle, kRows, description, source.on.values.data(),
                                    source.on.rows.data(), counts.data(), total.get(), 1.0));
  INTACT(check, total);
  check.equal("total", *total, static_cast<double>(want.values.size()));
  if (!check) return;
  const DeviceArray<int> columns(*total);
  const DeviceArray<double> values(*total);
  NEED(check, cusparseDcsr2csr_compress(sparse.handle, kRows, kColumns, description,
                                        source.on.values.data(), source.on.columns.data(),
                                        source.on.rows.data(), source.count(), counts.data(),
                                        values.data(), columns.data(), rows.data(), 1.0));
  same(check, want, rows, columns, values.get(check));
}

// What the four functions below have in common: the size of their memory, the number of entries,
// and then the entries.
template <typename T, typename Size, typename Count, typename Fill>
void pruned(Check& check, const Csr& want, Size size_of, Count count, Fill fill) {
  const DeviceArray<int> rows(kRows + 1);
  Guarded<std::size_t> size;
  NEED(check, size_of(rows.data(), size.get()));
  INTACT(check, size);
  const Workspace work(check, *size);
  Guarded<int> total;
  NEED(check, count(rows.data(), total.get(), work.data()));
  INTACT(check, total);
  check.equal("total", *total, static_cast<double>(want.values.size()));
  if (!check) return;
  const DeviceArray<int> columns(*total);
  const DeviceArray<T> values(*total);
  NEED(check, fill(values.data(), rows.data(), columns.data(), work.data()));
  same(check, want, rows, columns, flat(values.get(check)));
}

void pruned_dense(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const auto dense = random_values<double>(kRows * kColumns, 8);
  const DeviceArray<double> a(dense);
  const double threshold = 0.25;
  pruned<double>(
      check, larger(dense, threshold),
      [&](int* rows, std::size_t* size) {
        return cusparseDpruneDense2csr_bufferSizeExt(sparse.handle, kRows, kColumns, a.data(),
                                                     kRows, &threshold, description, nullptr, rows,
                                                     nullptr, size);
      },
      [&](int* rows, int* total, void* work) {
        return cusparseDpruneDense2csrNnz(sparse.handle, kRows, kColumns, a.data(), kRows,
                                          &threshold, description, rows, total, work);
      },
      [&](double* values, int* rows, int* columns, void* work) {
        return cusparseDpruneDense2csr(sparse.handle, kRows, kColumns, a.data(), kRows, &threshold,
                                       description, values, rows, columns, work);
      });
}

void pruned_rows(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  const Source source(check, 9);
  const DeviceArray<float> a(as<float>(source.csr.values));
  const float threshold = 1;
  const int count = source.count();
  const int *a_rows = source.on.rows.data(), *a_columns = source.on.columns.data();
  pruned<float>(
      check, larger(source.csr.dense, threshold),
      [&](int* rows, std::size_t* size) {
        return cusparseSpruneCsr2csr_bufferSizeExt(
            sparse.handle, kRows, kColumns, count, description, a.data(), a_rows, a_columns,
            &threshold, description, nullptr, rows, nullptr, size);
      },
      [&](int* rows, int* total, void* work) {
        return cusparseSpruneCsr2csrNnz(sparse.handle, kRows, kColumns, count, description,
                                        a.data(), a_rows, a_columns, &threshold, description, rows,
                                        total, work);
      },
      [&](float* values, int* rows, int* columns, void* work) {
        return cusparseSpruneCsr2csr(sparse.handle, kRows, kColumns, count, description, a.data(),
                                     a_rows, a_columns, &threshold, description, values, rows,
                                     columns, work);
      });
}

// The value up to which half of them are.
double middle(std::vector<double> values) {
  for (double& value : values) value = std::fabs(value);
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(std::ceil(values.size() * 0.5)) - 1];
}

void pruned_dense_in_part(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  MADE(check, pruneInfo_t, info, cusparseCreatePruneInfo, cusparseDestroyPruneInfo);
  const auto dense = random_values<float>(kRows * kColumns, 10);
  const DeviceArray<float> a(dense);
  pruned<float>(
      check, larger(flat(dense), middle(flat(dense))),
      [&](int* rows, std::size_t* size) {
        return cusparseSpruneDense2csrByPercentage_bufferSizeExt(
            sparse.handle, kRows, kColumns, a.data(), kRows, 50, description, nullptr, rows,
            nullptr, info, size);
      },
      [&](int* rows, int* total, void* work) {
        return cusparseSpruneDense2csrNnzByPercentage(sparse.handle, kRows, kColumns, a.data(),
                                                      kRows, 50, description, rows, total, info,
                                                      work);
      },
      [&](float* values, int* rows, int* columns, void* work) {
        return cusparseSpruneDense2csrByPercentage(sparse.handle, kRows, kColumns, a.data(), kRows,
                                                   50, description, values, rows, columns, info,
                                                   work);
      });
}

void pruned_rows_in_part(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  MADE(check, pruneInfo_t, info, cusparseCreatePruneInfo, cusparseDestroyPruneInfo);
  const Source source(check, 11);
  const double* a = source.on.values.data();
  const int count = source.count();
  const int *a_rows = source.on.rows.data(), *a_columns = source.on.columns.data();
  pruned<double>(
      check, larger(source.csr.dense, middle(source.csr.values)),
      [&](int* rows, std::size_t* size) {
        return cusparseDpruneCsr2csrByPercentage_bufferSizeExt(
            sparse.handle, kRows, kColumns, count, description, a, a_rows, a_columns, 50,
            description, nullptr, rows, nullptr, info, size);
      },
      [&](int* rows, int* total, void* work) {
        return cusparseDpruneCsr2csrNnzByPercentage(sparse.handle, kRows, kColumns, count,
                                                    description, a, a_rows, a_columns, 50,
                                                    description, rows, total, info, work);
      },
      [&](double* values, int* rows, int* columns, void* work) {
        return cusparseDpruneCsr2csrByPercentage(sparse.handle, kRows, kColumns, count, description,
                                                 a, a_rows, a_columns, 50, description, values,
                                                 rows, columns, info, work);
      });
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse_conversions", {{"places", places},
                                                   {"order", order},
                                                   {"order_of_rows", order_of_rows},
                                                   {"order_of_columns", order_of_columns},
                                                   {"unordered", unordered},
                                                   {"entries", entries},
                                                   {"compressed", compressed},
                                                   {"pruned_dense", pruned_dense},
                                                   {"pruned_rows", pruned_rows},
                                                   {"pruned_dense_in_part", pruned_dense_in_part},
                                                   {"pruned_rows_in_part", pruned_rows_in_part}});
}

}  // namespace maths
