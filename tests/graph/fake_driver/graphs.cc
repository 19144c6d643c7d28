// SPDX-License-Identifier: Apache-2.0

// Functions that make graphs and nodes.
#include <algorithm>

#include "model.h"

namespace anycuda::api {
namespace {

using Nodes = ::CUgraphNode_st* const*;

// Adds a node; `fill` sets its fields.
template <typename Fill>
unsigned add(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after, unsigned long count,
             unsigned type, const Fill& fill) {
  if (out == nullptr || fake::living(graph) == nullptr) return 1;
  for (unsigned long at = 0; at < count; ++at) {
    if (fake::living(after[at]) == nullptr || after[at]->graph != graph) return 1;
  }
  *out = fake::new_node(graph, type);
  for (unsigned long at = 0; at < count; ++at) fake::depend(*out, after[at]);
  fill(*out);
  return 0;
}

::CUgraphNode_st* of_type(::CUgraphNode_st* node, unsigned type) {
  if (fake::living(node) == nullptr || node->type != type) return nullptr;
  return node;
}

}  // namespace

extern "C" {

unsigned cuGraphCreate(::CUgraph_st** out, unsigned) {
  FAULT;
  *out = fake::new_graph();
  return 0;
}

unsigned cuGraphDestroy(::CUgraph_st* graph) {
  FAULT;
  if (fake::living(graph) == nullptr || graph->embedded) return 1;
  fake::destroy(graph);
  return 0;
}

unsigned cuGraphClone(::CUgraph_st** out, ::CUgraph_st* graph) {
  FAULT;
  if (fake::living(graph) == nullptr) return 1;
  if (fake::is_bound(*graph)) return 801;
  *out = fake::copy_of(*graph);
  return 0;
}

unsigned cuGraphNodeFindInClone(::CUgraphNode_st** out, ::CUgraphNode_st* node,
                                ::CUgraph_st* clone) {
  FAULT;
  if (fake::living(clone) == nullptr || fake::living(node) == nullptr) return 1;
  if (clone->embedded && !fake::world().find_in_embedded) return 1;
  const auto found = clone->counterparts.find(node);
  if (found == clone->counterparts.end() || !found->second->alive) return 1;
  *out = found->second;
  return 0;
}

unsigned cuGraphGetNodes(::CUgraph_st* graph, ::CUgraphNode_st** out, unsigned long* count) {
  FAULT;
  if (fake::living(graph) == nullptr) return 1;
  *count = graph->nodes.size();
  if (out != nullptr) std::copy(graph->nodes.begin(), graph->nodes.end(), out);
  return 0;
}

unsigned cuGraphNodeGetType(::CUgraphNode_st* node, unsigned* type) {
  FAULT;
  if (fake::living(node) == nullptr) return 1;
  *type = node->type;
  return 0;
}

unsigned cuGraphGetId(::CUgraph_st* graph, unsigned* id) {
  FAULT;
  if (fake::living(graph) == nullptr) return 1;
  *id = graph->id;
  return 0;
}

unsigned cuGraphNodeGetToolsId(::CUgraphNode_st* node, unsigned long long* id) {
  FAULT;
  if (fake::living(node) == nullptr) return 1;
  *id = node->id;
  return 0;
}

unsigned cuGraphDestroyNode(::CUgraphNode_st* node) {
  FAULT;
  if (fake::living(node) == nullptr) return 1;
  if (node->graph->capturing) return 401;
  fake::destroy(node);
  return 0;
}

unsigned cuGraphAddEmptyNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                             unsigned long count) {
  FAULT;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_EMPTY, [](auto*) {});
}

unsigned cuGraphAddHostNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                            unsigned long count, const CUDA_HOST_NODE_PARAMS_st* parameters) {
  FAULT;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_HOST,
             [&](auto* node) { node->host = *parameters; });
}
unsigned cuGraphHostNodeSetParams(::CUgraphNode_st* node,
                                  const CUDA_HOST_NODE_PARAMS_st* parameters) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_HOST) == nullptr) return 1;
  node->host = *parameters;
  return 0;
}

unsigned cuGraphAddKernelNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                              unsigned long count, const CUDA_KERNEL_NODE_PARAMS_st* parameters) {
  FAULT;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_KERNEL,
             [&](auto* node) { fake::set_kernel(node, *parameters); });
}
unsigned cuGraphKernelNodeSetParams(::CUgraphNode_st* node,
                                    const CUDA_KERNEL_NODE_PARAMS_st* parameters) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_KERNEL) == nullptr) return 1;
  if (!fake::cluster_fits(node->attributes.cluster, *parameters)) return fake::kInvalidClusterSize;
  fake::set_kernel(node, *parameters);
  return 0;
}

unsigned cuGraphAddMemcpyNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                              unsigned long count, const CUDA_MEMCPY3D_st* parameters,
                              ::CUctx_st* context) {
  FAULT;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_MEMCPY, [&](auto* node) {
    node->address = parameters->dstDevice;
    node->memcpy = *parameters;
    node->context = context;
  });
}
unsigned cuGraphMemcpyNodeSetParams(::CUgraphNode_st* node, const CUDA_MEMCPY3D_st* parameters) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_MEMCPY) == nullptr) return 1;
  node->address = parameters->dstDevice;
  node->memcpy = *parameters;
  return 0;
}

