// SPDX-License-Identifier: Apache-2.0

// Nodes and edges, as the driver reports them.
#include "graph/reading/edges.h"
#include "graph/reading/read_graph.h"

namespace anycuda::graph {
namespace {

using Data = api::CUgraphEdgeData_st;

// The first call only counts. `ask` gets the arrays, and their length, which it changes.
template <typename Ask>
CUresult counted(const char* function, std::vector<CUgraphNode>* one,
                 std::vector<CUgraphNode>* other, std::vector<Data>* data, const Ask& ask) {
  std::size_t count = 0;
  CUresult result = answered(function, ask(nullptr, nullptr, nullptr, &count));
  if (result != CUDA_SUCCESS) return result;
  one->resize(count);
  other->resize(count);
  data->resize(count);
  if (count == 0) return CUDA_SUCCESS;
  result = answered(function, ask(one->data(), other->data(), data->data(), &count));
  one->resize(count);
  return result;
}

// The functions of CUDA 12.3 also read graphs whose edges have data.
bool edges_have_data() { return driver_version() >= 12030; }

template <typename Ask>
CUresult neighbours(const GraphView& graph, CUgraphNode node, std::vector<CUgraphNode>* out,
                    const char* function, const Ask& ask) {
  return read_graph(graph, out, [&](GraphState* state, std::vector<CUgraphNode>* found) {
    const CUresult result = check_node(state, node);
    if (result != CUDA_SUCCESS) return result;
    std::vector<CUgraphNode> unused;
    std::vector<Data> data;
    return counted(function, found, &unused, &data, ask);
  });
}

}  // namespace

CUresult graph_nodes(const GraphView& graph, std::vector<CUgraphNode>* out) {
  return read_graph(graph, out, [](const GraphState* state, std::vector<CUgraphNode>* found) {
    return nodes_of(state->graph.load(), found);
  });
}

CUresult edges_of(CUgraph graph, std::vector<Edge>* out) {
  std::vector<CUgraphNode> from;
  std::vector<CUgraphNode> to;
  std::vector<Data> data;
  const CUresult result = counted(
      "cuGraphGetEdges", &from, &to, &data,
      [&](CUgraphNode* begins, CUgraphNode* ends, Data* about, std::size_t* count) {
        return edges_have_data() ? api::cuGraphGetEdges_v2(graph, begins, ends, about, count)
                                 : api::cuGraphGetEdges(graph, begins, ends, count);
      });
  if (result != CUDA_SUCCESS) return result;
  out->clear();
  out->reserve(from.size());
  for (std::size_t at = 0; at < from.size(); ++at) {
    const Data& one = data[at];
    out->push_back({from[at], to[at], one.from_port, one.to_port, one.type});
  }
  return CUDA_SUCCESS;
}

CUresult graph_edges(const GraphView& graph, std::vector<Edge>* out) {
  return read_graph(graph, out, [](const GraphState* state, std::vector<Edge>* found) {
    return edges_of(state->graph.load(), found);
  });
}

CUresult has_programmatic_edge(CUgraphNode node, bool* out) {
  std::vector<CUgraphNode> found;
  std::vector<CUgraphNode> unused;
  std::vector<Data> data;
  *out = false;
  if (!edges_have_data()) return CUDA_SUCCESS;
  const CUresult result =
      counted("cuGraphNodeGetDependencies", &found, &unused, &data,
              [&](CUgraphNode* nodes, CUgraphNode*, Data* about, std::size_t* count) {
                return api::cuGraphNodeGetDependencies_v2(node, nodes, about, count);
              });
  for (const Data& one : data) *out = *out || one.type != 0;
  return result;
}

CUresult graph_predecessors(const GraphView& graph, CUgraphNode node,
                            std::vector<CUgraphNode>* out) {
  return neighbours(graph, node, out, "cuGraphNodeGetDependencies",
                    [&](CUgraphNode* nodes, CUgraphNode*, Data* about, std::size_t* count) {
                      return edges_have_data()
                                 ? api::cuGraphNodeGetDependencies_v2(node, nodes, about, count)
                                 : api::cuGraphNodeGetDependencies(node, nodes, count);
                    });
}

CUresult graph_successors(const GraphView& graph, CUgraphNode node, std::vector<CUgraphNode>* out) {
  return neighbours(graph, node, out, "cuGraphNodeGetDependentNodes",
                    [&](CUgraphNode* nodes, CUgraphNode*, Data* about, std::size_t* count) {
                      return edges_have_data()
                                 ? api::cuGraphNodeGetDependentNodes_v2(node, nodes, about, count)
                                 : api::cuGraphNodeGetDependentNodes(node, nodes, count);
                    });
}

}  // namespace anycuda::graph
