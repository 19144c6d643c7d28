// SPDX-License-Identifier: Apache-2.0

// cuSPARSE's functions that CUDA 12 dropped and the stub makes from the generic ones there. Every
// array is between guard bytes; results are compared with the CPU's, with indices from 0 and
// from 1.
#include <algorithm>
#include <complex>
#include <cstdint>
#include <thread>

#include "sparse_support.h"

namespace maths {
namespace {

constexpr int kSize = 300, kEntries = 37;
constexpr int kRows = 30, kColumns = 22, kLeading = kRows + 3;
constexpr cusparseIndexBase_t kBases[] = {CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE};

using Single = std::complex<float>;
using Double = std::complex<double>;

// The same functions for each type, as overloads. CUDA's complex types have the layout of C++'s.
template <typename T>
struct Of {
  using Type = T;
};
template <>
struct Of<Single> {
  using Type = cuComplex;
};
template <>
struct Of<Double> {
  using Type = cuDoubleComplex;
};
template <typename T>
const typename Of<T>::Type* device(const DeviceArray<T>& array) {
  return array.template as<const typename Of<T>::Type>();
}
template <typename T>
typename Of<T>::Type* writable(const DeviceArray<T>& array) {
  return array.template as<typename Of<T>::Type>();
}
template <typename T>
const typename Of<T>::Type* host(const T* value) {
  return reinterpret_cast<const typename Of<T>::Type*>(value);
}

// A function's four forms by the type of their data.
#define BY_TYPE(name, of_float, of_double, of_single_complex, of_double_complex) \
  template <typename T, typename... Args>                                        \
  cusparseStatus_t name(Args... args) {                                          \
    if constexpr (std::is_same_v<T, float>) {                                    \
      return of_float(args...);                                                  \
    } else if constexpr (std::is_same_v<T, double>) {                            \
      return of_double(args...);                                                 \
    } else if constexpr (std::is_same_v<T, Single>) {                            \
      return of_single_complex(args...);                                         \
    } else {                                                                     \
      return of_double_complex(args...);                                         \
    }                                                                            \
  }
BY_TYPE(gthr, cusparseSgthr, cusparseDgthr, cusparseCgthr, cusparseZgthr)
BY_TYPE(sctr, cusparseSsctr, cusparseDsctr, cusparseCsctr, cusparseZsctr)
BY_TYPE(csr2dense, cusparseScsr2dense, cusparseDcsr2dense, cusparseCcsr2dense, cusparseZcsr2dense)
BY_TYPE(csc2dense, cusparseScsc2dense, cusparseDcsc2dense, cusparseCcsc2dense, cusparseZcsc2dense)
BY_TYPE(dense2csr, cusparseSdense2csr, cusparseDdense2csr, cusparseCdense2csr, cusparseZdense2csr)
BY_TYPE(dense2csc, cusparseSdense2csc, cusparseDdense2csc, cusparseCdense2csc, cusparseZdense2csc)
BY_TYPE(gemmi, cusparseSgemmi, cusparseDgemmi, cusparseCgemmi, cusparseZgemmi)
BY_TYPE(nnz, cusparseSnnz, cusparseDnnz, cusparseCnnz, cusparseZnnz)
#undef BY_TYPE

template <typename T>
constexpr double kTolerance = std::is_same_v<T, float> || std::is_same_v<T, Single> ? 1e-5 : 1e-13;

// On the libraries that lack the functions the stub refuses what it cannot make.
bool is_made_from_others(const Sparse& sparse) {
  int version = 0;
  return cusparseGetVersion(sparse.handle, &version) == CUSPARSE_STATUS_SUCCESS && version >= 12000;
}

// Different places of a vector, in no order.
std::vector<int> places(int base) {
  std::vector<int> all(kEntries);
  for (int i = 0; i < kEntries; ++i) all[i] = (i * 83 + 5) % kSize + base;
  return all;
}

template <typename T>
void gather_and_scatter(Check& check, const Sparse& sparse) {
  for (const cusparseIndexBase_t base : kBases) {
    const std::vector<int> at = places(base);
    const auto x = random_values<T>(kEntries, 1), y = random_values<T>(kSize, 2);
    DeviceArray<int> on_at(at);
    DeviceArray<T> on_x(x), on_y(y), gathered(kEntries);
    NEED(check,
         gthr<T>(sparse.handle, kEntries, device(on_y), writable(gathered), on_at.data(), base));
    NEED(check, sctr<T>(sparse.handle, kEntries, device(on_x), on_at.data(), writable(on_y), base));
    NEED(check, cudaStreamSynchronize(sparse.stream));
    std::vector<T> wanted(kEntries), scattered = y;
    for (int i = 0; i < kEntries; ++i) {
      wanted[i] = y[at[i] - base];
      scattered[at[i] - base] = x[i];
    }
    check.near("gathered", flat(gathered.get(check)), flat(wanted), 0);
    check.near("scattered", flat(on_y.get(check)), flat(scattered), 0);
    check.near("x", flat(on_x.get(check)), flat(x), 0);
    on_at.get(check);
  }
}

void vectors(Check& check, const Sparse& sparse) {
  gather_and_scatter<float>(check, sparse);
  gather_and_scatter<double>(check, sparse);
  gather_and_scatter<Single>(check, sparse);
  gather_and_scatter<Double>(check, sparse);
}

// The generic functions need aligned arrays; a kernel that reads others would end the context.
void unaligned(Check& check, const Sparse& sparse) {
  if (!is_made_from_others(sparse)) return;
  const DeviceArray<int> at(places(0));
  const DeviceArray<double> x(random_values<double>(kEntries, 1)), y(kSize + 1);
  REFUSED(check, CUSPARSE_STATUS_NOT_SUPPORTED,
          cusparseDsctr(sparse.handle, kEntries - 1, x.data(), at.data() + 1, y.data(),
                        CUSPARSE_INDEX_BASE_ZERO));
  REFUSED(check, CUSPARSE_STATUS_NOT_SUPPORTED,
          cusparseDsctr(sparse.handle, kEntries - 1, x.data() + 1, at.data(), y.data(),
                        CUSPARSE_INDEX_BASE_ZERO));
  NEED(check, cusparseDsctr(sparse.handle, kEntries, x.data(), at.data(), y.data() + 1,
                            CUSPARSE_INDEX_BASE_ZERO));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  const std::vector<double> values = x.get(check), got = y.get(check);
  for (int i = 0; i < kEntries; ++i) check.equal("y", got[places(1)[i]], values[i]);
}

// c and s in host memory, and in the GPU's.
template <typename T, typename Function>
void rotate(Check& check, const Sparse& sparse, Function function) {
  for (const cusparseIndexBase_t base : kBases) {
    for (const auto mode : {CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE}) {
      const std::vector<int> at = places(base);
      auto x = random_values<T>(kEntries, 3), y = random_values<T>(kSize, 4);
      DeviceArray<int> on_at(at);
      DeviceArray<T> on_x(x), on_y(y);
      const T c = T(0.8), s = T(0.6);
      const DeviceArray<T> scalars(std::vector<T>{c, s});
      const bool on_host = mode == CUSPARSE_POINTER_MODE_HOST;
      NEED(check, cusparseSetPointerMode(sparse.handle, mode));
      const cusparseStatus_t status =
          function(sparse.handle, kEntries, on_x.data(), on_at.data(), on_y.data(),
                   on_host ? &c : scalars.data(), on_host ? &s : scalars.data() + 1, base);
      NEED(check, cusparseSetPointerMode(sparse.handle, CUSPARSE_POINTER_MODE_HOST));
      if (!check.call("cusparseroti(...)", status)) return;
      NEED(check, cudaStreamSynchronize(sparse.stream));
      for (int i = 0; i < kEntries; ++i) {
        T& of_x = x[i];
        T& of_y = y[at[i] - base];
        const T rotated = c * of_x + s * of_y;
        of_y = c * of_y - s * of_x;
        of_x = rotated;
      }
      check.near("x", flat(on_x.get(check)), flat(x), kTolerance<T>);
      check.near("y", flat(on_y.get(check)), flat(y), kTolerance<T>);
    }
  }
}

void rotation(Check& check, const Sparse& sparse) {
  rotate<float>(check, sparse, cusparseSroti);
  rotate<double>(check, sparse, cusparseDroti);
}

struct Description {
  Description(Check& check, cusparseIndexBase_t base) {
    if (CALL(check, cusparseCreateMatDescr(&value))) {
      CALL(check, cusparseSetMatIndexBase(value, base));
    }
  }
  ~Description() { cusparseDestroyMatDescr(value); }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;
  cusparseMatDescr_t value = nullptr;
};

// A matrix with holes, one row and one column of them, in all forms. By columns, the leading
// dimension is larger than the number of rows; what is between must stay as it was.
template <typename T>
struct Matrix {
  explicit Matrix(int base) {
    const std::vector<double> numbers = dense_with_holes(kRows, kColumns, 7);
    const auto more = random_values<T>(kRows * kColumns, 8);
    dense.assign(kLeading * kColumns, T(-7));
    for (int j = 0; j < kColumns; ++j) {
      for (int i = 0; i < kRows; ++i) {
        const bool hole = i == 4 || j == 9 || numbers[i + j * kRows] == 0;
        dense[i + j * kLeading] = hole ? T(0) : more[i + j * kRows];
      }
    }
    compress(kRows, kColumns, base, &row_offsets, &columns, &by_rows,
             [&](int i, int j) { return dense[i + j * kLeading]; });
    compress(kColumns, kRows, base, &column_offsets, &rows, &by_columns,
             [&](int j, int i) { return dense[i + j * kLeading]; });
  }
  template <typename Get>
  static void compress(int outer, int inner, int base, std::vector<int>* offsets,
                       std::vector<int>* indices, std::vector<T>* values, Get get) {
    offsets->push_back(base);
    for (int i = 0; i < outer; ++i) {
      for (int j = 0; j < inner; ++j) {
        if (get(i, j) == T(0)) continue;
        indices->push_back(j + base);
        values->push_back(get(i, j));
      }
      offsets->push_back(static_cast<int>(values->size()) + base);
    }
  }
  int count() const { return static_cast<int>(by_rows.size()); }