unsigned cuGraphAddMemsetNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                              unsigned long count, const CUDA_MEMSET_NODE_PARAMS_st* parameters,
                              ::CUctx_st* context) {
  FAULT;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_MEMSET, [&](auto* node) {
    node->address = parameters->dst;
    node->memset = *parameters;
    node->context = context;
  });
}
unsigned cuGraphMemsetNodeSetParams(::CUgraphNode_st* node,
                                    const CUDA_MEMSET_NODE_PARAMS_st* parameters) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_MEMSET) == nullptr) return 1;
  node->address = parameters->dst;
  node->memset = *parameters;
  return 0;
}

unsigned cuGraphAddEventRecordNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                                   unsigned long count, ::CUevent_st* event) {
  FAULT;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_EVENT_RECORD,
             [&](auto* node) { node->operand = event; });
}
unsigned cuGraphEventRecordNodeSetEvent(::CUgraphNode_st* node, ::CUevent_st* event) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_EVENT_RECORD) == nullptr) return 1;
  node->operand = event;
  return 0;
}

unsigned cuGraphAddEventWaitNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                                 unsigned long count, ::CUevent_st* event) {
  FAULT;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_WAIT_EVENT,
             [&](auto* node) { node->operand = event; });
}
unsigned cuGraphEventWaitNodeSetEvent(::CUgraphNode_st* node, ::CUevent_st* event) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_WAIT_EVENT) == nullptr) return 1;
  node->operand = event;
  return 0;
}

unsigned cuGraphAddMemAllocNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                                unsigned long count, CUDA_MEM_ALLOC_NODE_PARAMS_v1_st* parameters) {
  FAULT;
  parameters->dptr = 0x7000;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_MEM_ALLOC, [&](auto* node) {
    node->memory = *parameters;
    node->access.assign(parameters->accessDescs,
                        parameters->accessDescs + parameters->accessDescCount);
  });
}
unsigned cuGraphMemAllocNodeGetParams(::CUgraphNode_st* node,
                                      CUDA_MEM_ALLOC_NODE_PARAMS_v1_st* out) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_MEM_ALLOC) == nullptr) return 1;
  *out = node->memory;
  out->accessDescs = node->access.data();
  return 0;
}
unsigned cuGraphMemFreeNodeGetParams(::CUgraphNode_st* node, unsigned long long* out) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_MEM_FREE) == nullptr) return 1;
  *out = node->address;
  return 0;
}
unsigned cuGraphAddMemFreeNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                               unsigned long count, unsigned long long address) {
  FAULT;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_MEM_FREE,
             [&](auto* node) { node->address = address; });
}

unsigned cuGraphAddChildGraphNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                                  unsigned long count, ::CUgraph_st* child) {
  FAULT;
  if (fake::living(child) == nullptr) return 1;
  if (fake::is_bound(*child) || fake::has_memory_nodes(*graph)) return 801;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_GRAPH, [&](auto* node) {
    ::CUgraph_st* const copy = fake::copy_of(*child);
    copy->embedded = true;
    node->inner = {copy};
  });
}
unsigned cuGraphChildGraphNodeGetGraph(::CUgraphNode_st* node, ::CUgraph_st** out) {
  FAULT;
  if (of_type(node, CU_GRAPH_NODE_TYPE_GRAPH) == nullptr) return 1;
  *out = node->inner.front();
  return 0;
}

// Replaces the graph in a child node by a copy of another graph.
unsigned cuGraphNodeSetParams(::CUgraphNode_st* node, CUgraphNodeParams_st* parameters) {
  FAULT;
  if (parameters->type != CU_GRAPH_NODE_TYPE_GRAPH) return 1;
  if (of_type(node, CU_GRAPH_NODE_TYPE_GRAPH) == nullptr) return 1;
  const auto& given = parameters->graph;
  if (fake::living(given.graph) == nullptr || given.ownership != 0) return 1;
  if (given.graph == node->inner.front()) return 1;
  if (fake::is_bound(*given.graph) || fake::has_memory_nodes(*node->graph)) return 801;
  ::CUgraph_st* const copy = fake::copy_of(*given.graph);
  copy->embedded = true;
  fake::destroy(node->inner.front());
  node->inner = {copy};
  return 0;
}

unsigned cuGraphConditionalHandleCreate(unsigned long* out, ::CUgraph_st* graph, ::CUctx_st*,
                                        unsigned, unsigned) {
  FAULT;
  if (fake::living(graph) == nullptr) return 1;
  *out = 77;
  return 0;
}

unsigned cuGraphAddNode(::CUgraphNode_st** out, ::CUgraph_st* graph, Nodes after,
                        unsigned long count, CUgraphNodeParams_st* parameters) {
  FAULT;
  auto& conditional = parameters->conditional;
  if (parameters->type != CU_GRAPH_NODE_TYPE_CONDITIONAL || conditional.handle != 77) return 1;
  return add(out, graph, after, count, CU_GRAPH_NODE_TYPE_CONDITIONAL, [&](auto* node) {
    for (unsigned body = 0; body < conditional.size; ++body) {
      node->inner.push_back(fake::new_graph());
      node->inner.back()->embedded = true;
    }
    conditional.phGraph_out = node->inner.data();
  });
}

}  // extern "C"
}  // namespace anycuda::api
