// SPDX-License-Identifier: Apache-2.0

// The first 64-bit functions of cuSOLVER (cusolverDnGeqrf and others), which CUDA 13 dropped, made
// from their successors (cusolverDnXgeqrf and others). A successor takes a second workspace, in
// host memory: the adapter asks for its size with the call's own arguments, and allocates it.
#include <cstdlib>

#include "cusolver_adapters.h"

namespace anycuda {
namespace {

// The host workspace of one call. cuSOLVER's functions run asynchronously, and NVIDIA does not
// document until when they use this memory. So it lives until the handle's stream has passed the
// call: there the driver calls free(). Calls do not share one: the library may fill it on the CPU
// while the stream still runs the previous call.
class HostWorkspace {
 public:
  explicit HostWorkspace(v13::cusolverDnHandle_t handle) : handle_(handle) {}
  ~HostWorkspace() {
    if (memory_ != nullptr) free_behind_the_call();
  }
  HostWorkspace(const HostWorkspace&) = delete;
  HostWorkspace& operator=(const HostWorkspace&) = delete;

  // Where a function for sizes writes.
  std::size_t* device_bytes() { return &device_bytes_; }
  std::size_t* host_bytes() { return &host_bytes_; }

  // Allocates what the function for sizes asked for. `asked` is that function's status.
  bool allocate(v13::cusolverStatus_t asked) {
    status_ = asked;
    if (status_ != v13::CUSOLVER_STATUS_SUCCESS) return false;
    if (host_bytes_ == 0) return true;
    const KeepErrno errno_scope;
    memory_ = std::malloc(host_bytes_);
    if (memory_ == nullptr) status_ = v13::CUSOLVER_STATUS_ALLOC_FAILED;
    return memory_ != nullptr;
  }
  v13::cusolverStatus_t status() const { return status_; }
  void* memory() const { return memory_; }
  std::size_t bytes() const { return host_bytes_; }

 private:
  // The graph of a captured stream may run the call any number of times, so its memory is never
  // freed. The same holds if the library or the driver fails here.
  void free_behind_the_call() const {
    v13::cudaStream_t stream = nullptr;
    if (v13::cusolverDnGetStream(handle_, &stream) != v13::CUSOLVER_STATUS_SUCCESS) return;
    driver::CUstreamCaptureStatus capture = driver::CU_STREAM_CAPTURE_STATUS_ACTIVE;
    if (driver::cuStreamIsCapturing(stream, &capture) != driver::CUDA_SUCCESS) return;
    if (capture != driver::CU_STREAM_CAPTURE_STATUS_NONE) return;
    driver::cuLaunchHostFunc(stream, std::free, memory_);
  }

