// SPDX-License-Identifier: Apache-2.0
#include "graph/node_table.h"

#include <algorithm>
#include <functional>
#include <new>

namespace anycuda::graph {
namespace {

constexpr std::size_t kSmallest = 4;
constexpr std::size_t kStep = 8;

std::uintptr_t number_of(CUgraphNode node) noexcept {
  return reinterpret_cast<std::uintptr_t>(node) >> 16;
}

constexpr auto kBefore = [](const auto& entry, CUgraphNode node) {
  return std::less<>()(entry.node, node);
};

}  // namespace

void NodeTable::allocate() {
  if (full_ != nullptr) {
    full_->reserve(full_->size() + std::max(kStep, full_->size() / 4));
    full_ = nullptr;
  }
  if (spare_.empty()) {
    Regions one;
    one[0].reserve(kSmallest);
    spare_ = one.extract(one.begin());
  }
}

bool NodeTable::can_put(CUgraphNode node) noexcept {
  if (is_reserved() || contains(node)) return true;
  try {
    allocate();
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

template <typename Table>
auto NodeTable::region_of(Table& table, CUgraphNode node) noexcept
    -> decltype(&table.regions_.begin()->second) {
  const std::uintptr_t number = number_of(node);
  if (table.last_ != nullptr && number == table.last_number_) return table.last_;
  const auto found = table.regions_.find(number);
  return found == table.regions_.end() ? nullptr : &found->second;
}

NodeTable::Region& NodeTable::region_for(CUgraphNode node) noexcept {
  Region* region = region_of(*this, node);
  if (region == nullptr) {
    spare_.key() = number_of(node);
    region = &regions_.insert(std::move(spare_)).position->second;
  }
  last_ = region;
  last_number_ = number_of(node);
  return *region;
}

NodeTable::Has NodeTable::get(CUgraphNode node) const noexcept {
  const Region* const region = region_of(*this, node);
  if (region == nullptr) return {nullptr, false, false};
  const auto at = std::lower_bound(region->begin(), region->end(), node, kBefore);
  if (at == region->end() || at->node != node) return {nullptr, false, false};
  return at->get();
}

NodeTable::Has NodeTable::put(CUgraphNode node, Has has) noexcept {
  Region& region = region_for(node);
  const Entry entry{node,
                    reinterpret_cast<std::uintptr_t>(has.attachment) | (has.in_doubt ? 1U : 0U)};
  auto at = region.end();
  if (!region.empty() && !kBefore(region.back(), node)) {
    at = std::lower_bound(region.begin(), region.end(), node, kBefore);
    if (at->node == node) {
      const Has former = at->get();
      *at = entry;
      return former;
    }
  }
  region.insert(at, entry);
  ++size_;
  if (region.size() == region.capacity()) full_ = &region;
  return {nullptr, false, false};
}

void NodeTable::doubt_all() noexcept {
  for (auto& [number, region] : regions_) {
    for (Entry& entry : region) {
      if (entry.bits != 0) entry.bits |= 1U;
    }
  }
}

NodeTable::Has NodeTable::take(CUgraphNode node) noexcept {
  Region* const region = region_of(*this, node);
  if (region == nullptr) return {nullptr, false, false};
  const auto at = std::lower_bound(region->begin(), region->end(), node, kBefore);
  if (at == region->end() || at->node != node) return {nullptr, false, false};
  const Has former = at->get();
  region->erase(at);
  --size_;
  if (region == full_) full_ = nullptr;
  if (!region->empty()) return former;
  if (region == last_) last_ = nullptr;
  auto emptied = regions_.extract(number_of(node));
  if (spare_.empty()) spare_ = std::move(emptied);
  return former;
}

void NodeTable::clear() noexcept {
  regions_.clear();
  size_ = 0;
  last_ = nullptr;
  full_ = nullptr;
  spare_ = Regions::node_type();
}

}  // namespace anycuda::graph
