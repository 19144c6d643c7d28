// SPDX-License-Identifier: Apache-2.0

// The known nodes of a graph, and their attachments: sorted by address, in arrays that each hold
// the nodes of 64 KB of addresses. A driver allocates node after node, so most new nodes come
// behind the last one of the array that was used last. Takes 18 to 20 bytes per node where many
// nodes are a few hundred bytes apart, 160 for a node that is the only one in its 64 KB, and 160
// for the reserve.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "anycuda/graph/cuda_types.h"

namespace anycuda::graph {

struct Attachment;

class NodeTable {
 public:
  // A node's attachment, or nullptr. `in_doubt`: the graph may not hold the attachment (doubt_all).
  // `known`: the table has the node.
  struct Has {
    Attachment* attachment = nullptr;
    bool in_doubt = false;
    bool known = true;
  };

  NodeTable() = default;
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  bool contains(CUgraphNode node) const noexcept { return get(node).known; }
  Has get(CUgraphNode node) const noexcept;
  Attachment* find(CUgraphNode node) const noexcept { return get(node).attachment; }
  // Reserves memory for one more node. Throws std::bad_alloc, and then the table has the same nodes
  // as before.
  void reserve() {
    if (!is_reserved()) allocate();
  }
  // Whether put() may be called for the node: it is known, or memory is reserved or can be. For
  // callers that ran functions of the program since reserve(), which may have put other nodes.
  bool can_put(CUgraphNode node) noexcept;
  // Each returns the former entry. put() needs reserve() or can_put() directly before it, unless
  // the node is known.
  Has put(CUgraphNode node, Has has) noexcept;
  Has take(CUgraphNode node) noexcept;
  // Marks all attachments as in doubt: another graph may have the address of the one that holds
  // them.
  void doubt_all() noexcept;
  std::size_t size() const { return size_; }
  void clear() noexcept;

  template <typename Visit>
  void each_node(const Visit& visit) const {
    for (const auto& [number, region] : regions_) {
      for (const Entry& entry : region) visit(entry.node, entry.get());
    }
  }
  // The nodes that have an attachment.
  template <typename Visit>
  void each(const Visit& visit) const {
    each_node([&](CUgraphNode node, Has has) {
      if (has.attachment != nullptr) visit(node, has.attachment);
    });
  }

 private:
  // An attachment's address is even: the lowest bit says that it is in doubt.
  struct Entry {
    CUgraphNode node;
    std::uintptr_t bits;
    Has get() const noexcept {
      return {reinterpret_cast<Attachment*>(bits & ~std::uintptr_t{1}), (bits & 1U) != 0, true};
    }
  };
  using Region = std::vector<Entry>;  // by address
  using Regions = std::map<std::uintptr_t, Region>;

  bool is_reserved() const noexcept { return full_ == nullptr && !spare_.empty(); }
  void allocate();
  // nullptr if no known node is in the node's region. `Table`: with const or without.
  template <typename Table>
  static auto region_of(Table& table, CUgraphNode node) noexcept
      -> decltype(&table.regions_.begin()->second);
  Region& region_for(CUgraphNode node) noexcept;

  Regions regions_;
  std::size_t size_ = 0;
  // The region of the last put(), since the next one is likely to be in it, too.
  std::uintptr_t last_number_ = 0;
  Region* last_ = nullptr;
  // put() needs no memory: it leaves at most one region full, which allocate() enlarges before the
  // next put(), and a region's first node takes the spare region.
  Region* full_ = nullptr;
  Regions::node_type spare_;
};

}  // namespace anycuda::graph
