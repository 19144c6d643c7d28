#include "graph/state.h"

#include "graph/driver.h"

namespace anycuda::graph {

void GraphState::invalidate() noexcept {
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
