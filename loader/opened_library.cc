// SPDX-License-Identifier: Apache-2.0
#include "loader/opened_library.h"

#include <atomic>

#include "compat/base/intern.h"
#include "compat/search/machine/loaded_names.h"

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

const Opened* adopt_library(const Choice& choice, bool* is_new) {
  const Version version{choice.major, choice.minor};
  const int index = is_earlier(choice.handle) ? -1 : kLibrary.index_of(version.major);
  const Opened record{choice.handle, version, index, nullptr};
  const Opened* other = opened_library();
  if (other != nullptr) return other;
  const Opened* mine = intern(record, &Opened::path, choice.path);
  if (mine == nullptr) return nullptr;
  if (!opened.compare_exchange_strong(other, mine, std::memory_order_acq_rel)) return other;
  *is_new = true;
  return mine;
}

}  // namespace anycuda
