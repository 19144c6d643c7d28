// SPDX-License-Identifier: Apache-2.0

// A handle of cuSOLVER's sparse part, and sparse matrices by rows: those of a grid of points, each
// of which has its neighbours beside itself.
#pragma once

#include <cusolverSp.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "check.h"
#include "memory.h"
#include "numbers.h"

inline bool is_absent(cusolverStatus_t status) { return status == CUSOLVER_STATUS_NOT_SUPPORTED; }
inline bool is_absent(cusparseStatus_t status) { return status == CUSPARSE_STATUS_NOT_SUPPORTED; }

namespace maths {

using Complex = std::complex<double>;
using SingleComplex = std::complex<float>;

constexpr int kWide = 8, kHigh = 6, kPoints = kWide * kHigh;

struct SparseSolver {
  explicit SparseSolver(Check& check) {
    Guarded<cusolverSpHandle_t> made;
    if (!CALL(check, cusolverSpCreate(made.get()))) return;
    INTACT(check, made);
    handle = *made;
    Guarded<cusparseMatDescr_t> form;
    if (!CALL(check, cusparseCreateMatDescr(form.get()))) return;
    INTACT(check, form);
    matrix = *form;
    if (!CALL(check, cudaStreamCreate(&stream))) return;
    CALL(check, cusolverSpSetStream(handle, stream));
  }
  ~SparseSolver() {
    if (matrix != nullptr) cusparseDestroyMatDescr(matrix);
    if (handle != nullptr) cusolverSpDestroy(handle);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  SparseSolver(const SparseSolver&) = delete;
  SparseSolver& operator=(const SparseSolver&) = delete;

  cusolverSpHandle_t handle = nullptr;
  cusparseMatDescr_t matrix = nullptr;
  cudaStream_t stream = nullptr;
};

template <typename T>
struct Csr {
  int height() const { return static_cast<int>(rows.size()) - 1; }
  int count() const { return static_cast<int>(values.size()); }
  void add(int column, T value) {
    columns.push_back(column);
    values.push_back(value);
  }
  void end_row() { rows.push_back(static_cast<int>(values.size())); }
  std::vector<T> times(const std::vector<T>& x) const {
    std::vector<T> y(height());
    for (int i = 0; i < height(); ++i) {
      for (int at = rows[i]; at < rows[i + 1]; ++at) y[i] += values[at] * x[columns[at]];
    }
    return y;
  }
  std::vector<int> rows{0}, columns;
  std::vector<T> values;
};

// `before`: the value for the neighbours with a smaller number, `after`: for the others.
template <typename T>
Csr<T> grid(T middle, T before, T after) {
  Csr<T> matrix;
  for (int y = 0; y < kHigh; ++y) {
    for (int x = 0; x < kWide; ++x) {
      const int point = x + y * kWide;
      if (y > 0) matrix.add(point - kWide, before);
      if (x > 0) matrix.add(point - 1, before);
      matrix.add(point, middle);
      if (x < kWide - 1) matrix.add(point + 1, after);
      if (y < kHigh - 1) matrix.add(point + kWide, after);
      matrix.end_row();
    }
  }
  return matrix;
}

template <typename T>
struct CsrOnDevice {
  explicit CsrOnDevice(const Csr<T>& from)
      : rows(from.rows), columns(from.columns), values(from.values) {}
  DeviceArray<int> rows, columns;
  DeviceArray<T> values;
};

inline bool is_permutation_of_points(std::vector<int> order) {
  std::sort(order.begin(), order.end());
  for (int i = 0; i < kPoints; ++i) {
    if (order[i] != i) return false;
  }
  return order.size() == kPoints;
}

}  // namespace maths
