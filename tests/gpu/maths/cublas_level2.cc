// SPDX-License-Identifier: Apache-2.0

// cuBLAS's level 2: matrices times vectors, triangular systems and updates, for full, banded and
// packed matrices.
#include "cublas_families.h"

namespace maths {
namespace {

constexpr int kM = 23, kN = 17, kBelow = 3, kAbove = 2;
const Value kAlpha(1.5, 0), kBeta(-0.5, 0);

// y = alpha A x + beta y; A as it is given to the function, `leading` long, after `arguments`.
template <typename Form, typename... Arguments>
void times_vector(Check& check, Form form, const Blas& blas, const Matrix& a, const Matrix& stored,
                  bool with_leading, Arguments... arguments) {
  using T = NUMBER(form);
  const Matrix x = drawn<T>(a.columns, 1, 2), y = drawn<T>(a.rows, 1, 3);
  const OnDevice<T> on_a(stored), on_x(x), on_y(y);
  const T alpha = number<T>(kAlpha), beta = number<T>(kBeta);
  bool done = false;
  if constexpr (std::is_invocable_v<decltype(form.function), cublasHandle_t, Arguments...,
                                    decltype(raw(&alpha)), decltype(raw(on_a.data())), int,
                                    decltype(raw(on_x.data())), int, decltype(raw(&beta)),
                                    decltype(raw(on_y.data())), int>) {
    EXPECT(check, with_leading);
    done = form(check, blas.handle, arguments..., &alpha, on_a.data(), stored.rows, on_x.data(), 1,
                &beta, on_y.data(), 1);
  } else {
    EXPECT(check, !with_leading);
    done = form(check, blas.handle, arguments..., &alpha, on_a.data(), on_x.data(), 1, &beta,
                on_y.data(), 1);
  }
  if (done) compare(check, "y", on_y, kAlpha * (a * x) + kBeta * y);
}

void general(const Blas& blas) {
  const auto full = [&](Check& check, auto form) {
    const Matrix a = drawn<NUMBER(form)>(kM, kN, 1);
    times_vector(check, form, blas, a, a, true, CUBLAS_OP_N, kM, kN);
  };
  each(full, FORM(ComplexFloat, cublasCgemv_v2), WIDE(Float, cublasSgemv_v2_64));
  const auto adjoints = [&](Check& check, auto form) {
    const Matrix a = within_band(drawn<NUMBER(form)>(kM, kN, 1), kBelow, kAbove);
    times_vector(check, form, blas, adjoint(a), banded(a, kBelow, kAbove), true, CUBLAS_OP_C, kM,
                 kN, kBelow, kAbove);
  };
  each(adjoints, FORM(Double, cublasDgbmv_v2), FORM(ComplexFloat, cublasCgbmv_v2),
       WIDE(ComplexDouble, cublasZgbmv_v2_64));
}

// Symmetric and Hermitian matrices, of which the functions read one triangle.
void symmetric(const Blas& blas) {
  for (const bool hermitian : {false, true}) {
    const auto full = [&](Check& check, auto form) {
      const Matrix a = drawn_symmetric<NUMBER(form)>(kN, 4, hermitian);
      times_vector(check, form, blas, a, half_of(a, true), true, CUBLAS_FILL_MODE_UPPER, kN);
    };
    const auto band = [&](Check& check, auto form) {
      const Matrix a = within_band(drawn_symmetric<NUMBER(form)>(kN, 5, hermitian), kBelow, kBelow);
      times_vector(check, form, blas, a, banded(a, kBelow, 0), true, CUBLAS_FILL_MODE_LOWER, kN,
                   kBelow);
    };
    const auto pack = [&](Check& check, auto form) {
      const Matrix a = drawn_symmetric<NUMBER(form)>(kN, 6, hermitian);
      times_vector(check, form, blas, a, packed(a, false), false, CUBLAS_FILL_MODE_LOWER, kN);
    };
    if (hermitian) {
      each(full, FORM(ComplexDouble, cublasZhemv_v2), WIDE(ComplexFloat, cublasChemv_v2_64));
      each(band, FORM(ComplexFloat, cublasChbmv_v2), WIDE(ComplexDouble, cublasZhbmv_v2_64));
      each(pack, FORM(ComplexFloat, cublasChpmv_v2), WIDE(ComplexDouble, cublasZhpmv_v2_64));
    } else {
      each(full, FORM(Double, cublasDsymv_v2), FORM(ComplexFloat, cublasCsymv_v2),
           WIDE(ComplexDouble, cublasZsymv_v2_64));
      each(band, FORM(Float, cublasSsbmv_v2), WIDE(Double, cublasDsbmv_v2_64));
      each(pack, FORM(Double, cublasDspmv_v2), WIDE(Float, cublasSspmv_v2_64));
    }
  }
}

// What a product with a triangle gives, and from it the vector that a solution gives back.
template <typename Form, typename Call>
void triangle(Check& check, Form form, bool solves, const Matrix& a, Call call) {
  using T = NUMBER(form);
  const Matrix x = drawn<T>(kN, 1, 8), b = a * x;
  const OnDevice<T> on_x(solves ? b : x);
  if (call(on_x.data())) compare(check, solves ? "x" : "A x", on_x, solves ? x : b);
}

void triangles(const Blas& blas) {
  for (const bool solves : {false, true}) {
    const auto full = [&](Check& check, auto form) {
      const Matrix a = drawn_triangle<NUMBER(form)>(kN, 7, true);
      const OnDevice<NUMBER(form)> on_a(half_of(a, true));
      triangle(check, form, solves, adjoint(a), [&](auto x) {
        return form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C, CUBLAS_DIAG_NON_UNIT,
                    kN, on_a.data(), kN, x, 1);
      });
    };
    const auto band = [&](Check& check, auto form) {
      const Matrix a = within_band(drawn_triangle<NUMBER(form)>(kN, 9, false), kBelow, 0);
      const OnDevice<NUMBER(form)> on_a(banded(a, kBelow, 0));
      triangle(check, form, solves, a, [&](auto x) {
        return form(check, blas.handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                    kN, kBelow, on_a.data(), kBelow + 1, x, 1);
      });
    };
    const auto pack = [&](Check& check, auto form) {
      const Matrix a = drawn_triangle<NUMBER(form)>(kN, 10, true);
      const OnDevice<NUMBER(form)> on_a(packed(a, true));
      triangle(check, form, solves, transpose(a), [&](auto x) {
        return form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT,
                    kN, on_a.data(), x, 1);
      });
    };
    if (solves) {
      each(full, FORM(Double, cublasDtrsv_v2), WIDE(ComplexFloat, cublasCtrsv_v2_64));
      each(band, FORM(ComplexDouble, cublasZtbsv_v2), WIDE(Float, cublasStbsv_v2_64));
      each(pack, FORM(Float, cublasStpsv_v2), WIDE(ComplexDouble, cublasZtpsv_v2_64));
    } else {
      each(full, FORM(ComplexFloat, cublasCtrmv_v2), WIDE(Double, cublasDtrmv_v2_64));
      each(band, FORM(Float, cublasStbmv_v2), WIDE(ComplexDouble, cublasZtbmv_v2_64));
      each(pack, FORM(Double, cublasDtpmv_v2), WIDE(ComplexFloat, cublasCtpmv_v2_64));
    }
  }
}

