// SPDX-License-Identifier: Apache-2.0
#include "linker/base/results.h"

#include "api/cuda_api.h"
#include "api/nvjitlink_api.h"
#include "api/nvrtc_api.h"

namespace anycuda::linker {
namespace {

std::string with_number(const char* name, unsigned result) {
  return std::string(name) + " (" + std::to_string(result) + ")";
}

}  // namespace

std::string nvjitlink_result(unsigned result) {
  constexpr const char* kNames[] = {
      "NVJITLINK_SUCCESS",
      "NVJITLINK_ERROR_UNRECOGNIZED_OPTION",
      "NVJITLINK_ERROR_MISSING_ARCH",
      "NVJITLINK_ERROR_INVALID_INPUT",
      "NVJITLINK_ERROR_PTX_COMPILE",
      "NVJITLINK_ERROR_NVVM_COMPILE",
      "NVJITLINK_ERROR_INTERNAL",
      "NVJITLINK_ERROR_THREADPOOL",
      "NVJITLINK_ERROR_UNRECOGNIZED_INPUT",
      "NVJITLINK_ERROR_FINALIZE",
      "NVJITLINK_ERROR_NULL_INPUT",
      "NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS",
      "NVJITLINK_ERROR_INCORRECT_INPUT_TYPE",
      "NVJITLINK_ERROR_ARCH_MISMATCH",
      "NVJITLINK_ERROR_OUTDATED_LIBRARY",
      "NVJITLINK_ERROR_MISSING_FATBIN",
      "NVJITLINK_ERROR_UNRECOGNIZED_ARCH",
      "NVJITLINK_ERROR_UNSUPPORTED_ARCH",
      "NVJITLINK_ERROR_LTO_NOT_ENABLED",
  };
  static_assert(sizeof kNames / sizeof *kNames == api::NVJITLINK_ERROR_LTO_NOT_ENABLED + 1);
  const bool known = result < sizeof kNames / sizeof *kNames;
  return with_number(known ? kNames[result] : "an unknown result", result);
}

std::string driver_result(unsigned result) {
  const char* name = nullptr;
  const bool known = api::cuGetErrorName(result, &name) == api::CUDA_SUCCESS && name != nullptr;
  return with_number(known ? name : "an unknown result", result);
}

std::string nvrtc_result(unsigned result) {
  const char* name = api::nvrtcGetErrorString(result);
  return with_number(name != nullptr ? name : "an unknown result", result);
}

}  // namespace anycuda::linker
