// SPDX-License-Identifier: Apache-2.0

// cuBLAS's level 1 with the types as arguments: half precision computed in single, and complex
// numbers.
#include "cublas_families.h"

namespace maths {
namespace {

constexpr int kCount = 100;

// Numbers on the device, of a type that the functions take as an argument.
template <typename T>
constexpr cudaDataType type_of() {
  constexpr bool single = std::is_same_v<Real<T>, float>;
  if (is_complex<T>) return single ? CUDA_C_32F : CUDA_C_64F;
  return single ? CUDA_R_32F : CUDA_R_64F;
}
template <typename T>
struct Vectors {
  Matrix x = drawn<T>(kCount, 1, 1), y = drawn<T>(kCount, 1, 2);
  OnDevice<T> on_x{x}, on_y{y};
};
// Half precision, with small whole numbers: sums of them are exact.
struct Halves {
  static std::vector<std::uint16_t> bits(const std::vector<int>& values) {
    std::vector<std::uint16_t> found;
    for (int value : values) found.push_back(to_half(static_cast<float>(value)));
    return found;
  }
  static std::vector<double> back(Check& check, const DeviceArray<std::uint16_t>& array) {
    std::vector<double> found;
    for (std::uint16_t value : array.get(check)) found.push_back(from_half(value));
    return found;
  }
  std::vector<int> x = small_values(kCount, 3), y = small_values(kCount, 4);
  DeviceArray<std::uint16_t> on_x{bits(x)}, on_y{bits(y)};
};

void halves(const Blas& blas) {
  const auto sum = [&](Check& check, auto form) {
    const Halves on;
    const float alpha = 2;
    std::vector<double> want;
    for (int i = 0; i < kCount; ++i) want.push_back(2 * on.x[i] + on.y[i]);
    if (form(check, blas.handle, kCount, &alpha, CUDA_R_32F, on.on_x.data(), CUDA_R_16F, 1,
             on.on_y.data(), CUDA_R_16F, 1, CUDA_R_32F))
      check.near("2 x + y", Halves::back(check, on.on_y), want, 0);
  };
  each(sum, FORM(Float, cublasAxpyEx), WIDE(Float, cublasAxpyEx_64));
  const auto scaled = [&](Check& check, auto form) {
    const Halves on;
    const float alpha = -3;
    std::vector<double> want;
    for (int value : on.x) want.push_back(-3 * value);
    if (form(check, blas.handle, kCount, &alpha, CUDA_R_32F, on.on_x.data(), CUDA_R_16F, 1,
             CUDA_R_32F))
      check.near("-3 x", Halves::back(check, on.on_x), want, 0);
  };
  each(scaled, FORM(Float, cublasScalEx), WIDE(Float, cublasScalEx_64));
  const auto dot = [&](Check& check, auto form) {
    const Halves on;
    double want = 0;
    for (int i = 0; i < kCount; ++i) want += on.x[i] * on.y[i];
    Guarded<std::uint16_t> got;
    if (form(check, blas.handle, kCount, on.on_x.data(), CUDA_R_16F, 1, on.on_y.data(), CUDA_R_16F,
             1, got.get(), CUDA_R_16F, CUDA_R_32F))
      check.near("dot", {from_half(*got)}, {want}, 0);
    INTACT(check, got);
  };
  each(dot, FORM(Float, cublasDotEx), WIDE(Float, cublasDotEx_64));
  const auto norm = [&](Check& check, auto form) {
    const Halves on;
    double squares = 0;
    for (int value : on.x) squares += value * value;
    Guarded<std::uint16_t> got;
    if (form(check, blas.handle, kCount, on.on_x.data(), CUDA_R_16F, 1, got.get(), CUDA_R_16F,
             CUDA_R_32F))
      check.near("norm", {from_half(*got)}, {std::sqrt(squares)}, 1e-3);
    INTACT(check, got);
  };
  each(norm, FORM(Float, cublasNrm2Ex), WIDE(Float, cublasNrm2Ex_64));
}

void others(const Blas& blas) {
  const auto conjugated = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Vectors<T> on;
    Guarded<T> got;
    if (form(check, blas.handle, kCount, on.on_x.data(), type_of<T>(), 1, on.on_y.data(),
             type_of<T>(), 1, got.get(), type_of<T>(), type_of<T>()))
      compare(check, "dot", std::vector<T>{*got}, adjoint(on.x) * on.y);
    INTACT(check, got);
  };
  each(conjugated, FORM(ComplexDouble, cublasDotcEx), WIDE(ComplexFloat, cublasDotcEx_64));
  const auto magnitudes = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Vectors<T> on;
    Matrix want(1, 1);
    for (const Value& value : on.x.values)
      want.values[0] += std::fabs(value.real()) + std::fabs(value.imag());
    Guarded<Real<T>> got;
    if (form(check, blas.handle, kCount, on.on_x.data(), type_of<T>(), 1, got.get(),
             type_of<Real<T>>(), type_of<Real<T>>()))
      compare(check, "sum", std::vector<Real<T>>{*got}, want);
    INTACT(check, got);
  };
  each(magnitudes, FORM(Double, cublasAsumEx), WIDE(Float, cublasAsumEx_64));
  const auto copy = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Vectors<T> on;
    if (form(check, blas.handle, kCount, on.on_x.data(), type_of<T>(), 1, on.on_y.data(),
             type_of<T>(), 1))
      compare(check, "copy", on.on_y, on.x);
  };
  each(copy, FORM(ComplexFloat, cublasCopyEx), WIDE(Double, cublasCopyEx_64));
  const auto swap = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Vectors<T> on;
    if (!form(check, blas.handle, kCount, on.on_x.data(), type_of<T>(), 1, on.on_y.data(),
              type_of<T>(), 1))
      return;
    compare(check, "x", on.on_x, on.y);
    compare(check, "y", on.on_y, on.x);
  };
  each(swap, FORM(Float, cublasSwapEx), WIDE(ComplexDouble, cublasSwapEx_64));
}

