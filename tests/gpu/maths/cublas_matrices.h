// SPDX-License-Identifier: Apache-2.0

// Matrices of the CPU, which are complex and in double precision for all types, and a check for
// each function of cuBLAS, named after it. It reads no header of cuBLAS: the programs of cublas.h
// and of cublas_v2.h use it.
#pragma once

#include <cuComplex.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <type_traits>

#include "check.h"
#include "memory.h"
#include "numbers.h"

namespace maths {

using Value = std::complex<double>;

template <typename T>
struct RealOf {
  using Type = T;
};
template <typename T>
struct RealOf<std::complex<T>> {
  using Type = T;
};
template <typename T>
using Real = typename RealOf<T>::Type;
template <typename T>
constexpr bool is_complex = !std::is_same_v<T, Real<T>>;
template <typename T>
constexpr double tolerance = std::is_same_v<Real<T>, float> ? 1e-4 : 1e-11;

// The functions take NVIDIA's complex numbers.
template <typename T>
T raw(T value) {
  return value;
}
inline cuComplex raw(const std::complex<float>& value) {
  return make_cuComplex(value.real(), value.imag());
}
inline cuDoubleComplex raw(const std::complex<double>& value) {
  return make_cuDoubleComplex(value.real(), value.imag());
}
inline cuComplex* raw(std::complex<float>* value) { return reinterpret_cast<cuComplex*>(value); }
inline const cuComplex* raw(const std::complex<float>* value) {
  return reinterpret_cast<const cuComplex*>(value);
}
inline cuComplex** raw(std::complex<float>** value) { return reinterpret_cast<cuComplex**>(value); }
inline cuDoubleComplex* raw(std::complex<double>* value) {
  return reinterpret_cast<cuDoubleComplex*>(value);
}
inline const cuDoubleComplex* raw(const std::complex<double>* value) {
  return reinterpret_cast<const cuDoubleComplex*>(value);
}
inline cuDoubleComplex** raw(std::complex<double>** value) {
  return reinterpret_cast<cuDoubleComplex**>(value);
}

// Stands for a form that a CUDA lacks.
struct Missing {
  const char* name;
};
using Float = float;
using Double = double;
using ComplexFloat = std::complex<float>;
using ComplexDouble = std::complex<double>;

// Functions with the same body: one check, named after the first.
template <typename Body>
void one_form(Check&, Body, Missing) {}
template <typename Body, typename Form>
void one_form(Check& check, Body body, Form form) {
  const bool well = static_cast<bool>(check);
  body(check, form);
  if (well && !check) std::printf("note in %s\n", std::string(form.name).c_str());
}
template <typename Body, typename First, typename... Forms>
void each_of(const char* topic, Body body, First first, Forms... forms) {
  Check check(topic + std::string(first.name).substr(6));
  one_form(check, body, first);
  (one_form(check, body, forms), ...);
}
template <typename Body, typename... Forms>
void each(Body body, Forms... forms) {
  each_of("cublas.", body, forms...);
}
// In a body: the type of the form's numbers.
#define NUMBER(form) typename decltype(form)::Number

// A matrix by columns.
struct Matrix {
  int rows, columns;
  std::vector<Value> values;

  Matrix(int m, int n) : rows(m), columns(n), values(static_cast<std::size_t>(m) * n) {}
  Value& at(int i, int j) { return values[i + static_cast<std::size_t>(j) * rows]; }
  const Value& at(int i, int j) const { return values[i + static_cast<std::size_t>(j) * rows]; }
};

template <typename Function>
Matrix made(int rows, int columns, Function function) {
  Matrix matrix(rows, columns);
  for (int j = 0; j < columns; ++j) {
    for (int i = 0; i < rows; ++i) matrix.at(i, j) = function(i, j);
  }
  return matrix;
}
inline Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  c.values = product(a.values, b.values, a.rows, b.columns, a.columns);
  return c;
}
inline Matrix operator*(Value factor, const Matrix& a) {
  return made(a.rows, a.columns, [&](int i, int j) { return factor * a.at(i, j); });
}
inline Matrix operator+(const Matrix& a, const Matrix& b) {
  return made(a.rows, a.columns, [&](int i, int j) { return a.at(i, j) + b.at(i, j); });
}
inline Matrix transpose(const Matrix& a) {
  return made(a.columns, a.rows, [&](int i, int j) { return a.at(j, i); });
}
inline Matrix adjoint(const Matrix& a) {
  return made(a.columns, a.rows, [&](int i, int j) { return std::conj(a.at(j, i)); });
}
// The transposed, or for the functions of Hermitian matrices its conjugate.
inline Matrix turned(const Matrix& a, bool hermitian) {
  return hermitian ? adjoint(a) : transpose(a);
}

