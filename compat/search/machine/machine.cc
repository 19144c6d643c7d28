#include "compat/search/machine/machine.h"

namespace anycuda {

OpenResult open_shared_library(const char* path, int flags) {
  void* handle = dlopen(path, flags);
  if (handle != nullptr) return {handle, nullptr};
  const char* error = dlerror();
  return {nullptr, error != nullptr ? error : "no reason given"};
}

}  // namespace anycuda
