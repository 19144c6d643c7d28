// SPDX-License-Identifier: Apache-2.0
#include "graph/graph_state.h"

#include <mutex>

#include "graph/driver_support.h"

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
  clear_table();
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

void GraphState::clear_table() noexcept {
  if (embedded_in_node) {
    table.each([](CUgraphNode, Attachment* attachment) { attachment->drop_memory(); });
  }
  table.clear();
}

void GraphState::release(NodeTable::Has former) noexcept {
  Attachment* const attachment = former.attachment;
  if (attachment == nullptr) return;
  // If the driver refuses, the former stay with the graph until it is destroyed. Those in doubt do,
  // too: the driver does not check whether the graph holds them, and would take another's.
  if (!former.in_doubt) api::cuGraphReleaseUserObject(graph.load(), attachment->handle, 1);
  if (embedded_in_node) attachment->drop_memory();
}

void GraphState::know(CUgraphNode node, NodeTable::Has has) noexcept {
  if (embedded_in_node && has.attachment != nullptr) has.attachment->hold_memory();
  release(table.put(node, has));
}

void GraphState::replace(CUgraphNode node, Attachment* attachment) noexcept {
  know(node, {attachment, false});
}

void GraphState::forget(CUgraphNode node) noexcept {
  forget_embedded(node);
  release(table.take(node));
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
       "%s no longer exists: it was released, or it or the node that contains it was destroyed",
       what);
  return nullptr;
}

CUresult nodes_of(CUgraph graph, std::vector<CUgraphNode>* out) {
  std::size_t count = 0;
  CUresult result = answered("cuGraphGetNodes", api::cuGraphGetNodes(graph, nullptr, &count));
  out->resize(count);
  if (result != CUDA_SUCCESS || count == 0) return result;
  result = answered("cuGraphGetNodes", api::cuGraphGetNodes(graph, out->data(), &count));
  out->resize(count);
  return result;
}

CUresult check_node(GraphState* state, CUgraphNode node, const char* what, NodeTable::Has* has) {
  if (node == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "%s is null", what);
  const NodeTable::Has entry = state->table.get(node);
  if (has != nullptr) *has = entry;
  if (entry.known) return CUDA_SUCCESS;
  if (driver_version() == 0) return CUDA_SUCCESS;  // no driver: the call itself gives the answer
  std::vector<CUgraphNode> nodes;
  const CUresult result = nodes_of(state->graph.load(), &nodes);
  if (result != CUDA_SUCCESS) return result;
  bool found = false;
  for (CUgraphNode one : nodes) {
    found = found || one == node;
    if (state->table.contains(one)) continue;
    state->table.reserve();
    state->table.put(one, {});
  }
  if (found) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE,
              "%s is not a node of this graph: it was removed, or it belongs to another graph",
              what);
}

CUresult check_nodes(GraphState* state, const Dependencies& after) {
  if (after.count() != 0 && after.nodes() == nullptr) {
    return fail(CUDA_ERROR_INVALID_VALUE, "%zu dependencies are given, but their list is null",
                after.count());
  }
  for (std::size_t at = 0; at < after.count(); ++at) {
    const CUresult result = check_node(state, after.nodes()[at], "a dependency");
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

CUresult take_out(CUresult result, CUgraphNode* node) noexcept {
  if (api::cuGraphDestroyNode(*node) == api::CUDA_SUCCESS) *node = nullptr;
  return result;
}

CUresult OwnerTransaction::prepare(const Owners& owners) {
  state_->table.reserve();
  if (!any(owners)) return CUDA_SUCCESS;
  CUresult result = check_owners(owners);
  if (result != CUDA_SUCCESS) return result;
  Attachment* const made = Attachment::make(owners);
  result = held_.take(state_->graph.load(), made);
  if (result == CUDA_SUCCESS) attachment_ = made;
  return result;
}

void OwnerTransaction::commit(CUgraphNode node) noexcept {
  held_.leave_to_graph();
  // A node that cannot be recorded, for lack of memory, stays unknown: its owners stay until the
  // graph is destroyed.
  if (node != nullptr && state_->table.can_put(node)) state_->replace(node, attachment_);
}

}  // namespace anycuda::graph
