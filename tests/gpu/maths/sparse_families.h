// SPDX-License-Identifier: Apache-2.0

// The common parts of the programs of cuSPARSE's function families.
#pragma once

#include <cmath>
#include <complex>
#include <functional>
#include <memory>
#include <type_traits>

#include "sparse_support.h"

namespace maths {

using Complex = std::complex<float>;
using DoubleComplex = std::complex<double>;

constexpr cusparseOperation_t kT = CUSPARSE_OPERATION_TRANSPOSE;
constexpr cusparseIndexBase_t kBase0 = CUSPARSE_INDEX_BASE_ZERO;
constexpr cusparseIndexType_t kInt = CUSPARSE_INDEX_32I;
constexpr cusparseSolvePolicy_t kLevels = CUSPARSE_SOLVE_POLICY_USE_LEVEL;

// CUDA's complex types have the layout of C++'s.
inline cuComplex* of(const DeviceArray<Complex>& array) { return array.as<cuComplex>(); }
inline cuDoubleComplex* of(const DeviceArray<DoubleComplex>& array) {
  return array.as<cuDoubleComplex>();
}
template <typename T>
std::vector<T> as(const std::vector<double>& values) {
  return std::vector<T>(values.begin(), values.end());
}

// An object of the library, which is destroyed at the end of its scope.
template <typename T>
class Made {
 public:
  template <typename Create, typename Destroy, typename... Args>
  Made(Check& check, const char* create_name, Create create, const char* destroy_name,
       Destroy destroy, Args... args) {
    if (!check.call(create_name, create(made_.get(), args...))) return;
    check.intact(create_name, made_);
    destroy_ = [this, &check, destroy_name, destroy] { check.call(destroy_name, destroy(*made_)); };
  }
  ~Made() {
    if (destroy_) destroy_();
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  operator T() const { return *made_; }

 private:
  Guarded<T> made_;
  std::function<void()> destroy_;
};

// Device memory that a function works in; its guard bytes are checked at the end of its scope.
class Workspace : public DeviceArray<char> {
 public:
  Workspace(Check& check, std::size_t size) : DeviceArray(size + 1), check_(check) {}
  ~Workspace() { get(check_); }

 private:
  Check& check_;
};

// A triangle of equations that are far from singular.
inline std::vector<double> lower_triangle(int n, std::uint32_t seed) {
  std::vector<double> dense = dense_with_holes(n, n, seed);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < j; ++i) dense[i + j * n] = 0;
    dense[j + j * n] = 4;
  }
  return dense;
}

// Values for each type; complex ones have both parts.
template <typename T>
std::vector<T> turned(const std::vector<double>& values) {
  std::vector<T> others;
  for (const double value : values) {
    if constexpr (std::is_same_v<T, Complex> || std::is_same_v<T, DoubleComplex>) {
      using Real = typename T::value_type;
      others.emplace_back(static_cast<Real>(value), static_cast<Real>(value / 2));
    } else {
      others.push_back(static_cast<T>(value));
    }
  }
  return others;
}

// The incomplete factorisations: nothing but what has a place is computed.
template <typename T>
std::vector<T> incomplete_lu(std::vector<T> a, const std::vector<bool>& has, int n) {
  for (int k = 0; k < n; ++k) {
    for (int i = k + 1; i < n; ++i) {
      if (!has[i + k * n]) continue;
      a[i + k * n] /= a[k + k * n];
      for (int j = k + 1; j < n; ++j) {
        if (has[i + j * n] && has[k + j * n]) a[i + j * n] -= a[i + k * n] * a[k + j * n];
      }
    }
  }
  return a;
}
inline std::vector<double> incomplete_cholesky(std::vector<double> a, const std::vector<bool>& has,
                                               int n) {
  for (int k = 0; k < n; ++k) {
    a[k + k * n] = std::sqrt(a[k + k * n]);
    for (int i = k + 1; i < n; ++i) {
      if (has[i + k * n]) a[i + k * n] /= a[k + k * n];
    }
    for (int j = k + 1; j < n; ++j) {
      for (int i = j; i < n; ++i) {
        if (has[i + j * n] && has[i + k * n] && has[j + k * n]) {
          a[i + j * n] -= a[i + k * n] * a[j + k * n];
        }
      }
    }
  }
  return a;
}

}  // namespace maths

// `variable`, an object made by `create`; the function returns if that fails.
#define MADE(check, type, variable, create, destroy, ...)                                          \
  const Made<type> variable(check, #create, create, #destroy, destroy __VA_OPT__(, ) __VA_ARGS__); \
  if (!(check)) return
// `name`, the description of a general matrix, with indices from 0.
#define DESCRIPTION(check, name) \
  MADE(check, cusparseMatDescr_t, name, cusparseCreateMatDescr, cusparseDestroyMatDescr)
// `work`, memory of the size that `function` gives in its last argument.
#define WORKSPACE(check, type, work, function, ...)      \
  Guarded<type> work##_size;                             \
  NEED(check, function(__VA_ARGS__, work##_size.get())); \
  INTACT(check, work##_size);                            \
  const Workspace work(check, static_cast<std::size_t>(*work##_size))
// `variable`, what `function` gives in its last argument.
#define GIVEN(check, type, variable, function, ...)   \
  Guarded<type> variable;                             \
  NEED(check, function(__VA_ARGS__, variable.get())); \
  INTACT(check, variable)
