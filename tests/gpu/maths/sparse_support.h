// SPDX-License-Identifier: Apache-2.0

// Sparse and dense operands of cuSPARSE's generic functions, with the same matrix on the CPU.
#pragma once

#include <cusparse.h>

#include "check.h"
#include "memory.h"
#include "numbers.h"

inline bool is_absent(cusparseStatus_t status) { return status == CUSPARSE_STATUS_NOT_SUPPORTED; }

namespace maths {

constexpr cusparseOperation_t kN = CUSPARSE_OPERATION_NON_TRANSPOSE;

struct Sparse {
  explicit Sparse(Check& check) {
    Guarded<cusparseHandle_t> made;
    if (!CALL(check, cusparseCreate(made.get()))) return;
    INTACT(check, made);
    handle = *made;
    if (!CALL(check, cudaStreamCreate(&stream))) return;
    CALL(check, cusparseSetStream(handle, stream));
  }
  ~Sparse() {
    if (handle != nullptr) cusparseDestroy(handle);
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  Sparse(const Sparse&) = delete;
  Sparse& operator=(const Sparse&) = delete;

  cusparseHandle_t handle = nullptr;
  cudaStream_t stream = nullptr;
};

// A quarter of it is not zero.
inline std::vector<double> dense_with_holes(int rows, int columns, std::uint32_t seed) {
  Numbers numbers(seed);
  std::vector<double> dense(static_cast<std::size_t>(rows) * columns);
  for (double& value : dense) value = numbers.next() % 4 == 0 ? numbers.between(0.5, 1.5) : 0;
  return dense;
}

struct Csr {
  Csr(std::vector<double> from, int rows_, int columns_) : dense(std::move(from)) {
    height = rows_;
    width = columns_;
    for (int i = 0; i < height; ++i) {
      for (int j = 0; j < width; ++j) {
        if (dense[i + j * height] == 0) continue;
        values.push_back(dense[i + j * height]);
        columns.push_back(j);
      }
      rows.push_back(static_cast<int>(values.size()));
    }
  }
  std::vector<double> dense, values;
  std::vector<int> rows{0}, columns;
  int height, width;
};

inline std::vector<double> dense_of(const std::vector<int>& rows, const std::vector<int>& columns,
                                    const std::vector<double>& values, int height, int width) {
  std::vector<double> dense(static_cast<std::size_t>(height) * width);
  for (int i = 0; i < height; ++i) {
    for (int at = rows[i]; at < rows[i + 1] && at < static_cast<int>(values.size()); ++at) {
      if (columns[at] >= 0 && columns[at] < width) dense[i + columns[at] * height] = values[at];
    }
  }
  return dense;
}

struct CsrOnDevice {
  CsrOnDevice(Check& check, const Csr& csr)
      : rows(csr.rows), columns(csr.columns), values(csr.values) {
    Guarded<cusparseSpMatDescr_t> made;
    if (CALL(check, cusparseCreateCsr(made.get(), csr.height, csr.width,
                                      static_cast<std::int64_t>(csr.values.size()), rows.data(),
                                      columns.data(), values.data(), CUSPARSE_INDEX_32I,
                                      CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F))) {
      matrix = *made;
    }
    INTACT(check, made);
  }
  ~CsrOnDevice() {
    if (matrix != nullptr) cusparseDestroySpMat(matrix);
  }
  CsrOnDevice(const CsrOnDevice&) = delete;
  CsrOnDevice& operator=(const CsrOnDevice&) = delete;

  DeviceArray<int> rows, columns;
  DeviceArray<double> values;
  cusparseSpMatDescr_t matrix = nullptr;
};

struct DenseVector {
  DenseVector(Check& check, const std::vector<double>& values) : memory(values) {
    Guarded<cusparseDnVecDescr_t> made;
    if (CALL(check, cusparseCreateDnVec(made.get(), static_cast<std::int64_t>(values.size()),
                                        memory.data(), CUDA_R_64F))) {
      vector = *made;
    }
    INTACT(check, made);
  }
  ~DenseVector() {
    if (vector != nullptr) cusparseDestroyDnVec(vector);
  }
  DenseVector(const DenseVector&) = delete;
  DenseVector& operator=(const DenseVector&) = delete;
  // Zeroes the values, so that they are not taken for a result.
  void forget() const { cudaMemset(memory.data(), 0, memory.bytes()); }

  DeviceArray<double> memory;
  cusparseDnVecDescr_t vector = nullptr;
};

struct DenseMatrix {
  DenseMatrix(Check& check, const std::vector<double>& values, int rows, int columns)
      : memory(values) {
    Guarded<cusparseDnMatDescr_t> made;
    if (CALL(check, cusparseCreateDnMat(made.get(), rows, columns, rows, memory.data(), CUDA_R_64F,
                                        CUSPARSE_ORDER_COL))) {
      matrix = *made;
    }
    INTACT(check, made);
  }
  ~DenseMatrix() {
    if (matrix != nullptr) cusparseDestroyDnMat(matrix);
  }
  DenseMatrix(const DenseMatrix&) = delete;
  DenseMatrix& operator=(const DenseMatrix&) = delete;

  DeviceArray<double> memory;
  cusparseDnMatDescr_t matrix = nullptr;
};

}  // namespace maths
