// SPDX-License-Identifier: Apache-2.0

// cuBLAS's levels 1 and 2 as they were before handles: cublas.h.
#include "cublas_old.h"

namespace maths {
namespace {

constexpr int kCount = 103, kM = 23, kN = 17, kBelow = 3, kAbove = 2;
const Value kAlpha(1.5), kBeta(-0.5);

template <typename T>
struct Vectors {
  Matrix x, y;
  OnDevice<T> on_x{x}, on_y{y};
  T alpha = number<T>(kAlpha), beta = number<T>(kBeta);

  explicit Vectors(int count = kCount, int other = kCount)
      : x(drawn<T>(count, 1, 1)), y(drawn<T>(other, 1, 2)) {}
};

double magnitude(const Value& value) { return std::fabs(value.real()) + std::fabs(value.imag()); }

void results() {
  const auto largest = [](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    int want = 0;
    for (int i = 1; i < kCount; ++i) {
      if (magnitude(on.x.at(i, 0)) > magnitude(on.x.at(want, 0))) want = i;
    }
    form.gives(check, want + 1, kCount, on.on_x.data(), 1);
  };
  each_old(largest, OLD(Float, cublasIsamax), OLD(ComplexDouble, cublasIzamax));
  const auto smallest = [](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    int want = 0;
    for (int i = 1; i < kCount; ++i) {
      if (magnitude(on.x.at(i, 0)) < magnitude(on.x.at(want, 0))) want = i;
    }
    form.gives(check, want + 1, kCount, on.on_x.data(), 1);
  };
  each_old(smallest, OLD(Double, cublasIdamin), OLD(ComplexFloat, cublasIcamin));
  const auto sum = [](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    double want = 0;
    for (const Value& value : on.x.values) want += magnitude(value);
    form.gives(check, want, kCount, on.on_x.data(), 1);
  };
  each_old(sum, OLD(Double, cublasDasum), OLD(ComplexFloat, cublasScasum));
  const auto norm = [](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    form.gives(check, std::sqrt((adjoint(on.x) * on.x).values[0]), kCount, on.on_x.data(), 1);
  };
  each_old(norm, OLD(Float, cublasSnrm2), OLD(ComplexDouble, cublasDznrm2));
  // Complex results come back in registers, in another way than real ones.
  for (const bool conjugate : {false, true}) {
    const auto dot = [&](Check& check, auto form) {
      const Vectors<NUMBER(form)> on;
      form.gives(check, (turned(on.x, conjugate) * on.y).values[0], kCount, on.on_x.data(), 1,
                 on.on_y.data(), 1);
    };
    if (conjugate) {
      each_old(dot, OLD(ComplexFloat, cublasCdotc), OLD(ComplexDouble, cublasZdotc));
    } else {
      each_old(dot, OLD(Double, cublasDdot));
      each_old(dot, OLD(ComplexFloat, cublasCdotu), OLD(ComplexDouble, cublasZdotu));
    }
  }
}

void changes() {
  const auto sum = [](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    if (form(check, kCount, on.alpha, on.on_x.data(), 1, on.on_y.data(), 1))
      compare(check, "y", on.on_y, kAlpha * on.x + on.y);
  };
  each_old(sum, OLD(Float, cublasSaxpy), OLD(ComplexDouble, cublasZaxpy));
  const auto copy = [](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    if (form(check, kCount, on.on_x.data(), 1, on.on_y.data(), 1))
      compare(check, "y", on.on_y, on.x);
  };
  each_old(copy, OLD(ComplexFloat, cublasCcopy));
  const auto swap = [](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    if (!form(check, kCount, on.on_x.data(), 1, on.on_y.data(), 1)) return;
    compare(check, "x", on.on_x, on.y);
    compare(check, "y", on.on_y, on.x);
  };
  each_old(swap, OLD(Double, cublasDswap));
  const auto scaled = [](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    if (form(check, kCount, on.alpha, on.on_x.data(), 1))
      compare(check, "x", on.on_x, kAlpha * on.x);
  };
  each_old(scaled, OLD(ComplexDouble, cublasZscal));
  const auto by_real = [](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    if (form(check, kCount, static_cast<Real<NUMBER(form)>>(1.5), on.on_x.data(), 1))
      compare(check, "x", on.on_x, kAlpha * on.x);
  };
  each_old(by_real, OLD(ComplexFloat, cublasCsscal));
}

template <typename T>
struct Five {
  T values[5];
};

void rotations() {
  const auto turn = [](Check& check, auto form, auto sine) {
    const Vectors<NUMBER(form)> on;
    if (!form(check, kCount, on.on_x.data(), 1, on.on_y.data(), 1,
              static_cast<Real<NUMBER(form)>>(0.5), sine))
      return;
    const Value s(sine);
    compare(check, "x", on.on_x, Value(0.5) * on.x + s * on.y);
    compare(check, "y", on.on_y, Value(0.5) * on.y + -std::conj(s) * on.x);
  };
  const auto own = [&](Check& check, auto form) {
    turn(check, form, number<NUMBER(form)>(Value(0.25, 0.75)));
  };
  each_old(own, OLD(Float, cublasSrot), OLD(ComplexDouble, cublasZrot));
  const auto real = [&](Check& check, auto form) {
    turn(check, form, static_cast<Real<NUMBER(form)>>(0.75));
  };
  each_old(real, OLD(ComplexFloat, cublasCsrot));
  const auto found = [](Check& check, auto form) {
    Guarded<double> a(3.0), b(4.0), c, s;
    if (form(check, a.get(), b.get(), c.get(), s.get()))
      check.near("r, c, s", {*a, *c, *s}, {5, 0.6, 0.8}, 1e-12);
    INTACT(check, a);
    INTACT(check, b);
    INTACT(check, c);
    INTACT(check, s);
  };
  each_old(found, OLD(Double, cublasDrotg));
  const auto modified = [](Check& check, auto form) {
    const Vectors<float> on;
    const float param[] = {-1, 0.5f, -0.25f, 1.5f, 2};
    if (!form(check, kCount, on.on_x.data(), 1, on.on_y.data(), 1, param + 0)) return;
    compare(check, "x", on.on_x, Value(0.5) * on.x + Value(1.5) * on.y);
    compare(check, "y", on.on_y, Value(-0.25) * on.x + Value(2) * on.y);
  };
  each_old(modified, OLD(Float, cublasSrotm));
  const auto modified_found = [](Check& check, auto form) {
    Guarded<double> d1(2.0), d2(1.0), x1(0.75), y1(0.25);
    Guarded<Five<double>> param;
    if (form(check, d1.get(), d2.get(), x1.get(), static_cast<const double*>(y1.get()),
             param->values + 0)) {
      check.near("flag, x1, y1", {param->values[0], *x1, param->values[2] * 0.75 + 0.25},
                 {0, 0.75 + param->values[3] * 0.25, 0}, 1e-12);
    }
    INTACT(check, d1);
    INTACT(check, d2);
    INTACT(check, x1);
    INTACT(check, y1);
    INTACT(check, param);
  };
  each_old(modified_found, OLD(Double, cublasDrotmg));
}

// y = alpha A x + beta y; the first arguments, then A's leading dimension where it has one.
template <typename T, typename Call>
void times_vector(Check& check, const Matrix& a, const Matrix& stored, Call call) {
  const Vectors<T> on(a.columns, a.rows);
  const OnDevice<T> on_a(stored);
  if (call(on.alpha, on_a.data(), on.on_x.data(), on.beta, on.on_y.data()))
    compare(check, "y", on.on_y, kAlpha * (a * on.x) + kBeta * on.y);
}

void products() {
  const auto full = [](Check& check, auto form) {
    const Matrix a = drawn<NUMBER(form)>(kM, kN, 3);
    times_vector<NUMBER(form)>(check, a, a, [&](auto alpha, auto* on, auto* x, auto beta, auto* y) {
      return form(check, 'n', kM, kN, alpha, on, kM, x, 1, beta, y, 1);
    });
  };
  each_old(full, OLD(ComplexFloat, cublasCgemv));
  const auto band = [](Check& check, auto form) {
    const Matrix a = within_band(drawn<NUMBER(form)>(kM, kN, 4), kBelow, kAbove);
    times_vector<NUMBER(form)>(check, transpose(a), banded(a, kBelow, kAbove),
                               [&](auto alpha, auto* on, auto* x, auto beta, auto* y) {
                                 return form(check, 't', kM, kN, kBelow, kAbove, alpha, on,
                                             kBelow + kAbove + 1, x, 1, beta, y, 1);
                               });
  };
  each_old(band, OLD(Double, cublasDgbmv));
  for (const bool hermitian : {false, true}) {
    const auto one = [&](Check& check, auto form) {
      const Matrix a = drawn_symmetric<NUMBER(form)>(kN, 5, hermitian);
      times_vector<NUMBER(form)>(check, a, half_of(a, true),
                                 [&](auto alpha, auto* on, auto* x, auto beta, auto* y) {
                                   return form(check, 'u', kN, alpha, on, kN, x, 1, beta, y, 1);
                                 });
    };
    const auto one_band = [&](Check& check, auto form) {
      const Matrix a = within_band(drawn_symmetric<NUMBER(form)>(kN, 6, hermitian), kBelow, kBelow);
      times_vector<NUMBER(form)>(
          check, a, banded(a, kBelow, 0), [&](auto alpha, auto* on, auto* x, auto beta, auto* y) {
            return form(check, 'l', kN, kBelow, alpha, on, kBelow + 1, x, 1, beta, y, 1);
          });
    };
    const auto one_packed = [&](Check& check, auto form) {
      const Matrix a = drawn_symmetric<NUMBER(form)>(kN, 7, hermitian);
      times_vector<NUMBER(form)>(check, a, packed(a, true),
                                 [&](auto alpha, auto* on, auto* x, auto beta, auto* y) {
                                   return form(check, 'u', kN, alpha, on, x, 1, beta, y, 1);
                                 });
    };
    if (hermitian) {
      each_old(one, OLD(ComplexFloat, cublasChemv));
      each_old(one_band, OLD(ComplexDouble, cublasZhbmv));
      each_old(one_packed, OLD(ComplexFloat, cublasChpmv));
    } else {
      each_old(one, OLD(Double, cublasDsymv));
      each_old(one_band, OLD(Float, cublasSsbmv));
      each_old(one_packed, OLD(Double, cublasDspmv));
    }
  }
}

// A product with a triangle, or from its result the vector that a solution gives back.
void triangles() {
  for (const bool solves : {false, true}) {
    const auto verify = [&](Check& check, auto form, const Matrix& a, const Matrix& stored,
                            auto... more) {
      using T = NUMBER(form);
      const Matrix x = drawn<T>(kN, 1, 8), b = a * x;
      const OnDevice<T> on_a(stored), on_x(solves ? b : x);
      bool done = false;
      if constexpr (sizeof...(more) == 0) {
        done = form(check, 'u', 'n', 'n', kN, on_a.data(), on_x.data(), 1);
      } else {
        done = form(check, 'u', 'n', 'n', kN, more..., on_a.data(), stored.rows, on_x.data(), 1);
      }
      if (done) compare(check, "x", on_x, solves ? x : b);
    };
    const auto full = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn_triangle<T>(kN, 9, true), x = drawn<T>(kN, 1, 8), b = a * x;
      const OnDevice<T> on_a(half_of(a, true)), on_x(solves ? b : x);
      if (form(check, 'u', 'n', 'n', kN, on_a.data(), kN, on_x.data(), 1))
        compare(check, "x", on_x, solves ? x : b);
    };
    const auto band = [&](Check& check, auto form) {
      const Matrix a = within_band(drawn_triangle<NUMBER(form)>(kN, 10, true), 0, kAbove);
      verify(check, form, a, banded(a, 0, kAbove), kAbove);
    };
    const auto pack = [&](Check& check, auto form) {
      const Matrix a = drawn_triangle<NUMBER(form)>(kN, 11, true);
      verify(check, form, a, packed(a, true));
    };
    if (solves) {
      each_old(full, OLD(Double, cublasDtrsv));
      each_old(band, OLD(ComplexFloat, cublasCtbsv));
      each_old(pack, OLD(Float, cublasStpsv));
    } else {
      each_old(full, OLD(Float, cublasStrmv));
      each_old(band, OLD(Double, cublasDtbmv));
      each_old(pack, OLD(ComplexDouble, cublasZtpmv));
    }
  }
}

void updates() {
  for (const bool conjugate : {false, true}) {
    const auto general = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Vectors<T> on(kM, kN);
      const Matrix a = drawn<T>(kM, kN, 12);
      const OnDevice<T> on_a(a);
      if (form(check, kM, kN, on.alpha, on.on_x.data(), 1, on.on_y.data(), 1, on_a.data(), kM))
        compare(check, "A", on_a, a + kAlpha * (on.x * turned(on.y, conjugate)));
    };
    const auto one = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Vectors<T> on(kN, kN);
      const Matrix a = drawn_symmetric<T>(kN, 13, conjugate);
      const OnDevice<T> on_a(half_of(a, true));
      if (form(check, 'u', kN, std::real(on.alpha), on.on_x.data(), 1, on_a.data(), kN))
        compare_half(check, "A", on_a, a + kAlpha * (on.x * turned(on.x, conjugate)), true);
    };
    const auto one_packed = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Vectors<T> on(kN, kN);
      const Matrix a = drawn_symmetric<T>(kN, 14, conjugate);
      const OnDevice<T> on_a(packed(a, true));
      if (form(check, 'u', kN, std::real(on.alpha), on.on_x.data(), 1, on_a.data()))
        compare(check, "A", on_a, packed(a + kAlpha * (on.x * turned(on.x, conjugate)), true));
    };
    const auto changed = [&](const Matrix& a, const Matrix& x, const Matrix& y) {
      return a + kAlpha * (x * turned(y, conjugate)) + kAlpha * (y * turned(x, conjugate));
    };
    const auto two = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Vectors<T> on(kN, kN);
      const Matrix a = drawn_symmetric<T>(kN, 15, conjugate);
      const OnDevice<T> on_a(half_of(a, false));
      if (form(check, 'l', kN, on.alpha, on.on_x.data(), 1, on.on_y.data(), 1, on_a.data(), kN))
        compare_half(check, "A", on_a, changed(a, on.x, on.y), false);
    };
    const auto two_packed = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Vectors<T> on(kN, kN);
      const Matrix a = drawn_symmetric<T>(kN, 16, conjugate);
      const OnDevice<T> on_a(packed(a, false));
      if (form(check, 'l', kN, on.alpha, on.on_x.data(), 1, on.on_y.data(), 1, on_a.data()))
        compare(check, "A", on_a, packed(changed(a, on.x, on.y), false));
    };
    if (conjugate) {
      each_old(general, OLD(ComplexFloat, cublasCgerc));
      each_old(one, OLD(ComplexDouble, cublasZher));
      each_old(one_packed, OLD(ComplexFloat, cublasChpr));
      each_old(two, OLD(ComplexFloat, cublasCher2));
      each_old(two_packed, OLD(ComplexDouble, cublasZhpr2));
    } else {
      each_old(general, OLD(Float, cublasSger), OLD(ComplexDouble, cublasZgeru));
      each_old(one, OLD(Double, cublasDsyr));
      each_old(one_packed, OLD(Float, cublasSspr));
      each_old(two, OLD(Float, cublasSsyr2));
      each_old(two_packed, OLD(Double, cublasDspr2));
    }
  }
}

}  // namespace

void run() {
  with_library([] {
    results();
    changes();
    rotations();
    products();
    triangles();
    updates();
  });
}

}  // namespace maths
