// SPDX-License-Identifier: Apache-2.0

// cuBLAS's level 3 and its extensions for whole matrices.
#include "cublas_families.h"

namespace maths {
namespace {

constexpr int kM = 23, kN = 17, kK = 19;
const Value kAlpha(1.5), kBeta(-0.5);

template <typename T>
constexpr cudaDataType type_of() {
  return is_complex<T> ? CUDA_C_32F : CUDA_R_32F;
}

// alpha A B' + beta C, where B' is the adjoint, which for real types is the transposed.
template <typename T>
struct Product {
  Matrix a = drawn<T>(kM, kK, 1), b = drawn<T>(kN, kK, 2), c = drawn<T>(kM, kN, 3);
  OnDevice<T> on_a{a}, on_b{b}, on_c{c};
  T alpha = number<T>(kAlpha), beta = number<T>(kBeta);

  void verify(Check& check) const {
    compare(check, "C", on_c, kAlpha * (a * adjoint(b)) + kBeta * c);
  }
};

void products(const Blas& blas) {
  const auto plain = [&](Check& check, auto form) {
    const Product<NUMBER(form)> on;
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_C, kM, kN, kK, &on.alpha, on.on_a.data(),
             kM, on.on_b.data(), kN, &on.beta, on.on_c.data(), kM))
      on.verify(check);
  };
  each(plain, FORM(ComplexFloat, cublasCgemm_v2), FORM(Double, cublasDgemm_v2),
       WIDE(ComplexDouble, cublasZgemm_v2_64), WIDE(Float, cublasSgemm_v2_64));
  each(plain, FORM(ComplexFloat, cublasCgemm3m), FORM(ComplexDouble, cublasZgemm3m),
       WIDE(ComplexFloat, cublasCgemm3m_64));
  // With the types as arguments.
  const auto typed = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Product<T> on;
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_C, kM, kN, kK, &on.alpha, on.on_a.data(),
             type_of<T>(), kM, on.on_b.data(), type_of<T>(), kN, &on.beta, on.on_c.data(),
             type_of<T>(), kM))
      on.verify(check);
  };
  each(typed, FORM(Float, cublasSgemmEx), WIDE(Float, cublasSgemmEx_64));
  each(typed, FORM(ComplexFloat, cublasCgemmEx), WIDE(ComplexFloat, cublasCgemmEx_64));
  each(typed, FORM(ComplexFloat, cublasCgemm3mEx), WIDE(ComplexFloat, cublasCgemm3mEx_64));
  const auto computed = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Product<T> on;
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_C, kM, kN, kK, &on.alpha, on.on_a.data(),
             type_of<T>(), kM, on.on_b.data(), type_of<T>(), kN, &on.beta, on.on_c.data(),
             type_of<T>(), kM, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT))
      on.verify(check);
  };
  each(computed, CALLED(ComplexFloat, cublasGemmEx), WIDE_CALLED(ComplexFloat, cublasGemmEx_64));
}

// A symmetric or Hermitian matrix from the left, of which the functions read one triangle.
void symmetric(const Blas& blas) {
  for (const bool hermitian : {false, true}) {
    const auto body = [&](Check& check, auto form) {
      using T = NUMBER(form);
      const Matrix a = drawn_symmetric<T>(kM, 4, hermitian), b = drawn<T>(kM, kN, 5),
                   c = drawn<T>(kM, kN, 6);
      const OnDevice<T> on_a(half_of(a, false)), on_b(b), on_c(c);
      const T alpha = number<T>(kAlpha), beta = number<T>(kBeta);
      if (form(check, blas.handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, kM, kN, &alpha,
               on_a.data(), kM, on_b.data(), kM, &beta, on_c.data(), kM))
        compare(check, "C", on_c, kAlpha * (a * b) + kBeta * c);
    };
    if (hermitian) {
      each(body, FORM(ComplexDouble, cublasZhemm_v2), WIDE(ComplexFloat, cublasChemm_v2_64));
    } else {
      each(body, FORM(Double, cublasDsymm_v2), WIDE(ComplexDouble, cublasZsymm_v2_64));
    }
  }
}

// Updates of one triangle; those of Hermitian matrices take one real factor or two.
template <typename T, bool kHermitian>
struct Update {
  Matrix a = drawn<T>(kN, kK, 7), b = drawn<T>(kN, kK, 8),
         c = drawn_symmetric<T>(kN, 9, kHermitian);
  OnDevice<T> on_a{a}, on_b{b}, on_c{half_of(c, true)};
  T alpha = number<T>(kAlpha);
  using Factor = std::conditional_t<kHermitian, Real<T>, T>;
  Factor real_alpha = number<Factor>(kAlpha), beta = number<Factor>(kBeta);
  cublasOperation_t none = CUBLAS_OP_N;

