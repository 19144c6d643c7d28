#include "compat/library/candidates.h"

namespace anycuda::compat {

std::vector<Located> CandidateLists::everywhere(const Component& component) {
  std::uint64_t cleared = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = lists_.find(&component);
    if (known != lists_.end()) return known->second;
    cleared = cleared_;
  }
  std::vector<Located> found = Finder::find_all(component);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (cleared == cleared_) lists_.emplace(&component, found);
  return found;
}

void CandidateLists::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  lists_.clear();
  ++cleared_;
}

}  // namespace anycuda::compat
