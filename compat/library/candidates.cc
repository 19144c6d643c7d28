// SPDX-License-Identifier: Apache-2.0
#include "compat/library/candidates.h"

namespace anycuda::compat {
namespace {

char kind_letter(const ComponentRoot& root) {
  if (root.folders == &Component::wheel_folders) return 'w';
  return root.folders == &Component::root_folders ? 'r' : 's';
}

}  // namespace

FoundFiles CandidateLists::everywhere(const Component& component) {
  return remembered({&component, ""}, [&] { return files_in(component, locations_of(component)); });
}

FoundFiles CandidateLists::below(const ComponentRoot& root, const Component& component) {
  return remembered({&component, kind_letter(root) + root.path},
                    [&] { return files_in(component, locations_below(root, component)); });
}

FoundFiles CandidateLists::remembered(const Key& key, const std::function<FoundFiles()>& look) {
  std::uint64_t cleared = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = lists_.find(key);
    if (known != lists_.end()) return known->second;
    cleared = cleared_;
  }
  FoundFiles found = look();
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
