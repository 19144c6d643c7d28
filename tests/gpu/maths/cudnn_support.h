// SPDX-License-Identifier: Apache-2.0

// A handle of cuDNN, its descriptors, and what the CPU compares with; for cuDNN's programs. It
// comes before check.h, which needs the statuses' is_absent().
#pragma once

// NVIDIA's cudnn.h comes only in a wheel of 650 MB. This header has the same types, values and
// prototypes, from the ABI database: statuses are plain integers there.
#include "api/cudnn_api.h"

#ifdef PROGRAM_OF_CUDNN_8  // its functions are the same, its statuses have other numbers
constexpr anycuda::api::cudnnStatus_t kBadParam = 3, kNotSupported = 9;
#else
constexpr anycuda::api::cudnnStatus_t kBadParam = anycuda::api::CUDNN_STATUS_BAD_PARAM,
                                      kNotSupported = anycuda::api::CUDNN_STATUS_NOT_SUPPORTED;
#endif

// The stub's answer for a function that the loaded cuDNN lacks.
inline bool is_absent(anycuda::api::cudnnStatus_t status) { return status == kNotSupported; }

#include <algorithm>
#include <cmath>

#include "check.h"
#include "memory.h"
#include "numbers.h"

namespace maths {

using namespace anycuda::api;

// Batches, channels, height and width, stored in this order.
struct Shape {
  int n, c, h, w;
  std::size_t count() const { return static_cast<std::size_t>(n) * c * h * w; }
  std::size_t at(int batch, int channel, int row, int column) const {
    return ((static_cast<std::size_t>(batch) * c + channel) * h + row) * w + column;
  }
  bool inside(int row, int column) const {
    return row >= 0 && row < h && column >= 0 && column < w;
  }
};

constexpr float kOne = 1, kZero = 0;
// A descriptor that is destroyed with it.
template <typename Handle>
struct Owned {
  using Function = cudnnStatus_t (*)(Handle);
  Owned(Check& check, const char* text, cudnnStatus_t (*create)(Handle*), Function destroy)
      : destroy_(destroy) {
    Guarded<Handle> made;
    if (!check.call(text, create(made.get()))) return;
    check.intact(text, made);
    handle = *made;
  }
  ~Owned() {
    if (handle != nullptr) destroy_(handle);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  Handle handle = nullptr;

 private:
  Function destroy_;
};
#define OWNED(name, check, kind)                                                   \
  const Owned<cudnn##kind##_t> name(check, "cudnnCreate" #kind, cudnnCreate##kind, \
                                    cudnnDestroy##kind)

struct Tensor {
  Tensor(Check& check, const Shape& shape, cudnnDataType_t type = CUDNN_DATA_FLOAT)
      : owned(check, "cudnnCreateTensorDescriptor", cudnnCreateTensorDescriptor,
              cudnnDestroyTensorDescriptor) {
    if (!check) return;
    CALL(check, cudnnSetTensor4dDescriptor(owned.handle, CUDNN_TENSOR_NCHW, type, shape.n, shape.c,
                                           shape.h, shape.w));
  }
  cudnnTensorDescriptor_t get() const { return owned.handle; }
  Owned<cudnnTensorDescriptor_t> owned;
};

// A handle, and the stream that it works on.
struct Library {
  explicit Library(Check& check) : dnn(check, "cudnnCreate", cudnnCreate, cudnnDestroy) {
    Guarded<cudaStream_t> got;
    if (!check || !CALL(check, cudaStreamCreate(&stream))) return;
    CALL(check, cudnnSetStream(dnn.handle, stream)) &&
        CALL(check, cudnnGetStream(dnn.handle, got.get()));
    EXPECT(check, *got == stream);
    INTACT(check, got);
  }
  ~Library() {
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  cudnnHandle_t handle() const { return dnn.handle; }
  void wait(Check& check) const { CALL(check, cudaStreamSynchronize(stream)); }
  Owned<cudnnHandle_t> dnn;
  cudaStream_t stream = nullptr;
};

inline std::vector<float> small_floats(std::size_t count, std::uint32_t seed) {
  const std::vector<int> values = small_values(count, seed);
  return std::vector<float>(values.begin(), values.end());
}

// What a function writes as its last argument.
template <typename T, typename Function>
T written(Check& check, const char* text, Function function) {
  Guarded<T> place;
  const bool good = check.call(text, function(place.get()));
  check.intact(text, place);
  return good ? *place : T{};
}
#define SIZE_OF(check, function, ...)    \
  written<std::size_t>(check, #function, \
                       [&](std::size_t* bytes_) { return function(__VA_ARGS__, bytes_); })

using Bytes = DeviceArray<unsigned char>;
using Floats = std::vector<float>;
using Doubles = std::vector<double>;

struct Filter {
  Filter(Check& check, const Shape& shape)
      : owned(check, "cudnnCreateFilterDescriptor", cudnnCreateFilterDescriptor,
              cudnnDestroyFilterDescriptor) {
    if (!check) return;
    CALL(check, cudnnSetFilter4dDescriptor(owned.handle, CUDNN_DATA_FLOAT, CUDNN_TENSOR_NCHW,
                                           shape.n, shape.c, shape.h, shape.w));
  }
  cudnnFilterDescriptor_t get() const { return owned.handle; }
  Owned<cudnnFilterDescriptor_t> owned;
};

// The derivatives of the sum of weights * function(at), by differences.
template <typename Function>
Doubles gradient(const Function& function, const Doubles& at, const Doubles& weights) {
  constexpr double kStep = 1e-5;
  Doubles result;
  for (std::size_t i = 0; i < at.size(); ++i) {
    Doubles more = at, less = at;
    more[i] += kStep;
    less[i] -= kStep;
    const Doubles up = function(more), down = function(less);
    double sum = 0;
    for (std::size_t j = 0; j < up.size(); ++j) sum += weights[j] * (up[j] - down[j]);
    result.push_back(sum / (2 * kStep));
  }
  return result;
}

// The programs of cuDNN 8 are made of the same sources.
inline void run_on_library(std::string program,
                           std::initializer_list<Topic<const Library&>> topics) {
#ifdef PROGRAM_OF_CUDNN_8
  program.insert(std::strlen("cudnn"), "8");
#endif
  run_topics_with<Library>(program, topics);
}

}  // namespace maths
