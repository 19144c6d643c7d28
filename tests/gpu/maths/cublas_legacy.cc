// SPDX-License-Identifier: Apache-2.0

// cuBLAS as it was before handles: cublas.h, which cannot be read together with cublas_v2.h.
#include <cublas.h>

#include "check.h"
#include "memory.h"
#include "numbers.h"

inline bool is_absent(cublasStatus_t status) { return status == CUBLAS_STATUS_NOT_SUPPORTED; }

namespace maths {
namespace {

constexpr int kM = 17, kN = 9, kK = 11;

void products(Check& check) {
  const auto a = random_values<float>(kM * kK, 1), b = random_values<float>(kK * kN, 2);
  Guarded<void*> memory;
  NEED(check, cublasAlloc(kM * kN, sizeof(float), memory.get()));
  INTACT(check, memory);
  DeviceArray<float> on_a(a), on_b(b);
  std::vector<float> c(kM * kN);
  cublasSgemm('n', 'n', kM, kN, kK, 1.0f, on_a.data(), kM, on_b.data(), kK, 0.0f,
              static_cast<float*>(*memory), kM);
  NEED(check, cublasGetError());
  NEED(check, cublasGetMatrix(kM, kN, sizeof(float), *memory, kM, c.data(), kM));
  check.near("C", flat(c), flat(product(a, b, kM, kN, kK)), 1e-5);
  NEED(check, cublasFree(*memory));
}

// Results that come back by value, in a register of floating-point numbers.
void values(Check& check) {
  const auto x = random_values<float>(kM, 3);
  DeviceArray<float> on_x(x);
  double squares = 0;
  for (float value : x) squares += static_cast<double>(value) * value;
  const float dot = cublasSdot(kM, on_x.data(), 1, on_x.data(), 1);
  NEED(check, cublasGetError());
  check.near("dot", {dot}, {squares}, 1e-5);
  const auto y = random_values<double>(kM, 4);
  DeviceArray<double> on_y(y);
  const double norm = cublasDnrm2(kM, on_y.data(), 1);
  squares = 0;
  for (double value : y) squares += value * value;
  NEED(check, cublasGetError());
  check.near("norm squared", {norm * norm}, {squares}, 1e-12);
}

void errors(Check& check) {
  DeviceArray<float> memory(4);
  cublasSgemm('n', 'n', -1, kN, kK, 1.0f, memory.data(), 1, memory.data(), 1, 0.0f, memory.data(),
              1);
  REFUSED(check, CUBLAS_STATUS_INVALID_VALUE, cublasGetError());
  NEED(check, cublasGetError());  // asking takes it away
}

}  // namespace

void run() {
  {
    Check check("legacy.init");
    NEED(check, cublasInit());
  }
  run_topics<>("legacy", {{"products", products}, {"values", values}, {"errors", errors}});
  Check check("legacy.shutdown");
  CALL(check, cublasShutdown());
}

}  // namespace maths
