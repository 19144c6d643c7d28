#include "compat/library/candidates.h"

namespace anycuda::compat {
namespace {

char kind_letter(const ComponentRoot& root) {
  if (root.folders == &Component::wheel_folders) return 'w';
  return root.folders == &Component::root_folders ? 'r' : 's';
}

}  // namespace

std::vector<Located> CandidateLists::everywhere(const Component& component) {
  return remembered({&component, ""}, [&] { return Finder::find_all(component); });
}

std::vector<Located> CandidateLists::below(const ComponentRoot& root, const Component& component) {
  return remembered({&component, kind_letter(root) + root.path},
                    [&] { return usable_in(component, places_below(root, component)); });
}

std::vector<Located> CandidateLists::remembered(const Key& key,
                                                const std::function<std::vector<Located>()>& look) {
  std::uint64_t cleared = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = lists_.find(key);
    if (known != lists_.end()) return known->second;
    cleared = cleared_;
  }
  std::vector<Located> found = look();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (cleared == cleared_) lists_.emplace(key, found);
  return found;
}

void CandidateLists::clear() {
  const std::lock_guard<std::mutex> lock(mutex_);
  lists_.clear();
  ++cleared_;
}

}  // namespace anycuda::compat