// A + alpha x y' of a full matrix.
void rank_one(const Blas& blas) {
  for (const bool conjugate : {false, true}) {
    const auto body = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn<T>(kM, kN, 11), x = drawn<T>(kM, 1, 12), y = drawn<T>(kN, 1, 13);
      const OnDevice<T> on_a(a), on_x(x), on_y(y);
      const T alpha = number<T>(kAlpha);
      if (form(check, blas.handle, kM, kN, &alpha, on_x.data(), 1, on_y.data(), 1, on_a.data(),
               kM)) {
        compare(check, "A", on_a, a + kAlpha * (x * turned(y, conjugate)));
      }
    };
    if (conjugate) {
      each(body, FORM(ComplexFloat, cublasCgerc_v2), WIDE(ComplexDouble, cublasZgerc_v2_64));
    } else {
      each(body, FORM(Double, cublasDger_v2), WIDE(Float, cublasSger_v2_64));
      each(body, FORM(ComplexDouble, cublasZgeru_v2), WIDE(ComplexFloat, cublasCgeru_v2_64));
    }
  }
}

// A + alpha x x' of a symmetric or Hermitian matrix, whose alpha is real.
void updates(const Blas& blas) {
  for (const bool hermitian : {false, true}) {
    const auto changed = [&](const Matrix& a, const Matrix& x) {
      return a + kAlpha * (x * turned(x, hermitian));
    };
    const auto full = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn_symmetric<T>(kN, 14, hermitian), x = drawn<T>(kN, 1, 15);
      const OnDevice<T> on_a(half_of(a, true)), on_x(x);
      const std::vector<T> alpha = {number<T>(kAlpha)};  // its real part comes first
      bool done = false;
      if constexpr (std::is_invocable_v<decltype(form.function), cublasHandle_t, cublasFillMode_t,
                                        int, const Real<T>*, decltype(raw(on_x.data())), int,
                                        decltype(raw(on_a.data())), int>) {
        done =
            form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, kN,
                 reinterpret_cast<const Real<T>*>(alpha.data()), on_x.data(), 1, on_a.data(), kN);
      } else {
        done = form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, kN, alpha.data(), on_x.data(), 1,
                    on_a.data(), kN);
      }
      if (done) compare_half(check, "A", on_a, changed(a, x), true);
    };
    const auto pack = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn_symmetric<T>(kN, 16, hermitian), x = drawn<T>(kN, 1, 17);
      const OnDevice<T> on_a(packed(a, false)), on_x(x);
      const auto alpha = static_cast<Real<T>>(kAlpha.real());
      if (form(check, blas.handle, CUBLAS_FILL_MODE_LOWER, kN, &alpha, on_x.data(), 1,
               on_a.data())) {
        compare(check, "A", on_a, packed(changed(a, x), false));
      }
    };
    if (hermitian) {
      each(full, FORM(ComplexFloat, cublasCher_v2), WIDE(ComplexDouble, cublasZher_v2_64));
      each(pack, FORM(ComplexDouble, cublasZhpr_v2), WIDE(ComplexFloat, cublasChpr_v2_64));
    } else {
      each(full, FORM(Double, cublasDsyr_v2), FORM(ComplexFloat, cublasCsyr_v2),
           WIDE(ComplexDouble, cublasZsyr_v2_64));
      each(pack, FORM(Float, cublasSspr_v2), WIDE(Double, cublasDspr_v2_64));
    }
  }
}

