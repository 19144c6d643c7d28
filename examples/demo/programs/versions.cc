// SPDX-License-Identifier: Apache-2.0

// Which CUDA runtime did this program get, and what does it say about itself and about the driver?

#include <cuda_runtime_api.h>

#include "report.h"

namespace {

std::string answer(cudaError_t error, int version) {
  if (error != cudaSuccess) return report::code(cudaGetErrorName(error), error);
  return version == 0 ? "none" : report::version(version);
}

}  // namespace

int main() {
  int version = 0;
  cudaError_t error = cudaRuntimeGetVersion(&version);
  report::fact("runtime", answer(error, version));
  version = 0;
  error = cudaDriverGetVersion(&version);
  report::fact("driver", answer(error, version));
  report::fact("library", report::loaded_file("libcudart.so"));
  return 0;
}
