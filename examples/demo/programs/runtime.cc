// SPDX-License-Identifier: Apache-2.0

// What every CUDA program does first: count the devices, allocate memory, and tell the user when
// that fails.

#include <cuda_runtime_api.h>

#include "report.h"

namespace {

std::string answer(cudaError_t error) { return report::code(cudaGetErrorName(error), error); }

}  // namespace

int main() {
  int count = 0;
  const cudaError_t counted = cudaGetDeviceCount(&count);
  report::fact("device count", counted == cudaSuccess ? std::to_string(count) : answer(counted));
  report::fact("meaning", cudaGetErrorString(counted));
  report::fact("last error", answer(cudaGetLastError()));
  void* memory = nullptr;
  report::fact("malloc", answer(cudaMalloc(&memory, 256)));
  report::fact("free", answer(cudaFree(memory)));
  report::fact("library", report::loaded_file("libcudart.so"));
  return 0;
}