  void verify(Check& check, const Matrix& sum) const {
    compare_half(check, "C", on_c, kAlpha * sum + kBeta * c, true);
  }
};

template <bool kHermitian>
void updates(const Blas& blas) {
  const auto one = [&](Check& check, auto form) {
    const Update<NUMBER(form), kHermitian> on;
    if (form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, on.none, kN, kK, &on.real_alpha,
             on.on_a.data(), kN, &on.beta, on.on_c.data(), kN))
      on.verify(check, on.a * turned(on.a, kHermitian));
  };
  const auto typed = [&](Check& check, auto form) {
    const Update<NUMBER(form), kHermitian> on;
    if (form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, on.none, kN, kK, &on.real_alpha,
             on.on_a.data(), CUDA_C_32F, kN, &on.beta, on.on_c.data(), CUDA_C_32F, kN))
      on.verify(check, on.a * turned(on.a, kHermitian));
  };
  const auto two = [&](Check& check, auto form) {
    const Update<NUMBER(form), kHermitian> on;
    if (form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, on.none, kN, kK, &on.alpha, on.on_a.data(),
             kN, on.on_b.data(), kN, &on.beta, on.on_c.data(), kN))
      on.verify(check, on.a * turned(on.b, kHermitian) + on.b * turned(on.a, kHermitian));
  };
  // Of two whose product is symmetric or Hermitian.
  const auto mixed = [&](Check& check, auto form) {
    Update<NUMBER(form), kHermitian> on;
    on.b = Value(0.5) * on.a;
    on.on_b.put(numbers_of<NUMBER(form)>(on.b));
    if (form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, on.none, kN, kK, &on.alpha, on.on_a.data(),
             kN, on.on_b.data(), kN, &on.beta, on.on_c.data(), kN))
      on.verify(check, on.a * turned(on.b, kHermitian));
  };
  if constexpr (kHermitian) {
    each(one, FORM(ComplexFloat, cublasCherk_v2), WIDE(ComplexDouble, cublasZherk_v2_64));
    each(typed, FORM(ComplexFloat, cublasCherkEx), WIDE(ComplexFloat, cublasCherkEx_64));
    each(typed, FORM(ComplexFloat, cublasCherk3mEx), WIDE(ComplexFloat, cublasCherk3mEx_64));
    each(two, FORM(ComplexDouble, cublasZher2k_v2), WIDE(ComplexFloat, cublasCher2k_v2_64));
    each(mixed, FORM(ComplexFloat, cublasCherkx), WIDE(ComplexDouble, cublasZherkx_64));
  } else {
    each(one, FORM(Float, cublasSsyrk_v2), WIDE(ComplexDouble, cublasZsyrk_v2_64));
    each(typed, FORM(ComplexFloat, cublasCsyrkEx), WIDE(ComplexFloat, cublasCsyrkEx_64));
    each(typed, FORM(ComplexFloat, cublasCsyrk3mEx), WIDE(ComplexFloat, cublasCsyrk3mEx_64));
    each(two, FORM(Double, cublasDsyr2k_v2), WIDE(ComplexFloat, cublasCsyr2k_v2_64));
    each(mixed, FORM(ComplexDouble, cublasZsyrkx), WIDE(Float, cublasSsyrkx_64));
  }
}

// Triangles from the right: a product, and from its result the matrix that a solution gives back.
void triangles(const Blas& blas) {
  const auto multiplied = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix a = drawn_triangle<T>(kN, 10, true), b = drawn<T>(kM, kN, 11);
    const OnDevice<T> on_a(half_of(a, true)), on_b(b), on_c(Matrix(kM, kN));
    const T alpha = number<T>(kAlpha);
    if (!form(check, blas.handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_C,
              CUBLAS_DIAG_NON_UNIT, kM, kN, &alpha, on_a.data(), kN, on_b.data(), kM, on_c.data(),
              kM))
      return;
    compare(check, "C", on_c, kAlpha * (b * adjoint(a)));
    compare(check, "B", on_b, b);
  };
  each(multiplied, FORM(Float, cublasStrmm_v2), WIDE(ComplexDouble, cublasZtrmm_v2_64));
  const auto solved = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix a = drawn_triangle<T>(kN, 12, false), x = drawn<T>(kM, kN, 13);
    const OnDevice<T> on_a(half_of(a, false)), on_b(x * a);
    const T alpha = number<T>(kAlpha);
    if (form(check, blas.handle, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
             CUBLAS_DIAG_NON_UNIT, kM, kN, &alpha, on_a.data(), kN, on_b.data(), kM))
      compare(check, "X", on_b, kAlpha * x);
  };
  each(solved, FORM(ComplexFloat, cublasCtrsm_v2), WIDE(Double, cublasDtrsm_v2_64));
}

