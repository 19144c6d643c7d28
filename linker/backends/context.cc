// SPDX-License-Identifier: Apache-2.0
#include "linker/backends/context.h"

#include "anycuda/linker/errors.h"
#include "anycuda/linker/probe.h"
#include "api/cuda_api.h"
#include "linker/base/results.h"

namespace anycuda::linker {
namespace {

unsigned capability(int device, unsigned attribute, int* number) {
  return api::cuDeviceGetAttribute(number, attribute, device);
}

}  // namespace

// Probes for the driver first: if it is missing, a call of the stub would print that on stderr.
std::string why_no_context() {
  const DriverProbe driver = probe_driver();
  if (driver.path.empty()) return "there is no driver: " + driver.problem;
  ::CUctx_st* context = nullptr;
  const unsigned result = api::cuCtxGetCurrent(&context);
  if (result != api::CUDA_SUCCESS) {
    return "cuCtxGetCurrent failed: " + driver_result(result) +
           (result == api::CUDA_ERROR_NOT_INITIALIZED ? " (call cuInit first)" : "");
  }
  return context != nullptr ? ""
                            : "this thread has no current context (call cuCtxSetCurrent first)";
}

std::string arch_of_context() {
  const std::string problem = why_no_context();
  if (!problem.empty()) {
    throw OptionError("the option arch is empty, which means the current context's device, and " +
                          problem + "; set arch, for example to sm_80",
                      "arch");
  }
  int device = 0;
  int major = 0;
  int minor = 0;
  unsigned result = api::cuCtxGetDevice(&device);
  if (result == api::CUDA_SUCCESS) {
    result = capability(device, api::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major);
  }
  if (result == api::CUDA_SUCCESS) {
    result = capability(device, api::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor);
  }
  if (result != api::CUDA_SUCCESS) {
    throw OptionError(
        "the option arch is empty, and the current device's architecture cannot be queried: " +
            driver_result(result) + "; set arch, for example to sm_80",
        "arch");
  }
  return "sm_" + std::to_string(major) + std::to_string(minor);
}

}  // namespace anycuda::linker
