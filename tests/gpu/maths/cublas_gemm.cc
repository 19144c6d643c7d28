// SPDX-License-Identifier: Apache-2.0

// cuBLAS: products of matrices in all types, batches, and batched factorisations.
#include <cuda_fp16.h>

#include "cublas_support.h"

namespace maths {
namespace {

constexpr int kM = 33, kN = 18, kK = 25, kBatch = 3;

template <typename Number, typename Theirs, typename Function>
void gemm(const char* name, const Blas& blas, Function function, const char* text,
          double tolerance) {
  Check check(std::string("cublas.") + name);
  const auto a = random_values<Number>(kM * kK, 1), b = random_values<Number>(kK * kN, 2);
  DeviceArray<Number> on_a(a), on_b(b), on_c(kM * kN);
  const Number one = 1, zero = 0;
  if (!check.call(text,
                  function(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK,
                           reinterpret_cast<const Theirs*>(&one), on_a.template as<Theirs>(), kM,
                           on_b.template as<Theirs>(), kK, reinterpret_cast<const Theirs*>(&zero),
                           on_c.template as<Theirs>(), kM))) {
    return;
  }
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("C", flat(on_c.get(check)), flat(product(a, b, kM, kN, kK)), tolerance);
}

// The transposed of A, and the conjugate; with beta, into columns that are apart.
void transposes(Check& check, const Blas& blas) {
  using Complex = std::complex<float>;
  const auto a = random_values<Complex>(kM * kK, 3), b = random_values<Complex>(kK * kN, 4);
  std::vector<Complex> conjugate = transposed(a, kM, kK);
  for (Complex& value : conjugate) value = std::conj(value);
  const auto c = random_values<Complex>(kM * kN, 5);
  std::vector<Complex> want = product(a, b, kM, kN, kK);
  for (std::size_t i = 0; i < want.size(); ++i) want[i] += Complex(0, 2) * c[i];
  DeviceArray<Complex> on_a(conjugate), on_b(b), on_c(c);
  const cuComplex one = {1, 0}, beta = {0, 2};
  NEED(check,
       cublasCgemm(blas.handle, CUBLAS_OP_C, CUBLAS_OP_N, kM, kN, kK, &one, on_a.as<cuComplex>(),
                   kK, on_b.as<cuComplex>(), kK, &beta, on_c.as<cuComplex>(), kM));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("C", flat(on_c.get(check)), flat(want), 1e-4);
}

// Sizes that every type can do, int8 too, whose leading dimensions are multiples of four.
constexpr int kEven = 32;

struct Whole {
  std::vector<int> a = small_values(kEven * kEven, 6), b = small_values(kEven * kEven, 7);
  std::vector<double> want = flat(product(a, b, kEven, kEven, kEven));
};

std::vector<std::uint16_t> encoded(const std::vector<int>& values, std::uint16_t (*to)(float)) {
  std::vector<std::uint16_t> bits;
  for (int value : values) bits.push_back(to(static_cast<float>(value)));
  return bits;
}
std::vector<double> decoded(const std::vector<std::uint16_t>& values,
                            float (*from)(std::uint16_t)) {
  std::vector<double> numbers;
  for (std::uint16_t value : values) numbers.push_back(from(value));
  return numbers;
}

void short_floats(Check& check, const Blas& blas, cudaDataType type, std::uint16_t (*to)(float),
                  float (*from)(std::uint16_t), double tolerance) {
  const Whole whole;
  DeviceArray<std::uint16_t> on_a(encoded(whole.a, to)), on_b(encoded(whole.b, to));
  DeviceArray<std::uint16_t> on_c(kEven * kEven);
  DeviceArray<float> wide(kEven * kEven);
  const float one = 1, zero = 0;
  NEED(check, cublasGemmEx(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kEven, kEven, kEven, &one,
                           on_a.data(), type, kEven, on_b.data(), type, kEven, &zero, on_c.data(),
                           type, kEven, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  NEED(check, cublasGemmEx(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kEven, kEven, kEven, &one,
                           on_a.data(), type, kEven, on_b.data(), type, kEven, &zero, wide.data(),
                           CUDA_R_32F, kEven, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("C", decoded(on_c.get(check), from), whole.want, tolerance);
  check.near("C in single precision", flat(wide.get(check)), whole.want, 0);
}

void half(Check& check, const Blas& blas) {
  short_floats(check, blas, CUDA_R_16F, to_half, from_half, 0);
}
void bfloat(Check& check, const Blas& blas) {
  short_floats(check, blas, CUDA_R_16BF, to_bfloat, from_bfloat, 1.0 / 128);
}

// With A transposed, as the hardware needs it.
void bytes(Check& check, const Blas& blas) {
  const Whole whole;
  const std::vector<int> a = transposed(whole.a, kEven, kEven);
  DeviceArray<std::int8_t> on_a(std::vector<std::int8_t>(a.begin(), a.end()));
  DeviceArray<std::int8_t> on_b(std::vector<std::int8_t>(whole.b.begin(), whole.b.end()));
  DeviceArray<std::int32_t> on_c(kEven * kEven);
  const std::int32_t one = 1, zero = 0;
  NEED(check,
       cublasGemmEx(blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, kEven, kEven, kEven, &one, on_a.data(),
                    CUDA_R_8I, kEven, on_b.data(), CUDA_R_8I, kEven, &zero, on_c.data(), CUDA_R_32I,
                    kEven, CUBLAS_COMPUTE_32I, CUBLAS_GEMM_DEFAULT));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("C", flat(on_c.get(check)), whole.want, 0);
}

// Declared for C++ only.
void hgemm(Check& check, const Blas& blas) {
  const Whole whole;
  DeviceArray<std::uint16_t> on_a(encoded(whole.a, to_half)), on_b(encoded(whole.b, to_half));
  DeviceArray<std::uint16_t> on_c(kEven * kEven);
  const std::uint16_t one = to_half(1), zero = 0;
  NEED(check, cublasHgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kEven, kEven, kEven,
                          reinterpret_cast<const __half*>(&one), on_a.as<__half>(), kEven,
                          on_b.as<__half>(), kEven, reinterpret_cast<const __half*>(&zero),
                          on_c.as<__half>(), kEven));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("C", decoded(on_c.get(check), from_half), whole.want, 0);
}

void wide(Check& check, const Blas& blas) {
#if CUBLAS_VERSION >= 120000
  const auto a = random_values<double>(kM * kK, 8), b = random_values<double>(kK * kN, 9);
  DeviceArray<double> on_a(a), on_b(b), on_c(kM * kN);
  const double one = 1, zero = 0;
  NEED(check, cublasDgemm_64(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &one, on_a.data(),
                             kM, on_b.data(), kK, &zero, on_c.data(), kM));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("C", on_c.get(check), product(a, b, kM, kN, kK), 1e-12);
#else
  (void)check, (void)blas;  // CUDA 11 has no 64-bit forms
#endif
}

struct Batch {
  std::vector<float> a = random_values<float>(kBatch * kM * kK, 10);
  std::vector<float> b = random_values<float>(kBatch * kK * kN, 11);
  DeviceArray<float> on_a{a}, on_b{b}, on_c{static_cast<std::size_t>(kBatch) * kM * kN};

  std::vector<double> want() const {
    std::vector<double> all;
    for (int i = 0; i < kBatch; ++i) {
      const auto one =
          product(std::vector<float>(&a[i * kM * kK], &a[i * kM * kK] + kM * kK),
                  std::vector<float>(&b[i * kK * kN], &b[i * kK * kN] + kK * kN), kM, kN, kK);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }
};

template <typename T>
std::vector<T*> pointers(const DeviceArray<T>& array, int step) {
  std::vector<T*> found;
  for (std::size_t at = 0; at < array.count(); at += step) found.push_back(array.data() + at);
  return found;
}

void batched(Check& check, const Blas& blas) {
  const Batch batch;
  DeviceArray<float*> a(pointers(batch.on_a, kM * kK)), b(pointers(batch.on_b, kK * kN)),
      c(pointers(batch.on_c, kM * kN));
  const float one = 1, zero = 0;
  NEED(check, cublasSgemmBatched(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &one, a.data(),
                                 kM, b.data(), kK, &zero, c.data(), kM, kBatch));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("C", flat(batch.on_c.get(check)), batch.want(), 1e-4);
}

void strided(Check& check, const Blas& blas) {
  const Batch batch;
  const float one = 1, zero = 0;
  NEED(check, cublasSgemmStridedBatched(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &one,
                                        batch.on_a.data(), kM, kM * kK, batch.on_b.data(), kK,
                                        kK * kN, &zero, batch.on_c.data(), kM, kM * kN, kBatch));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("C", flat(batch.on_c.get(check)), batch.want(), 1e-4);
}

// The inverse of each matrix, which times the matrix is one.
void inverses(Check& check, const Blas& blas) {
  constexpr int kSize = 12;
  std::vector<double> all, ones;
  for (int i = 0; i < kBatch; ++i) {
    const std::vector<double> a = positive_matrix(kSize, 12 + i);
    all.insert(all.end(), a.begin(), a.end());
    for (int j = 0; j < kSize * kSize; ++j) ones.push_back(j % (kSize + 1) == 0);
  }
  DeviceArray<double> on_a(all), inverse(all.size());
  DeviceArray<double*> a(pointers(on_a, kSize * kSize)), c(pointers(inverse, kSize * kSize));
  DeviceArray<int> pivots(kBatch * kSize), info(kBatch);
  NEED(check, cublasDgetrfBatched(blas.handle, kSize, a.data(), kSize, pivots.data(), info.data(),
                                  kBatch));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("info of the factors", flat(info.get(check)), {0, 0, 0}, 0);
  NEED(check, cublasDgetriBatched(blas.handle, kSize, a.data(), kSize, pivots.data(), c.data(),
                                  kSize, info.data(), kBatch));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("info of the inverses", flat(info.get(check)), {0, 0, 0}, 0);
  pivots.get(check);
  const std::vector<double> found = inverse.get(check);
  std::vector<double> products;
  for (int i = 0; i < kBatch; ++i) {
    const std::size_t at = static_cast<std::size_t>(i) * kSize * kSize, size = kSize * kSize;
    const auto one =
        product(std::vector<double>(&all[at], &all[at] + size),
                std::vector<double>(&found[at], &found[at] + size), kSize, kSize, kSize);
    products.insert(products.end(), one.begin(), one.end());
  }
  check.near("A times its inverse", products, ones, 1e-9);
}

}  // namespace

void run() {
  Check made("cublas.handle");
  const Blas blas(made);
  if (!made) return;
  gemm<float, float>("sgemm", blas, cublasSgemm, "cublasSgemm", 1e-4);
  gemm<double, double>("dgemm", blas, cublasDgemm, "cublasDgemm", 1e-12);
  gemm<std::complex<float>, cuComplex>("cgemm", blas, cublasCgemm, "cublasCgemm", 1e-4);
  gemm<std::complex<double>, cuDoubleComplex>("zgemm", blas, cublasZgemm, "cublasZgemm", 1e-12);
  run_topics<const Blas&>("cublas",
                          {{"transposes", transposes},
                           {"half", half},
                           {"bfloat", bfloat},
                           {"bytes", bytes},
                           {"hgemm", hgemm},
                           {"gemm_wide", wide},
                           {"batched", batched},
                           {"strided", strided},
                           {"inverses", inverses}},
                          blas);
}

}  // namespace maths
