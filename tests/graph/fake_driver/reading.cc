// SPDX-License-Identifier: Apache-2.0

// Functions that read a graph back.
#include <algorithm>

#include "model.h"

namespace anycuda::api {
namespace {

constexpr unsigned kLossyQuery = 914;  // CUDA_ERROR_LOSSY_QUERY: an edge has data

struct Edge {
  ::CUgraphNode_st* from;
  ::CUgraphNode_st* to;
  CUgraphEdgeData_st data;
};

void add_edges(::CUgraphNode_st* node, std::vector<Edge>* out) {
  for (const Dependency& one : node->after) {
    if (one.node->alive && one.node->id == one.id) out->push_back({one.node, node, one.data});
  }
}

std::vector<Edge> edges_of(const ::CUgraph_st& graph) {
  std::vector<Edge> all;
  for (::CUgraphNode_st* node : graph.nodes) add_edges(node, &all);
  return all;
}

// Any of the arrays may be null. Without `data` only ordinary edges can be told.
unsigned give(const std::vector<Edge>& all, ::CUgraphNode_st** from, ::CUgraphNode_st** to,
              CUgraphEdgeData_st* data, bool with_data, unsigned long* count) {
  const bool fill = from != nullptr || to != nullptr;
  if (fill && *count < all.size()) return 1;
  *count = all.size();
  if (!fill) return 0;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (from != nullptr) from[at] = all[at].from;
    if (to != nullptr) to[at] = all[at].to;
    if ((!with_data || data == nullptr) && all[at].data.type != 0) return kLossyQuery;
    if (data != nullptr) data[at] = all[at].data;
  }
  return 0;
}

unsigned give_neighbours(::CUgraphNode_st* node, bool before, ::CUgraphNode_st** out,
                         CUgraphEdgeData_st* data, bool with_data, unsigned long* count) {
  if (fake::living(node) == nullptr) return 1;
  std::vector<Edge> all = edges_of(*node->graph);
  const auto other = [&](const Edge& edge) { return (before ? edge.to : edge.from) != node; };
  all.erase(std::remove_if(all.begin(), all.end(), other), all.end());
  return give(all, before ? out : nullptr, before ? nullptr : out, data, with_data, count);
}

::CUgraphNode_st* of_type(::CUgraphNode_st* node, unsigned type) {
  if (fake::living(node) == nullptr || node->type != type) return nullptr;
  return node;
}

}  // namespace

extern "C" {

unsigned cuGraphGetEdges(::CUgraph_st* graph, ::CUgraphNode_st** from, ::CUgraphNode_st** to,
                         unsigned long* count) {
  FAULT;
  if (fake::living(graph) == nullptr) return 1;
  return give(edges_of(*graph), from, to, nullptr, false, count);
}
unsigned cuGraphGetEdges_v2(::CUgraph_st* graph, ::CUgraphNode_st** from, ::CUgraphNode_st** to,
                            CUgraphEdgeData_st* data, unsigned long* count) {
  FAULT;
  if (fake::living(graph) == nullptr) return 1;
  return give(edges_of(*graph), from, to, data, true, count);
}

unsigned cuGraphNodeGetDependencies(::CUgraphNode_st* node, ::CUgraphNode_st** out,
                                    unsigned long* count) {
  FAULT;
  return give_neighbours(node, true, out, nullptr, false, count);
}
unsigned cuGraphNodeGetDependencies_v2(::CUgraphNode_st* node, ::CUgraphNode_st** out,
                                       CUgraphEdgeData_st* data, unsigned long* count) {
  FAULT;
  return give_neighbours(node, true, out, data, true, count);
}

unsigned cuGraphNodeGetDependentNodes(::CUgraphNode_st* node, ::CUgraphNode_st** out,
                                      unsigned long* count) {
  FAULT;
  return give_neighbours(node, false, out, nullptr, false, count);
}
unsigned cuGraphNodeGetDependentNodes_v2(::CUgraphNode_st* node, ::CUgraphNode_st** out,
                                         CUgraphEdgeData_st* data, unsigned long* count) {
  FAULT;
  return give_neighbours(node, false, out, data, true, count);
}

unsigned cuGraphKernelNodeGetParams(::CUgraphNode_st* node, CUDA_KERNEL_NODE_PARAMS_st* out) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_KERNEL) == nullptr) return 1;
  *out = node->kernel;
  node->pointers.clear();
  for (auto& argument : node->arguments) node->pointers.push_back(argument.data());
  out->kernelParams = node->pointers.empty() ? nullptr : node->pointers.data();
  return 0;
}
unsigned cuGraphMemcpyNodeGetParams(::CUgraphNode_st* node, CUDA_MEMCPY3D_st* out) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_MEMCPY) == nullptr) return 1;
  *out = node->memcpy;
  return 0;
}
unsigned cuGraphMemsetNodeGetParams(::CUgraphNode_st* node, CUDA_MEMSET_NODE_PARAMS_st* out) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_MEMSET) == nullptr) return 1;
  *out = node->memset;
  return 0;
}
unsigned cuGraphHostNodeGetParams(::CUgraphNode_st* node, CUDA_HOST_NODE_PARAMS_st* out) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_HOST) == nullptr) return 1;
  *out = node->host;
  return 0;
}

unsigned cuGraphEventRecordNodeGetEvent(::CUgraphNode_st* node, ::CUevent_st** out) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD) == nullptr) return 1;
  *out = static_cast<::CUevent_st*>(const_cast<void*>(node->operand));
  return 0;
}
unsigned cuGraphEventWaitNodeGetEvent(::CUgraphNode_st* node, ::CUevent_st** out) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT) == nullptr) return 1;
  *out = static_cast<::CUevent_st*>(const_cast<void*>(node->operand));
  return 0;
}

unsigned cuFuncGetName(const char** name, ::CUfunc_st* function) {
  FAULT;
  const auto known = fake::world().names.find(function);
  if (known == fake::world().names.end()) return 1;
  *name = known->second.c_str();
  return 0;
}

}  // extern "C"
}  // namespace anycuda::api
