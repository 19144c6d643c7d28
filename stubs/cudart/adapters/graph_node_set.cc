// SPDX-License-Identifier: Apache-2.0

// Parameters of nodes, in graphs and in executable ones, set by one function for all types (12.2),
// on runtimes that have a function per type.
#include "stubs/cudart/adapters/graph_params.h"

namespace anycuda {
namespace {

using graphs::NodeParams;
using graphs::Wanted;
using Exec = v13::cudaGraphExec_t;
using Node = v13::cudaGraphNode_t;

// A node, or that node in an executable graph.
struct Target {
  bool executable;
  Exec exec;
  Node node;
  const char* function;
};

Status set_kernel(const Target& at, const Wanted& wanted) {
  if (!wanted.driver_only) {
    v11::cudaKernelNodeParams kernel;
    graphs::copy_kernel(wanted.params.kernel, &kernel);
    return at.executable ? v11::cudaGraphExecKernelNodeSetParams(at.exec, at.node, &kernel)
                         : v11::cudaGraphKernelNodeSetParams(at.node, &kernel);
  }
  const auto kernel = graphs::driver_kernel(wanted);
  return in_context([&] {
    return at.executable ? driver::cuGraphExecKernelNodeSetParams_v2(at.exec, at.node, &kernel)
                         : driver::cuGraphKernelNodeSetParams_v2(at.node, &kernel);
  });
}

// Types whose parameters no function of the older runtime sets: child graphs of graphs, conditional
// nodes, allocations, empty nodes. The driver decides which of these are possible.
Status set_by_driver(const Target& at, NodeParams* params) {
  static OfDriver of_nodes{"cuGraphNodeSetParams"};
  static OfDriver of_exec{"cuGraphExecNodeSetParams"};
  if (!(at.executable ? of_exec : of_nodes).available()) {
    return refuse_old_driver(
        v13::cudaErrorNotSupported, at.function,
        "setting the parameters of nodes of this type needs a driver of CUDA 12.2 or later");
  }
  driver::CUgraphNodeParams_st converted;
  const Status status = in_context([&] {
    const Status unready = graphs::driver_params(*params, &converted);
    if (unready != 0) return unready;
    return at.executable ? driver::cuGraphExecNodeSetParams(at.exec, at.node, &converted)
                         : driver::cuGraphNodeSetParams(at.node, &converted);
  });
  if (status == 0) std::memcpy(params, &converted, sizeof converted);
  return status;
}

Status set_by_type(const Target& at, Wanted* wanted) {
  NodeParams& p = wanted->params;
  switch (p.type) {
    case v13::cudaGraphNodeTypeKernel:
      return set_kernel(at, *wanted);
    case v13::cudaGraphNodeTypeMemcpy:
      return at.executable
                 ? v11::cudaGraphExecMemcpyNodeSetParams(at.exec, at.node, &p.memcpy.copyParams)
                 : v11::cudaGraphMemcpyNodeSetParams(at.node, &p.memcpy.copyParams);
    case v13::cudaGraphNodeTypeMemset: {
      v11::cudaMemsetParams set;
      graphs::copy_memset(p.memset, &set);
      return at.executable ? v11::cudaGraphExecMemsetNodeSetParams(at.exec, at.node, &set)
                           : v11::cudaGraphMemsetNodeSetParams(at.node, &set);
    }
    case v13::cudaGraphNodeTypeHost: {
      v11::cudaHostNodeParams host;
      graphs::copy_host(p.host, &host);
      return at.executable ? v11::cudaGraphExecHostNodeSetParams(at.exec, at.node, &host)
                           : v11::cudaGraphHostNodeSetParams(at.node, &host);
    }
    case v13::cudaGraphNodeTypeWaitEvent:
      return at.executable
                 ? v11::cudaGraphExecEventWaitNodeSetEvent(at.exec, at.node, p.eventWait.event)
                 : v11::cudaGraphEventWaitNodeSetEvent(at.node, p.eventWait.event);
    case v13::cudaGraphNodeTypeEventRecord:
      return at.executable
                 ? v11::cudaGraphExecEventRecordNodeSetEvent(at.exec, at.node, p.eventRecord.event)
                 : v11::cudaGraphEventRecordNodeSetEvent(at.node, p.eventRecord.event);
    case v13::cudaGraphNodeTypeExtSemaphoreSignal: {
      v11::cudaExternalSemaphoreSignalNodeParams signal;
      graphs::copy_semaphores(p.extSemSignal, &signal);
      return at.executable ? v11::cudaGraphExecExternalSemaphoresSignalNodeSetParams(
                                 at.exec, at.node, &signal)
                           : v11::cudaGraphExternalSemaphoresSignalNodeSetParams(at.node, &signal);
    }
    case v13::cudaGraphNodeTypeExtSemaphoreWait: {
      v11::cudaExternalSemaphoreWaitNodeParams wait;
      graphs::copy_semaphores(p.extSemWait, &wait);
      return at.executable
                 ? v11::cudaGraphExecExternalSemaphoresWaitNodeSetParams(at.exec, at.node, &wait)
                 : v11::cudaGraphExternalSemaphoresWaitNodeSetParams(at.node, &wait);
    }
    case v13::cudaGraphNodeTypeGraph:
      if (at.executable && p.graph.ownership == v13::cudaGraphChildGraphOwnershipClone) {
        return v11::cudaGraphExecChildGraphNodeSetParams(at.exec, at.node, p.graph.graph);
      }
      return set_by_driver(at, &p);
    default:
      return set_by_driver(at, &p);
  }
}

Status set(const Target& at, NodeParams* params) {
  Wanted wanted;
  Status status = graphs::take(params, &wanted, at.function);
  if (status != 0) return status;
  static OfRuntime of_nodes{"cudaGraphNodeSetParams"};
  static OfRuntime of_exec{"cudaGraphExecNodeSetParams"};
  if (!wanted.driver_only && (at.executable ? of_exec : of_nodes).available()) {
    auto* known = view<v12::cudaGraphNodeParams>(&wanted.params);
    status = at.executable ? v12::cudaGraphExecNodeSetParams(at.exec, at.node, known)
                           : v12::cudaGraphNodeSetParams(at.node, known);
  } else {
    status = set_by_type(at, &wanted);
  }
  if (status == 0) graphs::return_outputs(wanted.params, params);
  return status;
}

Status set_node(Node node, NodeParams* params) {
  return set({false, nullptr, node, "cudaGraphNodeSetParams"}, params);
}

Status set_exec_node(Exec exec, Node node, NodeParams* params) {
  return set({true, exec, node, "cudaGraphExecNodeSetParams"}, params);
}

}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_node_set(Node node, v12::cudaGraphNodeParams* params) {
  return set_node(node, view<NodeParams>(params));
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_node_set_of_13(Node node, NodeParams* params) {
  return set_node(node, params);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_exec_node_set(Exec exec, Node node,
                                                           v12::cudaGraphNodeParams* params) {
  return set_exec_node(exec, node, view<NodeParams>(params));
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_exec_node_set_of_13(Exec exec, Node node,
                                                                 NodeParams* params) {
  return set_exec_node(exec, node, params);
}

}  // namespace anycuda
