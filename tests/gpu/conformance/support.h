// SPDX-License-Identifier: Apache-2.0

// The common parts of the topics' programs.
#pragma once

#include <cuda_runtime.h>

#include <vector>

#include "check.h"

namespace conformance {

// A handle that is given back at the end of its scope.
template <typename Handle, cudaError_t (*destroy)(Handle)>
class Owned {
 public:
  Owned() = default;
  ~Owned() {
    if (handle_ != Handle{}) destroy(handle_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Handle* operator&() { return &handle_; }
  operator Handle() const { return handle_; }
  void forget() { handle_ = Handle{}; }

 private:
  Handle handle_{};
};

using Graph = Owned<cudaGraph_t, cudaGraphDestroy>;
using Executable = Owned<cudaGraphExec_t, cudaGraphExecDestroy>;
using Array = Owned<cudaArray_t, cudaFreeArray>;
using MipmappedArray = Owned<cudaMipmappedArray_t, cudaFreeMipmappedArray>;
using Texture = Owned<cudaTextureObject_t, cudaDestroyTextureObject>;
using Surface = Owned<cudaSurfaceObject_t, cudaDestroySurfaceObject>;
using Pool = Owned<cudaMemPool_t, cudaMemPoolDestroy>;

class Stream : public Owned<cudaStream_t, cudaStreamDestroy> {
 public:
  explicit Stream(Check& check) {
    CALL(check, cudaStreamCreateWithFlags(&*this, cudaStreamNonBlocking));
  }
};

class Event : public Owned<cudaEvent_t, cudaEventDestroy> {
 public:
  explicit Event(Check& check) { CALL(check, cudaEventCreate(&*this)); }
};

// Numbers on the device, zero at first.
template <typename T>
class DeviceArray {
 public:
  DeviceArray(Check& check, std::size_t count) : check_(check), count_(count) {
    if (CALL(check, cudaMalloc(reinterpret_cast<void**>(&data_), bytes()))) {
      CALL(check, cudaMemset(data_, 0, bytes()));
      // Streams that do not wait for the default one must not come before it.
      CALL(check, cudaDeviceSynchronize());
    }
  }
  ~DeviceArray() {
    if (data_ != nullptr) cudaFree(data_);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  T* get() const { return data_; }
  int count() const { return static_cast<int>(count_); }
  std::size_t bytes() const { return count_ * sizeof(T); }

  void write(const std::vector<T>& values) {
    CALL(check_, cudaMemcpy(data_, values.data(), bytes(), cudaMemcpyHostToDevice));
  }
  std::vector<T> read() {
    std::vector<T> values(count_);
    CALL(check_, cudaDeviceSynchronize());
    CALL(check_, cudaMemcpy(values.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return values;
  }
  // All numbers must be this one.
  void expect(const char* when, const T& want) {
    if (!check_) return;
    const std::vector<T> values = read();
    for (std::size_t i = 0; i < count_ && check_; ++i) {
      if (values[i] != want) {
        check_.fail(std::string(when) + ": element " + std::to_string(i) + " is " +
                    show(values[i]) + ", expected " + show(want));
      }
    }
  }

 private:
  Check& check_;
  std::size_t count_;
  T* data_ = nullptr;
};

}  // namespace conformance
