// SPDX-License-Identifier: Apache-2.0

// Calls of the driver on behalf of a caller of the runtime.
#pragma once

#include "cudart_adapters.h"

namespace anycuda {

// The runtime makes its context at the first call that needs one; the driver does not. `call` is
// repeated after the runtime has made it. Returns the result, and remembers it if it is an error.
template <typename Call>
Status in_context(Call call) {
  Status status = call();
  // The last is the driver's status for a device's context that is not yet in use, which runtime 11
  // makes current in cudaSetDevice (read in the machine code of 11.8).
  if (status == driver::CUDA_ERROR_NOT_INITIALIZED ||
      status == driver::CUDA_ERROR_INVALID_CONTEXT ||
      status == driver::CUDA_ERROR_CONTEXT_IS_DESTROYED) {
    const KeepLastError last_error_scope;
    // The cheapest call that needs a context (CUDA Runtime API, "Initialization"). If no context
    // can be made, its status is that of the runtime's functions.
    const Status made = v11::cudaFree(nullptr);
    status = made == 0 ? call() : made;
  }
  return driver_answer(status);
}

// A function that may be missing, without a message.
template <void* (*find)(std::atomic<void*>*, const char*)>
struct Optional {
  const char* name;
  std::atomic<void*> cache{nullptr};
  bool available() { return find(&cache, name) != nullptr; }
};
using OfRuntime = Optional<library_function>;
using OfDriver = Optional<driver_function>;

// Structs that the runtime passes to the driver unchanged (read in the machine code of 12.9 and
// 13.5). This compares the sizes; the fields are compared where the types are used.
template <typename To, typename From>
To* same_layout(From* pointer) {
  static_assert(sizeof(To) == sizeof(From));
  return reinterpret_cast<To*>(pointer);
}

// The legacy default stream orders itself with all other streams.
template <bool per_thread>
bool is_legacy(v13::cudaStream_t stream) {
  return reinterpret_cast<std::uintptr_t>(stream) == v13::cudaStreamLegacy ||
         (!per_thread && stream == nullptr);
}

}  // namespace anycuda
