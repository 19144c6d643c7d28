#include "graph/error.h"

#include <cstdarg>
#include <cstdio>

#include "anycuda/graph/drain.h"
#include "graph/driver.h"

namespace anycuda::graph {
namespace {

// No object with a destructor: graphs with static lifetime may fail after the thread's objects are
// gone.
constexpr std::size_t kLongest = 512;
thread_local char sentence[kLongest];

}  // namespace

const char* last_error() noexcept { return sentence; }

CUresult fail(CUresult status, const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(sentence, kLongest, format, arguments);
  va_end(arguments);
  return status;
}

CUresult answered(const char* function, unsigned status) noexcept {
  if (status == api::CUDA_SUCCESS) return CUDA_SUCCESS;
  if (status == api::CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND) return not_supported(function);
  const char* name = nullptr;
  const char* words = nullptr;
  if (api::cuGetErrorName(status, &name) != api::CUDA_SUCCESS || name == nullptr) name = "error";
  if (api::cuGetErrorString(status, &words) != api::CUDA_SUCCESS || words == nullptr) words = "";
  return fail(static_cast<CUresult>(status), "%s: %s (%u)%s%s", function, name, status,
              *words != '\0' ? ": " : "", words);
}

CUresult user_objects_answered(const char* function, unsigned status) noexcept {
  // A real driver that was not initialised says the same as a stub without one; only that knows its
  // version.
  if (status == api::CUDA_ERROR_NOT_INITIALIZED && driver_version() == 0) {
    return fail(CUDA_ERROR_NOT_SUPPORTED, "%s: there is no CUDA driver to hold owners", function);
  }
  return answered(function, status);
}

}  // namespace anycuda::graph
