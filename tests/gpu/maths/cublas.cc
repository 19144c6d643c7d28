// SPDX-License-Identifier: Apache-2.0

// cuBLAS: handles, vectors, matrices and vectors. ../maths.py runs it.
#include "cublas_support.h"

namespace maths {
namespace {

constexpr int kCount = 1003;

void handles(Check& check, const Blas& blas) {
  Guarded<cudaStream_t> stream;
  NEED(check, cublasGetStream(blas.handle, stream.get()));
  EXPECT(check, *stream == blas.stream);
  INTACT(check, stream);
  Guarded<cublasPointerMode_t> mode;
  NEED(check, cublasGetPointerMode(blas.handle, mode.get()));
  EXPECT(check, *mode == CUBLAS_POINTER_MODE_HOST);
  INTACT(check, mode);
  Guarded<int> version;
  NEED(check, cublasGetVersion(blas.handle, version.get()));
  EXPECT(check, *version >= 110000);
  INTACT(check, version);
  Guarded<cublasMath_t> math;
  NEED(check, cublasSetMathMode(blas.handle, CUBLAS_PEDANTIC_MATH));
  NEED(check, cublasGetMathMode(blas.handle, math.get()));
  EXPECT(check, *math == CUBLAS_PEDANTIC_MATH);
  INTACT(check, math);
  NEED(check, cublasSetMathMode(blas.handle, CUBLAS_DEFAULT_MATH));
  const float one = 1;
  REFUSED(check, CUBLAS_STATUS_INVALID_VALUE,
          cublasSgemm(blas.handle, CUBLAS_OP_N, CUBLAS_OP_N, -1, 1, 1, &one, nullptr, 1, nullptr, 1,
                      &one, nullptr, 1));
}

void level1(Check& check, const Blas& blas) {
  const std::vector<double> x = random_values<double>(kCount, 1),
                            y = random_values<double>(kCount, 2);
  std::vector<double> sum(kCount), scaled(kCount);
  double dot = 0, squares = 0;
  for (int i = 0; i < kCount; ++i) {
    sum[i] = 2.5 * x[i] + y[i];
    scaled[i] = -3 * sum[i];
    dot += x[i] * y[i];
    squares += x[i] * x[i];
  }
  DeviceArray<double> on_x(x), on_y(y);
  Guarded<double> got_dot, got_norm;
  NEED(check, cublasDdot(blas.handle, kCount, on_x.data(), 1, on_y.data(), 1, got_dot.get()));
  NEED(check, cublasDnrm2(blas.handle, kCount, on_x.data(), 1, got_norm.get()));
  check.near("dot", {*got_dot}, {dot}, 1e-10);
  check.near("norm squared", {*got_norm * *got_norm}, {squares}, 1e-10);
  INTACT(check, got_dot);
  INTACT(check, got_norm);
  const double alpha = 2.5, minus = -3;
  NEED(check, cublasDaxpy(blas.handle, kCount, &alpha, on_x.data(), 1, on_y.data(), 1));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("y + 2.5 x", on_y.get(check), sum, 1e-12);
  NEED(check, cublasDscal(blas.handle, kCount, &minus, on_y.data(), 1));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("scaled", on_y.get(check), scaled, 1e-12);
}

// The same with numbers that lie on the device.
void level1_device(Check& check, const Blas& blas) {
  const std::vector<float> x = random_values<float>(kCount, 3);
  double squares = 0;
  std::vector<double> sum(kCount);
  for (int i = 0; i < kCount; ++i) {
    squares += static_cast<double>(x[i]) * x[i];
    sum[i] = 1.5 * x[i];
  }
  DeviceArray<float> on_x(x), alpha(std::vector<float>{0.5f}), result(1), on_y(x);
  NEED(check, cublasSetPointerMode(blas.handle, CUBLAS_POINTER_MODE_DEVICE));
  CALL(check, cublasSdot(blas.handle, kCount, on_x.data(), 1, on_x.data(), 1, result.data()));
  CALL(check, cublasSaxpy(blas.handle, kCount, alpha.data(), on_x.data(), 1, on_y.data(), 1));
  NEED(check, cublasSetPointerMode(blas.handle, CUBLAS_POINTER_MODE_HOST));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("dot", flat(result.get(check)), {squares}, 1e-5);
  check.near("x + 0.5 x", flat(on_y.get(check)), sum, 1e-6);
}

void wide(Check& check, const Blas& blas) {
#if CUBLAS_VERSION >= 120000
  const std::vector<float> x = random_values<float>(kCount, 4);
  DeviceArray<float> on_x(x), on_y(x);
  const float alpha = 3;
  std::vector<double> want(kCount);
  for (int i = 0; i < kCount; ++i) want[i] = 4.0 * x[i];
  NEED(check, cublasSaxpy_64(blas.handle, kCount, &alpha, on_x.data(), 1, on_y.data(), 1));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("4 x", flat(on_y.get(check)), want, 1e-6);
#else
  (void)check, (void)blas;  // CUDA 11 has no 64-bit forms
#endif
}

void level2(Check& check, const Blas& blas) {
  constexpr int kRows = 37, kColumns = 21;
  const auto a = random_values<double>(kRows * kColumns, 5), x = random_values<double>(kColumns, 6);
  DeviceArray<double> on_a(a), on_x(x), on_y(kRows);
  const double one = 1, zero = 0;
  NEED(check, cublasDgemv(blas.handle, CUBLAS_OP_N, kRows, kColumns, &one, on_a.data(), kRows,
                          on_x.data(), 1, &zero, on_y.data(), 1));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("A x", on_y.get(check), product(a, x, kRows, 1, kColumns), 1e-12);
}

// Solving with the upper triangle of a matrix, from the product that is the right side.
void triangles(Check& check, const Blas& blas) {
  constexpr int kSize = 19, kSides = 5;
  std::vector<double> a = random_values<double>(kSize * kSize, 7);
  for (int j = 0; j < kSize; ++j) {
    a[j + j * kSize] = 4 + j;
    for (int i = j + 1; i < kSize; ++i) a[i + j * kSize] = 0;
  }
  const auto x = random_values<double>(kSize * kSides, 8);
  DeviceArray<double> on_a(a), on_b(product(a, x, kSize, kSides, kSize));
  const double one = 1;
  NEED(check, cublasDtrsm(blas.handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N,
                          CUBLAS_DIAG_NON_UNIT, kSize, kSides, &one, on_a.data(), kSize,
                          on_b.data(), kSize));
  NEED(check, cudaStreamSynchronize(blas.stream));
  check.near("x", on_b.get(check), x, 1e-10);
}

// From the host and back, by way of rows that are longer on the device.
void copies(Check& check, const Blas& blas) {
  constexpr int kRows = 9, kColumns = 7, kLong = 13;
  const auto a = random_values<float>(kRows * kColumns, 9);
  DeviceArray<float> on_a(kLong * kColumns);
  std::vector<float> back(kRows * kColumns);
  NEED(check, cublasSetMatrix(kRows, kColumns, sizeof(float), a.data(), kRows, on_a.data(), kLong));
  NEED(check,
       cublasGetMatrix(kRows, kColumns, sizeof(float), on_a.data(), kLong, back.data(), kRows));
  EXPECT(check, back == a);
  NEED(check, cublasSetMatrixAsync(kRows, kColumns, sizeof(float), a.data(), kRows, on_a.data(),
                                   kLong, blas.stream));
  NEED(check, cudaStreamSynchronize(blas.stream));
  std::vector<float> vector(kRows);
  NEED(check, cublasGetVector(kRows, sizeof(float), on_a.data(), 1, vector.data(), 1));
  EXPECT(check, vector == std::vector<float>(a.begin(), a.begin() + kRows));
  on_a.get(check);
}

void texts(Check& check) {
  EXPECT(check, std::string(cublasGetStatusName(CUBLAS_STATUS_NOT_INITIALIZED)) ==
                    "CUBLAS_STATUS_NOT_INITIALIZED");
  EXPECT(check, !std::string(cublasGetStatusString(CUBLAS_STATUS_SUCCESS)).empty());
}

}  // namespace

void run() {
  {
    Check check("cublas.texts");
    texts(check);
  }
  run_topics_with<Blas>("cublas", {{"handles", handles},
                                   {"level1", level1},
                                   {"level1_device", level1_device},
                                   {"wide", wide},
                                   {"level2", level2},
                                   {"triangles", triangles},
                                   {"copies", copies}});
}

}  // namespace maths
