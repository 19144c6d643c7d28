// SPDX-License-Identifier: Apache-2.0

// Owners of nodes of any kind.
#include "graph/driver_support.h"
#include "graph/graph_state.h"

namespace anycuda::graph {
namespace {

bool exists(OwnerRole role) { return static_cast<unsigned>(role) < kOwnerRoles; }

// Removes a node that the caller's function added before it failed or threw.
CUresult undo(CUresult result, GraphState* state, CUgraphNode* node) {
  if (*node == nullptr) return result;
  // During a capture a node cannot be removed: the node stays, and so do its owners.
  if (api::cuGraphDestroyNode(*node) != api::CUDA_SUCCESS) return result;
  state->forget(*node);  // known where the call added it through this library
  *node = nullptr;
  return result;
}

}  // namespace

CUresult graph_set_owner(const GraphView& graph, CUgraphNode node, OwnerRole role,
                         OpaqueHandle owner) {
  return entry([&] {
    GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!exists(role)) {
      return fail(CUDA_ERROR_INVALID_VALUE, "role %u does not exist: a node has %u roles",
                  static_cast<unsigned>(role), kOwnerRoles);
    }
    NodeTable::Has former;
    CUresult result = check_node(state, node, "the node", &former);
    if (result != CUDA_SUCCESS || owner == nullptr) return result;
    Owners owners;
    if (former.attachment != nullptr) owners = former.attachment->owners();
    owners[static_cast<unsigned>(role)] = std::move(owner);
    OwnerTransaction transaction(state);
    result = transaction.prepare(owners);
    if (result == CUDA_SUCCESS) transaction.commit(node);
    return result;
  });
}

OpaqueHandle graph_get_owner(const GraphView& graph, CUgraphNode node, OwnerRole role) {
  drain_at_entry();
  const GraphState* const state = GraphState::of(graph).get();
  if (state == nullptr || state->graph.load() == nullptr || !exists(role)) return nullptr;
  const Attachment* const attachment = state->table.find(node);
  if (attachment == nullptr) return nullptr;
  return attachment->owners()[static_cast<unsigned>(role)];
}

CUresult add_with_owners(const GraphView& graph, const Owners& owners,
                         const std::function<CUresult(CUgraph, CUgraphNode*)>& add,
                         CUgraphNode* out) {
  return entry([&] {
    if (!add) return fail(CUDA_ERROR_INVALID_VALUE, "the function add is empty");
    GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    OwnerTransaction transaction(state);
    CUresult result = transaction.prepare(owners);
    if (result != CUDA_SUCCESS) return result;
    CUgraphNode node = nullptr;
    state->handed_out.store(true, std::memory_order_relaxed);
    try {
      result = add(state->graph.load(), &node);
      if (result != CUDA_SUCCESS) {
        fail(result, "the caller's function to add a node returned %u", result);
        undo(result, state, &node);
      }
    } catch (...) {
      undo(result, state, &node);
      if (node != nullptr) transaction.commit(node);
      throw;
    }
    if (result != CUDA_SUCCESS && node == nullptr) return result;
    state->forget_embedded(node);
    transaction.commit(node);
    if (result == CUDA_SUCCESS && out != nullptr) *out = node;
    return result;
  });
}

CUresult set_with_owners(const GraphView& graph, CUgraphNode node, const Owners& owners,
                         const std::function<CUresult(CUgraphNode)>& set) {
  return entry([&] {
    if (!set) return fail(CUDA_ERROR_INVALID_VALUE, "the function set is empty");
    return set_node(graph, node, owners, kOwnerRoles, [&](CUgraphNode one) {
      const CUresult result = set(one);
      if (result == CUDA_SUCCESS) return result;
      return fail(result, "the caller's function to set a node's parameters returned %u", result);
    });
  });
}

CUresult remove_node(const GraphView& graph, CUgraphNode node) {
  return entry([&] {
    GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = check_node(state, node);
    if (result != CUDA_SUCCESS) return result;
    result = answered("cuGraphDestroyNode", api::cuGraphDestroyNode(node));
    if (result == CUDA_SUCCESS) state->forget(node);
    return result;
  });
}

}  // namespace anycuda::graph