// A + alpha x y' + the same the other way round.
void updates_of_two(const Blas& blas) {
  for (const bool hermitian : {false, true}) {
    const auto changed = [&](const Matrix& a, const Matrix& x, const Matrix& y) {
      return a + kAlpha * (x * turned(y, hermitian)) + kAlpha * (y * turned(x, hermitian));
    };
    const auto full = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn_symmetric<T>(kN, 18, hermitian), x = drawn<T>(kN, 1, 19),
                   y = drawn<T>(kN, 1, 20);
      const OnDevice<T> on_a(half_of(a, false)), on_x(x), on_y(y);
      const T alpha = number<T>(kAlpha);
      if (form(check, blas.handle, CUBLAS_FILL_MODE_LOWER, kN, &alpha, on_x.data(), 1, on_y.data(),
               1, on_a.data(), kN)) {
        compare_half(check, "A", on_a, changed(a, x, y), false);
      }
    };
    const auto pack = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn_symmetric<T>(kN, 21, hermitian), x = drawn<T>(kN, 1, 22),
                   y = drawn<T>(kN, 1, 23);
      const OnDevice<T> on_a(packed(a, true)), on_x(x), on_y(y);
      const T alpha = number<T>(kAlpha);
      if (form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, kN, &alpha, on_x.data(), 1, on_y.data(),
               1, on_a.data())) {
        compare(check, "A", on_a, packed(changed(a, x, y), true));
      }
    };
    if (hermitian) {
      each(full, FORM(ComplexDouble, cublasZher2_v2), WIDE(ComplexFloat, cublasCher2_v2_64));
      each(pack, FORM(ComplexFloat, cublasChpr2_v2), WIDE(ComplexDouble, cublasZhpr2_v2_64));
    } else {
      each(full, FORM(Float, cublasSsyr2_v2), FORM(ComplexDouble, cublasZsyr2_v2),
           WIDE(Double, cublasDsyr2_v2_64));
      each(pack, FORM(Double, cublasDspr2_v2), WIDE(Float, cublasSspr2_v2_64));
    }
  }
}

}  // namespace

void run() {
  Check handle("cublas.handle");
  const Blas blas(handle);
  if (!handle) return;
  general(blas);
  symmetric(blas);
  triangles(blas);
  rank_one(blas);
  updates(blas);
  updates_of_two(blas);
}

}  // namespace maths
