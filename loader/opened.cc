#include "loader/opened.h"

#include <atomic>

#include "compat/base/kept.h"

namespace anycuda {
namespace {

std::atomic<const Opened*> opened{nullptr};

}  // namespace

const Opened* opened_library() { return opened.load(std::memory_order_acquire); }

const Opened* settle(const Choice& choice, bool* is_new) {
  const Version version{choice.major, choice.minor};
  const Opened record{choice.handle, version, kLibrary.index_of(version.major), nullptr};
  const Opened* other = opened_library();
  if (other != nullptr) return other;
  const Opened* mine = keep(record, &Opened::path, choice.path);
  if (mine == nullptr) return nullptr;
  if (!opened.compare_exchange_strong(other, mine, std::memory_order_acq_rel)) return other;
  *is_new = true;
  return mine;
}

}  // namespace anycuda
