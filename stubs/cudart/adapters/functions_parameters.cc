// SPDX-License-Identifier: Apache-2.0

// Names and parameters of kernels, which runtimes report since 12.3, 12.4 and 13.2, on older
// runtimes.
#include "stubs/cudart/adapters/device_driver.h"

namespace anycuda {
namespace {

// How many parameters `info` knows. The driver calls an index behind the last one an invalid value
// (cuda.h, cuFuncGetParamInfo).
template <typename Info>
Status count_parameters(Info info, std::size_t* count) {
  for (std::size_t index = 0;; ++index) {
    std::size_t offset = 0;
    std::size_t size = 0;
    const Status status = info(index, &offset, &size);
    if (status == v13::cudaErrorInvalidValue) return *count = index, 0;
    if (status != 0) return status;
  }
}

// Is the runtime of 12.4 or later?
bool tells_parameters() {
  static std::atomic<void*> cache;
  return library_function(&cache, "cudaFuncGetParamInfo") != nullptr;
}

}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_func_get_name(const char** name, const void* function) {
  // 12's looks at this before it looks for the function.
  if (name == nullptr) return in_driver([]() -> Status { return v12::cudaErrorInvalidValue; });
  driver::CUfunction known = nullptr;
  const Status status = v11::cudaGetFuncBySymbol(&known, function);
  return status != 0 ? status : driver_answer(driver::cuFuncGetName(name, known));
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_func_get_param_info(const void* function, std::size_t index,
                                                           std::size_t* offset, std::size_t* size) {
  driver::CUfunction known = nullptr;
  const Status status = v11::cudaGetFuncBySymbol(&known, function);
  return status != 0 ? status
                     : driver_answer(driver::cuFuncGetParamInfo(known, index, offset, size));
}

// 12 knows kernels of cudaLibraryGetKernel too, which have no CUfunction.
ANYCUDA_ADAPTER v13::cudaError_t adapt_func_get_param_count(const void* function,
                                                            std::size_t* count) {
  Status status = 0;
  std::size_t counted = 0;
  {
    const KeepLastError
        last_error_scope;  // the index that ends the count is an error to the runtime
    driver::CUfunction known = nullptr;
    status = v11::cudaGetFuncBySymbol(&known, function);
    if (status == 0) {
      status = count_parameters(
          [&](auto... place) { return driver::cuFuncGetParamInfo(known, place...); }, &counted);
    } else if (tells_parameters()) {
      status = count_parameters(
          [&](auto... place) { return v12::cudaFuncGetParamInfo(function, place...); }, &counted);
    }
  }
  if (status == 0 && count == nullptr) status = v13::cudaErrorInvalidValue;
  if (status == 0) *count = counted;
  return driver_answer(status);
}

}  // namespace anycuda
