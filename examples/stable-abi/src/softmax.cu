// SPDX-License-Identifier: Apache-2.0

// softmax over the last dimension, as an operator of PyTorch: the kernel, and its registration on
// the stable ABI. Nothing in it knows of anycuda.
#define USE_CUDA  // declares aoti_torch_get_current_cuda_stream
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/csrc/stable/accelerator.h>
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
#include <torch/headeronly/core/ScalarType.h>

#include <cuda_runtime.h>

#include <cfloat>

namespace {

constexpr int kThreads = 256;

struct Max {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
};

struct Sum {
  __device__ float operator()(float a, float b) const { return a + b; }
};

// The result of all threads of a block, given to each of them.
template <typename Op>
__device__ float reduce(float value, Op op) {
  __shared__ float partial[kThreads];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      partial[threadIdx.x] = op(partial[threadIdx.x], partial[threadIdx.x + half]);
    __syncthreads();
  }
  const float result = partial[0];
  __syncthreads();
  return result;
}

// A block for each row.
__global__ void softmax_rows(const float* in, float* out, int64_t columns) {
  in += blockIdx.x * columns;
  out += blockIdx.x * columns;
  float highest = -FLT_MAX;
  for (int64_t i = threadIdx.x; i < columns; i += kThreads) highest = fmaxf(highest, in[i]);
  highest = reduce(highest, Max());
  float sum = 0;
  for (int64_t i = threadIdx.x; i < columns; i += kThreads) sum += expf(in[i] - highest);
  sum = reduce(sum, Sum());
  for (int64_t i = threadIdx.x; i < columns; i += kThreads) out[i] = expf(in[i] - highest) / sum;
}

torch::stable::Tensor softmax(const torch::stable::Tensor& in) {
  STD_TORCH_CHECK(in.scalar_type() == torch::headeronly::ScalarType::Float,
                  "softmax: float32 only");
  STD_TORCH_CHECK(in.dim() > 0 && in.is_contiguous(),
                  "softmax: a contiguous tensor with at least one dimension");
  torch::stable::Tensor out = torch::stable::empty_like(in);
  if (in.numel() == 0) return out;
  const int64_t columns = in.size(in.dim() - 1);
  const int64_t rows = in.numel() / columns;
  STD_TORCH_CHECK(rows <= INT_MAX, "softmax: too many rows");
  const torch::stable::accelerator::DeviceGuard guard(in.get_device_index());
  void* stream = nullptr;
  TORCH_ERROR_CODE_CHECK(aoti_torch_get_current_cuda_stream(in.get_device_index(), &stream));
  softmax_rows<<<static_cast<unsigned>(rows), kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const float*>(in.data_ptr()), static_cast<float*>(out.data_ptr()), columns);
  const cudaError_t status = cudaGetLastError();
  STD_TORCH_CHECK(status == cudaSuccess, "softmax: ", cudaGetErrorString(status));
  return out;
}

void boxed_softmax(StableIValue* stack, uint64_t, uint64_t) {
  stack[0] = from(softmax(to<torch::stable::Tensor>(stack[0])));
}

}  // namespace

STABLE_TORCH_LIBRARY(stable_softmax, library) { library.def("softmax(Tensor input) -> Tensor"); }

STABLE_TORCH_LIBRARY_IMPL(stable_softmax, CUDA, library) {
  library.impl("softmax", &boxed_softmax);
}
