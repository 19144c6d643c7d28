// SPDX-License-Identifier: Apache-2.0
#include "anycuda/graph/owner.h"

#include <algorithm>
#include <utility>

#include "graph/attachment.h"

namespace anycuda::graph {

OpaqueHandle all_of(std::initializer_list<OpaqueHandle> owners) {
  return all_of(std::vector<OpaqueHandle>(owners));
}

OpaqueHandle all_of(std::vector<OpaqueHandle> owners) {
  for (const OpaqueHandle& owner : owners) {
    if (is_closed(owner)) return owner;
  }
  owners.erase(std::remove(owners.begin(), owners.end(), nullptr), owners.end());
  if (owners.empty()) return nullptr;
  if (owners.size() == 1) return std::move(owners.front());
  return std::make_shared<const std::vector<OpaqueHandle>>(std::move(owners));
}

}  // namespace anycuda::graph
