// SPDX-License-Identifier: Apache-2.0

// The common parts of the programs of cuBLASLt: descriptors of a product, of any types, and its
// run.
#pragma once

#include <cublasLt.h>

#include "check.h"
#include "memory.h"
#include "numbers.h"

inline bool is_absent(cublasStatus_t status) { return status == CUBLAS_STATUS_NOT_SUPPORTED; }

namespace maths {

struct Types {
  cublasComputeType_t compute;
  cudaDataType_t scale, ab, cd;
};

// Descriptors of D = A B, or of A' B with `transposed`: m x n numbers, by columns side by side.
class Product {
 public:
  Product(Check& check, const Types& types, int m, int n, int k, bool transposed = false) {
    const int rows = transposed ? k : m, columns = transposed ? m : k;
    const cublasOperation_t turned = CUBLAS_OP_T;
    CALL(check, cublasLtMatmulDescCreate(&operation, types.compute, types.scale)) &&
        CALL(check, cublasLtMatrixLayoutCreate(&a, types.ab, rows, columns, rows)) &&
        CALL(check, cublasLtMatrixLayoutCreate(&b, types.ab, k, n, k)) &&
        CALL(check, cublasLtMatrixLayoutCreate(&d, types.cd, m, n, m));
    if (check && transposed) set(check, CUBLASLT_MATMUL_DESC_TRANSA, turned);
  }
  ~Product() {
    if (operation != nullptr) cublasLtMatmulDescDestroy(operation);
    for (cublasLtMatrixLayout_t layout : {a, b, d}) {
      if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    }
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  template <typename T>
  void set(Check& check, cublasLtMatmulDescAttributes_t attribute, const T& value) const {
    CALL(check, cublasLtMatmulDescSetAttribute(operation, attribute, &value, sizeof value));
  }

  // By the algorithm that the library thinks best, whose 64 bytes lie between guards.
  void run(Check& check, cublasLtHandle_t handle, const void* alpha, const void* on_a,
           const void* on_b, const void* beta, void* on_d, cudaStream_t stream = nullptr) const {
    constexpr std::size_t kWorkspace = 4 << 20;
    cublasLtMatmulPreference_t preference = nullptr;
    NEED(check, cublasLtMatmulPreferenceCreate(&preference));
    CALL(check,
         cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                              &kWorkspace, sizeof kWorkspace));
    Guarded<std::size_t> most, written;
    CALL(check,
         cublasLtMatmulPreferenceGetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
                                              most.get(), sizeof *most, written.get()));
    if (check) EXPECT(check, *most == kWorkspace && *written == sizeof *most);
    INTACT(check, most);
    INTACT(check, written);
    Guarded<cublasLtMatmulHeuristicResult_t> result;
    Guarded<int> found;
    NEED(check, cublasLtMatmulAlgoGetHeuristic(handle, operation, a, b, d, d, preference, 1,
                                               result.get(), found.get()));
    NEED(check, cublasLtMatmulPreferenceDestroy(preference));
    INTACT(check, result);
    INTACT(check, found);
    if (*found != 1) return check.fail("no algorithm was found");
    const Guarded<cublasLtMatmulAlgo_t> algorithm(result->algo);
    DeviceArray<char> workspace(kWorkspace);
    NEED(check, cublasLtMatmul(handle, operation, alpha, on_a, a, on_b, b, beta, on_d, d, on_d, d,
                               algorithm.get(), workspace.data(), kWorkspace, stream));
    NEED(check, cudaStreamSynchronize(stream));
    INTACT(check, algorithm);
    workspace.get(check);
  }

  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
};

// A transformation of an m x n matrix of 32-bit numbers by columns, by descriptors on the stack.
struct Transform {
  Transform(Check& check, int m, int n, int rows_of_result, int columns_of_result, int leading) {
    CALL(check, cublasLtMatrixTransformDescInit(operation.get(), CUDA_R_32F)) &&
        CALL(check, cublasLtMatrixLayoutInit(from.get(), CUDA_R_32F, m, n, m)) &&
        CALL(check, cublasLtMatrixLayoutInit(to.get(), CUDA_R_32F, rows_of_result,
                                             columns_of_result, leading));
  }
  void run(Check& check, cublasLtHandle_t handle, float alpha, const DeviceArray<float>& on_a,
           const DeviceArray<float>& on_b) {
    const float zero = 0;
    NEED(check, cublasLtMatrixTransform(handle, operation.get(), &alpha, on_a.data(), from.get(),
                                        &zero, nullptr, nullptr, on_b.data(), to.get(), nullptr));
    NEED(check, cudaDeviceSynchronize());
    INTACT(check, operation);
    INTACT(check, from);
    INTACT(check, to);
  }
  Guarded<cublasLtMatrixTransformDescOpaque_t> operation;
  Guarded<cublasLtMatrixLayoutOpaque_t> from, to;
};

// All topics with one handle.
inline void run_on_handle(const std::string& program,
                          std::initializer_list<Topic<cublasLtHandle_t>> topics) {
  Check made(program + ".handle");
  Guarded<cublasLtHandle_t> handle;
  NEED(made, cublasLtCreate(handle.get()));
  INTACT(made, handle);
  run_topics<cublasLtHandle_t>(program, topics, *handle);
  CALL(made, cublasLtDestroy(*handle));
}

}  // namespace maths
