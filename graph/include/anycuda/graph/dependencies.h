// SPDX-License-Identifier: Apache-2.0

// The nodes that a new node depends on.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "anycuda/graph/cuda_types.h"

namespace anycuda::graph {

// A list in braces, which is copied (the copy may throw std::bad_alloc before the function is
// called), or nodes that the caller keeps until the call returns: a vector, an array, a std::array,
// a std::span, or another container that has its nodes in one block (std::data and std::size).
class Dependencies {
  template <typename Range>
  using Contiguous = std::enable_if_t<
      std::is_convertible_v<decltype(std::data(std::declval<const Range&>())),
                            const CUgraphNode*> &&
      std::is_convertible_v<decltype(std::size(std::declval<const Range&>())), std::size_t>>;

 public:
  Dependencies() = default;
  Dependencies(std::initializer_list<CUgraphNode> nodes) : listed_(nodes), count_(nodes.size()) {}
  Dependencies(const std::vector<CUgraphNode>& nodes)
      : nodes_(nodes.data()), count_(nodes.size()) {}
  template <typename Range, typename = Contiguous<Range>>
  Dependencies(const Range& nodes) : nodes_(std::data(nodes)), count_(std::size(nodes)) {}
  Dependencies(const CUgraphNode* nodes, std::size_t count) : nodes_(nodes), count_(count) {}
  const CUgraphNode* nodes() const { return listed_.empty() ? nodes_ : listed_.data(); }
  std::size_t count() const { return count_; }

 private:
  std::vector<CUgraphNode> listed_;
  const CUgraphNode* nodes_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace anycuda::graph
