// SPDX-License-Identifier: Apache-2.0

// Descriptors of cuSPARSE's generic functions, which live for one call.
//
// A descriptor is an object in host memory that holds sizes, types and pointers: creating and
// destroying one neither waits for the GPU nor touches its memory. The functions take what they
// need from it before they return (PyTorch and CuPy destroy theirs right behind an asynchronous
// call, too).
#pragma once

#include "cusparse_adapters.h"

// In a function that returns a status of cuSPARSE: returns every status but success to its caller.
#define ANYCUDA_TRY(...)                                     \
  do {                                                       \
    const v12::cusparseStatus_t tried = __VA_ARGS__;         \
    if (tried != v12::CUSPARSE_STATUS_SUCCESS) return tried; \
  } while (false)

// The types that the first functions have, each once by its letter: C's, and the generic
// functions'.
#define ANYCUDA_REAL_TYPES(define) \
  define(s, S, float, v12::CUDA_R_32F) define(d, D, double, v12::CUDA_R_64F)
#define ANYCUDA_ALL_TYPES(define) \
  ANYCUDA_REAL_TYPES(define)      \
  define(c, C, v11::cuComplex, v12::CUDA_C_32F) define(z, Z, v11::cuDoubleComplex, v12::CUDA_C_64F)

namespace anycuda {

using Handle = v12::cusparseHandle_t;
using Result = v12::cusparseStatus_t;

template <typename T, unsigned (*destroy)(const T*)>
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() {
    if (made_ != nullptr) destroy(made_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  // Where a function that creates one writes.
  T** place() { return &made_; }
  // Passes that function's status on: after a failure its output is not a descriptor.
  v12::cusparseStatus_t created(v12::cusparseStatus_t status) {
    if (status != v12::CUSPARSE_STATUS_SUCCESS) made_ = nullptr;
    return status;
  }
  T* get() const { return made_; }

 private:
  T* made_ = nullptr;
};

using SparseVector = Descriptor<opaque::cusparseSpVecDescr, v12::cusparseDestroySpVec>;
using DenseVector = Descriptor<opaque::cusparseDnVecDescr, v12::cusparseDestroyDnVec>;
using SparseMatrix = Descriptor<opaque::cusparseSpMatDescr, v12::cusparseDestroySpMat>;
using DenseMatrix = Descriptor<opaque::cusparseDnMatDescr, v12::cusparseDestroyDnMat>;

// For macros, whose argument `Type` could not stand before a * without parentheses.
template <typename T>
using Pointer = T*;

// The functions that create descriptors take pointers to what they do not change.
inline void* writable(const void* memory) { return const_cast<void*>(memory); }

// The first functions return this for no handle; the generic ones CUSPARSE_STATUS_INVALID_VALUE.
// They take matrices of the general type only.
inline v12::cusparseStatus_t checked(v12::cusparseHandle_t handle,
                                     v12::cusparseMatDescr_t description) {
  if (handle == nullptr) return v12::CUSPARSE_STATUS_NOT_INITIALIZED;
  if (description == nullptr) return v12::CUSPARSE_STATUS_INVALID_VALUE;
  return v12::cusparseGetMatType(description) == v12::CUSPARSE_MATRIX_TYPE_GENERAL
             ? v12::CUSPARSE_STATUS_SUCCESS
             : v12::CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED;
}

}  // namespace anycuda
