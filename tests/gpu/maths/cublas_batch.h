// SPDX-License-Identifier: Apache-2.0

// Batches of matrices, for the programs that use them.
#pragma once

#include "cublas_families.h"

namespace maths {

constexpr int kBatch = 3;

// Matrices one after the other, and the addresses of each.
template <typename T>
struct Batch {
  std::vector<Matrix> each;
  DeviceArray<T> all;
  DeviceArray<T*> addresses;
  int size;

  explicit Batch(const std::vector<Matrix>& matrices)
      : each(matrices),
        all(joined(matrices)),
        addresses(matrices.size()),
        size(static_cast<int>(matrices[0].values.size())) {
    std::vector<T*> found;
    std::size_t at = 0;
    for (const Matrix& matrix : matrices) {
      found.push_back(all.data() + at);
      at += matrix.values.size();
    }
    addresses.put(found);
  }
  static std::vector<T> joined(const std::vector<Matrix>& matrices) {
    std::vector<T> found;
    for (const Matrix& matrix : matrices) {
      const std::vector<T> values = numbers_of<T>(matrix);
      found.insert(found.end(), values.begin(), values.end());
    }
    return found;
  }
  std::vector<Matrix> back(Check& check) const {
    std::vector<Matrix> found = each;
    const std::vector<T> values = all.get(check);
    std::size_t next = 0;
    for (Matrix& matrix : found) {
      for (Value& value : matrix.values) value = values[next++];
    }
    return found;
  }
};
template <typename T>
void compare_batch(Check& check, const char* text, const Batch<T>& got,
                   const std::vector<Matrix>& want) {
  check.near(text, flat(got.all.get(check)), flat(Batch<T>::joined(want)), tolerance<T>);
}
template <typename Function>
std::vector<Matrix> batch_of(Function function) {
  std::vector<Matrix> found;
  for (int i = 0; i < kBatch; ++i) found.push_back(function(i));
  return found;
}
template <typename T>
std::vector<Matrix> drawn_batch(int rows, int columns, int seed) {
  return batch_of([&](int i) { return drawn<T>(rows, columns, seed + i); });
}
template <typename T>
std::vector<Matrix> solvable(int n, int seed) {
  return batch_of([&](int i) {
    const Matrix a = drawn<T>(n, n, seed + i);
    return a + made(n, n, [&](int row, int column) { return Value(row == column ? 5 : 0); });
  });
}

}  // namespace maths
