// SPDX-License-Identifier: Apache-2.0

// A handle of cuBLAS passed to functions of cuBLASLt, as PyTorch does.
#include <cublas_v2.h>

#include "cublaslt_support.h"

namespace maths {
namespace {

constexpr int kM = 40, kN = 24, kK = 32;

// A product of cuBLASLt on the stream and with the handle of cuBLAS, between two calls of cuBLAS:
// D = 3 (A B) + D, then doubled.
void product_between(Check& check, cublasHandle_t handle) {
  const auto a = random_values<float>(kM * kK, 1), b = random_values<float>(kK * kN, 2),
             d = random_values<float>(kM * kN, 3);
  DeviceArray<float> on_a(a), on_b(b), on_d(d);
  cudaStream_t stream = nullptr;
  NEED(check, cudaStreamCreate(&stream));
  NEED(check, cublasSetStream(handle, stream));
  const float three = 3, two = 2, one = 1;
  NEED(check, cublasSscal(handle, kM * kK, &three, on_a.data(), 1));
  {
    const Product by(check, {CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F}, kM, kN, kK);
    if (check) {
      by.run(check, reinterpret_cast<cublasLtHandle_t>(handle), &one, on_a.data(), on_b.data(),
             &one, on_d.data(), stream);
    }
  }
  NEED(check, cublasSscal(handle, kM * kN, &two, on_d.data(), 1));
  NEED(check, cudaStreamSynchronize(stream));
  std::vector<double> want = flat(product(a, b, kM, kN, kK));
  for (std::size_t i = 0; i < want.size(); ++i) want[i] = 2 * (3 * want[i] + d[i]);
  check.near("D", flat(on_d.get(check)), want, 1e-3);
  NEED(check, cublasSetStream(handle, nullptr));
  NEED(check, cudaStreamDestroy(stream));
}

// The transpose of a matrix.
void transform(Check& check, cublasHandle_t handle) {
  const auto a = random_values<float>(kM * kN, 4);
  DeviceArray<float> on_a(a), on_b(kM * kN);
  Transform by(check, kM, kN, kN, kM, kN);
  const std::int32_t turned = CUBLAS_OP_T;
  NEED(check,
       cublasLtMatrixTransformDescSetAttribute(
           by.operation.get(), CUBLASLT_MATRIX_TRANSFORM_DESC_TRANSA, &turned, sizeof turned));
  by.run(check, reinterpret_cast<cublasLtHandle_t>(handle), 1, on_a, on_b);
  check.near("A'", flat(on_b.get(check)), flat(transposed(a, kM, kN)), 0);
}

}  // namespace

void run() {
  Check made("cublas_as_lt.handle");
  Guarded<cublasHandle_t> handle;
  NEED(made, cublasCreate(handle.get()));
  INTACT(made, handle);
  run_topics<cublasHandle_t>(
      "cublas_as_lt", {{"product_between", product_between}, {"transform", transform}}, *handle);
  CALL(made, cublasDestroy(*handle));
}

}  // namespace maths
