#include "anycuda/graph/owner.h"

#include <vector>

#include "graph/attachment.h"

namespace anycuda::graph {

OpaqueHandle all_of(std::initializer_list<OpaqueHandle> owners) {
  for (const OpaqueHandle& owner : owners) {
    if (is_closed(owner)) return owner;
  }
  std::vector<OpaqueHandle> some;
  some.reserve(owners.size());
  for (const OpaqueHandle& owner : owners) {
    if (owner != nullptr) some.push_back(owner);
  }
  if (some.empty()) return nullptr;
  if (some.size() == 1) return some.front();
  return std::make_shared<const std::vector<OpaqueHandle>>(std::move(some));
}

}  // namespace anycuda::graph
