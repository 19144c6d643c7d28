// SPDX-License-Identifier: Apache-2.0

// cuBLAS's level 1: vectors, and the rotations of two of them.
#include "cublas_families.h"

namespace maths {
namespace {

constexpr int kCount = 259;
const Value kAlpha(2.5, -0.5);

template <typename T>
struct Vectors {
  Matrix x = drawn<T>(kCount, 1, 1), y = drawn<T>(kCount, 1, 2);
  OnDevice<T> on_x{x}, on_y{y};
};

template <typename T>
void compare_one(Check& check, const char* text, const Guarded<T>& got, const Value& want) {
  compare(check, text, std::vector<T>{*got}, made(1, 1, [&](int, int) { return want; }));
  check.intact(text, got);
}

// Which element is the largest or smallest, by the sum of its parts' magnitudes, counted from one.
template <typename T>
int place_of(const Matrix& x, bool largest) {
  const auto size = [](const Value& value) {
    return std::fabs(value.real()) + std::fabs(value.imag());
  };
  int found = 0;
  for (int i = 1; i < kCount; ++i) {
    const double one = size(x.at(i, 0)), best = size(x.at(found, 0));
    if (largest ? one > best : one < best) found = i;
  }
  return found + 1;
}
auto extreme(const Blas& blas, bool largest) {
  return [&blas, largest](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    Guarded<IndexOf<decltype(form)>> place;
    if (!form(check, blas.handle, kCount, on.on_x.data(), 1, place.get())) return;
    check.equal("place", static_cast<double>(*place), place_of<NUMBER(form)>(on.x, largest));
    INTACT(check, place);
  };
}
void extremes(const Blas& blas) {
  each(extreme(blas, true), FORM(Float, cublasIsamax_v2), FORM(ComplexDouble, cublasIzamax_v2),
       WIDE(Double, cublasIdamax_v2_64), WIDE(ComplexFloat, cublasIcamax_v2_64));
  each(extreme(blas, false), FORM(Double, cublasIdamin_v2), FORM(ComplexFloat, cublasIcamin_v2),
       WIDE(Float, cublasIsamin_v2_64), WIDE(ComplexDouble, cublasIzamin_v2_64));
}

void sums(const Blas& blas) {
  const auto magnitudes = [&](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    double want = 0;
    for (const Value& value : on.x.values)
      want += std::fabs(value.real()) + std::fabs(value.imag());
    Guarded<Real<NUMBER(form)>> sum;
    if (form(check, blas.handle, kCount, on.on_x.data(), 1, sum.get()))
      compare_one(check, "sum", sum, want);
  };
  each(magnitudes, FORM(Double, cublasDasum_v2), FORM(ComplexFloat, cublasScasum_v2),
       WIDE(ComplexDouble, cublasDzasum_v2_64), WIDE(Float, cublasSasum_v2_64));
  const auto norm = [&](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    Guarded<Real<NUMBER(form)>> got;
    if (form(check, blas.handle, kCount, on.on_x.data(), 1, got.get()))
      compare_one(check, "norm", got, std::sqrt((adjoint(on.x) * on.x).values[0]));
  };
  each(norm, FORM(Float, cublasSnrm2_v2), FORM(ComplexDouble, cublasDznrm2_v2),
       WIDE(ComplexFloat, cublasScnrm2_v2_64), WIDE(Double, cublasDnrm2_v2_64));
  for (const bool conjugate : {false, true}) {
    const auto dot = [&](Check& check, auto form) {
      const Vectors<NUMBER(form)> on;
      Guarded<NUMBER(form)> got;
      if (form(check, blas.handle, kCount, on.on_x.data(), 1, on.on_y.data(), 1, got.get()))
        compare_one(check, "dot", got, (turned(on.x, conjugate) * on.y).values[0]);
    };
    if (conjugate) {
      each(dot, FORM(ComplexFloat, cublasCdotc_v2), WIDE(ComplexDouble, cublasZdotc_v2_64));
    } else {
      each(dot, FORM(Float, cublasSdot_v2), WIDE(Double, cublasDdot_v2_64));
      each(dot, FORM(ComplexDouble, cublasZdotu_v2), WIDE(ComplexFloat, cublasCdotu_v2_64));
    }
  }
}

// What changes one vector, or both.
void changes(const Blas& blas) {
  const auto sum = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Vectors<T> on;
    const Value by = is_complex<T> ? kAlpha : Value(kAlpha.real());
    const T alpha = number<T>(by);
    if (form(check, blas.handle, kCount, &alpha, on.on_x.data(), 1, on.on_y.data(), 1))
      compare(check, "alpha x + y", on.on_y, by * on.x + on.y);
  };
  each(sum, FORM(ComplexFloat, cublasCaxpy_v2), WIDE(ComplexDouble, cublasZaxpy_v2_64));
  const auto copy = [&](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    if (form(check, blas.handle, kCount, on.on_x.data(), 1, on.on_y.data(), 1))
      compare(check, "copy", on.on_y, on.x);
  };
  each(copy, FORM(Float, cublasScopy_v2), FORM(ComplexDouble, cublasZcopy_v2),
       WIDE(Double, cublasDcopy_v2_64));
  const auto swap = [&](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    if (!form(check, blas.handle, kCount, on.on_x.data(), 1, on.on_y.data(), 1)) return;
    compare(check, "x", on.on_x, on.y);
    compare(check, "y", on.on_y, on.x);
  };
  each(swap, FORM(Double, cublasDswap_v2), FORM(ComplexFloat, cublasCswap_v2),
       WIDE(Float, cublasSswap_v2_64));
  // Every second element; the others stay as they are.
  const auto scaled = [&](Check& check, auto form, auto alpha, Value by) {
    const Vectors<NUMBER(form)> on;
    if (!form(check, blas.handle, (kCount + 1) / 2, &alpha, on.on_x.data(), 2)) return;
    compare(check, "scaled", on.on_x, made(kCount, 1, [&](int i, int) {
              return i % 2 == 0 ? by * on.x.at(i, 0) : on.x.at(i, 0);
            }));
  };
  const auto by_own = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Value by = is_complex<T> ? kAlpha : Value(kAlpha.real());
    scaled(check, form, number<T>(by), by);
  };
  each(by_own, FORM(Float, cublasSscal_v2), FORM(ComplexDouble, cublasZscal_v2),
       WIDE(ComplexFloat, cublasCscal_v2_64));
  const auto by_real = [&](Check& check, auto form) {
    scaled(check, form, static_cast<Real<NUMBER(form)>>(kAlpha.real()), kAlpha.real());
  };
  each(by_real, FORM(ComplexFloat, cublasCsscal_v2), WIDE(ComplexDouble, cublasZdscal_v2_64));
}

