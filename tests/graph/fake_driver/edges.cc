// SPDX-License-Identifier: Apache-2.0

// Functions that add and remove edges.
#include <algorithm>

#include "model.h"

namespace anycuda::api {
namespace {

using Nodes = ::CUgraphNode_st* const*;

bool same(const CUgraphEdgeData_st& one, const CUgraphEdgeData_st& other) {
  return one.from_port == other.from_port && one.to_port == other.to_port && one.type == other.type;
}

// The edge from `from` to `node` that has these data. end(): the node does not have such an edge.
auto find(::CUgraphNode_st* node, const ::CUgraphNode_st* from, const CUgraphEdgeData_st* data) {
  return std::find_if(node->after.begin(), node->after.end(), [&](const Dependency& one) {
    return one.node == from && one.id == from->id && (data == nullptr || same(one.data, *data));
  });
}

bool are_in(const ::CUgraph_st* graph, ::CUgraphNode_st* from, ::CUgraphNode_st* to) {
  return fake::living(from) != nullptr && fake::living(to) != nullptr && from->graph == graph &&
         to->graph == graph && from != to;
}

// A programmatic edge leads from a kernel to a kernel, and begins at one of two ports.
bool may_be(const ::CUgraphNode_st& from, const ::CUgraphNode_st& to,
            const CUgraphEdgeData_st& data) {
  if (data.type == 0) return data.from_port == 0 && data.to_port == 0;
  return data.type == 1 && (data.from_port == 1 || data.from_port == 2) &&
         from.type == CU_GRAPH_NODE_TYPE_KERNEL && to.type == CU_GRAPH_NODE_TYPE_KERNEL;
}

unsigned add(::CUgraph_st* graph, Nodes from, Nodes to, const CUgraphEdgeData_st* data,
             unsigned long count) {
  if (fake::living(graph) == nullptr) return 1;
  for (unsigned long at = 0; at < count; ++at) {
    const CUgraphEdgeData_st one = data == nullptr ? CUgraphEdgeData_st{} : data[at];
    if (!are_in(graph, from[at], to[at]) || !may_be(*from[at], *to[at], one)) return 1;
    if (find(to[at], from[at], nullptr) != to[at]->after.end()) return 1;
    fake::depend(to[at], from[at], one);
  }
  return 0;
}

unsigned remove(::CUgraph_st* graph, Nodes from, Nodes to, const CUgraphEdgeData_st* data,
                unsigned long count) {
  if (fake::living(graph) == nullptr) return 1;
  if (fake::has_memory_nodes(*graph)) return 1;
  for (unsigned long at = 0; at < count; ++at) {
    const CUgraphEdgeData_st one = data == nullptr ? CUgraphEdgeData_st{} : data[at];
    if (!are_in(graph, from[at], to[at])) return 1;
    const auto found = find(to[at], from[at], &one);
    if (found == to[at]->after.end()) return 1;
    to[at]->after.erase(found);
  }
  return 0;
}

}  // namespace

extern "C" {

unsigned cuGraphAddDependencies(::CUgraph_st* graph, Nodes from, Nodes to, unsigned long count) {
  FAULT;
  return add(graph, from, to, nullptr, count);
}
unsigned cuGraphAddDependencies_v2(::CUgraph_st* graph, Nodes from, Nodes to,
                                   const CUgraphEdgeData_st* data, unsigned long count) {
  FAULT;
  return add(graph, from, to, data, count);
}

unsigned cuGraphRemoveDependencies(::CUgraph_st* graph, Nodes from, Nodes to, unsigned long count) {
  FAULT;
  return remove(graph, from, to, nullptr, count);
}
unsigned cuGraphRemoveDependencies_v2(::CUgraph_st* graph, Nodes from, Nodes to,
                                      const CUgraphEdgeData_st* data, unsigned long count) {
  FAULT;
  return remove(graph, from, to, data, count);
}

}  // extern "C"
}  // namespace anycuda::api
