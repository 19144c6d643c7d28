// SPDX-License-Identifier: Apache-2.0

// Remembers the candidates of a component after the first one: in the roots of its companions, and
// in all search tiers when the first one is refused.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "compat/library/component_root.h"

namespace anycuda::compat {

// Thread-safe; two threads that ask together may both look.
class CandidateLists {
 public:
  FoundFiles everywhere(const Component& component);
  FoundFiles below(const ComponentRoot& root, const Component& component);

  // Forgets all.
  void clear();

 private:
  using Key = std::pair<const Component*, std::string>;  // a path's kind goes in front of it
  FoundFiles remembered(const Key& key, const std::function<FoundFiles()>& look);

  std::mutex mutex_;  // not held while looking
  std::map<Key, FoundFiles> lists_;
  std::uint64_t cleared_ = 0;  // how many times; searches that began before are not remembered
};

}  // namespace anycuda::compat