  std::vector<T> dense, by_rows, by_columns;
  std::vector<int> row_offsets, columns, column_offsets, rows;
};

template <typename T>
void to_dense(Check& check, const Sparse& sparse) {
  for (const cusparseIndexBase_t base : kBases) {
    const Matrix<T> matrix(base);
    const Description description(check, base);
    const DeviceArray<int> row_offsets(matrix.row_offsets), columns(matrix.columns);
    const DeviceArray<int> column_offsets(matrix.column_offsets), rows(matrix.rows);
    const DeviceArray<T> by_rows(matrix.by_rows), by_columns(matrix.by_columns);
    const std::vector<T> before(kLeading * kColumns, T(-7));
    const DeviceArray<T> from_rows(before), from_columns(before);
    NEED(check, csr2dense<T>(sparse.handle, kRows, kColumns, description.value, device(by_rows),
                             row_offsets.data(), columns.data(), writable(from_rows), kLeading));
    NEED(check, csc2dense<T>(sparse.handle, kRows, kColumns, description.value, device(by_columns),
                             rows.data(), column_offsets.data(), writable(from_columns), kLeading));
    NEED(check, cudaStreamSynchronize(sparse.stream));
    check.near("by rows", flat(from_rows.get(check)), flat(matrix.dense), 0);
    check.near("by columns", flat(from_columns.get(check)), flat(matrix.dense), 0);
  }
}

template <typename T>
void to_sparse(Check& check, const Sparse& sparse) {
  for (const cusparseIndexBase_t base : kBases) {
    const Matrix<T> matrix(base);
    const Description description(check, base);
    const DeviceArray<T> dense(matrix.dense);
    for (const bool in_rows : {true, false}) {
      const auto& offsets = in_rows ? matrix.row_offsets : matrix.column_offsets;
      const auto& indices = in_rows ? matrix.columns : matrix.rows;
      const auto& values = in_rows ? matrix.by_rows : matrix.by_columns;
      const DeviceArray<int> counts(in_rows ? kRows : kColumns);
      const DeviceArray<int> on_offsets(offsets.size()), on_indices(indices.size());
      const DeviceArray<T> on_values(values.size());
      int total = 0;
      NEED(
          check,
          nnz<T>(sparse.handle, in_rows ? CUSPARSE_DIRECTION_ROW : CUSPARSE_DIRECTION_COLUMN, kRows,
                 kColumns, description.value, device(dense), kLeading, counts.data(), &total));
      check.equal("total", total, matrix.count());
      if (!check) return;
      if (in_rows) {
        NEED(check, dense2csr<T>(sparse.handle, kRows, kColumns, description.value, device(dense),
                                 kLeading, counts.data(), writable(on_values), on_offsets.data(),
                                 on_indices.data()));
      } else {
        NEED(check, dense2csc<T>(sparse.handle, kRows, kColumns, description.value, device(dense),
                                 kLeading, counts.data(), writable(on_values), on_indices.data(),
                                 on_offsets.data()));
      }
      NEED(check, cudaStreamSynchronize(sparse.stream));
      check.near("offsets", flat(on_offsets.get(check)), flat(offsets), 0);
      check.near("indices", flat(on_indices.get(check)), flat(indices), 0);
      check.near("values", flat(on_values.get(check)), flat(values), 0);
    }
    check.near("dense", flat(dense.get(check)), flat(matrix.dense), 0);
  }
}

void conversions(Check& check, const Sparse& sparse) {
  to_dense<float>(check, sparse);
  to_dense<double>(check, sparse);
  to_dense<Single>(check, sparse);
  to_dense<Double>(check, sparse);
  to_sparse<float>(check, sparse);
  to_sparse<double>(check, sparse);
  to_sparse<Single>(check, sparse);
  to_sparse<Double>(check, sparse);
}

// In a thread that has not used the GPU yet.
void in_thread(Check& check, const Sparse& sparse) {
  const Matrix<double> matrix(1);
  const Description description(check, CUSPARSE_INDEX_BASE_ONE);
  const DeviceArray<int> offsets(matrix.row_offsets), columns(matrix.columns);
  const DeviceArray<double> values(matrix.by_rows);
  const DeviceArray<double> dense(std::vector<double>(kLeading * kColumns, -7));
  cusparseStatus_t status = CUSPARSE_STATUS_INTERNAL_ERROR;
  std::thread([&] {
    status = cusparseDcsr2dense(sparse.handle, kRows, kColumns, description.value, values.data(),
                                offsets.data(), columns.data(), dense.data(), kLeading);
  }).join();
  if (!check.call("cusparseDcsr2dense", status)) return;
  NEED(check, cudaStreamSynchronize(sparse.stream));
  check.near("dense", dense.get(check), matrix.dense, 0);
}

// A matrix without entries: all zero, and no arrays for them.
void no_entries(Check& check, const Sparse& sparse) {
  for (const cusparseIndexBase_t base : kBases) {
    const Description description(check, base);
    const DeviceArray<int> offsets(std::vector<int>(kRows + 1, base)), counts(kRows);
    const DeviceArray<double> dense(std::vector<double>(kRows * kColumns, 3));
    NEED(check, cusparseDcsr2dense(sparse.handle, kRows, kColumns, description.value, nullptr,
                                   offsets.data(), nullptr, dense.data(), kRows));
    NEED(check, cudaStreamSynchronize(sparse.stream));
    check.near("dense", dense.get(check), std::vector<double>(kRows * kColumns), 0);
    NEED(check, cudaMemset(counts.data(), 0, counts.bytes()));
    const DeviceArray<int> made(kRows + 1);
    NEED(check, cusparseDdense2csr(sparse.handle, kRows, kColumns, description.value, dense.data(),
                                   kRows, counts.data(), nullptr, made.data(), nullptr));
    NEED(check, cudaStreamSynchronize(sparse.stream));
    check.near("offsets", flat(made.get(check)), std::vector<double>(kRows + 1, base), 0);
  }
}

// A call that a graph may hold is captured; one that reads from the GPU is refused, and the capture
// goes on.
void captured(Check& check, const Sparse& sparse) {
  const Matrix<double> matrix(0);
  const Description description(check, CUSPARSE_INDEX_BASE_ZERO);
  const DeviceArray<int> offsets(matrix.row_offsets), columns(matrix.columns);
  const DeviceArray<double> values(matrix.by_rows);
  const DeviceArray<double> dense(std::vector<double>(kLeading * kColumns, -7));
  const std::vector<int> at = places(0);
  const DeviceArray<int> on_at(at);
  const auto y = random_values<double>(kSize, 9);
  const DeviceArray<double> on_y(y), x(kEntries);
  NEED(check, cudaDeviceSynchronize());
  NEED(check, cudaStreamBeginCapture(sparse.stream, cudaStreamCaptureModeThreadLocal));
  const cusparseStatus_t gathered = cusparseDgthr(sparse.handle, kEntries, on_y.data(), x.data(),
                                                  on_at.data(), CUSPARSE_INDEX_BASE_ZERO);
  const cusparseStatus_t converted =
      cusparseDcsr2dense(sparse.handle, kRows, kColumns, description.value, values.data(),
                         offsets.data(), columns.data(), dense.data(), kLeading);
  cudaGraph_t graph = nullptr;
  NEED(check, cudaStreamEndCapture(sparse.stream, &graph));
  EXPECT(check, gathered == CUSPARSE_STATUS_SUCCESS);
  if (is_made_from_others(sparse)) {
    EXPECT(check, converted == CUSPARSE_STATUS_NOT_SUPPORTED);
  }
  cudaGraphExec_t runs = nullptr;
  NEED(check, cudaGraphInstantiate(&runs, graph, nullptr, nullptr, 0));
  NEED(check, cudaGraphLaunch(runs, sparse.stream));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  std::vector<double> wanted(kEntries);
  for (int i = 0; i < kEntries; ++i) wanted[i] = y[at[i]];
  check.near("gathered", x.get(check), wanted, 0);
  NEED(check, cudaGraphExecDestroy(runs));
  NEED(check, cudaGraphDestroy(graph));
}

// C = alpha A B + beta C, B by columns.
template <typename T>
void multiply(Check& check, const Sparse& sparse) {
  constexpr int kM = 17, kMore = 2;
  const Matrix<T> b(0);  // kRows x kColumns
  const auto a = random_values<T>((kM + kMore) * kRows, 10);
  const auto c = random_values<T>((kM + kMore) * kColumns, 11);
  const DeviceArray<T> on_a(a), on_b(b.by_columns), on_c(c);
  const DeviceArray<int> offsets(b.column_offsets), rows(b.rows);
  const T alpha = T(2), beta = T(-0.5);
  NEED(check, gemmi<T>(sparse.handle, kM, kColumns, kRows, b.count(), host(&alpha), device(on_a),
                       kM + kMore, device(on_b), offsets.data(), rows.data(), host(&beta),
                       writable(on_c), kM + kMore));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  std::vector<T> wanted = c;
  for (int j = 0; j < kColumns; ++j) {
    for (int i = 0; i < kM; ++i) {
      T total{};
      for (int l = 0; l < kRows; ++l) total += a[i + l * (kM + kMore)] * b.dense[l + j * kLeading];
      T& of_c = wanted[i + j * (kM + kMore)];
      of_c = alpha * total + beta * of_c;
    }
  }
  check.near("C", flat(on_c.get(check)), flat(wanted), 10 * kTolerance<T>);
}

void product_with_sparse(Check& check, const Sparse& sparse) {
  multiply<float>(check, sparse);
  multiply<double>(check, sparse);
  multiply<Single>(check, sparse);
  multiply<Double>(check, sparse);
}

void product_with_vector(Check& check, const Sparse& sparse) {
  for (const cusparseIndexBase_t base : kBases) {
    const Matrix<double> matrix(base);
    const Description description(check, base);
    const DeviceArray<int> offsets(matrix.row_offsets), columns(matrix.columns);
    const DeviceArray<double> values(matrix.by_rows);
    const auto x = random_values<double>(kColumns, 12), y = random_values<double>(kRows, 13);
    const DeviceArray<double> on_x(x), on_y(y);
    const double alpha = 2, beta = 0.5;
    const auto type = CUDA_R_64F;
    Guarded<std::size_t> size;
    NEED(check,
         cusparseCsrmvEx_bufferSize(sparse.handle, CUSPARSE_ALG_MERGE_PATH, kN, kRows, kColumns,
                                    matrix.count(), &alpha, type, description.value, values.data(),
                                    type, offsets.data(), columns.data(), on_x.data(), type, &beta,
                                    type, on_y.data(), type, type, size.get()));
    INTACT(check, size);
    const DeviceArray<char> work(*size + 1);
    NEED(check, cusparseCsrmvEx(sparse.handle, CUSPARSE_ALG_MERGE_PATH, kN, kRows, kColumns,
                                matrix.count(), &alpha, type, description.value, values.data(),
                                type, offsets.data(), columns.data(), on_x.data(), type, &beta,
                                type, on_y.data(), type, type, work.data()));
    NEED(check, cudaStreamSynchronize(sparse.stream));
    std::vector<double> wanted(kRows);
    for (int i = 0; i < kRows; ++i) {
      double total = 0;
      for (int j = 0; j < kColumns; ++j) total += matrix.dense[i + j * kLeading] * x[j];
      wanted[i] = alpha * total + beta * y[i];
    }
    check.near("y", on_y.get(check), wanted, 1e-12);
    work.get(check);
  }
}

// C = alpha (A B), where C has entries, + beta C.
void sampled_product(Check& check, const Sparse& sparse) {
  constexpr int kInner = 9;
  const Csr pattern(dense_with_holes(kRows, kColumns, 14), kRows, kColumns);
  const CsrOnDevice c(check, pattern);
  const auto a = random_values<double>(kRows * kInner, 15);
  const auto b = random_values<double>(kInner * kColumns, 16);
  const DenseMatrix on_a(check, a, kRows, kInner), on_b(check, b, kInner, kColumns);
  if (!check) return;
  const double alpha = 2, beta = 0.5;
  Guarded<std::size_t> size;
  NEED(check,
       cusparseConstrainedGeMM_bufferSize(sparse.handle, kN, kN, &alpha, on_a.matrix, on_b.matrix,
                                          &beta, c.matrix, CUDA_R_64F, size.get()));
  INTACT(check, size);
  const DeviceArray<char> work(*size + 1);
  NEED(check, cusparseConstrainedGeMM(sparse.handle, kN, kN, &alpha, on_a.matrix, on_b.matrix,
                                      &beta, c.matrix, CUDA_R_64F, work.data()));
  NEED(check, cudaStreamSynchronize(sparse.stream));
  const std::vector<double> whole = product(a, b, kRows, kColumns, kInner);
  std::vector<double> wanted;
  for (int i = 0; i < kRows; ++i) {
    for (int at = pattern.rows[i]; at < pattern.rows[i + 1]; ++at) {
      wanted.push_back(alpha * whole[i + pattern.columns[at] * kRows] + beta * pattern.values[at]);
    }
  }
  check.near("C", c.values.get(check), wanted, 1e-12);
  work.get(check);
}

}  // namespace

void run() {
  run_topics_with<Sparse>("cusparse_first", {{"vectors", vectors},
                                             {"unaligned", unaligned},
                                             {"rotation", rotation},
                                             {"conversions", conversions},
                                             {"in_thread", in_thread},
                                             {"no_entries", no_entries},
                                             {"captured", captured},
                                             {"product_with_sparse", product_with_sparse},
                                             {"product_with_vector", product_with_vector},
                                             {"sampled_product", sampled_product}});
}

}  // namespace maths
