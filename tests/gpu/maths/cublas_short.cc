// SPDX-License-Identifier: Apache-2.0

// cuBLAS's functions of half precision and bfloat16 that are named after them, for several matrices
// at once.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "cublas_batch.h"

namespace maths {
namespace {

constexpr int kM = 13, kN = 9;

// Short floating-point numbers as bits; all values are small whole numbers.
template <typename T>
struct Short;
template <>
struct Short<__half> {
  static std::uint16_t bits(float value) { return to_half(value); }
  static double back(std::uint16_t value) { return from_half(value); }
};
template <>
struct Short<__nv_bfloat16> {
  static std::uint16_t bits(float value) { return to_bfloat(value); }
  static double back(std::uint16_t value) { return from_bfloat(value); }
};
template <typename T>
struct Bits {
  std::vector<int> values;
  DeviceArray<std::uint16_t> all;
  DeviceArray<T*> addresses{kBatch};
  int size;

  Bits(int count, int seed)
      : values(small_values(kBatch * count, seed)), all(kBatch * count), size(count) {
    std::vector<std::uint16_t> bits;
    for (int value : values) bits.push_back(Short<T>::bits(static_cast<float>(value % 3)));
    for (int& value : values) value %= 3;
    all.put(bits);
    addresses.put({data(), data() + size, data() + 2 * size});
  }
  T* data() const { return all.template as<T>(); }
  std::vector<int> part(int i) const {
    return std::vector<int>(values.begin() + i * size, values.begin() + (i + 1) * size);
  }
  std::vector<double> back(Check& check) const {
    std::vector<double> found;
    for (std::uint16_t value : all.get(check)) found.push_back(Short<T>::back(value));
    return found;
  }
};
template <typename T>
std::vector<double> wanted(const Bits<T>& a, const Bits<T>& b, int m, int n, int k) {
  std::vector<double> found;
  for (int i = 0; i < kBatch; ++i) {
    for (int value : product(a.part(i), b.part(i), m, n, k)) found.push_back(value);
  }
  return found;
}

void short_products(const Blas& blas) {
  constexpr int kSize = 8;
  const auto verify = [](Check& check, const Bits<__half>& a, const Bits<__half>& b,
                         const Bits<__half>& c) {
    check.near("C", c.back(check), wanted(a, b, kSize, kSize, kSize), 0);
  };
  const std::uint16_t one_bits = to_half(1), zero_bits = 0;
  const auto *one = reinterpret_cast<const __half*>(&one_bits),
             *zero = reinterpret_cast<const __half*>(&zero_bits);
  const auto single = [&](Check& check, auto form) {
    const Bits<__half> a(kSize * kSize, 1), b(kSize * kSize, 2), c(kSize * kSize, 3);
    if (!form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, one, a.data(),
              kSize, b.data(), kSize, zero, c.data(), kSize))
      return;
    std::vector<double> got = c.back(check), want = wanted(a, b, kSize, kSize, kSize);
    got.resize(kSize * kSize);
    want.resize(kSize * kSize);
    check.near("C", got, want, 0);
  };
  each(single, FORM(__half, cublasHgemm), WIDE(__half, cublasHgemm_64));
  const auto addressed = [&](Check& check, auto form) {
    const Bits<__half> a(kSize * kSize, 4), b(kSize * kSize, 5), c(kSize * kSize, 6);
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, one,
             a.addresses.data(), kSize, b.addresses.data(), kSize, zero, c.addresses.data(), kSize,
             kBatch))
      verify(check, a, b, c);
  };
  each(addressed, FORM(__half, cublasHgemmBatched), WIDE(__half, cublasHgemmBatched_64));
  const auto strided = [&](Check& check, auto form) {
    const Bits<__half> a(kSize * kSize, 7), b(kSize * kSize, 8), c(kSize * kSize, 9);
    if (form(check, blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, one, a.data(),
             kSize, a.size, b.data(), kSize, b.size, zero, c.data(), kSize, c.size, kBatch))
      verify(check, a, b, c);
  };
  each(strided, FORM(__half, cublasHgemmStridedBatched),
       WIDE(__half, cublasHgemmStridedBatched_64));
}

