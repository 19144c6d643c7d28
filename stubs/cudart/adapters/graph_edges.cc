// SPDX-License-Identifier: Apache-2.0

// The edges of graphs. CUDA 12.3 added data to edges (ports, programmatic dependencies), in
// functions that end in _v2; 13 dropped the older ones and gave their names to these. If the
// runtime has no _v2, the driver's is called; if the driver is too old as well, edges have no data:
// it is zero.
#include "stubs/cudart/adapters/graph_support.h"

namespace anycuda {

using graphs::EdgeData;
using graphs::to_driver;
using Graph = v13::cudaGraph_t;
using Node = v13::cudaGraphNode_t;

// Callers before 13 on 13: they neither ask for data nor give any.

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_get_edges_without_data(Graph graph, Node* from,
                                                                    Node* to, std::size_t* count) {
  return v13::cudaGraphGetEdges(graph, from, to, nullptr, count);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_get_dependencies_without_data(Node node, Node* others,
                                                                           std::size_t* count) {
  return v13::cudaGraphNodeGetDependencies(node, others, nullptr, count);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_get_dependents_without_data(Node node, Node* others,
                                                                         std::size_t* count) {
  return v13::cudaGraphNodeGetDependentNodes(node, others, nullptr, count);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_add_dependencies_without_data(Graph graph,
                                                                           const Node* from,
                                                                           const Node* to,
                                                                           std::size_t count) {
  return v13::cudaGraphAddDependencies(graph, from, to, nullptr, count);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_remove_dependencies_without_data(Graph graph,
                                                                              const Node* from,
                                                                              const Node* to,
                                                                              std::size_t count) {
  return v13::cudaGraphRemoveDependencies(graph, from, to, nullptr, count);
}

// Callers that know of data, on runtimes that may not.

namespace {

// `nodes_wanted`: without a place for nodes only their number is asked for, and data may not be
// ("cudaGraphGetEdges": data asks for nodes as well).
template <typename Call>
Status with_zero_data(bool nodes_wanted, EdgeData* data, const std::size_t* count, Call call) {
  if (data != nullptr && !nodes_wanted) return remember(v13::cudaErrorInvalidValue);
  const Status status = call();
  if (status == 0 && data != nullptr && count != nullptr) {
    for (std::size_t i = 0; i < *count; ++i) data[i] = EdgeData{};
  }
  return status;
}

}  // namespace

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_get_edges_with_data(Graph graph, Node* from, Node* to,
                                                                 EdgeData* data,
                                                                 std::size_t* count) {
  static OfRuntime runtimes{"cudaGraphGetEdges_v2"};
  static OfDriver drivers{"cuGraphGetEdges_v2"};
  if (runtimes.available()) return v12::cudaGraphGetEdges_v2(graph, from, to, data, count);
  if (drivers.available()) {
    return in_context(
        [=] { return driver::cuGraphGetEdges_v2(graph, from, to, to_driver(data), count); });
  }
  return with_zero_data(from != nullptr && to != nullptr, data, count,
                        [=] { return v11::cudaGraphGetEdges(graph, from, to, count); });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_get_dependencies_with_data(Node node, Node* others,
                                                                        EdgeData* data,
                                                                        std::size_t* count) {
  static OfRuntime runtimes{"cudaGraphNodeGetDependencies_v2"};
  static OfDriver drivers{"cuGraphNodeGetDependencies_v2"};
  if (runtimes.available()) return v12::cudaGraphNodeGetDependencies_v2(node, others, data, count);
  if (drivers.available()) {
    return in_context([=] {
      return driver::cuGraphNodeGetDependencies_v2(node, others, to_driver(data), count);
    });
  }
  return with_zero_data(others != nullptr, data, count,
                        [=] { return v11::cudaGraphNodeGetDependencies(node, others, count); });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_get_dependents_with_data(Node node, Node* others,
                                                                      EdgeData* data,
                                                                      std::size_t* count) {
  static OfRuntime runtimes{"cudaGraphNodeGetDependentNodes_v2"};
  static OfDriver drivers{"cuGraphNodeGetDependentNodes_v2"};
  if (runtimes.available())
    return v12::cudaGraphNodeGetDependentNodes_v2(node, others, data, count);
  if (drivers.available()) {
    return in_context([=] {
      return driver::cuGraphNodeGetDependentNodes_v2(node, others, to_driver(data), count);
    });
  }
  return with_zero_data(others != nullptr, data, count,
                        [=] { return v11::cudaGraphNodeGetDependentNodes(node, others, count); });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_add_dependencies_with_data(
    Graph graph, const Node* from, const Node* to, const EdgeData* data, std::size_t count) {
  static OfRuntime runtimes{"cudaGraphAddDependencies_v2"};
  static OfDriver drivers{"cuGraphAddDependencies_v2"};
  if (runtimes.available()) return v12::cudaGraphAddDependencies_v2(graph, from, to, data, count);
  if (drivers.available()) {
    return in_context(
        [=] { return driver::cuGraphAddDependencies_v2(graph, from, to, to_driver(data), count); });
  }
  if (!graphs::is_default(data, count)) return graphs::refuse_edge_data("cudaGraphAddDependencies");
  return v11::cudaGraphAddDependencies(graph, from, to, count);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_remove_dependencies_with_data(
    Graph graph, const Node* from, const Node* to, const EdgeData* data, std::size_t count) {
  static OfRuntime runtimes{"cudaGraphRemoveDependencies_v2"};
  static OfDriver drivers{"cuGraphRemoveDependencies_v2"};
  if (runtimes.available())
    return v12::cudaGraphRemoveDependencies_v2(graph, from, to, data, count);
  if (drivers.available()) {
    return in_context([=] {
      return driver::cuGraphRemoveDependencies_v2(graph, from, to, to_driver(data), count);
    });
  }
  if (!graphs::is_default(data, count)) {
    return graphs::refuse_edge_data("cudaGraphRemoveDependencies");
  }
  return v11::cudaGraphRemoveDependencies(graph, from, to, count);
}

}  // namespace anycuda
