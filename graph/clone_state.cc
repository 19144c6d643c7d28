// SPDX-License-Identifier: Apache-2.0
#include "graph/clone_state.h"

#include <algorithm>

#include "graph/driver_support.h"
#include "graph/identity.h"

namespace anycuda::graph {
namespace {

CUgraphNode counterpart(CUgraphNode node, CUgraph copy) noexcept {
  CUgraphNode found = nullptr;
  if (api::cuGraphNodeFindInClone(&found, node, copy) != api::CUDA_SUCCESS) return nullptr;
  return found;
}

}  // namespace

CUresult prune_destroyed_nodes(GraphState* graph) {
  if (graph->table.size() == 0 && graph->embedded.empty()) return CUDA_SUCCESS;
  std::vector<CUgraphNode> nodes;
  CUresult result = nodes_of(graph->graph.load(), &nodes);
  if (result != CUDA_SUCCESS) return result;
  std::size_t known = 0;
  std::size_t embedded = 0;
  for (CUgraphNode node : nodes) {
    known += graph->table.contains(node) ? 1 : 0;
    embedded += graph->embedded.count(node);
  }
  if (known != graph->table.size() || embedded != graph->embedded.size()) {
    std::sort(nodes.begin(), nodes.end());
    std::vector<CUgraphNode> gone;
    const auto look = [&](CUgraphNode node) {
      if (!std::binary_search(nodes.begin(), nodes.end(), node)) gone.push_back(node);
    };
    graph->table.each_node([&](CUgraphNode node, NodeTable::Has) { look(node); });
    for (const auto& one : graph->embedded) look(one.first);
    for (CUgraphNode node : gone) graph->forget(node);
  }
  for (auto at = graph->embedded.begin(); at != graph->embedded.end();) {
    const CUgraphNode node = (at++)->first;  // which may be forgotten
    // Skips bodies of conditional nodes, which are not copied (populate_clone). A node of another
    // kind may have the address now.
    CUgraph inner = nullptr;
    if (api::cuGraphChildGraphNodeGetGraph(node, &inner) != api::CUDA_SUCCESS) continue;
    const GraphState::Pointer child = known_child(graph, node, inner);
    if (child == nullptr) continue;
    result = prune_destroyed_nodes(child.get());
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

GraphState::Pointer reserve_clone_state(const GraphState& source, GraphState::Place place) {
  auto clone = std::make_shared<GraphState>(nullptr, place);
  for (const auto& [node, graphs] : source.embedded) {
    auto& clones = clone->embedded[node];
    for (const GraphState::Pointer& graph : graphs) {
      clones.push_back(reserve_clone_state(*graph, GraphState::Place::in_node));
    }
  }
  return clone;
}

void populate_clone(GraphState* clone, const GraphState& source, CUgraph copy) {
  clone->graph.store(copy);
  if (clone->embedded_in_node) clone->id = id_of_graph(copy);
  source.table.each_node([&](CUgraphNode node, NodeTable::Has has) {
    if (has.attachment == nullptr) return;
    const CUgraphNode found = counterpart(node, copy);
    if (found == nullptr) return;
    clone->table.reserve();
    clone->know(found, has);
  });
  // The entries' keys are the source's nodes: they are replaced by the copy's, without an
  // allocation.
  GraphState::Embedded placed;
  for (const auto& [node, graphs] : source.embedded) {
    auto entry = clone->embedded.extract(node);
    const CUgraphNode found = counterpart(node, copy);
    CUgraph inner = nullptr;
    // Bodies of conditional nodes are left out: the driver has no function that finds those of a
    // copy.
    if (found == nullptr || graphs.size() != 1 ||
        api::cuGraphChildGraphNodeGetGraph(found, &inner) != api::CUDA_SUCCESS) {
      continue;
    }
    populate_clone(entry.mapped().front().get(), *graphs.front(), inner);
    entry.key() = found;
    placed.insert(std::move(entry));
  }
  clone->embedded = std::move(placed);
}

}  // namespace anycuda::graph