// Numbers that a single-precision number can hold.
template <typename T>
Matrix drawn(int rows, int columns, std::uint32_t seed) {
  Numbers numbers(seed);
  return made(rows, columns, [&](int, int) {
    const auto real = static_cast<float>(numbers.between(-1, 1));
    return Value(real, is_complex<T> ? static_cast<float>(numbers.between(-1, 1)) : 0);
  });
}
template <typename T>
Matrix drawn_symmetric(int n, std::uint32_t seed, bool hermitian = false) {
  const Matrix a = drawn<T>(n, n, seed);
  return made(n, n, [&](int i, int j) {
    if (hermitian && i == j) return Value(a.at(i, i).real());
    if (i <= j) return a.at(i, j);
    return hermitian ? std::conj(a.at(j, i)) : a.at(j, i);
  });
}
// Triangular, and easy to solve with.
template <typename T>
Matrix drawn_triangle(int n, std::uint32_t seed, bool upper) {
  const Matrix a = drawn<T>(n, n, seed);
  return made(n, n, [&](int i, int j) {
    if (i == j) return a.at(i, i) + Value(4);
    return (i < j) == upper ? a.at(i, j) : Value(0);
  });
}
inline Matrix within_band(const Matrix& a, int below, int above) {
  return made(a.rows, a.columns, [&](int i, int j) {
    return i - j <= below && j - i <= above ? a.at(i, j) : Value(0);
  });
}

// The other triangle holds NaN: no function may read it.
constexpr double kUnread = std::numeric_limits<double>::quiet_NaN();
inline Matrix half_of(const Matrix& a, bool upper) {
  return made(a.rows, a.columns, [&](int i, int j) {
    return i == j || (i < j) == upper ? a.at(i, j) : Value(kUnread, kUnread);
  });
}
// The stored forms of banded matrices and of packed triangles.
inline Matrix banded(const Matrix& a, int below, int above) {
  return made(below + above + 1, a.columns, [&](int row, int j) {
    const int i = row - above + j;
    return i >= 0 && i < a.rows ? a.at(i, j) : Value(kUnread, kUnread);
  });
}
inline Matrix packed(const Matrix& a, bool upper) {
  Matrix found(a.rows * (a.rows + 1) / 2, 1);
  int next = 0;
  for (int j = 0; j < a.rows; ++j) {
    for (int i = upper ? 0 : j; i < (upper ? j + 1 : a.rows); ++i) found.at(next++, 0) = a.at(i, j);
  }
  return found;
}

// From the CPU's numbers to the function's, and back.
template <typename T>
T number(const Value& value) {
  if constexpr (is_complex<T>) {
    return T(static_cast<Real<T>>(value.real()), static_cast<Real<T>>(value.imag()));
  } else {
    return static_cast<T>(value.real());
  }
}
template <typename T>
std::vector<T> numbers_of(const Matrix& matrix) {
  std::vector<T> found;
  for (const Value& value : matrix.values) found.push_back(number<T>(value));
  return found;
}
template <typename T>
struct OnDevice : DeviceArray<T> {
  explicit OnDevice(const Matrix& matrix) : DeviceArray<T>(numbers_of<T>(matrix)) {}
};

template <typename T>
void compare(Check& check, const char* text, const std::vector<T>& got, const Matrix& want) {
  check.near(text, flat(got), flat(numbers_of<T>(want)), tolerance<T>);
}
template <typename T>
void compare(Check& check, const char* text, const DeviceArray<T>& got, const Matrix& want) {
  compare(check, text, got.get(check), want);
}
// Only one triangle, since the other stays as it was: NaN.
template <typename T>
void compare_half(Check& check, const char* text, const DeviceArray<T>& got, const Matrix& want,
                  bool upper) {
  std::vector<T> values = got.get(check);
  Matrix half = want;
  for (int j = 0; j < want.columns; ++j) {
    for (int i = 0; i < want.rows; ++i) {
      if (i == j || (i < j) == upper) continue;
      T& value = values[i + static_cast<std::size_t>(j) * want.rows];
      if (!std::isnan(std::real(value))) check.fail(std::string(text) + ": the other triangle");
      value = T();
      half.at(i, j) = 0;
    }
  }
  compare(check, text, values, half);
}

}  // namespace maths
