// SPDX-License-Identifier: Apache-2.0
#include "graph/changing/edges.h"

#include "graph/driver_support.h"
#include "graph/graph_state.h"

namespace anycuda::graph {
namespace {

bool has_data(const Edge& edge) noexcept {
  return edge.from_port != 0 || edge.to_port != 0 || edge.type != 0;
}

api::CUgraphEdgeData_st data_of(const Edge& edge) noexcept {
  api::CUgraphEdgeData_st data{};
  data.from_port = edge.from_port;
  data.to_port = edge.to_port;
  data.type = edge.type;
  return data;
}

// One edge each: the driver's documentation does not tell what a call that fails for one of several
// edges has done with the others.
CUresult add_one(CUgraph graph, const Edge& edge) noexcept {
  if (!has_data(edge)) {
    return answered("cuGraphAddDependencies",
                    api::cuGraphAddDependencies(graph, &edge.from, &edge.to, 1));
  }
  const auto data = data_of(edge);
  return answered("cuGraphAddDependencies_v2",
                  api::cuGraphAddDependencies_v2(graph, &edge.from, &edge.to, &data, 1));
}

CUresult remove_one(CUgraph graph, const Edge& edge) noexcept {
  if (!has_data(edge)) {
    return answered("cuGraphRemoveDependencies",
                    api::cuGraphRemoveDependencies(graph, &edge.from, &edge.to, 1));
  }
  const auto data = data_of(edge);
  return answered("cuGraphRemoveDependencies_v2",
                  api::cuGraphRemoveDependencies_v2(graph, &edge.from, &edge.to, &data, 1));
}

using Change = CUresult (*)(CUgraph, const Edge&);

// Changes all of the edges by `change`; on an error, changes those before it back.
CUresult change_all(CUgraph graph, const Edge* edges, std::size_t count, Change change,
                    Change back) noexcept {
  for (std::size_t at = 0; at < count; ++at) {
    const CUresult result = change(graph, edges[at]);
    if (result == CUDA_SUCCESS) continue;
    const LastErrorScope sentence;
    while (at != 0) static_cast<void>(back(graph, edges[--at]));
    return result;
  }
  return CUDA_SUCCESS;
}

CUresult check_edges(GraphState* state, const Edges& edges, const char* function) {
  if (edges.count() != 0 && edges.items() == nullptr) {
    return fail(CUDA_ERROR_INVALID_VALUE, "%zu edges are given, but their list is null",
                edges.count());
  }
  for (std::size_t at = 0; at < edges.count(); ++at) {
    const Edge& edge = edges.items()[at];
    CUresult result = check_node(state, edge.from, "the first node of an edge");
    if (result == CUDA_SUCCESS) result = check_node(state, edge.to, "the second node of an edge");
    if (result == CUDA_SUCCESS && has_data(edge)) result = need(function);
    if (result != CUDA_SUCCESS) return result;
    if (edge.from == edge.to) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "edge %zu leads from a node to itself. Name two different nodes", at);
    }
  }
  return CUDA_SUCCESS;
}

CUresult change_edges(const GraphView& graph, const Edges& edges, const char* function,
                      Change change, Change back) {
  return entry([&] {
    GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const CUresult result = check_edges(state, edges, function);
    if (result != CUDA_SUCCESS) return result;
    return change_all(state->graph.load(), edges.items(), edges.count(), change, back);
  });
}

}  // namespace

CUresult add_all_edges(CUgraph graph, const Edge* edges, std::size_t count) noexcept {
  return change_all(graph, edges, count, add_one, remove_one);
}

CUresult add_dependencies(const GraphView& graph, const Edges& edges) {
  return change_edges(graph, edges, "cuGraphAddDependencies_v2", add_one, remove_one);
}

CUresult remove_dependencies(const GraphView& graph, const Edges& edges) {
  return change_edges(graph, edges, "cuGraphRemoveDependencies_v2", remove_one, add_one);
}

}  // namespace anycuda::graph
