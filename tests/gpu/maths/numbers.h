// SPDX-License-Identifier: Apache-2.0

// Inputs, and the CPU's results for them. Matrices are stored by columns.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace maths {

// The same numbers at every run.
class Numbers {
 public:
  explicit Numbers(std::uint32_t seed) : state_(seed * 2654435761u + 1) {}
  std::uint32_t next() {
    state_ = state_ * 1664525u + 1013904223u;
    return state_ >> 8;
  }
  double between(double low, double high) {
    return low + (high - low) * (next() / static_cast<double>(1u << 24));
  }

 private:
  std::uint32_t state_;
};

template <typename T>
struct Draw {
  static T one(Numbers& numbers) { return static_cast<T>(numbers.between(-1, 1)); }
};
template <typename T>
struct Draw<std::complex<T>> {
  static std::complex<T> one(Numbers& numbers) {
    const T real = Draw<T>::one(numbers);
    return {real, Draw<T>::one(numbers)};
  }
};

template <typename T>
std::vector<T> random_values(std::size_t count, std::uint32_t seed) {
  Numbers numbers(seed);
  std::vector<T> values(count);
  for (T& value : values) value = Draw<T>::one(numbers);
  return values;
}

// Small whole numbers: products of them are exact in every type.
inline std::vector<int> small_values(std::size_t count, std::uint32_t seed) {
  Numbers numbers(seed);
  std::vector<int> values(count);
  for (int& value : values) value = static_cast<int>(numbers.next() % 9) - 4;
  return values;
}

template <typename T>
std::vector<T> product(const std::vector<T>& a, const std::vector<T>& b, int m, int n, int k) {
  std::vector<T> c(static_cast<std::size_t>(m) * n);
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < m; ++row) {
      T sum{};
      for (int i = 0; i < k; ++i) sum += a[row + i * m] * b[i + column * k];
      c[row + column * m] = sum;
    }
  }
  return c;
}

template <typename T>
std::vector<T> transposed(const std::vector<T>& a, int rows, int columns) {
  std::vector<T> other(a.size());
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) other[j + i * columns] = a[i + j * rows];
  }
  return other;
}

// Symmetric, with eigenvalues well above zero.
inline std::vector<double> positive_matrix(int n, std::uint32_t seed) {
  const std::vector<double> a = random_values<double>(n * n, seed);
  std::vector<double> b = product(a, transposed(a, n, n), n, n, n);
  for (int i = 0; i < n; ++i) b[i + i * n] += n;
  return b;
}

// IEEE half precision and bfloat16 as bits; only for small whole numbers and what becomes of them.
inline std::uint16_t to_bfloat(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}
inline float from_bfloat(std::uint16_t value) {
  const std::uint32_t bits = static_cast<std::uint32_t>(value) << 16;
  float number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}
inline std::uint16_t to_half(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (value == 0) return 0;
  const std::uint32_t exponent = ((bits >> 23) & 0xFF) - 127 + 15;
  return static_cast<std::uint16_t>((bits >> 31 << 15) | (exponent << 10) |
                                    ((bits & 0x7FFFFF) >> 13));
}
inline float from_half(std::uint16_t value) {
  if ((value & 0x7FFF) == 0) return 0;
  const std::uint32_t bits = (static_cast<std::uint32_t>(value >> 15) << 31) |
                             ((((value >> 10) & 0x1Fu) + 127 - 15) << 23) |
                             ((value & 0x3FFu) << 13);
  float number;
  std::memcpy(&number, &bits, sizeof number);
  return number;
}

}  // namespace maths
