// SPDX-License-Identifier: Apache-2.0

// A handle of cuBLAS on a new stream, for the programs that use it.
#pragma once

#include <cublas_v2.h>

#include "check.h"
#include "memory.h"
#include "numbers.h"

inline bool is_absent(cublasStatus_t status) { return status == CUBLAS_STATUS_NOT_SUPPORTED; }

namespace maths {

struct Blas {
  explicit Blas(Check& check) {
    Guarded<cublasHandle_t> made;
    if (!CALL(check, cublasCreate(made.get()))) return;
    INTACT(check, made);
    handle = *made;
    if (!CALL(check, cudaStreamCreate(&stream))) return;
    CALL(check, cublasSetStream(handle, stream));
  }
  ~Blas() {
    if (handle != nullptr) cublasDestroy(handle);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;

  cublasHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
};

}  // namespace maths
