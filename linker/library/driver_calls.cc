// SPDX-License-Identifier: Apache-2.0
#include "linker/library/driver_calls.h"

#include <cstring>

#include "anycuda/linker/errors.h"
#include "anycuda/linker/probe.h"
#include "api/cuda_api.h"
#include "linker/base/message_text.h"
#include "linker/base/results.h"

namespace anycuda::linker {
namespace {

// CUDA Driver API, the pages of the functions. Functions that are not here came with 12.0 at the
// latest, as did cuLibraryLoadData.
struct Since {
  const char* function;
  Version version;
};
constexpr Version kLibraries{12, 0};
constexpr Since kSince[] = {{"cuKernelGetName", {12, 3}},
                            {"cuKernelGetParamInfo", {12, 4}},
                            {"cuLibraryEnumerateKernels", {12, 4}},
                            {"cuLibraryGetKernelCount", {12, 4}}};

Version first_version(const char* function) {
  for (const Since& row : kSince) {
    if (std::strcmp(row.function, function) == 0) return row.version;
  }
  return kLibraries;
}

std::string lacks(const char* function, Version version) {
  const Version first = first_version(function);
  return std::string(function) + " needs a driver of CUDA " + describe(first) +
         " or later; this one is of CUDA " + describe(version) + ": update the driver" +
         (older(version, kLibraries) ? ", or load the code with cuModuleLoadData" : "");
}

struct Hint {
  unsigned result;
  const char* text;
  const char* function = nullptr;  // only of this one
};
constexpr Hint kHints[] = {
    {api::CUDA_ERROR_NOT_INITIALIZED, "call cuInit first"},
    {api::CUDA_ERROR_INVALID_CONTEXT, "make a context current (cuCtxSetCurrent)"},
    {api::CUDA_ERROR_NO_BINARY_FOR_GPU,
     "compile the code for the device's architecture, or to PTX of an older one"},
    {api::CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
     "compile the PTX with an NVRTC or nvcc of the driver's CUDA or older, or compile to a CUBIN"},
    {api::CUDA_ERROR_JIT_COMPILER_NOT_FOUND,
     "install the driver's libnvidia-ptxjitcompiler.so.1, which is missing, or compile to a CUBIN"},
    // Measured with a partial CUBIN: docs/linker.md, "Outputs".
    {api::CUDA_ERROR_NOT_FOUND,
     "link the code with the modules that define what it uses (a partial CUBIN lacks them)",
     "cuKernelGetFunction"},
};

std::string hint_for(unsigned result, const char* function) {
  for (const Hint& hint : kHints) {
    const bool any = hint.function == nullptr || std::strcmp(hint.function, function) == 0;
    if (hint.result == result && any) return std::string("\n  what to do: ") + hint.text;
  }
  return "";
}

}  // namespace

void need_function(const char* function) {
  const DriverProbe driver = probe_driver();
  if (driver.path.empty()) {
    throw BackendError(std::string(function) + " needs a driver: " + driver.problem);
  }
  if (driver.version.known() && older(driver.version, first_version(function))) {
    throw BackendError(lacks(function, driver.version));
  }
}

void require(unsigned result, const char* function, const std::string& about,
             const std::string& log) {
  if (result == api::CUDA_SUCCESS) return;
  if (result == api::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND) {
    throw BackendError(lacks(function, probe_driver().version));
  }
  throw DriverError(std::string(function) + (about.empty() ? "" : " " + about) +
                        " failed: " + driver_result(result) +
                        (log.empty() ? "" : "\n  log: " + log) + hint_for(result, function),
                    static_cast<int>(result));
}

}  // namespace anycuda::linker
