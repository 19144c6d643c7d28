// SPDX-License-Identifier: Apache-2.0

// Owners of nodes of any kind.
#include "graph/driver.h"
#include "graph/state.h"

namespace anycuda::graph {
namespace {

bool exists(Slot slot) { return static_cast<unsigned>(slot) < kSlots; }

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

CUresult graph_set_slot(const GraphView& graph, CUgraphNode node, Slot slot, OpaqueHandle owner) {
  return entry([&] {
    GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (!exists(slot)) {
      return fail(CUDA_ERROR_INVALID_VALUE, "there is no slot %u: a node has %u",
                  static_cast<unsigned>(slot), kSlots);
    }
    NodeTable::Has former;
    CUresult result = check_node(state, node, "the node", &former);
    if (result != CUDA_SUCCESS || owner == nullptr) return result;
    Owners owners;
    if (former.attachment != nullptr) owners = former.attachment->owners();
    owners[static_cast<unsigned>(slot)] = std::move(owner);
    OwnerTransaction transaction(state);
    result = transaction.prepare(owners);
    if (result == CUDA_SUCCESS) transaction.commit(node);
    return result;
  });
}

OpaqueHandle graph_get_slot(const GraphView& graph, CUgraphNode node, Slot slot) {
  drain_at_entry();
  const GraphState* const state = GraphState::of(graph).get();
  if (state == nullptr || state->graph.load() == nullptr || !exists(slot)) return nullptr;
  const Attachment* const attachment = state->table.find(node);
  if (attachment == nullptr) return nullptr;
  return attachment->owners()[static_cast<unsigned>(slot)];
}

CUresult add_with_owners(const GraphView& graph, const Owners& owners,
                         const std::function<CUresult(CUgraph, CUgraphNode*)>& add,
                         CUgraphNode* out) {
  return entry([&] {
    if (!add) return fail(CUDA_ERROR_INVALID_VALUE, "add is empty");
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
    if (!set) return fail(CUDA_ERROR_INVALID_VALUE, "set is empty");
    return set_node(graph, node, owners, kSlots, [&](CUgraphNode one) {
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
