// Executable graphs and launches.
#include <utility>

#include "model.h"

namespace {

void flatten(const CUgraph_st& graph, CUgraphExec_st* exec) {
  for (CUgraphNode_st* node : graph.nodes) {
    exec->nodes.emplace_back(node, *node);
    for (const CUgraph_st* inner : node->inner) flatten(*inner, exec);
  }
}

CUgraphNode_st* node_in(CUgraphExec_st* exec, const CUgraphNode_st* node, unsigned type) {
  if (fake::living(exec) == nullptr) return nullptr;
  for (auto& [original, copy] : exec->nodes) {
    if (original == node && copy.type == type) return &copy;
  }
  return nullptr;
}

}  // namespace

namespace anycuda::api {
extern "C" {

unsigned cuGraphInstantiateWithFlags(::CUgraphExec_st** out, ::CUgraph_st* graph,
                                     unsigned long long) {
  FAULT;
  if (fake::living(graph) == nullptr) return 1;
  auto& all = fake::world();
  auto* const made = new ::CUgraphExec_st;
  all.execs.push_back(made);
  made->alive = true;
  fake::collect(*graph, &made->references);
  flatten(*graph, made);
  *out = made;
  return 0;
}

unsigned cuGraphExecDestroy(::CUgraphExec_st* exec) {
  FAULT;
  if (fake::living(exec) == nullptr) return 1;
  fake::drop_all(&exec->references);
  exec->alive = false;
  return 0;
}

unsigned cuGraphExecUpdate(::CUgraphExec_st* exec, ::CUgraph_st* graph, ::CUgraphNode_st** wrong,
                           unsigned* why) {
  FAULT;
  if (fake::living(exec) == nullptr || fake::living(graph) == nullptr) return 1;
  ::CUgraphExec_st other;
  flatten(*graph, &other);
  bool same = other.nodes.size() == exec->nodes.size();
  for (std::size_t at = 0; same && at < other.nodes.size(); ++at) {
    same = other.nodes[at].second.type == exec->nodes[at].second.type;
  }
  *wrong = nullptr;
  *why = same ? 0 : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  if (!same) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  References former;
  former.swap(exec->references);
  fake::collect(*graph, &exec->references);
  fake::drop_all(&former);
  for (std::size_t at = 0; at < other.nodes.size(); ++at) {
    exec->nodes[at].second = other.nodes[at].second;
  }
  return 0;
}

// Into a capture: a node, whose graph is not modelled.
unsigned cuGraphLaunch(::CUgraphExec_st* exec, ::CUstream_st* stream) {
  const fake::Control* const control = fake_control();
  bool hold = false;
  {
    FAULT;
    if (fake::living(exec) == nullptr) return 1;
    if (stream != nullptr && stream->capture != nullptr) {
      stream->last = {fake::new_node(stream->capture->graph, CU_GRAPH_NODE_TYPE_EMPTY)};
      return 0;
    }
    fake::Launch launch;
    launch.number = ++fake::world().launched;
    fake::world().running.insert(launch.number);
    for (const auto& [object, count] : exec->references) {
      fake::retain(&launch.references, object, count);
    }
    for (const auto& [original, copy] : exec->nodes) {
      if (copy.type == CU_GRAPH_NODE_TYPE_HOST) launch.calls.push_back(copy.host);
    }
    fake::world().launches.push_back(std::move(launch));
    hold = fake::world().hold_launches;
  }
  if (!hold) control->finish_launches();
  return 0;
}

unsigned cuGraphUpload(::CUgraphExec_st* exec, ::CUstream_st*) {
  FAULT;
  return fake::living(exec) == nullptr ? 1 : 0;
}

unsigned cuGraphExecHostNodeSetParams(::CUgraphExec_st* exec, ::CUgraphNode_st* node,
                                      const CUDA_HOST_NODE_PARAMS_st* parameters) {
  FAULT;
  ::CUgraphNode_st* const copy = node_in(exec, node, CU_GRAPH_NODE_TYPE_HOST);
  if (copy == nullptr) return 1;
  copy->host = *parameters;
  return 0;
}
unsigned cuGraphExecKernelNodeSetParams(::CUgraphExec_st* exec, ::CUgraphNode_st* node,
                                        const CUDA_KERNEL_NODE_PARAMS_st*) {
  FAULT;
  return node_in(exec, node, CU_GRAPH_NODE_TYPE_KERNEL) == nullptr ? 1 : 0;
}
unsigned cuGraphExecMemcpyNodeSetParams(::CUgraphExec_st* exec, ::CUgraphNode_st* node,
                                        const CUDA_MEMCPY3D_st*, ::CUctx_st*) {
  FAULT;
  return node_in(exec, node, CU_GRAPH_NODE_TYPE_MEMCPY) == nullptr ? 1 : 0;
}
unsigned cuGraphExecMemsetNodeSetParams(::CUgraphExec_st* exec, ::CUgraphNode_st* node,
                                        const CUDA_MEMSET_NODE_PARAMS_st*, ::CUctx_st*) {
  FAULT;
  return node_in(exec, node, CU_GRAPH_NODE_TYPE_MEMSET) == nullptr ? 1 : 0;
}
unsigned cuGraphExecEventRecordNodeSetEvent(::CUgraphExec_st* exec, ::CUgraphNode_st* node,
                                            ::CUevent_st*) {
  FAULT;
  return node_in(exec, node, CU_GRAPH_NODE_TYPE_EVENT_RECORD) == nullptr ? 1 : 0;
}
unsigned cuGraphExecEventWaitNodeSetEvent(::CUgraphExec_st* exec, ::CUgraphNode_st* node,
                                          ::CUevent_st*) {
  FAULT;
  return node_in(exec, node, CU_GRAPH_NODE_TYPE_WAIT_EVENT) == nullptr ? 1 : 0;
}
unsigned cuGraphExecChildGraphNodeSetParams(::CUgraphExec_st* exec, ::CUgraphNode_st* node,
                                            ::CUgraph_st* child) {
  FAULT;
  if (fake::living(child) == nullptr) return 1;
  return node_in(exec, node, CU_GRAPH_NODE_TYPE_GRAPH) == nullptr ? 1 : 0;
}

unsigned cuGraphNodeSetEnabled(::CUgraphExec_st* exec, ::CUgraphNode_st* node, unsigned enabled) {
  FAULT;
  ::CUgraphNode_st* const copy = node_in(exec, node, CU_GRAPH_NODE_TYPE_KERNEL);
  if (copy == nullptr) return 1;
  copy->address = enabled != 0 ? 0 : 1;
  return 0;
}
unsigned cuGraphNodeGetEnabled(::CUgraphExec_st* exec, ::CUgraphNode_st* node, unsigned* out) {
  FAULT;
  const ::CUgraphNode_st* const copy = node_in(exec, node, CU_GRAPH_NODE_TYPE_KERNEL);
  if (copy == nullptr) return 1;
  *out = copy->address == 0 ? 1 : 0;
  return 0;
}

}  // extern "C"
}  // namespace anycuda::api
