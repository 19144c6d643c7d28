// SPDX-License-Identifier: Apache-2.0

// Executable graphs and launches.
#include <algorithm>
#include <utility>

#include "model.h"

namespace {

void flatten(const CUgraph_st& graph, CUgraphExec_st* exec) {
  for (CUgraphNode_st* node : graph.nodes) {
    const std::size_t at = exec->nodes.size();
    exec->nodes.emplace_back(node, *node);
    for (const CUgraph_st* inner : node->inner) flatten(*inner, exec);
    exec->nodes[at].second.span = exec->nodes.size() - at - 1;
  }
}

// The references of an executable graph; those of child nodes apart, since they can be replaced.
void hold(const CUgraph_st& graph, CUgraphExec_st* exec) {
  fake::retain_all(&exec->references, graph.references);
  for (CUgraphNode_st* node : graph.nodes) {
    const bool child = node->type == api::CU_GRAPH_NODE_TYPE_GRAPH;
    for (const CUgraph_st* inner : node->inner) {
      fake::collect(*inner, child ? &exec->children[node] : &exec->references);
    }
  }
}

void release(CUgraphExec_st* exec) {
  fake::drop_all(&exec->references);
  for (auto& [node, references] : exec->children) fake::drop_all(&references);
  exec->children.clear();
}

// A node of a cycle; nullptr for a graph without a cycle.
CUgraphNode_st* in_cycle(const CUgraph_st& graph) {
  std::vector<CUgraphNode_st*> left = graph.nodes;
  const auto waits = [&](const Dependency& one) {
    return one.node->alive && one.node->id == one.id &&
           std::find(left.begin(), left.end(), one.node) != left.end();
  };
  for (std::size_t before = left.size() + 1; before != left.size();) {
    before = left.size();
    left.erase(std::remove_if(left.begin(), left.end(),
                              [&](const CUgraphNode_st* node) {
                                return std::none_of(node->after.begin(), node->after.end(), waits);
                              }),
               left.end());
  }
  return left.empty() ? nullptr : left.front();
}

// The node for which it fails.
CUgraphNode_st* instantiate(CUgraphExec_st** out, CUgraph_st* graph) {
  static CUgraphNode_st no_graph;
  if (fake::living(graph) == nullptr) return &no_graph;
  if (CUgraphNode_st* const wrong = in_cycle(*graph)) return wrong;
  auto& all = fake::world();
  CUgraphExec_st* made = nullptr;
  if (all.free_execs.empty()) {
    made = new CUgraphExec_st;
    all.execs.push_back(made);
  } else {
    made = all.free_execs.back();
    all.free_execs.pop_back();
  }
  made->alive = true;
  made->id = ++all.last_id;
  hold(*graph, made);
  flatten(*graph, made);
  *out = made;
  return nullptr;
}

// Entries from `at` on get what those of `other` have, if the types are the same.
bool replace(CUgraphExec_st* exec, std::size_t at, std::size_t count, const CUgraphExec_st& other) {
  if (other.nodes.size() != count) return false;
  for (std::size_t one = 0; one < count; ++one) {
    if (other.nodes[one].second.type != exec->nodes[at + one].second.type) return false;
    if (other.nodes[one].second.span != exec->nodes[at + one].second.span) return false;
  }
  for (std::size_t one = 0; one < count; ++one) {
    exec->nodes[at + one].second = other.nodes[one].second;
  }
  return true;
}

CUgraphNode_st* node_in(CUgraphExec_st* exec, const CUgraphNode_st* node, unsigned type) {
  if (fake::living(exec) == nullptr) return nullptr;
  for (auto& [original, copy] : exec->nodes) {
    if (original == node && copy.type == type) return &copy;
  }
  return nullptr;
}

// Driver 580 then uses freed memory (docs/graph.md).
bool must_not_go(const CUgraphExec_st& exec) {
  const auto calls_host = [](const auto& node) {
    return node.second.type == api::CU_GRAPH_NODE_TYPE_HOST;
  };
  const auto is_of_it = [&exec](const auto& launch) { return launch.second.second == exec.id; };
  const auto& running = fake::world().running;
  return std::any_of(exec.nodes.begin(), exec.nodes.end(), calls_host) &&
         std::any_of(running.begin(), running.end(), is_of_it);
}

}  // namespace

