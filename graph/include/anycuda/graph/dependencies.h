// SPDX-License-Identifier: Apache-2.0

// Lists that a call reads: the nodes that a new node depends on, and edges (edges.h).
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
// called), or items that the caller keeps until the call returns: a vector, an array, a std::array,
// a std::span, or another container that has its items in one block (std::data and std::size).
template <typename Item>
class ItemList {
  template <typename Range>
  using Contiguous = std::enable_if_t<
      std::is_convertible_v<decltype(std::data(std::declval<const Range&>())), const Item*> &&
      std::is_convertible_v<decltype(std::size(std::declval<const Range&>())), std::size_t>>;

 public:
  ItemList() = default;
  ItemList(std::initializer_list<Item> items) : listed_(items), count_(items.size()) {}
  ItemList(const std::vector<Item>& items) : items_(items.data()), count_(items.size()) {}
  template <typename Range, typename = Contiguous<Range>>
  ItemList(const Range& items) : items_(std::data(items)), count_(std::size(items)) {}
  ItemList(const Item* items, std::size_t count) : items_(items), count_(count) {}
  const Item* items() const { return listed_.empty() ? items_ : listed_.data(); }
  std::size_t count() const { return count_; }

 private:
  std::vector<Item> listed_;
  const Item* items_ = nullptr;
  std::size_t count_ = 0;
};

// The nodes that a new node depends on.
class Dependencies : public ItemList<CUgraphNode> {
 public:
  using ItemList::ItemList;
  const CUgraphNode* nodes() const { return items(); }
};

}  // namespace anycuda::graph
