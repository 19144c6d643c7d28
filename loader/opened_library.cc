// SPDX-License-Identifier: Apache-2.0
#include "loader/opened_library.h"

#include <atomic>
#include <new>

#include "compat/search/symbols/loaded_names.h"
#include "loader/process/process_records.h"
#include "loader/symbols/variables.h"

namespace anycuda {
namespace {

std::atomic<const Opened*> opened{nullptr};

// Is it the library of an earlier major, which serves callers of that major directly?
bool is_earlier(void* handle) {
  if (kLibrary.earlier_soname == nullptr) return false;
  const char* soname = LoadedNames(*static_cast<const link_map*>(handle)).soname();
  return soname != nullptr && kLibrary.is_earlier(soname);
}

}  // namespace

const Opened* opened_library() { return opened.load(std::memory_order_acquire); }

const Opened* adopt_library(void* handle, Version version, const char* path, bool* is_new) {
  const int index = is_earlier(handle) ? -1 : kLibrary.index_of(version.major);
  const Opened* other = opened_library();
  if (other != nullptr) return other;
  void* const memory = lasting_memory(sizeof(Opened));
  if (memory == nullptr) return nullptr;
  if (anycuda_fill_variables != nullptr) anycuda_fill_variables(handle);
  const Opened* const mine = new (memory) Opened{handle, version, index, path};
  *is_new = opened.compare_exchange_strong(other, mine, std::memory_order_acq_rel);
  if (*is_new) return mine;
  release(memory, sizeof(Opened));
  return other;
}

}  // namespace anycuda