namespace anycuda::api {
extern "C" {

unsigned cuGraphInstantiateWithFlags(::CUgraphExec_st** out, ::CUgraph_st* graph,
                                     unsigned long long) {
  FAULT;
  return instantiate(out, graph) == nullptr ? 0 : 1;
}

unsigned cuGraphInstantiateWithParams(::CUgraphExec_st** out, ::CUgraph_st* graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS_st* parameters) {
  FAULT;
  constexpr unsigned long kUpload = 2;
  parameters->hErrNode_out = instantiate(out, graph);
  parameters->result_out = parameters->hErrNode_out == nullptr
                               ? CUDA_GRAPH_INSTANTIATE_SUCCESS
                               : CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
  if (parameters->result_out != CUDA_GRAPH_INSTANTIATE_SUCCESS) return 1;
  if ((parameters->flags & kUpload) != 0) fake::world().uploaded = parameters->hUploadStream;
  return 0;
}
unsigned cuGraphExecDestroy(::CUgraphExec_st* exec) {
  FAULT;
  if (fake::living(exec) == nullptr) return 1;
  if (must_not_go(*exec)) ++fake::world().misuses;
  release(exec);
  exec->nodes.clear();
  exec->alive = false;
  fake::world().free_execs.push_back(exec);
  return 0;
}

unsigned cuGraphExecUpdate(::CUgraphExec_st* exec, ::CUgraph_st* graph, ::CUgraphNode_st** wrong,
                           unsigned* why) {
  FAULT;
  if (fake::living(exec) == nullptr || fake::living(graph) == nullptr) return 1;
  ::CUgraphExec_st other;
  flatten(*graph, &other);
  const bool same = replace(exec, 0, exec->nodes.size(), other);
  *wrong = nullptr;
  *why = same ? 0 : CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED;
  if (!same) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  ::CUgraphExec_st former;
  former.references.swap(exec->references);
  former.children.swap(exec->children);
  fake::collect(*graph, &exec->references);
  release(&former);
  return 0;
}

unsigned cuGraphLaunch(::CUgraphExec_st* exec, ::CUstream_st* stream) {
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
    fake::world().running[launch.number] = {stream, exec->id};
    launch.stream = stream;
    fake::retain_all(&launch.references, exec->references);
    for (const auto& child : exec->children) fake::retain_all(&launch.references, child.second);
    for (const auto& [original, copy] : exec->nodes) {
      if (copy.type == CU_GRAPH_NODE_TYPE_HOST) launch.calls.push_back(copy.host);
    }
    fake::world().launches.push_back(std::move(launch));
    hold = fake::world().hold_launches;
  }
  if (!hold) fake::finish_launches(nullptr);
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
                                        const CUDA_KERNEL_NODE_PARAMS_st* parameters) {
  FAULT;
  ::CUgraphNode_st* const copy = node_in(exec, node, CU_GRAPH_NODE_TYPE_KERNEL);
  if (copy == nullptr) return 1;
  fake::set_kernel(copy, *parameters);
  return 0;
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
  const ::CUgraphNode_st* const copy = node_in(exec, node, CU_GRAPH_NODE_TYPE_GRAPH);
  if (copy == nullptr) return 1;
  ::CUgraphExec_st other;
  flatten(*child, &other);
  std::size_t at = 0;
  while (&exec->nodes[at].second != copy) ++at;
  if (!replace(exec, at + 1, copy->span, other)) return CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  References former;
  former.swap(exec->children[node]);
  fake::collect(*child, &exec->children[node]);
  fake::drop_all(&former);
  return 0;
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
