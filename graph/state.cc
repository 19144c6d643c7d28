#include "graph/state.h"

#include <mutex>

#include "graph/driver.h"

namespace anycuda::graph {
namespace {

// Without destructors: graphs of static lifetime may be destroyed after anything here.
std::mutex owned_lock;
GraphState* all_owned = nullptr;

}  // namespace

void GraphState::become_owned() noexcept {
  const std::lock_guard<std::mutex> lock(owned_lock);
  if (owned_from != nullptr) return;
  next_owned = all_owned;
  if (next_owned != nullptr) next_owned->owned_from = &next_owned;
  owned_from = &all_owned;
  all_owned = this;
}

void GraphState::disown() noexcept {
  const std::lock_guard<std::mutex> lock(owned_lock);
  if (owned_from == nullptr) return;
  *owned_from = next_owned;
  if (next_owned != nullptr) next_owned->owned_from = owned_from;
  owned_from = nullptr;
}

bool GraphState::is_owned(CUgraph address) noexcept {
  const std::lock_guard<std::mutex> lock(owned_lock);
  for (const GraphState* one = all_owned; one != nullptr; one = one->next_owned) {
    if (one->graph.load() == address) return true;
  }
  return false;
}

void GraphState::invalidate() noexcept {
  disown();
  graph.store(nullptr);
  table.clear();
  for (const auto& [node, graphs] : embedded) {
    for (const Pointer& one : graphs) one->invalidate();
  }
  embedded.clear();
}

void GraphState::forget_embedded(CUgraphNode node) noexcept {
  const auto found = embedded.find(node);
  if (found == embedded.end()) return;
  for (const Pointer& one : found->second) one->invalidate();
  embedded.erase(found);
}

void GraphState::replace(CUgraphNode node, Attachment* attachment) noexcept {
  Attachment* const former = attachment != nullptr ? table.put(node, attachment) : table.take(node);
  // If the driver refuses, the former stay with the graph until it is destroyed.
  if (former != nullptr) api::cuGraphReleaseUserObject(graph.load(), former->handle, 1);
}

GraphView GraphState::view(Pointer state) noexcept {
  GraphView made;
  made.state_ = std::move(state);
  return made;
}

Graph GraphState::own(Pointer state) noexcept {
  state->become_owned();
  Graph made;
  made.view_ = view(std::move(state));
  return made;
}

GraphState* usable(const GraphView& view, const char* what) noexcept {
  GraphState* const state = GraphState::of(view).get();
  if (state == nullptr) {
    fail(CUDA_ERROR_INVALID_VALUE, "%s is null", what);
    return nullptr;
  }
  if (state->graph.load() != nullptr) return state;
  fail(CUDA_ERROR_INVALID_VALUE,
       "%s is gone: it, or the node that it lay in, was destroyed, or it was released", what);
  return nullptr;
}

CUresult Change::prepare(const Owners& owners) {
  if (!any(owners)) return CUDA_SUCCESS;
  state_->table.reserve(1);
  Attachment* const made = Attachment::make(owners);
  const CUresult result = held_.take(state_->graph.load(), made);
  if (result == CUDA_SUCCESS) attachment_ = made;
  return result;
}

void Change::commit(CUgraphNode node) noexcept {
  held_.leave_to_graph();
  if (node != nullptr) state_->replace(node, attachment_);
}

}  // namespace anycuda::graph
