// SPDX-License-Identifier: Apache-2.0

// cuBLAS's level 3 and helpers as they were before handles: cublas.h.
#include "cublas_old.h"

namespace maths {
namespace {

constexpr int kM = 23, kN = 17, kK = 19;
const Value kAlpha(1.5), kBeta(-0.5);

void products() {
  const auto general = [](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix a = drawn<T>(kM, kK, 1), b = drawn<T>(kN, kK, 2), c = drawn<T>(kM, kN, 3);
    const OnDevice<T> on_a(a), on_b(b), on_c(c);
    if (form(check, 'n', 'c', kM, kN, kK, number<T>(kAlpha), on_a.data(), kM, on_b.data(), kN,
             number<T>(kBeta), on_c.data(), kM))
      compare(check, "C", on_c, kAlpha * (a * adjoint(b)) + kBeta * c);
  };
  each_old(general, OLD(Double, cublasDgemm), OLD(ComplexFloat, cublasCgemm));
  for (const bool hermitian : {false, true}) {
    const auto symmetric = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn_symmetric<T>(kM, 4, hermitian), b = drawn<T>(kM, kN, 5),
                   c = drawn<T>(kM, kN, 6);
      const OnDevice<T> on_a(half_of(a, true)), on_b(b), on_c(c);
      if (form(check, 'l', 'u', kM, kN, number<T>(kAlpha), on_a.data(), kM, on_b.data(), kM,
               number<T>(kBeta), on_c.data(), kM))
        compare(check, "C", on_c, kAlpha * (a * b) + kBeta * c);
    };
    if (hermitian) {
      each_old(symmetric, OLD(ComplexDouble, cublasZhemm));
    } else {
      each_old(symmetric, OLD(Float, cublasSsymm));
    }
  }
}

// Updates of one triangle; those of Hermitian matrices take real factors.
template <bool kHermitian>
void updates() {
  const auto one = [](Check& check, auto form) {
    using T = NUMBER(form);
    using Factor = std::conditional_t<kHermitian, Real<T>, T>;
    const Matrix a = drawn<T>(kN, kK, 7), c = drawn_symmetric<T>(kN, 8, kHermitian);
    const OnDevice<T> on_a(a), on_c(half_of(c, false));
    if (form(check, 'l', 'n', kN, kK, number<Factor>(kAlpha), on_a.data(), kN,
             number<Factor>(kBeta), on_c.data(), kN))
      compare_half(check, "C", on_c, kAlpha * (a * turned(a, kHermitian)) + kBeta * c, false);
  };
  const auto two = [](Check& check, auto form) {
    using T = NUMBER(form);
    using Factor = std::conditional_t<kHermitian, Real<T>, T>;
    const Matrix a = drawn<T>(kN, kK, 9), b = drawn<T>(kN, kK, 10),
                 c = drawn_symmetric<T>(kN, 11, kHermitian);
    const OnDevice<T> on_a(a), on_b(b), on_c(half_of(c, true));
    if (form(check, 'u', 'n', kN, kK, number<T>(kAlpha), on_a.data(), kN, on_b.data(), kN,
             number<Factor>(kBeta), on_c.data(), kN)) {
      const Matrix sum = a * turned(b, kHermitian) + b * turned(a, kHermitian);
      compare_half(check, "C", on_c, kAlpha * sum + kBeta * c, true);
    }
  };
  if constexpr (kHermitian) {
    each_old(one, OLD(ComplexFloat, cublasCherk));
    each_old(two, OLD(ComplexDouble, cublasZher2k));
  } else {
    each_old(one, OLD(Double, cublasDsyrk));
    each_old(two, OLD(ComplexFloat, cublasCsyr2k));
  }
}

// A product with a triangle, in place; and from its result the matrix that a solution gives back.
void triangles() {
  for (const bool solves : {false, true}) {
    const auto body = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn_triangle<T>(kM, 12, false), x = drawn<T>(kM, kN, 13);
      const OnDevice<T> on_a(half_of(a, false)), on_b(solves ? a * x : x);
      if (form(check, 'l', 'l', 'n', 'n', kM, kN, number<T>(kAlpha), on_a.data(), kM, on_b.data(),
               kM))
        compare(check, "B", on_b, kAlpha * (solves ? x : a * x));
    };
    if (solves) {
      each_old(body, OLD(ComplexDouble, cublasZtrsm));
    } else {
      each_old(body, OLD(Float, cublasStrmm), OLD(ComplexFloat, cublasCtrmm));
    }
  }
}

void helpers() {
  Check check("legacy.helpers");
  Guarded<int> version;
  NEED(check, cublasGetVersion(version.get()));
  EXPECT(check, *version >= 11000);
  INTACT(check, version);
  cudaStream_t stream = nullptr;
  NEED(check, cudaStreamCreate(&stream));
  if (CALL(check, cublasSetKernelStream(stream))) {
    const Matrix x = drawn<float>(kM, 1, 14);
    const OnDevice<float> on_x(x);
    cublasSscal(kM, 2, on_x.data(), 1);
    CALL(check, cublasGetError());
    CALL(check, cudaStreamSynchronize(stream));
    compare(check, "2 x", on_x, Value(2) * x);
    CALL(check, cublasSetKernelStream(nullptr));
  }
  CALL(check, cudaStreamDestroy(stream));
}

}  // namespace

void run() {
  with_library([] {
    products();
    updates<false>();
    updates<true>();
    triangles();
    helpers();
  });
}

}  // namespace maths
