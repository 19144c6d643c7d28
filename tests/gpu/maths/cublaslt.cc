// SPDX-License-Identifier: Apache-2.0

// cuBLASLt: products with descriptors on the heap and on the stack, heuristics, epilogues.
#include <cublasLt.h>

#include <algorithm>

#include "cublaslt_support.h"

namespace maths {
namespace {

constexpr int kM = 32, kN = 24, kK = 40;
constexpr std::size_t kWorkspace = 4 << 20;

// A product by descriptors, however they were made.
struct Described {
  cublasLtMatmulDesc_t operation = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, c = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
};

struct Data {
  std::vector<float> a = random_values<float>(kM * kK, 1), b = random_values<float>(kK * kN, 2);
  std::vector<double> want = flat(product(a, b, kM, kN, kK));
  DeviceArray<float> on_a{a}, on_b{b}, on_c{static_cast<std::size_t>(kM) * kN};
  DeviceArray<char> workspace{kWorkspace};
};

void multiply(Check& check, cublasLtHandle_t handle, const Described& by, const Data& data) {
  const std::size_t most = kWorkspace;
  NEED(check, cublasLtMatmulPreferenceSetAttribute(
                  by.preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof most));
  constexpr int kWanted = 4;
  struct Results {
    cublasLtMatmulHeuristicResult_t all[kWanted];
  };
  Guarded<Results> results;
  Guarded<int> found;
  NEED(check, cublasLtMatmulAlgoGetHeuristic(handle, by.operation, by.a, by.b, by.c, by.c,
                                             by.preference, kWanted, results->all, found.get()));
  INTACT(check, results);
  INTACT(check, found);
  if (*found < 1 || *found > kWanted) return check.fail("no algorithm was found");
  // What the library keeps in an algorithm goes back to it, each time.
  for (int i = 0; i < *found; ++i) {
    const cublasLtMatmulHeuristicResult_t& result = results->all[i];
    if (result.state != CUBLAS_STATUS_SUCCESS) continue;
    EXPECT(check, result.workspaceSize <= kWorkspace);
    const float one = 1, zero = 0;
    NEED(check, cublasLtMatmul(handle, by.operation, &one, data.on_a.data(), by.a, data.on_b.data(),
                               by.b, &zero, data.on_c.data(), by.c, data.on_c.data(), by.c,
                               &result.algo, data.workspace.data(), kWorkspace, nullptr));
    NEED(check, cudaDeviceSynchronize());
    check.near("C", flat(data.on_c.get(check)), data.want, 1e-3);
    data.workspace.get(check);
  }
}

struct Heap : Described {
  explicit Heap(Check& check) {
    CALL(check, cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F)) &&
        CALL(check, cublasLtMatrixLayoutCreate(&a, CUDA_R_32F, kM, kK, kM)) &&
        CALL(check, cublasLtMatrixLayoutCreate(&b, CUDA_R_32F, kK, kN, kK)) &&
        CALL(check, cublasLtMatrixLayoutCreate(&c, CUDA_R_32F, kM, kN, kM)) &&
        CALL(check, cublasLtMatmulPreferenceCreate(&preference));
  }
  ~Heap() {
    if (operation != nullptr) cublasLtMatmulDescDestroy(operation);
    for (cublasLtMatrixLayout_t layout : {a, b, c}) {
      if (layout != nullptr) cublasLtMatrixLayoutDestroy(layout);
    }
    if (preference != nullptr) cublasLtMatmulPreferenceDestroy(preference);
  }
};

void heap(Check& check, cublasLtHandle_t handle) {
  const Heap heap(check);
  if (!check) return;
  multiply(check, handle, heap, Data());
  Guarded<std::uint64_t> rows;
  Guarded<std::size_t> written;
  NEED(check, cublasLtMatrixLayoutGetAttribute(heap.b, CUBLASLT_MATRIX_LAYOUT_ROWS, rows.get(),
                                               sizeof *rows, written.get()));
  EXPECT(check, *rows == kK && *written == sizeof *rows);
  INTACT(check, rows);
  INTACT(check, written);
}

// In the program's own memory, as large as its headers say.
void stack(Check& check, cublasLtHandle_t handle) {
  Guarded<cublasLtMatmulDescOpaque_t> operation;
  Guarded<cublasLtMatrixLayoutOpaque_t> a, b, c;
  Guarded<cublasLtMatmulPreferenceOpaque_t> preference;
  NEED(check, cublasLtMatmulDescInit(operation.get(), CUBLAS_COMPUTE_32F, CUDA_R_32F));
  NEED(check, cublasLtMatrixLayoutInit(a.get(), CUDA_R_32F, kM, kK, kM));
  NEED(check, cublasLtMatrixLayoutInit(b.get(), CUDA_R_32F, kK, kN, kK));
  NEED(check, cublasLtMatrixLayoutInit(c.get(), CUDA_R_32F, kM, kN, kM));
  NEED(check, cublasLtMatmulPreferenceInit(preference.get()));
  Described by;
  by.operation = operation.get();
  by.a = a.get();
  by.b = b.get();
  by.c = c.get();
  by.preference = preference.get();
  multiply(check, handle, by, Data());
  INTACT(check, operation);
  INTACT(check, a);
  INTACT(check, b);
  INTACT(check, c);
  INTACT(check, preference);
}

// Every attribute of a descriptor on the stack, read and written back.
void attributes(Check& check) {
  Guarded<cublasLtMatmulDescOpaque_t> operation;
  NEED(check, cublasLtMatmulDescInit(operation.get(), CUBLAS_COMPUTE_32F, CUDA_R_32F));
  int seen = 0;
  for (int number = 0; number < 27; ++number) {
    const auto attribute = static_cast<cublasLtMatmulDescAttributes_t>(number);
    std::size_t size = 0;
    if (cublasLtMatmulDescGetAttribute(operation.get(), attribute, nullptr, 0, &size) != 0)
      continue;
    struct Value {
      char bytes[64];
    };
    if (size > sizeof(Value))
      return check.fail("an attribute of " + std::to_string(size) + " bytes");
    Guarded<Value> value;
    Guarded<std::size_t> written;
    if (cublasLtMatmulDescGetAttribute(operation.get(), attribute, value->bytes, size,
                                       written.get()) != CUBLAS_STATUS_SUCCESS) {
      continue;
    }
    ++seen;
    INTACT(check, value);
    INTACT(check, written);
    cublasLtMatmulDescSetAttribute(operation.get(), attribute, value->bytes, *written);
    INTACT(check, operation);
  }
  if (seen < 10) check.fail("only " + std::to_string(seen) + " attributes could be read");
}

void bias_and_relu(Check& check, cublasLtHandle_t handle) {
  const Heap heap(check);
  if (!check) return;
  Data data;
  const auto bias = random_values<float>(kM, 3);
  DeviceArray<float> on_bias(bias);
  const cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_RELU_BIAS;
  const float* address = on_bias.data();
  NEED(check, cublasLtMatmulDescSetAttribute(heap.operation, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                             &epilogue, sizeof epilogue));
  NEED(check, cublasLtMatmulDescSetAttribute(heap.operation, CUBLASLT_MATMUL_DESC_BIAS_POINTER,
                                             &address, sizeof address));
  for (std::size_t i = 0; i < data.want.size(); ++i) {
    data.want[i] = std::max(0.0, data.want[i] + bias[i % kM]);
  }
  multiply(check, handle, heap, data);
}

// From columns to rows, by a descriptor on the stack.
void transform(Check& check, cublasLtHandle_t handle) {
  const auto a = random_values<float>(kM * kN, 4);
  DeviceArray<float> on_a(a), on_b(kM * kN);
  Transform by(check, kM, kN, kM, kN, kN);
  const cublasLtOrder_t rows = CUBLASLT_ORDER_ROW;
  NEED(check, cublasLtMatrixLayoutSetAttribute(by.to.get(), CUBLASLT_MATRIX_LAYOUT_ORDER, &rows,
                                               sizeof rows));
  by.run(check, handle, 2, on_a, on_b);
  std::vector<double> want = flat(transposed(a, kM, kN));
  for (double& value : want) value *= 2;
  check.near("2 A by rows", flat(on_b.get(check)), want, 0);
}

// Number 13 of the preference's attributes has another meaning in CUDA 13 than in 11.
void preference_13(Check& check) {
#if CUBLAS_VERSION < 120000
  Guarded<cublasLtMatmulPreferenceOpaque_t> preference;
  NEED(check, cublasLtMatmulPreferenceInit(preference.get()));
  const std::int32_t count = 8;
  NEED(check, cublasLtMatmulPreferenceSetAttribute(
                  preference.get(), CUBLASLT_MATMUL_PREF_SM_COUNT_TARGET, &count, sizeof count));
  INTACT(check, preference);
#else
  (void)check;  // CUDA 12 and later have no such attribute
#endif
}

}  // namespace

void run() {
  {  // these need no handle, thus no GPU
    Check check("cublaslt.attributes");
    attributes(check);
  }
  {
    Check check("cublaslt.preference_13");
    preference_13(check);
  }
  run_on_handle("cublaslt", {{"heap", heap},
                             {"stack", stack},
                             {"bias_and_relu", bias_and_relu},
                             {"transform", transform}});
}

}  // namespace maths
