// The known nodes of a graph, and their attachments. Open addressing with linear probing: 16 bytes
// per entry, 54 to 81 percent of the entries in use, so 20 to 30 bytes per node in a graph of any
// size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

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

  bool contains(CUgraphNode node) const noexcept { return get(node).known; }
  Has get(CUgraphNode node) const noexcept;
  Attachment* find(CUgraphNode node) const noexcept { return get(node).attachment; }
  // Reserves memory for that many more nodes. Throws std::bad_alloc, and then changes nothing.
  void reserve(std::size_t more) {
    if (!fits(size_ + more, capacity_)) grow(size_ + more);
  }
  // Each returns the former entry. put() needs reserved memory, unless the node is known.
  Has put(CUgraphNode node, Has has) noexcept;
  Has take(CUgraphNode node) noexcept;
  // Marks all attachments as in doubt: another graph may have the address of the one that holds
  // them.
  void doubt_all() noexcept;
  std::size_t size() const { return size_; }
  void clear() noexcept;

  template <typename Visit>
  void each_node(const Visit& visit) const {
    for (std::size_t at = 0; at < capacity_; ++at) {
      if (entries_[at].node != nullptr) visit(entries_[at].node, entries_[at].get());
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
      return {reinterpret_cast<Attachment*>(bits & ~std::uintptr_t{1}), (bits & 1U) != 0,
              node != nullptr};
    }
  };
  // At most 13 of 16 places are used: enough are free to end every search.
  static constexpr bool fits(std::size_t size, std::size_t capacity) {
    return size * 16 <= capacity * 13;
  }
  void grow(std::size_t wanted);
  // Copies the entries into this empty, larger table. False if they lie so close that the table
  // should mix twice.
  bool take_all_of(const NodeTable& other) noexcept;
  std::size_t home(CUgraphNode node) const noexcept;
  std::size_t next(std::size_t at) const noexcept { return at + 1 == capacity_ ? 0 : at + 1; }
  // Where the node is, or the free place where it would be.
  std::size_t place(CUgraphNode node) const noexcept;

  std::unique_ptr<Entry[]> entries_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
  bool mixes_twice_ = false;
};

}  // namespace anycuda::graph
