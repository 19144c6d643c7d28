// SPDX-License-Identifier: Apache-2.0

// Reading a graph back: its nodes and edges, the parameters of nodes, and a picture in DOT.
//
// Errors and threads are as in graph.h. Reading counts as use, not as a change: as in CUDA, no
// other thread may change the graph meanwhile. The functions also read nodes that raw calls have
// added.
#pragma once

#include <string>
#include <vector>

#include "anycuda/graph/edges.h"
#include "anycuda/graph/exception.h"
#include "anycuda/graph/nodes.h"

namespace anycuda::graph {

class GraphView;

// The kind of a node: the values of the driver's CUgraphNodeType. A newer driver may have others.
enum class NodeKind : int {
  kernel = 0,
  memcpy = 1,
  memset = 2,
  host = 3,
  child = 4,
  empty = 5,
  event_wait = 6,
  event_record = 7,
  semaphore_signal = 8,
  semaphore_wait = 9,
  mem_alloc = 10,
  mem_free = 11,
  batch_memory_operation = 12,
  conditional = 13
};
[[nodiscard]] CUresult graph_node_kind(const GraphView& graph, CUgraphNode node, NodeKind* out);

// The nodes of this graph, without those of the graphs in them; in the driver's order.
[[nodiscard]] CUresult graph_nodes(const GraphView& graph, std::vector<CUgraphNode>* out);
[[nodiscard]] CUresult graph_edges(const GraphView& graph, std::vector<Edge>* out);
// The nodes on which a node depends, and the nodes that depend on it.
[[nodiscard]] CUresult graph_predecessors(const GraphView& graph, CUgraphNode node,
                                          std::vector<CUgraphNode>* out);
[[nodiscard]] CUresult graph_successors(const GraphView& graph, CUgraphNode node,
                                        std::vector<CUgraphNode>* out);

// The parameters of a node of that kind, in the raw way, with its owners in the first two roles: so
// a node like it can be added to any graph of the process, and keeps the same resources.
// CUDA_ERROR_INVALID_VALUE for a node of another kind.
//
// The launch attributes are read back, too: a priority of 0 as not given, and `programmatic` if one
// of the edges to the node is programmatic. `arguments` points to memory of the node, which is
// valid until the node is destroyed or its parameters are set (CUDA Driver API,
// cuGraphKernelNodeGetParams).
[[nodiscard]] CUresult get_kernel(const GraphView& graph, CUgraphNode node, KernelNode* out);
// The driver may give the address of an operand in another form than it got it: `offset` is 0
// except for arrays, and a pitch or height may be explicit. The context is not read back.
[[nodiscard]] CUresult get_memcpy(const GraphView& graph, CUgraphNode node, MemcpyNode* out);
[[nodiscard]] CUresult get_memset(const GraphView& graph, CUgraphNode node, MemsetNode* out);
// For a node that was made of a callable, `function` and `data` are this library's.
[[nodiscard]] CUresult get_host(const GraphView& graph, CUgraphNode node, HostNode* out);

[[nodiscard]] CUresult get_event_record(const GraphView& graph, CUgraphNode node, EventNode* out);
[[nodiscard]] CUresult get_event_wait(const GraphView& graph, CUgraphNode node, EventNode* out);
[[nodiscard]] CUresult get_mem_alloc(const GraphView& graph, CUgraphNode node, MemAllocNode* out);
[[nodiscard]] CUresult get_mem_free(const GraphView& graph, CUgraphNode node, CUdeviceptr* out);

// The graph as a picture in DOT, the language of Graphviz: each node with its kind, kernels with
// their name (a driver of CUDA 12.3 or later), grid, block and launch attributes, and the roles
// that have owners; a programmatic edge is dashed. The graphs in child nodes, and in conditional
// nodes that were added through this library, are clusters beside their node.
[[nodiscard]] CUresult graph_dot(const GraphView& graph, std::string* out);

// The functions that return their output and throw Error (exception.h). The base of Graph and
// GraphView; `Self` is the derived class.
template <typename Self>
class ReadsNodes {
 public:
  [[nodiscard]] std::vector<CUgraphNode> nodes() const {
    return read<std::vector<CUgraphNode>>([&](auto* out) { return graph_nodes(self(), out); });
  }
  [[nodiscard]] std::vector<Edge> edges() const {
    return read<std::vector<Edge>>([&](auto* out) { return graph_edges(self(), out); });
  }
  [[nodiscard]] std::vector<CUgraphNode> predecessors(CUgraphNode node) const {
    return read<std::vector<CUgraphNode>>(
        [&](auto* out) { return graph_predecessors(self(), node, out); });
  }
  [[nodiscard]] std::vector<CUgraphNode> successors(CUgraphNode node) const {
    return read<std::vector<CUgraphNode>>(
        [&](auto* out) { return graph_successors(self(), node, out); });
  }
  [[nodiscard]] NodeKind kind(CUgraphNode node) const {
    return read<NodeKind>([&](auto* out) { return graph_node_kind(self(), node, out); });
  }
  [[nodiscard]] std::string dot() const {
    return read<std::string>([&](auto* out) { return graph_dot(self(), out); });
  }

 protected:
  ReadsNodes() = default;
  ~ReadsNodes() = default;
  ReadsNodes(const ReadsNodes&) = default;
  ReadsNodes& operator=(const ReadsNodes&) = default;

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
  template <typename Out, typename Call>
  static Out read(const Call& call) {
    Out out{};
    throw_if_failed(call(&out));
    return out;
  }
};

}  // namespace anycuda::graph
