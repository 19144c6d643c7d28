// SPDX-License-Identifier: Apache-2.0

// Which CUDA is here: a Python module in 30 lines.
#include <cuda_runtime_api.h>
#include <pybind11/pybind11.h>

#include <stdexcept>

namespace {

void check(cudaError_t status) {
  if (status != cudaSuccess) {
    throw std::runtime_error(cudaGetErrorString(status));
  }
}

int runtime() {
  int version = 0;
  check(cudaRuntimeGetVersion(&version));
  return version;
}

int devices() {
  int count = 0;
  check(cudaGetDeviceCount(&count));
  return count;
}

}  // namespace

PYBIND11_MODULE(whichcuda, module) {
  module.attr("built_for") = CUDART_VERSION;
  module.def("runtime", &runtime, "The version of the CUDA runtime that is in use.");
  module.def("devices", &devices, "How many GPUs there are.");
}
