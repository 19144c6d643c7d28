// SPDX-License-Identifier: Apache-2.0

// The edges of a graph, which can be added and removed after the nodes.
//
// Errors and threads are as in graph.h. Edges have no owners: a change of edges releases none.
#pragma once

#include "anycuda/graph/dependencies.h"
#include "anycuda/graph/exception.h"

namespace anycuda::graph {

class GraphView;

// `to` depends on `from`. The other fields are CUDA's CUgraphEdgeData, 0 for an ordinary edge.
struct Edge {
  CUgraphNode from = nullptr;
  CUgraphNode to = nullptr;
  unsigned char from_port = 0;
  unsigned char to_port = 0;
  unsigned char type = 0;
};
using Edges = ItemList<Edge>;

// Edges between two kernel nodes, for programmatic dependent launch (CUDA Programming Guide,
// "Programmatic Dependent Launch and Synchronization"): `to` may begin before `from` has ended, and
// waits for it in cudaGridDependencySynchronize(). With programmatic_edge() `to` begins when all
// blocks of `from` have triggered (cudaTriggerProgrammaticLaunchCompletion) or ended; with
// launch_order_edge() when all blocks of `from` have begun. Drivers of CUDA 12.3 or later.
constexpr Edge programmatic_edge(CUgraphNode from, CUgraphNode to) { return {from, to, 1, 0, 1}; }
constexpr Edge launch_order_edge(CUgraphNode from, CUgraphNode to) { return {from, to, 2, 0, 1}; }

// Adds or removes edges between nodes of this graph. CUDA_ERROR_INVALID_VALUE: a node does not
// belong to the graph, an edge leads from a node to itself, or, from the driver, an edge exists
// already or does not exist. To remove an edge that is not an ordinary one, name its fields, too,
// as graph_edges() returns them. The driver finds a cycle only when the graph is instantiated.
// Edges with fields other than 0 need a driver of CUDA 12.3 or later.
//
// On an error no edge has changed, with one exception: the driver removes no edge from a graph with
// memory nodes (CUDA Driver API, cuGraphRemoveDependencies), so edges of the same call that were
// already added to such a graph stay.
[[nodiscard]] CUresult add_dependencies(const GraphView& graph, const Edges& edges);
[[nodiscard]] CUresult remove_dependencies(const GraphView& graph, const Edges& edges);

// The functions that throw Error (exception.h). The base of Graph and GraphView; `Self` is the
// derived class.
template <typename Self>
class ChangesEdges {
 public:
  void add_edges(const Edges& edges) const { throw_if_failed(add_dependencies(self(), edges)); }
  void remove_edges(const Edges& edges) const {
    throw_if_failed(remove_dependencies(self(), edges));
  }

 protected:
  ChangesEdges() = default;
  ~ChangesEdges() = default;
  ChangesEdges(const ChangesEdges&) = default;
  ChangesEdges& operator=(const ChangesEdges&) = default;

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace anycuda::graph
