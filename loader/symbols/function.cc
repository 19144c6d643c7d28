// SPDX-License-Identifier: Apache-2.0
#include "loader/symbols/function.h"

namespace anycuda {

void* loaded_function(std::atomic<void*>* cache, void* handle, const char* name) {
  void* known = cache->load(std::memory_order_acquire);
  if (handle == nullptr || known != nullptr) return is_function(known) ? known : nullptr;
  void* found = find_function(handle, name);
  cache->store(found != nullptr ? found : reinterpret_cast<void*>(kNoFunction),
               std::memory_order_release);
  return found;
}

}  // namespace anycuda
