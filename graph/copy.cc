#include "graph/copy.h"

#include <algorithm>

#include "graph/driver.h"

namespace anycuda::graph {
namespace {

CUgraphNode counterpart(CUgraphNode node, CUgraph copy) noexcept {
  CUgraphNode found = nullptr;
  if (api::cuGraphNodeFindInClone(&found, node, copy) != api::CUDA_SUCCESS) return nullptr;
  return found;
}

CUresult nodes_of(CUgraph graph, std::vector<CUgraphNode>* out) {
  std::size_t count = 0;
  CUresult result = answered("cuGraphGetNodes", api::cuGraphGetNodes(graph, nullptr, &count));
  out->resize(count);
  if (result != CUDA_SUCCESS || count == 0) return result;
  return answered("cuGraphGetNodes", api::cuGraphGetNodes(graph, out->data(), &count));
}

}  // namespace

CUresult forget_what_is_gone(GraphState* graph) {
  if (graph->table.size() == 0 && graph->embedded.empty()) return CUDA_SUCCESS;
  std::vector<CUgraphNode> nodes;
  CUresult result = nodes_of(graph->graph.load(), &nodes);
  if (result != CUDA_SUCCESS) return result;
  std::size_t known = 0;
  std::size_t embedded = 0;
  for (CUgraphNode node : nodes) {
    known += graph->table.find(node) != nullptr ? 1 : 0;
    embedded += graph->embedded.count(node);
  }
  if (known != graph->table.size() || embedded != graph->embedded.size()) {
    std::sort(nodes.begin(), nodes.end());
    std::vector<CUgraphNode> gone;
    const auto look = [&](CUgraphNode node) {
      if (!std::binary_search(nodes.begin(), nodes.end(), node)) gone.push_back(node);
    };
    graph->table.each([&](CUgraphNode node, Attachment*) { look(node); });
    for (const auto& one : graph->embedded) look(one.first);
    for (CUgraphNode node : gone) {
      graph->forget_embedded(node);
      graph->replace(node, nullptr);
    }
  }
  for (auto at = graph->embedded.begin(); at != graph->embedded.end();) {
    const auto& [node, graphs] = *at++;  // which may be forgotten
    // Another node may have the address. Bodies of conditional nodes are not copied (know_copy).
    CUgraph inner = nullptr;
    if (api::cuGraphChildGraphNodeGetGraph(node, &inner) != api::CUDA_SUCCESS) continue;
    if (inner != graphs.front()->graph.load()) {
      graph->forget_embedded(node);
      continue;
    }
    result = forget_what_is_gone(graphs.front().get());
    if (result != CUDA_SUCCESS) return result;
  }
  return CUDA_SUCCESS;
}

GraphState::Pointer room_for_copy_of(const GraphState& source) {
  auto room = std::make_shared<GraphState>(nullptr);
  if (source.table.size() != 0) room->table.reserve(source.table.size());
  for (const auto& [node, graphs] : source.embedded) {
    auto& rooms = room->embedded[node];
    for (const GraphState::Pointer& graph : graphs) rooms.push_back(room_for_copy_of(*graph));
  }
  return room;
}

void know_copy(GraphState* room, const GraphState& source, CUgraph copy) noexcept {
  room->graph.store(copy);
  source.table.each([&](CUgraphNode node, Attachment* attachment) {
    const CUgraphNode found = counterpart(node, copy);
    if (found != nullptr) room->table.put(found, attachment);
  });
  // The entries have the source's nodes for keys; they move under the copy's, with no new memory.
  GraphState::Embedded placed;
  for (const auto& [node, graphs] : source.embedded) {
    auto entry = room->embedded.extract(node);
    const CUgraphNode found = counterpart(node, copy);
    CUgraph inner = nullptr;
    // Bodies of conditional nodes: no function finds those of a copy.
    if (found == nullptr || graphs.size() != 1 ||
        api::cuGraphChildGraphNodeGetGraph(found, &inner) != api::CUDA_SUCCESS) {
      continue;
    }
    know_copy(entry.mapped().front().get(), *graphs.front(), inner);
    entry.key() = found;
    placed.insert(std::move(entry));
  }
  room->embedded = std::move(placed);
}

}  // namespace anycuda::graph
