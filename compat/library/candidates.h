// All candidates of a component. They are looked for when the first one is refused, and remembered.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "anycuda/compat/find.h"

namespace anycuda::compat {

// Thread-safe; two threads that ask together may both look.
class CandidateLists {
 public:
  // Finder::find_all().
  std::vector<Located> everywhere(const Component& component);

  // Forgets all.
  void clear();

 private:
  std::mutex mutex_;  // not held while looking
  std::map<const Component*, std::vector<Located>> lists_;
  std::uint64_t cleared_ = 0;  // times; what was looked for before is not kept
};

}  // namespace anycuda::compat
