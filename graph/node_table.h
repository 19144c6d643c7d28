// Node -> attachment. Open addressing with linear probing: 16 bytes an entry, between 54 and 81 of
// 100 places in use, so 20 to 30 bytes a node in a graph of any size.
#pragma once

#include <cstddef>
#include <memory>

#include "anycuda/graph/cuda_types.h"

namespace anycuda::graph {

struct Attachment;

class NodeTable {
 public:
  Attachment* find(CUgraphNode node) const noexcept;
  // Room for so many more. Throws std::bad_alloc, and is then as before.
  void reserve(std::size_t more);
  // Returns what the node had, or nullptr. Room must have been reserved.
  Attachment* put(CUgraphNode node, Attachment* attachment) noexcept;
  Attachment* take(CUgraphNode node) noexcept;
  std::size_t size() const { return size_; }
  void clear() noexcept;

  template <typename Visit>
  void each(const Visit& visit) const {
    for (std::size_t at = 0; at < capacity_; ++at) {
      if (entries_[at].node != nullptr) visit(entries_[at].node, entries_[at].attachment);
    }
  }

 private:
  struct Entry {
    CUgraphNode node;
    Attachment* attachment;
  };
  std::size_t home(CUgraphNode node) const noexcept;
  std::size_t next(std::size_t at) const noexcept { return at + 1 == capacity_ ? 0 : at + 1; }
  // Where the node is, or the free place where it would be.
  std::size_t place(CUgraphNode node) const noexcept;

  std::unique_ptr<Entry[]> entries_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;
};

}  // namespace anycuda::graph
