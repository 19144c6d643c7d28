// SPDX-License-Identifier: Apache-2.0

// cuSPARSE's functions that CUDA 12 dropped and nothing stands for. Where CUDA 11 is installed
// their results are compared; elsewhere each of them must be refused as absent.
#include "sparse_families.h"

namespace maths {
namespace {

constexpr int kSize = 30, kEntries = 9, kSides = 4;
constexpr auto kType = CUDA_R_64F;
const double one = 1;

std::vector<int> places() {
  std::vector<int> all(kEntries);
  for (int i = 0; i < kEntries; ++i) all[i] = 3 * i + 1;
  return all;
}

// y += 2 x at x's places
void axpyi(Check& check, const Sparse& sparse) {
  const auto x = random_values<double>(kEntries, 1), y = random_values<double>(kSize, 2);
  const DeviceArray<double> on_x(x), on_y(y);
  const DeviceArray<int> at(places());
  const double two = 2;
  NEED(check,
       cusparseDaxpyi(sparse.handle, kEntries, &two, on_x.data(), at.data(), on_y.data(), kBase0));
  std::vector<double> want = y;
  for (int i = 0; i < kEntries; ++i) want[places()[i]] += 2 * x[i];
  check.near("y", on_y.get(check), want, 1e-13);
}

// x = y's values at x's places, which become zero.
void gthrz(Check& check, const Sparse& sparse) {
  const auto y = random_values<Complex>(kSize, 3);
  const DeviceArray<Complex> on_x(kEntries), on_y(y);
  const DeviceArray<int> at(places());
  NEED(check, cusparseCgthrz(sparse.handle, kEntries, of(on_y), of(on_x), at.data(), kBase0));
  std::vector<Complex> left = y, taken;
  for (const int place : places()) {
    taken.push_back(y[place]);
    left[place] = 0;
  }
  check.near("x", flat(on_x.get(check)), flat(taken), 0);
  check.near("y", flat(on_y.get(check)), flat(left), 0);
}

// A x = b for x, where A is a lower triangle.
void triangle(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  NEED(check, cusparseSetMatFillMode(description, CUSPARSE_FILL_MODE_LOWER));
  MADE(check, csrsv2Info_t, info, cusparseCreateCsrsv2Info, cusparseDestroyCsrsv2Info);
  const Csr csr(lower_triangle(kSize, 4), kSize, kSize);
  const CsrOnDevice a(check, csr);
  const auto x = random_values<double>(kSize, 5);
  const DeviceArray<double> b(product(csr.dense, x, kSize, 1, kSize)), on_x(kSize);
  const int count = static_cast<int>(csr.values.size());
  WORKSPACE(check, int, work, cusparseDcsrsv2_bufferSize, sparse.handle, kN, kSize, count,
            description, a.values.data(), a.rows.data(), a.columns.data(), info);
  NEED(check,
       cusparseDcsrsv2_analysis(sparse.handle, kN, kSize, count, description, a.values.data(),
                                a.rows.data(), a.columns.data(), info, kLevels, work.data()));
  NEED(check, cusparseDcsrsv2_solve(sparse.handle, kN, kSize, count, &one, description,
                                    a.values.data(), a.rows.data(), a.columns.data(), info,
                                    b.data(), on_x.data(), kLevels, work.data()));
  check.near("x", on_x.get(check), x, 1e-9);
  GIVEN(check, int, pivot, cusparseXcsrsv2_zeroPivot, sparse.handle, info);
  EXPECT(check, *pivot == -1);
}

// A X = B for X, in B's place.
void triangle_matrix(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  NEED(check, cusparseSetMatFillMode(description, CUSPARSE_FILL_MODE_LOWER));
  MADE(check, csrsm2Info_t, info, cusparseCreateCsrsm2Info, cusparseDestroyCsrsm2Info);
  const Csr csr(lower_triangle(kSize, 6), kSize, kSize);
  const DeviceArray<int> rows(csr.rows), columns(csr.columns);
  const DeviceArray<float> a(as<float>(csr.values));
  const auto x = random_values<float>(kSize * kSides, 7);
  const DeviceArray<float> b(as<float>(product(csr.dense, flat(x), kSize, kSides, kSize)));
  const float scale = 1;
  const int count = static_cast<int>(csr.values.size());
  WORKSPACE(check, std::size_t, work, cusparseScsrsm2_bufferSizeExt, sparse.handle, 0, kN, kN,
            kSize, kSides, count, &scale, description, a.data(), rows.data(), columns.data(),
            b.data(), kSize, info, kLevels);
  NEED(check, cusparseScsrsm2_analysis(sparse.handle, 0, kN, kN, kSize, kSides, count, &scale,
                                       description, a.data(), rows.data(), columns.data(), b.data(),
                                       kSize, info, kLevels, work.data()));
  NEED(check, cusparseScsrsm2_solve(sparse.handle, 0, kN, kN, kSize, kSides, count, &scale,
                                    description, a.data(), rows.data(), columns.data(), b.data(),
                                    kSize, info, kLevels, work.data()));
  check.near("X", flat(b.get(check)), flat(x), 1e-4);
  GIVEN(check, int, pivot, cusparseXcsrsm2_zeroPivot, sparse.handle, info);
  EXPECT(check, *pivot == -1);
}

// A B, where both have few entries.
void both_sparse(Check& check, const Sparse& sparse) {
  DESCRIPTION(check, description);
  MADE(check, csrgemm2Info_t, info, cusparseCreateCsrgemm2Info, cusparseDestroyCsrgemm2Info);
  const Csr left(dense_with_holes(kSize, kSize, 8), kSize, kSize);
  const Csr right(dense_with_holes(kSize, kSize, 9), kSize, kSize);
  const CsrOnDevice a(check, left), b(check, right);
  const int a_count = static_cast<int>(left.values.size());
  const int b_count = static_cast<int>(right.values.size());
  const DeviceArray<int> rows(kSize + 1);
  Guarded<std::size_t> size;
  NEED(check, cusparseDcsrgemm2_bufferSizeExt(sparse.handle, kSize, kSize, kSize, &one, description,
                                              a_count, a.rows.data(), a.columns.data(), description,
                                              b_count, b.rows.data(), b.columns.data(), nullptr,
                                              description, 0, nullptr, nullptr, info, size.get()));
  INTACT(check, size);
  const Workspace work(check, *size);
  Guarded<int> count;
  NEED(check,
       cusparseXcsrgemm2Nnz(sparse.handle, kSize, kSize, kSize, description, a_count, a.rows.data(),
                            a.columns.data(), description, b_count, b.rows.data(), b.columns.data(),
                            description, 0, nullptr, nullptr, description, rows.data(), count.get(),
                            info, work.data()));
  INTACT(check, count);
  const DeviceArray<int> columns(*count);
  const DeviceArray<double> values(*count);
  NEED(check, cusparseDcsrgemm2(sparse.handle, kSize, kSize, kSize, &one, description, a_count,
                                a.values.data(), a.rows.data(), a.columns.data(), description,
                                b_count, b.values.data(), b.rows.data(), b.columns.data(), nullptr,
                                description, 0, nullptr, nullptr, nullptr, description,
                                values.data(), rows.data(), columns.data(), info, work.data()));
  check.near("A B", dense_of(rows.get(check), columns.get(check), values.get(check), kSize, kSize),
             product(left.dense, right.dense, kSize, kSize, kSize), 1e-12);
}

// Entries with their two indices side by side.
void pairs(Check& check, const Sparse&) {
  const DeviceArray<int> indices(std::vector<int>{0, 1, 2, 2});
  const DeviceArray<double> values(std::vector<double>{1, 2});
  MADE(check, cusparseSpMatDescr_t, a, cusparseCreateCooAoS, cusparseDestroySpMat, kSize, kSize, 2,
       indices.data(), values.data(), kInt, kBase0, kType);
  Guarded<std::int64_t> rows, columns, count;
  Guarded<void*> got_indices, got_values;
  Guarded<cusparseIndexType_t> index_type;
  Guarded<cusparseIndexBase_t> base;
  Guarded<cudaDataType> type;
  NEED(check, cusparseCooAoSGet(a, rows.get(), columns.get(), count.get(), got_indices.get(),
                                got_values.get(), index_type.get(), base.get(), type.get()));
  for (const auto* guarded : {&rows, &columns, &count}) INTACT(check, *guarded);
  INTACT(check, got_indices);
  INTACT(check, got_values);
  INTACT(check, index_type);
  INTACT(check, base);
  INTACT(check, type);
  EXPECT(check, *rows == kSize && *columns == kSize && *count == 2 && *index_type == kInt);
  EXPECT(check, *got_indices == indices.data() && *got_values == values.data());
  EXPECT(check, *base == kBase0 && *type == kType);
}

void batches(Check& check, const Sparse&) {
  const CsrOnDevice a(check, Csr(dense_with_holes(kSize, kSize, 10), kSize, kSize));
  if (!check) return;
  NEED(check, cusparseSpMatSetStridedBatch(a.matrix, 3));
  GIVEN(check, int, count, cusparseSpMatGetStridedBatch, a.matrix);
  EXPECT(check, *count == 3);
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse_dropped", {{"axpyi", axpyi},
                                               {"gthrz", gthrz},
                                               {"triangle", triangle},
                                               {"triangle_matrix", triangle_matrix},
                                               {"both_sparse", both_sparse},
                                               {"pairs", pairs},
                                               {"batches", batches}});
}

}  // namespace maths
