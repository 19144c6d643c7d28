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
  // Finder::find_all().
  std::vector<Located> everywhere(const Component& component);
  std::vector<Located> below(const ComponentRoot& root, const Component& component);

  // Forgets all.
  void clear();

 private:
  using Key = std::pair<const Component*, std::string>;  // a path's kind goes in front of it
  std::vector<Located> remembered(const Key& key,
                                  const std::function<std::vector<Located>()>& look);

  std::mutex mutex_;  // not held while looking
  std::map<Key, std::vector<Located>> lists_;
  std::uint64_t cleared_ = 0;  // how many times; searches that began before are not remembered
};

}  // namespace anycuda::compat
