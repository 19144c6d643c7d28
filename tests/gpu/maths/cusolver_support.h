// SPDX-License-Identifier: Apache-2.0

// A handle of cuSOLVER's dense part on a new stream, for the programs that use it.
#pragma once

#include <cusolverDn.h>

#include <algorithm>

#include "check.h"
#include "memory.h"
#include "numbers.h"

inline bool is_absent(cusolverStatus_t status) { return status == CUSOLVER_STATUS_NOT_SUPPORTED; }

namespace maths {

struct Solver {
  explicit Solver(Check& check) {
    Guarded<cusolverDnHandle_t> made;
    if (!CALL(check, cusolverDnCreate(made.get()))) return;
    INTACT(check, made);
    handle = *made;
    if (!CALL(check, cudaStreamCreate(&stream))) return;
    CALL(check, cusolverDnSetStream(handle, stream));
  }
  ~Solver() {
    if (handle != nullptr) cusolverDnDestroy(handle);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  cusolverDnHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
};

struct Parameters {
  explicit Parameters(Check& check) {
    Guarded<cusolverDnParams_t> made;
    if (!CALL(check, cusolverDnCreateParams(made.get()))) return;
    INTACT(check, made);
    value = *made;
  }
  ~Parameters() {
    if (value != nullptr) cusolverDnDestroyParams(value);
  }
  Parameters(const Parameters&) = delete;
  Parameters& operator=(const Parameters&) = delete;
  cusolverDnParams_t value = nullptr;
};

// A factorisation's own status: zero.
inline void expect_no_info(Check& check, const DeviceArray<int>& info) {
  check.near("info", flat(info.get(check)), {0}, 0);
}

// U S V', which is the matrix again.
inline std::vector<double> composed(const std::vector<double>& u, const std::vector<double>& s,
                                    const std::vector<double>& vt, int m, int n) {
  std::vector<double> scaled(static_cast<std::size_t>(m) * n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < m; ++i) scaled[i + j * m] = u[i + j * m] * s[j];
  }
  return product(scaled, vt, m, n, n);
}

// A V and V W of a symmetric matrix: equal where V has its vectors, W its values.
inline void expect_eigen(Check& check, const std::vector<double>& a, const std::vector<double>& v,
                         const std::vector<double>& w, int n) {
  std::vector<double> scaled(v.size());
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) scaled[i + j * n] = v[i + j * n] * w[j];
  }
  check.near("A V", product(a, v, n, n, n), scaled, 1e-8);
}

}  // namespace maths