void extensions(const Blas& blas) {
  const auto sum = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix a = drawn<T>(kM, kN, 14), b = drawn<T>(kN, kM, 15);
    const OnDevice<T> on_a(a), on_b(b), on_c(Matrix(kM, kN));
    const T alpha = number<T>(kAlpha), beta = number<T>(kBeta);
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_C, kM, kN, &alpha, on_a.data(), kM, &beta,
             on_b.data(), kN, on_c.data(), kM))
      compare(check, "C", on_c, kAlpha * a + kBeta * adjoint(b));
  };
  each(sum, FORM(ComplexDouble, cublasZgeam), WIDE(Float, cublasSgeam_64));
  const auto diagonal = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix a = drawn<T>(kM, kN, 16), x = drawn<T>(kN, 1, 17);
    const OnDevice<T> on_a(a), on_x(x), on_c(Matrix(kM, kN));
    if (form(check, blas.handle, CUBLAS_SIDE_RIGHT, kM, kN, on_a.data(), kM, on_x.data(), 1,
             on_c.data(), kM))
      compare(check, "C", on_c,
              made(kM, kN, [&](int i, int j) { return a.at(i, j) * x.at(j, 0); }));
  };
  each(diagonal, FORM(ComplexFloat, cublasCdgmm), WIDE(Double, cublasDdgmm_64));
  // A packed triangle as a full matrix, and back.
  const auto unpacked = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix a = drawn_symmetric<T>(kN, 18);
    const OnDevice<T> on_packed(packed(a, true)),
        on_a(made(kN, kN, [](int, int) { return Value(kUnread, kUnread); }));
    if (form(check, blas.handle, CUBLAS_FILL_MODE_UPPER, kN, on_packed.data(), on_a.data(), kN))
      compare_half(check, "A", on_a, a, true);
  };
  each(unpacked, FORM(Double, cublasDtpttr), FORM(ComplexFloat, cublasCtpttr));
  const auto repacked = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Matrix a = drawn_symmetric<T>(kN, 19);
    const OnDevice<T> on_a(half_of(a, false)), on_packed(Matrix(kN * (kN + 1) / 2, 1));
    if (form(check, blas.handle, CUBLAS_FILL_MODE_LOWER, kN, on_a.data(), kN, on_packed.data()))
      compare(check, "packed", on_packed, packed(a, false));
  };
  each(repacked, FORM(Float, cublasStrttp), FORM(ComplexDouble, cublasZtrttp));
}

// Bytes without a sign, whose products are small enough for a byte.
void bytes(const Blas& blas) {
  constexpr int kSize = 32;
  const auto body = [&](Check& check, auto form) {
    std::vector<std::uint8_t> a(kSize * kSize), b(kSize * kSize);
    for (int i = 0; i < kSize * kSize; ++i) {
      a[i] = static_cast<std::uint8_t>(i % 3);
      b[i] = static_cast<std::uint8_t>((i / kSize + i) % 2);
    }
    const DeviceArray<std::uint8_t> on_a(a), on_b(b), on_c(kSize * kSize);
    if (!form(check, blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize,
              on_a.data(), 0, kSize, on_b.data(), 0, kSize, on_c.data(), 0, kSize, 1, 0))
      return;
    const std::vector<int> want =
        product(transposed(std::vector<int>(a.begin(), a.end()), kSize, kSize),
                std::vector<int>(b.begin(), b.end()), kSize, kSize, kSize);
    check.near("C", flat(on_c.get(check)), flat(want), 0);
  };
  each(body, FORM(Float, cublasUint8gemmBias));
}

}  // namespace

void run() {
  Check handle("cublas.handle");
  const Blas blas(handle);
  if (!handle) return;
  products(blas);
  symmetric(blas);
  updates<false>(blas);
  updates<true>(blas);
  triangles(blas);
  extensions(blas);
  bytes(blas);
}

}  // namespace maths
