// SPDX-License-Identifier: Apache-2.0

// cuBLAS's functions of several matrices at once: by arrays of pointers, by strides and by groups.
#include "cublas_batch.h"

namespace maths {
namespace {

constexpr int kM = 13, kN = 9, kK = 11;
const Value kAlpha(1.5), kBeta(-0.5);

// alpha A B' + beta C of each.
template <typename T>
struct Products {
  Batch<T> a{drawn_batch<T>(kM, kK, 1)}, b{drawn_batch<T>(kN, kK, 11)},
      c{drawn_batch<T>(kM, kN, 21)};
  T alpha = number<T>(kAlpha), beta = number<T>(kBeta);

  void verify(Check& check) const {
    compare_batch(check, "C", c, batch_of([&](int i) {
                    return kAlpha * (a.each[i] * adjoint(b.each[i])) + kBeta * c.each[i];
                  }));
  }
};
template <typename T>
constexpr cudaDataType type_of() {
  return is_complex<T> ? CUDA_C_32F : CUDA_R_32F;
}

void products(const Blas& blas) {
  const auto addressed = [&](Check& check, auto form) {
    const Products<NUMBER(form)> on;
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_C, kM, kN, kK, &on.alpha,
             on.a.addresses.data(), kM, on.b.addresses.data(), kN, &on.beta, on.c.addresses.data(),
             kM, kBatch))
      on.verify(check);
  };
  each(addressed, FORM(ComplexDouble, cublasZgemmBatched), WIDE(Double, cublasDgemmBatched_64));
  each(addressed, FORM(ComplexFloat, cublasCgemm3mBatched),
       WIDE(ComplexFloat, cublasCgemm3mBatched_64));
  const auto strided = [&](Check& check, auto form) {
    const Products<NUMBER(form)> on;
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_C, kM, kN, kK, &on.alpha, on.a.all.data(),
             kM, on.a.size, on.b.all.data(), kN, on.b.size, &on.beta, on.c.all.data(), kM,
             on.c.size, kBatch))
      on.verify(check);
  };
  each(strided, FORM(Double, cublasDgemmStridedBatched),
       WIDE(ComplexFloat, cublasCgemmStridedBatched_64));
  each(strided, FORM(ComplexFloat, cublasCgemm3mStridedBatched),
       WIDE(ComplexFloat, cublasCgemm3mStridedBatched_64));
}

// The same with the types as arguments. C++ has others of these names, with the older type of
// computation.
void typed_products(const Blas& blas) {
  const auto addressed = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Products<T> on;
    const auto untyped = [](T** array) { return reinterpret_cast<void**>(array); };
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_C, kM, kN, kK, &on.alpha,
             untyped(on.a.addresses.data()), type_of<T>(), kM, untyped(on.b.addresses.data()),
             type_of<T>(), kN, &on.beta, untyped(on.c.addresses.data()), type_of<T>(), kM, kBatch,
             CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT))
      on.verify(check);
  };
  const auto strided = [&](Check& check, auto form) {
    using T = NUMBER(form);
    const Products<T> on;
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_C, kM, kN, kK, &on.alpha, on.a.all.data(),
             type_of<T>(), kM, on.a.size, on.b.all.data(), type_of<T>(), kN, on.b.size, &on.beta,
             on.c.all.data(), type_of<T>(), kM, on.c.size, kBatch, CUBLAS_COMPUTE_32F,
             CUBLAS_GEMM_DEFAULT))
      on.verify(check);
  };
  each(addressed, CALLED(Float, cublasGemmBatchedEx),
       WIDE_CALLED(ComplexFloat, cublasGemmBatchedEx_64));
  each(strided, CALLED(ComplexFloat, cublasGemmStridedBatchedEx),
       WIDE_CALLED(Float, cublasGemmStridedBatchedEx_64));
}

