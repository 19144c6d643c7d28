// SPDX-License-Identifier: Apache-2.0

// Functions of the opened library, looked up once.
#pragma once

#include <atomic>
#include <cstdint>

#include "compat/search/symbols/function.h"

namespace anycuda {

// The cached value for a name that the library does not have: neither nullptr, which means "not
// looked up yet", nor an address.
inline constexpr std::uintptr_t kNoFunction = 1;
inline bool is_function(const void* cache) {
  return reinterpret_cast<std::uintptr_t>(cache) > kNoFunction;
}

// Nothing is cached before a library is open.
void* loaded_function(std::atomic<void*>* cache, void* handle, const char* name);

}  // namespace anycuda
