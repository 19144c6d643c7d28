// SPDX-License-Identifier: Apache-2.0

// The common parts of the programs of cuSOLVER's dense families: work memory, and references in
// double or complex numbers on the CPU.
#pragma once

#include <cmath>
#include <memory>
#include <string>

#include "cusolver_support.h"

namespace maths {

using Complex = std::complex<double>;
using SingleComplex = std::complex<float>;

constexpr cublasFillMode_t kLower = CUBLAS_FILL_MODE_LOWER, kUpper = CUBLAS_FILL_MODE_UPPER;
constexpr cusolverEigMode_t kVectors = CUSOLVER_EIG_MODE_VECTOR;

// Work memory of a function that asks for one size: `Size` elements of `T`.
template <typename T, typename Size = int>
struct Work {
  Guarded<Size> size;
  T* take(Check& check) {
    INTACT(check, size);
    memory.reset(new DeviceArray<T>(*size));
    return memory->data();
  }
  std::unique_ptr<DeviceArray<T>> memory;
};

// Work memory of a 64-bit function: bytes of the device, and of the host. CUDA 13.0's Xlarft leaves
// the host's size as it was.
struct WorkX {
  Guarded<std::size_t> device{0}, host{0};
  void take(Check& check) {
    INTACT(check, device);
    INTACT(check, host);
    on_device.reset(new DeviceArray<char>(*device + 1));
    on_host.resize(*host + 1);
  }
  std::unique_ptr<DeviceArray<char>> on_device;
  std::vector<char> on_host;
};

inline double conjugate(double value) { return value; }
inline float conjugate(float value) { return value; }
template <typename T>
std::complex<T> conjugate(const std::complex<T>& value) {
  return std::conj(value);
}

template <typename T>
std::vector<T> adjoint(const std::vector<T>& a, int rows, int columns) {
  std::vector<T> other = transposed(a, rows, columns);
  for (T& value : other) value = conjugate(value);
  return other;
}

template <typename T>
std::vector<T> identity(int n) {
  std::vector<T> a(static_cast<std::size_t>(n) * n);
  for (int i = 0; i < n; ++i) a[i + i * n] = T(1);
  return a;
}

template <typename To, typename From>
std::vector<To> converted(const std::vector<From>& from) {
  return std::vector<To>(from.begin(), from.end());
}

// A A' + n I: its eigenvalues are far above zero.
template <typename T>
std::vector<T> positive(int n, std::uint32_t seed) {
  const std::vector<T> a = random_values<T>(n * n, seed);
  std::vector<T> b = product(a, adjoint(a, n, n), n, n, n);
  for (int i = 0; i < n; ++i) b[i + i * n] += T(n);
  return b;
}

// The first `columns` columns of a matrix of `rows` rows.
template <typename T>
std::vector<T> first_columns(const std::vector<T>& a, int rows, int columns) {
  return std::vector<T>(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(rows) * columns);
}

// The upper triangle of the first n rows, or the lower one; zero elsewhere.
template <typename T>
std::vector<T> triangle(const std::vector<T>& a, int rows, int n, cublasFillMode_t half) {
  std::vector<T> other(static_cast<std::size_t>(n) * n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      if (half == kUpper ? i <= j : i >= j) other[i + j * n] = a[i + j * rows];
    }
  }
  return other;
}

// A matrix whose lower half is known, and its conjugate above it.
template <typename T>
std::vector<T> completed(std::vector<T> a, int n) {
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) a[i + j * n] = conjugate(a[j + i * n]);
  }
  return a;
}

template <typename T, typename Real>
std::vector<T> columns_times(std::vector<T> a, const std::vector<Real>& factors, int rows) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] *= factors[i / rows];
  return a;
}

template <typename T>
void expect_same(Check& check, const char* text, const std::vector<T>& got,
                 const std::vector<T>& want, double tolerance) {
  check.near(text, flat(got), flat(want), tolerance);
}

// V' B V = I, where B is the identity if it is empty.
template <typename T>
void expect_orthonormal(Check& check, const char* text, const std::vector<T>& v,
                        const std::vector<T>& b, int rows, int columns, double tolerance) {
  const std::vector<T> right = b.empty() ? v : product(b, v, rows, columns, rows);
  expect_same(check, text, product(adjoint(v, rows, columns), right, columns, columns, rows),
              identity<T>(columns), tolerance);
}