  v13::cusolverDnHandle_t handle_;
  std::size_t device_bytes_ = 0;  // only for the query: the caller's size goes on
  std::size_t host_bytes_ = 0;
  v13::cusolverStatus_t status_ = v13::CUSOLVER_STATUS_SUCCESS;
  void* memory_ = nullptr;
};

}  // namespace

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_geqrf_buffer_size(
    v11::cusolverDnHandle_t handle, v11::cusolverDnParams_t params, v11::int64_t m, v11::int64_t n,
    v11::cudaDataType type_a, const void* a, v11::int64_t lda, v11::cudaDataType type_tau,
    const void* tau, v11::cudaDataType compute_type, std::size_t* bytes) {
  std::size_t on_host = 0;
  return v13::cusolverDnXgeqrf_bufferSize(handle, params, m, n, type_a, a, lda, type_tau, tau,
                                          compute_type, bytes, &on_host);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_geqrf(v11::cusolverDnHandle_t handle,
                                                  v11::cusolverDnParams_t params, v11::int64_t m,
                                                  v11::int64_t n, v11::cudaDataType type_a, void* a,
                                                  v11::int64_t lda, v11::cudaDataType type_tau,
                                                  void* tau, v11::cudaDataType compute_type,
                                                  void* buffer, std::size_t bytes, int* info) {
  HostWorkspace host(handle);
  if (!host.allocate(v13::cusolverDnXgeqrf_bufferSize(handle, params, m, n, type_a, a, lda,
                                                      type_tau, tau, compute_type,
                                                      host.device_bytes(), host.host_bytes()))) {
    return host.status();
  }
  return v13::cusolverDnXgeqrf(handle, params, m, n, type_a, a, lda, type_tau, tau, compute_type,
                               buffer, bytes, host.memory(), host.bytes(), info);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_gesvd_buffer_size(
    v11::cusolverDnHandle_t handle, v11::cusolverDnParams_t params, signed char job_u,
    signed char job_vt, v11::int64_t m, v11::int64_t n, v11::cudaDataType type_a, const void* a,
    v11::int64_t lda, v11::cudaDataType type_s, const void* s, v11::cudaDataType type_u,
    const void* u, v11::int64_t ldu, v11::cudaDataType type_vt, const void* vt, v11::int64_t ldvt,
    v11::cudaDataType compute_type, std::size_t* bytes) {
  std::size_t on_host = 0;
  return v13::cusolverDnXgesvd_bufferSize(handle, params, job_u, job_vt, m, n, type_a, a, lda,
                                          type_s, s, type_u, u, ldu, type_vt, vt, ldvt,
                                          compute_type, bytes, &on_host);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_gesvd(
    v11::cusolverDnHandle_t handle, v11::cusolverDnParams_t params, signed char job_u,
    signed char job_vt, v11::int64_t m, v11::int64_t n, v11::cudaDataType type_a, void* a,
    v11::int64_t lda, v11::cudaDataType type_s, void* s, v11::cudaDataType type_u, void* u,
    v11::int64_t ldu, v11::cudaDataType type_vt, void* vt, v11::int64_t ldvt,
    v11::cudaDataType compute_type, void* buffer, std::size_t bytes, int* info) {
  HostWorkspace host(handle);
  if (!host.allocate(v13::cusolverDnXgesvd_bufferSize(
          handle, params, job_u, job_vt, m, n, type_a, a, lda, type_s, s, type_u, u, ldu, type_vt,
          vt, ldvt, compute_type, host.device_bytes(), host.host_bytes()))) {
    return host.status();
  }
  return v13::cusolverDnXgesvd(handle, params, job_u, job_vt, m, n, type_a, a, lda, type_s, s,
                               type_u, u, ldu, type_vt, vt, ldvt, compute_type, buffer, bytes,
                               host.memory(), host.bytes(), info);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_getrf_buffer_size(
    v11::cusolverDnHandle_t handle, v11::cusolverDnParams_t params, v11::int64_t m, v11::int64_t n,
    v11::cudaDataType type_a, const void* a, v11::int64_t lda, v11::cudaDataType compute_type,
    std::size_t* bytes) {
  std::size_t on_host = 0;
  return v13::cusolverDnXgetrf_bufferSize(handle, params, m, n, type_a, a, lda, compute_type, bytes,
                                          &on_host);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_getrf(v11::cusolverDnHandle_t handle,
                                                  v11::cusolverDnParams_t params, v11::int64_t m,
                                                  v11::int64_t n, v11::cudaDataType type_a, void* a,
                                                  v11::int64_t lda, v11::int64_t* pivots,
                                                  v11::cudaDataType compute_type, void* buffer,
                                                  std::size_t bytes, int* info) {
  HostWorkspace host(handle);
  if (!host.allocate(v13::cusolverDnXgetrf_bufferSize(handle, params, m, n, type_a, a, lda,
                                                      compute_type, host.device_bytes(),
                                                      host.host_bytes()))) {
    return host.status();
  }
  return v13::cusolverDnXgetrf(handle, params, m, n, type_a, a, lda, pivots, compute_type, buffer,
                               bytes, host.memory(), host.bytes(), info);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_potrf_buffer_size(
    v11::cusolverDnHandle_t handle, v11::cusolverDnParams_t params, v11::cublasFillMode_t fill,
    v11::int64_t n, v11::cudaDataType type_a, const void* a, v11::int64_t lda,
    v11::cudaDataType compute_type, std::size_t* bytes) {
  std::size_t on_host = 0;
  return v13::cusolverDnXpotrf_bufferSize(handle, params, fill, n, type_a, a, lda, compute_type,
                                          bytes, &on_host);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_potrf(v11::cusolverDnHandle_t handle,
                                                  v11::cusolverDnParams_t params,
                                                  v11::cublasFillMode_t fill, v11::int64_t n,
                                                  v11::cudaDataType type_a, void* a,
                                                  v11::int64_t lda, v11::cudaDataType compute_type,
                                                  void* buffer, std::size_t bytes, int* info) {
  HostWorkspace host(handle);
  if (!host.allocate(v13::cusolverDnXpotrf_bufferSize(handle, params, fill, n, type_a, a, lda,
                                                      compute_type, host.device_bytes(),
                                                      host.host_bytes()))) {
    return host.status();
  }
  return v13::cusolverDnXpotrf(handle, params, fill, n, type_a, a, lda, compute_type, buffer, bytes,
                               host.memory(), host.bytes(), info);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_syevd_buffer_size(
    v11::cusolverDnHandle_t handle, v11::cusolverDnParams_t params, v11::cusolverEigMode_t mode,
    v11::cublasFillMode_t fill, v11::int64_t n, v11::cudaDataType type_a, const void* a,
    v11::int64_t lda, v11::cudaDataType type_w, const void* w, v11::cudaDataType compute_type,
    std::size_t* bytes) {
  std::size_t on_host = 0;
  return v13::cusolverDnXsyevd_bufferSize(handle, params, mode, fill, n, type_a, a, lda, type_w, w,
                                          compute_type, bytes, &on_host);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_syevd(
    v11::cusolverDnHandle_t handle, v11::cusolverDnParams_t params, v11::cusolverEigMode_t mode,
    v11::cublasFillMode_t fill, v11::int64_t n, v11::cudaDataType type_a, void* a, v11::int64_t lda,
    v11::cudaDataType type_w, void* w, v11::cudaDataType compute_type, void* buffer,
    std::size_t bytes, int* info) {
  HostWorkspace host(handle);
  if (!host.allocate(v13::cusolverDnXsyevd_bufferSize(handle, params, mode, fill, n, type_a, a, lda,
                                                      type_w, w, compute_type, host.device_bytes(),
                                                      host.host_bytes()))) {
    return host.status();
  }
  return v13::cusolverDnXsyevd(handle, params, mode, fill, n, type_a, a, lda, type_w, w,
                               compute_type, buffer, bytes, host.memory(), host.bytes(), info);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_syevdx_buffer_size(
    v11::cusolverDnHandle_t handle, v11::cusolverDnParams_t params, v11::cusolverEigMode_t mode,
    v11::cusolverEigRange_t range, v11::cublasFillMode_t fill, v11::int64_t n,
    v11::cudaDataType type_a, const void* a, v11::int64_t lda, void* vl, void* vu, v11::int64_t il,
    v11::int64_t iu, v11::int64_t* found, v11::cudaDataType type_w, const void* w,
    v11::cudaDataType compute_type, std::size_t* bytes) {
  std::size_t on_host = 0;
  return v13::cusolverDnXsyevdx_bufferSize(handle, params, mode, range, fill, n, type_a, a, lda, vl,
                                           vu, il, iu, found, type_w, w, compute_type, bytes,
                                           &on_host);
}

ANYCUDA_ADAPTER v11::cusolverStatus_t adapt_syevdx(
    v11::cusolverDnHandle_t handle, v11::cusolverDnParams_t params, v11::cusolverEigMode_t mode,
    v11::cusolverEigRange_t range, v11::cublasFillMode_t fill, v11::int64_t n,
    v11::cudaDataType type_a, void* a, v11::int64_t lda, void* vl, void* vu, v11::int64_t il,
    v11::int64_t iu, v11::int64_t* found, v11::cudaDataType type_w, void* w,
    v11::cudaDataType compute_type, void* buffer, std::size_t bytes, int* info) {
  HostWorkspace host(handle);
  if (!host.allocate(v13::cusolverDnXsyevdx_bufferSize(
          handle, params, mode, range, fill, n, type_a, a, lda, vl, vu, il, iu, found, type_w, w,
          compute_type, host.device_bytes(), host.host_bytes()))) {
    return host.status();
  }
  return v13::cusolverDnXsyevdx(handle, params, mode, range, fill, n, type_a, a, lda, vl, vu, il,
                                iu, found, type_w, w, compute_type, buffer, bytes, host.memory(),
                                host.bytes(), info);
}

}  // namespace anycuda
