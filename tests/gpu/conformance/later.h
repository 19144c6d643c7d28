// SPDX-License-Identifier: Apache-2.0

// Functions that are newer than the headers this program was compiled with. They are looked up
// under the symbol version of the program's major, as a relocation would; natively an older runtime
// of that major does not have them, and through the stub its answer is 302.
#pragma once

#include <cuda_runtime.h>
#include <dlfcn.h>

#include "check.h"

namespace conformance {

constexpr const char* kNode = CUDART_VERSION >= 13000   ? "libcudart.so.13"
                              : CUDART_VERSION >= 12000 ? "libcudart.so.12"
                                                        : "libcudart.so.11.0";

template <typename... Arguments>
class Later {
 public:
  explicit Later(const std::string& name)
      : function_(reinterpret_cast<Function*>(dlvsym(RTLD_DEFAULT, in_form(name).c_str(), kNode))) {
  }

  cudaError_t operator()(Arguments... arguments) const {
    if (function_ != nullptr) return function_(arguments...);
    note_own_absence();
    return cudaErrorSharedObjectSymbolNotFound;
  }

 private:
  using Function = cudaError_t(Arguments...);
  // Which of a function's two forms the headers would take, had they the function.
  static std::string in_form(const std::string& name) {
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
    if (dlvsym(RTLD_DEFAULT, (name + "_ptsz").c_str(), kNode) != nullptr) return name + "_ptsz";
#endif
    return name;
  }
  Function* function_;
};

}  // namespace conformance
