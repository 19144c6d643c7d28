#include "graph/node_table.h"

#include <algorithm>

namespace anycuda::graph {
namespace {

constexpr std::size_t kSmallest = 8;
// Entries that are passed over for each node, in a table that has just grown: half full, so two
// where places are random.
constexpr std::size_t kManyLooks = 4;

}  // namespace

std::size_t NodeTable::home(CUgraphNode node) const noexcept {
  // Nodes often lie at equal distances. One product spreads most distances evenly, so that few
  // entries are looked at; some (336 bytes) it maps to places so close that an insertion looks at a
  // hundred. After a second product that is ten, whatever the distance. The upper half times the
  // capacity is a place in a table of any size. 2^32 places are more than any graph has nodes.
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15ULL;
  std::uint64_t mixed = reinterpret_cast<std::uintptr_t>(node) * kMultiplier;
  if (mixes_twice_) mixed = (mixed ^ mixed >> 32) * kMultiplier;
  return static_cast<std::size_t>((mixed >> 32) * capacity_ >> 32);
}

std::size_t NodeTable::place(CUgraphNode node) const noexcept {
  std::size_t at = home(node);
  while (entries_[at].node != nullptr && entries_[at].node != node) at = next(at);
  return at;
}

NodeTable::Has NodeTable::get(CUgraphNode node) const noexcept {
  if (size_ == 0) return {nullptr, false, false};
  return entries_[place(node)].get();
}

bool NodeTable::take_all_of(const NodeTable& other) noexcept {
  std::size_t looks = 0;
  for (std::size_t from = 0; from < other.capacity_; ++from) {
    const Entry& entry = other.entries_[from];
    if (entry.node == nullptr) continue;
    const std::size_t at = place(entry.node);
    const std::size_t home_at = home(entry.node);
    looks += at >= home_at ? at - home_at : at + capacity_ - home_at;
    entries_[at] = entry;
  }
  return mixes_twice_ || looks <= kManyLooks * other.size_;
}

void NodeTable::grow(std::size_t wanted) {
  std::size_t larger = capacity_ == 0 ? kSmallest : capacity_ + capacity_ / 2;
  if (!fits(wanted, larger)) larger = wanted * 16 / 13 + 1;
  NodeTable grown;
  grown.entries_ = std::make_unique<Entry[]>(larger);
  grown.capacity_ = larger;
  grown.size_ = size_;
  grown.mixes_twice_ = mixes_twice_;
  if (!grown.take_all_of(*this)) {
    grown.mixes_twice_ = true;
    std::fill_n(grown.entries_.get(), larger, Entry{});
    grown.take_all_of(*this);
  }
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
  if (size_ == 0) return {nullptr, false, false};
  std::size_t hole = place(node);
  const Has former = entries_[hole].get();
  if (!former.known) return former;
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