// Two groups: the first matrix, and the others with another factor. CUDA has them since 12.4
// and 12.5.
void groups(const Blas& blas) {
#if CUBLAS_VERSION >= 120500
  const auto body = [&](auto index, auto call) {
    return [&blas, index, call](Check& check, auto form) {
      using T = NUMBER(form);
      using Index = decltype(index);
      const Products<T> on;
      const std::vector<cublasOperation_t> none(2, CUBLAS_OP_N), turn(2, CUBLAS_OP_T);
      const std::vector<Index> m(2, kM), n(2, kN), k(2, kK), sizes = {1, kBatch - 1};
      const std::vector<T> alpha = {1, 2}, beta = {0, 1};
      if (!call(check, form, blas.handle, none.data(), turn.data(), m.data(), n.data(), k.data(),
                alpha.data(), on.a.addresses.data(), m.data(), on.b.addresses.data(), n.data(),
                beta.data(), on.c.addresses.data(), m.data(), 2, sizes.data()))
        return;
      compare_batch(check, "C", on.c, batch_of([&](int i) {
                      const Matrix c = on.a.each[i] * transpose(on.b.each[i]);
                      return i == 0 ? c : Value(2) * c + on.c.each[i];
                    }));
    };
  };
  const auto plain = [](Check& check, auto form, auto... all) { return form(check, all...); };
  each(body(int{}, plain), FORM(Double, cublasDgemmGroupedBatched));
  each(body(std::int64_t{}, plain), FORM(Float, cublasSgemmGroupedBatched_64));
  const auto typed = [](Check& check, auto form, cublasHandle_t handle, auto turn_a, auto turn_b,
                        auto m, auto n, auto k, const void* alpha, auto a, auto lda, auto b,
                        auto ldb, const void* beta, auto c, auto ldc, int count, auto sizes) {
    const auto untyped = [](auto array) { return reinterpret_cast<void**>(array); };
    return form(check, handle, turn_a, turn_b, m, n, k, alpha, untyped(a), CUDA_R_32F, lda,
                untyped(b), CUDA_R_32F, ldb, beta, untyped(c), CUDA_R_32F, ldc, count, sizes,
                CUBLAS_COMPUTE_32F);
  };
  each(body(int{}, typed), FORM(Float, cublasGemmGroupedBatchedEx));
  each(body(std::int64_t{}, typed), FORM(Float, cublasGemmGroupedBatchedEx_64));
#else
  (void)blas;  // CUDA 11 has none: nothing to check
  for (const char* name : {"DgemmGroupedBatched", "SgemmGroupedBatched_64", "GemmGroupedBatchedEx",
                           "GemmGroupedBatchedEx_64"}) {
    Check check(std::string("cublas.") + name);
  }
#endif
}

// alpha A x + beta y of each.
template <typename T>
struct Vectors {
  Batch<T> a{drawn_batch<T>(kM, kN, 31)}, x{drawn_batch<T>(kN, 1, 41)},
      y{drawn_batch<T>(kM, 1, 51)};
  T alpha = number<T>(kAlpha), beta = number<T>(kBeta);

  void verify(Check& check) const {
    compare_batch(check, "y", y, batch_of([&](int i) {
                    return kAlpha * (a.each[i] * x.each[i]) + kBeta * y.each[i];
                  }));
  }
};

void vectors(const Blas& blas) {
  const auto addressed = [&](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    if (form(check, blas.handle, CUBLAS_OP_N, kM, kN, &on.alpha, on.a.addresses.data(), kM,
             on.x.addresses.data(), 1, &on.beta, on.y.addresses.data(), 1, kBatch))
      on.verify(check);
  };
  each(addressed, FORM(Float, cublasSgemvBatched), FORM(ComplexDouble, cublasZgemvBatched),
       WIDE(ComplexFloat, cublasCgemvBatched_64));
  const auto strided = [&](Check& check, auto form) {
    const Vectors<NUMBER(form)> on;
    if (form(check, blas.handle, CUBLAS_OP_N, kM, kN, &on.alpha, on.a.all.data(), kM, on.a.size,
             on.x.all.data(), 1, kN, &on.beta, on.y.all.data(), 1, kM, kBatch))
      on.verify(check);
  };
  each(strided, FORM(Double, cublasDgemvStridedBatched),
       FORM(ComplexFloat, cublasCgemvStridedBatched),
       WIDE(ComplexDouble, cublasZgemvStridedBatched_64));
}

}  // namespace

void run() {
  Check handle("cublas.handle");
  const Blas blas(handle);
  if (!handle) return;
  products(blas);
  typed_products(blas);
  groups(blas);
  vectors(blas);
}

}  // namespace maths