// The place of the largest and of the smallest element, counted from one.
auto extreme(const Blas& blas, bool largest) {
  return [&blas, largest](Check& check, auto form) {
    using T = NUMBER(form);
    const Vectors<T> on;
    int want = 0;
    for (int i = 1; i < kCount; ++i) {
      const double one = std::fabs(on.x.at(i, 0).real()), best = std::fabs(on.x.at(want, 0).real());
      if (largest ? one > best : one < best) want = i;
    }
    Guarded<IndexOf<decltype(form)>> got;
    if (form(check, blas.handle, kCount, on.on_x.data(), type_of<T>(), 1, got.get()))
      check.equal("place", static_cast<double>(*got), want + 1);
    INTACT(check, got);
  };
}
void extremes(const Blas& blas) {
  each(extreme(blas, true), FORM(Double, cublasIamaxEx), WIDE(Float, cublasIamaxEx_64));
  each(extreme(blas, false), FORM(Float, cublasIaminEx), WIDE(Double, cublasIaminEx_64));
}

void rotations(const Blas& blas) {
  const auto turn = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Vectors<T> on;
    const Real<T> c = static_cast<Real<T>>(0.5), s = static_cast<Real<T>>(0.75);
    if (!form(check, blas.handle, kCount, on.on_x.data(), type_of<T>(), 1, on.on_y.data(),
              type_of<T>(), 1, &c, &s, type_of<Real<T>>(), type_of<T>()))
      return;
    compare(check, "x", on.on_x, Value(0.5) * on.x + Value(0.75) * on.y);
    compare(check, "y", on.on_y, Value(0.5) * on.y + Value(-0.75) * on.x);
  };
  each(turn, FORM(ComplexFloat, cublasRotEx), WIDE(Double, cublasRotEx_64));
  const auto modified = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Vectors<T> on;
    const T param[] = {-1, static_cast<T>(0.5), static_cast<T>(-0.25), static_cast<T>(1.5), 2};
    if (!form(check, blas.handle, kCount, on.on_x.data(), type_of<T>(), 1, on.on_y.data(),
              type_of<T>(), 1, param + 0, type_of<T>(), type_of<T>()))
      return;
    compare(check, "x", on.on_x, Value(0.5) * on.x + Value(1.5) * on.y);
    compare(check, "y", on.on_y, Value(-0.25) * on.x + Value(2) * on.y);
  };
  each(modified, FORM(Double, cublasRotmEx), WIDE(Float, cublasRotmEx_64));
  const auto found = [&](Check& check, auto form) {
    using T = NUMBER(form);
    Guarded<T> a(T(3)), b(T(4)), c, s;
    if (form(check, blas.handle, a.get(), b.get(), type_of<T>(), c.get(), s.get(), type_of<T>(),
             type_of<T>()))
      check.near("r, c, s", {*a, *c, *s}, {5, 0.6, 0.8}, 1e-6);
    INTACT(check, a);
    INTACT(check, b);
    INTACT(check, c);
    INTACT(check, s);
  };
  each(found, FORM(Float, cublasRotgEx));
  // The matrix H, with ones on its diagonal, takes (x1, y1) to (x1', 0).
  struct Five {
    double values[5];
  };
  const auto modified_found = [&](Check& check, auto form) {
    Guarded<double> d1(2.0), d2(1.0), x1(0.75), y1(0.25);
    Guarded<Five> param;
    if (form(check, blas.handle, d1.get(), CUDA_R_64F, d2.get(), CUDA_R_64F, x1.get(), CUDA_R_64F,
             static_cast<const double*>(y1.get()), CUDA_R_64F, param->values + 0, CUDA_R_64F,
             CUDA_R_64F)) {
      const double h21 = param->values[2], h12 = param->values[3];
      check.near("flag, x1, y1", {param->values[0], *x1, h21 * 0.75 + 0.25},
                 {0, 0.75 + h12 * 0.25, 0}, 1e-12);
    }
    INTACT(check, d1);
    INTACT(check, d2);
    INTACT(check, x1);
    INTACT(check, y1);
    INTACT(check, param);
  };
  each(modified_found, FORM(Double, cublasRotmgEx));
}

}  // namespace

void run() {
  Check handle("cublas.handle");
  const Blas blas(handle);
  if (!handle) return;
  halves(blas);
  others(blas);
  extremes(blas);
  rotations(blas);
}

}  // namespace maths
