#include "graph/node_table.h"

namespace anycuda::graph {
namespace {

constexpr std::size_t kSmallest = 8;

// At most 13 of 16 places are used: enough are free to end every search.
constexpr bool fits(std::size_t size, std::size_t capacity) { return size * 16 <= capacity * 13; }

}  // namespace

std::size_t NodeTable::home(CUgraphNode node) const noexcept {
  // Addresses differ in few bits, so they are mixed; the upper half times the capacity is a place
  // in a table of any size. 2^32 places are more than any graph has nodes.
  const std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(node) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::size_t>((mixed >> 32) * capacity_ >> 32);
}

std::size_t NodeTable::place(CUgraphNode node) const noexcept {
  std::size_t at = home(node);
  while (entries_[at].node != nullptr && entries_[at].node != node) at = next(at);
  return at;
}

bool NodeTable::contains(CUgraphNode node) const noexcept {
  return size_ != 0 && entries_[place(node)].node != nullptr;
}

NodeTable::Has NodeTable::get(CUgraphNode node) const noexcept {
  if (size_ == 0) return {};
  return entries_[place(node)].get();
}

void NodeTable::reserve(std::size_t more) {
  const std::size_t wanted = size_ + more;
  if (capacity_ != 0 && fits(wanted, capacity_)) return;
  std::size_t larger = capacity_ == 0 ? kSmallest : capacity_ + capacity_ / 2;
  if (!fits(wanted, larger)) larger = wanted * 16 / 13 + 1;
  NodeTable grown;
  grown.entries_ = std::make_unique<Entry[]>(larger);
  grown.capacity_ = larger;
  each_node([&](CUgraphNode node, Has has) { grown.put(node, has); });
  *this = std::move(grown);
}

NodeTable::Has NodeTable::put(CUgraphNode node, Has has) noexcept {
  Entry& entry = entries_[place(node)];
  if (entry.node == nullptr) ++size_;
  const Has former = entry.get();
  entry = {node, reinterpret_cast<std::uintptr_t>(has.attachment) | (has.in_doubt ? 1U : 0U)};
  return former;
}

void NodeTable::doubt_all() noexcept {
  for (std::size_t at = 0; at < capacity_; ++at) {
    if (entries_[at].bits != 0) entries_[at].bits |= 1U;
  }
}

NodeTable::Has NodeTable::take(CUgraphNode node) noexcept {
  if (size_ == 0) return {};
  std::size_t hole = place(node);
  const Has former = entries_[hole].get();
  if (entries_[hole].node == nullptr) return {};
  // What was put behind it since its own place was taken moves up, so that no search ends early.
  for (std::size_t at = next(hole); entries_[at].node != nullptr; at = next(at)) {
    const std::size_t wanted = home(entries_[at].node);
    const bool stays = hole < at ? hole < wanted && wanted <= at : hole < wanted || wanted <= at;
    if (stays) continue;
    entries_[hole] = entries_[at];
    hole = at;
  }
  entries_[hole] = {};
  --size_;
  return former;
}

void NodeTable::clear() noexcept { *this = NodeTable(); }

}  // namespace anycuda::graph