// The eigenvalues of a real symmetric matrix by Jacobi's rotations, in ascending order.
inline std::vector<double> eigenvalues_of(std::vector<double> a, int n) {
  for (int sweep = 0; sweep < 12; ++sweep) {
    for (int p = 0; p < n; ++p) {
      for (int q = p + 1; q < n; ++q) {
        if (a[p + q * n] == 0) continue;
        const double angle = std::atan2(2 * a[p + q * n], a[q + q * n] - a[p + p * n]) / 2;
        const double c = std::cos(angle), s = std::sin(angle);
        for (int i = 0; i < n; ++i) {
          const double x = a[i + p * n], y = a[i + q * n];
          a[i + p * n] = c * x - s * y;
          a[i + q * n] = s * x + c * y;
        }
        for (int i = 0; i < n; ++i) {
          const double x = a[p + i * n], y = a[q + i * n];
          a[p + i * n] = c * x - s * y;
          a[q + i * n] = s * x + c * y;
        }
      }
    }
  }
  std::vector<double> values(n);
  for (int i = 0; i < n; ++i) values[i] = a[i + i * n];
  std::sort(values.begin(), values.end());
  return values;
}

// Those of a Hermitian matrix: the real matrix of both parts has each of them twice.
inline std::vector<double> eigenvalues_of(const std::vector<Complex>& a, int n) {
  std::vector<double> real(static_cast<std::size_t>(n) * n * 4);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      const Complex value = a[i + j * n];
      real[i + j * 2 * n] = real[i + n + (j + n) * 2 * n] = value.real();
      real[i + n + j * 2 * n] = value.imag();
      real[i + (j + n) * 2 * n] = -value.imag();
    }
  }
  const std::vector<double> twice = eigenvalues_of(real, 2 * n);
  std::vector<double> values(n);
  for (int i = 0; i < n; ++i) values[i] = twice[2 * i];
  return values;
}

// The solution of A X = B by an LU factorisation of the functions of any type is X.
inline void expect_lu_solution(Check& check, const Solver& solver, const Parameters& parameters,
                               const std::vector<double>& a, const std::vector<double>& x, int n,
                               int sides) {
  DeviceArray<double> on_a(a), on_b(product(a, x, n, sides, n));
  DeviceArray<std::int64_t> pivots(n);
  DeviceArray<int> info(1);
  WorkX work;
  NEED(check,
       cusolverDnXgetrf_bufferSize(solver.handle, parameters.value, n, n, CUDA_R_64F, on_a.data(),
                                   n, CUDA_R_64F, work.device.get(), work.host.get()));
  work.take(check);
  NEED(check, cusolverDnXgetrf(solver.handle, parameters.value, n, n, CUDA_R_64F, on_a.data(), n,
                               pivots.data(), CUDA_R_64F, work.on_device->data(), *work.device,
                               work.on_host.data(), *work.host, info.data()));
  NEED(check,
       cusolverDnXgetrs(solver.handle, parameters.value, CUBLAS_OP_N, n, sides, CUDA_R_64F,
                        on_a.data(), n, pivots.data(), CUDA_R_64F, on_b.data(), n, info.data()));
  NEED(check, cudaStreamSynchronize(solver.stream));
  expect_no_info(check, info);
  check.near("x", on_b.get(check), x, 1e-9);
  pivots.get(check);
}

// A = U S V', with V of n rows.
template <typename T, typename Real>
void expect_singular(Check& check, const std::vector<T>& a, const std::vector<T>& u,
                     const std::vector<Real>& s, const std::vector<T>& v, int m, int n, int rank,
                     double tolerance) {
  expect_orthonormal(check, "U' U", u, {}, m, rank, tolerance);
  expect_orthonormal(check, "V' V", v, {}, n, rank, tolerance);
  EXPECT(check, std::is_sorted(s.rbegin(), s.rend()));
  expect_same(check, "U S V'", product(columns_times(u, s, m), adjoint(v, n, rank), m, n, rank), a,
              tolerance);
}

}  // namespace maths