// Matrices and vectors of short numbers; the results are short, or in single precision.
template <typename T>
struct ShortVectors {
  Bits<T> a{kM * kN, 11}, x{kN, 12}, y{kM, 13};
  DeviceArray<float> wide{kBatch * kM};
  DeviceArray<float*> wide_addresses{
      std::vector<float*>{wide.data(), wide.data() + kM, wide.data() + 2 * kM}};
  float one = 1, zero = 0;
  std::vector<double> want = wanted(a, x, kM, 1, kN);
};

void short_vectors(const Blas& blas) {
  const auto addressed = [&](Check& check, auto form) {
    const ShortVectors<NUMBER(form)> on;
    if (form(check, blas.handle, CUBLAS_OP_N, kM, kN, &on.one, on.a.addresses.data(), kM,
             on.x.addresses.data(), 1, &on.zero, on.y.addresses.data(), 1, kBatch))
      check.near("y", on.y.back(check), on.want, 0);
  };
  each(addressed, FORM(__half, cublasHSHgemvBatched), WIDE(__half, cublasHSHgemvBatched_64));
  each(addressed, FORM(__nv_bfloat16, cublasTSTgemvBatched),
       WIDE(__nv_bfloat16, cublasTSTgemvBatched_64));
  const auto addressed_wide = [&](Check& check, auto form) {
    const ShortVectors<NUMBER(form)> on;
    if (form(check, blas.handle, CUBLAS_OP_N, kM, kN, &on.one, on.a.addresses.data(), kM,
             on.x.addresses.data(), 1, &on.zero, on.wide_addresses.data(), 1, kBatch))
      check.near("y", flat(on.wide.get(check)), on.want, 0);
  };
  each(addressed_wide, FORM(__half, cublasHSSgemvBatched), WIDE(__half, cublasHSSgemvBatched_64));
  each(addressed_wide, FORM(__nv_bfloat16, cublasTSSgemvBatched),
       WIDE(__nv_bfloat16, cublasTSSgemvBatched_64));
  const auto strided = [&](Check& check, auto form) {
    const ShortVectors<NUMBER(form)> on;
    if (form(check, blas.handle, CUBLAS_OP_N, kM, kN, &on.one, on.a.data(), kM, kM * kN,
             on.x.data(), 1, kN, &on.zero, on.y.data(), 1, kM, kBatch))
      check.near("y", on.y.back(check), on.want, 0);
  };
  each(strided, FORM(__half, cublasHSHgemvStridedBatched),
       WIDE(__half, cublasHSHgemvStridedBatched_64));
  each(strided, FORM(__nv_bfloat16, cublasTSTgemvStridedBatched),
       WIDE(__nv_bfloat16, cublasTSTgemvStridedBatched_64));
  const auto strided_wide = [&](Check& check, auto form) {
    const ShortVectors<NUMBER(form)> on;
    if (form(check, blas.handle, CUBLAS_OP_N, kM, kN, &on.one, on.a.data(), kM, kM * kN,
             on.x.data(), 1, kN, &on.zero, on.wide.data(), 1, kM, kBatch))
      check.near("y", flat(on.wide.get(check)), on.want, 0);
  };
  each(strided_wide, FORM(__half, cublasHSSgemvStridedBatched),
       WIDE(__half, cublasHSSgemvStridedBatched_64));
  each(strided_wide, FORM(__nv_bfloat16, cublasTSSgemvStridedBatched),
       WIDE(__nv_bfloat16, cublasTSSgemvStridedBatched_64));
}

}  // namespace

void run() {
  Check handle("cublas.handle");
  const Blas blas(handle);
  if (!handle) return;
  short_products(blas);
  short_vectors(blas);
}

}  // namespace maths