// x = c x + s y, y = c y - conj(s) x; `s` is real or as the vectors.
void rotations(const Blas& blas) {
  const auto turn = [&](Check& check, auto form, auto s, Value sine) {
    using T = NUMBER(form);
    const Vectors<T> on;
    const Real<T> c = static_cast<Real<T>>(0.5);
    if (!form(check, blas.handle, kCount, on.on_x.data(), 1, on.on_y.data(), 1, &c, &s)) return;
    compare(check, "x", on.on_x, Value(0.5) * on.x + sine * on.y);
    compare(check, "y", on.on_y, Value(0.5) * on.y + -std::conj(sine) * on.x);
  };
  const auto own = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Value sine(0.25, is_complex<T> ? 0.75 : 0);
    turn(check, form, number<T>(sine), sine);
  };
  each(own, FORM(Double, cublasDrot_v2), FORM(ComplexFloat, cublasCrot_v2),
       WIDE(ComplexDouble, cublasZrot_v2_64), WIDE(Float, cublasSrot_v2_64));
  const auto real = [&](Check& check, auto form) {
    turn(check, form, static_cast<Real<NUMBER(form)>>(0.75), 0.75);
  };
  each(real, FORM(ComplexDouble, cublasZdrot_v2), WIDE(ComplexFloat, cublasCsrot_v2_64));

  // The rotation of (a, b) to (r, 0).
  const auto found = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Value a0(0.75, is_complex<T> ? -0.5 : 0), b0(-0.25, is_complex<T> ? 0.625 : 0);
    Guarded<T> a(number<T>(a0)), b(number<T>(b0)), s;
    Guarded<Real<T>> c;
    if (!form(check, blas.handle, a.get(), b.get(), c.get(), s.get())) return;
    const Value cosine(*c), sine(*s), turned_a = cosine * a0 + sine * b0;
    compare_one(check, "r", a, turned_a);
    EXPECT(check, std::abs(cosine * b0 - std::conj(sine) * a0) < 1e-6);
    EXPECT(check, std::fabs(std::abs(turned_a) - std::hypot(std::abs(a0), std::abs(b0))) < 1e-6);
    INTACT(check, b);
    INTACT(check, c);
    INTACT(check, s);
  };
  each(found, FORM(Float, cublasSrotg_v2), FORM(ComplexDouble, cublasZrotg_v2));
}

template <typename T>
struct Five {
  T values[5];
};

// Rotations in the form that saves a square root: a flag and the matrix H by columns.
void modified(const Blas& blas) {
  const auto turn = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Vectors<T> on;
    const T param[] = {-1, static_cast<T>(0.5), static_cast<T>(-0.25), static_cast<T>(1.5), 2};
    if (!form(check, blas.handle, kCount, on.on_x.data(), 1, on.on_y.data(), 1, param + 0)) return;
    compare(check, "x", on.on_x, Value(0.5) * on.x + Value(1.5) * on.y);
    compare(check, "y", on.on_y, Value(-0.25) * on.x + Value(2) * on.y);
  };
  each(turn, FORM(Float, cublasSrotm_v2), WIDE(Double, cublasDrotm_v2_64));
  // H takes (x1, y1) to (x1', 0).
  const auto found = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const double x0 = 0.75, y0 = 0.25;
    Guarded<T> d1(T(2)), d2(T(1)), x1(static_cast<T>(x0)), y1(static_cast<T>(y0));
    Guarded<Five<T>> param;
    if (!form(check, blas.handle, d1.get(), d2.get(), x1.get(), static_cast<const T*>(y1.get()),
              param->values))
      return;
    // d1 x1^2 is greater than d2 y1^2: the flag is 0, and H has ones on its diagonal.
    check.equal("flag", param->values[0], 0);
    const double h21 = param->values[2], h12 = param->values[3];
    check.near("x1, y1, d1", {*x1, h21 * x0 + y0, *d1}, {x0 + h12 * y0, 0, 2 / (1 - h21 * h12)},
               1e-6);
    INTACT(check, d1);
    INTACT(check, d2);
    INTACT(check, x1);
    INTACT(check, y1);
    INTACT(check, param);
  };
  each(found, FORM(Double, cublasDrotmg_v2));
}

}  // namespace

void run() {
  Check handle("cublas.handle");
  const Blas blas(handle);
  if (!handle) return;
  extremes(blas);
  sums(blas);
  changes(blas);
  rotations(blas);
  modified(blas);
}

}  // namespace maths
