// SPDX-License-Identifier: Apache-2.0

// Memory of the device, between bytes that must stay as they are.
#pragma once

#include <cuda_runtime_api.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check.h"

namespace maths {

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t count) : count_(count) {
    if (cudaMalloc(&memory_, bytes() + 2 * kGuard) != cudaSuccess) memory_ = nullptr;
    if (memory_ != nullptr) cudaMemset(memory_, kPattern, bytes() + 2 * kGuard);
  }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) { put(values); }
  ~DeviceArray() {
    if (memory_ != nullptr) cudaFree(memory_);
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;

  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * sizeof(T); }
  T* data() const {
    return memory_ == nullptr ? nullptr
                              : reinterpret_cast<T*>(static_cast<char*>(memory_) + kGuard);
  }
  template <typename Other>
  Other* as() const {
    return reinterpret_cast<Other*>(data());
  }
  void put(const std::vector<T>& values) {
    if (memory_ != nullptr) cudaMemcpy(data(), values.data(), bytes(), cudaMemcpyHostToDevice);
  }
  // The values; and whether nothing was written outside of them.
  std::vector<T> get(Check& check) const {
    std::vector<T> values(count_);
    std::vector<unsigned char> all(bytes() + 2 * kGuard);
    if (memory_ == nullptr) {
      check.fail("no device memory");
      return values;
    }
    if (!CALL(check, cudaMemcpy(all.data(), memory_, all.size(), cudaMemcpyDeviceToHost))) {
      return values;
    }
    if (count_ != 0) std::memcpy(values.data(), all.data() + kGuard, bytes());
    for (std::size_t i = 0; i < kGuard; ++i) {
      if (all[i] != kPattern || all[kGuard + bytes() + i] != kPattern) {
        check.fail("device memory written outside of the array");
        break;
      }
    }
    return values;
  }

 private:
  // As far apart as cudaMalloc aligns.
  static constexpr std::size_t kGuard = 512;
  static constexpr unsigned char kPattern = 0xA5;
  std::size_t count_;
  void* memory_ = nullptr;
};

// As plain numbers, for comparisons: a complex number is two.
template <typename T>
std::vector<double> flat(const std::vector<T>& values) {
  return std::vector<double>(values.begin(), values.end());
}
template <typename T>
std::vector<double> flat(const std::vector<std::complex<T>>& values) {
  std::vector<double> numbers;
  for (const std::complex<T>& value : values) {
    numbers.push_back(value.real());
    numbers.push_back(value.imag());
  }
  return numbers;
}

}  // namespace maths
