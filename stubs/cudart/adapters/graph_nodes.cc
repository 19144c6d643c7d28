// SPDX-License-Identifier: Apache-2.0

// Adds nodes of any type to graphs. 12.2 introduced one function for all types, 12.3 added edge
// data, 13 added fields to the parameters. Older runtimes have a function per type; for conditional
// nodes and edge data, which these lack, the driver is called.
#include "stubs/cudart/adapters/graph_params.h"

namespace anycuda {
namespace {

using graphs::EdgeData;
using graphs::NodeParams;
using graphs::to_driver;
using graphs::Wanted;
using Graph = v13::cudaGraph_t;
using Node = v13::cudaGraphNode_t;

constexpr const char* kName = "cudaGraphAddNode";

// Where the node goes.
struct InsertionPoint {
  Node* node;
  Graph graph;
  const Node* dependencies;
  const EdgeData* data;
  std::size_t count;
};

Status add_allocation(const InsertionPoint& at, NodeParams* params) {
  v11::cudaMemAllocNodeParams alloc;
  graphs::copy_allocation(params->alloc, &alloc);
  const Status status =
      v11::cudaGraphAddMemAllocNode(at.node, at.graph, at.dependencies, at.count, &alloc);
  params->alloc.dptr = alloc.dptr;
  return status;
}

Status add_kernel(const InsertionPoint& at, const Wanted& wanted) {
  if (!wanted.driver_only) {
    v11::cudaKernelNodeParams kernel;
    graphs::copy_kernel(wanted.params.kernel, &kernel);
    return v11::cudaGraphAddKernelNode(at.node, at.graph, at.dependencies, at.count, &kernel);
  }
  const auto kernel = graphs::driver_kernel(wanted);
  return in_context([&] {
    return driver::cuGraphAddKernelNode_v2(at.node, at.graph, at.dependencies, at.count, &kernel);
  });
}

// By the runtime's function for the type, edges without data.
Status add_by_type(const InsertionPoint& at, Wanted* wanted) {
  NodeParams& p = wanted->params;
  switch (p.type) {
    case v13::cudaGraphNodeTypeKernel:
      return add_kernel(at, *wanted);
    case v13::cudaGraphNodeTypeMemcpy:
      return v11::cudaGraphAddMemcpyNode(at.node, at.graph, at.dependencies, at.count,
                                         &p.memcpy.copyParams);
    case v13::cudaGraphNodeTypeMemset: {
      v11::cudaMemsetParams set;
      graphs::copy_memset(p.memset, &set);
      return v11::cudaGraphAddMemsetNode(at.node, at.graph, at.dependencies, at.count, &set);
    }
    case v13::cudaGraphNodeTypeHost: {
      v11::cudaHostNodeParams host;
      graphs::copy_host(p.host, &host);
      return v11::cudaGraphAddHostNode(at.node, at.graph, at.dependencies, at.count, &host);
    }
    case v13::cudaGraphNodeTypeGraph:
      return v11::cudaGraphAddChildGraphNode(at.node, at.graph, at.dependencies, at.count,
                                             p.graph.graph);
    case v13::cudaGraphNodeTypeEmpty:
      return v11::cudaGraphAddEmptyNode(at.node, at.graph, at.dependencies, at.count);
    case v13::cudaGraphNodeTypeWaitEvent:
      return v11::cudaGraphAddEventWaitNode(at.node, at.graph, at.dependencies, at.count,
                                            p.eventWait.event);
    case v13::cudaGraphNodeTypeEventRecord:
      return v11::cudaGraphAddEventRecordNode(at.node, at.graph, at.dependencies, at.count,
                                              p.eventRecord.event);
    case v13::cudaGraphNodeTypeExtSemaphoreSignal: {
      v11::cudaExternalSemaphoreSignalNodeParams signal;
      graphs::copy_semaphores(p.extSemSignal, &signal);
      return v11::cudaGraphAddExternalSemaphoresSignalNode(at.node, at.graph, at.dependencies,
                                                           at.count, &signal);
    }
    case v13::cudaGraphNodeTypeExtSemaphoreWait: {
      v11::cudaExternalSemaphoreWaitNodeParams wait;
      graphs::copy_semaphores(p.extSemWait, &wait);
      return v11::cudaGraphAddExternalSemaphoresWaitNode(at.node, at.graph, at.dependencies,
                                                         at.count, &wait);
    }
    case v13::cudaGraphNodeTypeMemAlloc:
      return add_allocation(at, &p);
    default:
      return v11::cudaGraphAddMemFreeNode(at.node, at.graph, at.dependencies, at.count,
                                          p.free.dptr);
  }
}

bool needs_driver(const NodeParams& p) {
  return p.type == v13::cudaGraphNodeTypeConditional ||
         (p.type == v13::cudaGraphNodeTypeGraph &&
          p.graph.ownership != v13::cudaGraphChildGraphOwnershipClone);
}

Status add_by_driver(const InsertionPoint& at, NodeParams* params) {
  static OfDriver drivers{"cuGraphAddNode_v2"};
  if (!drivers.available()) {
    const bool is_conditional = params->type == v13::cudaGraphNodeTypeConditional;
    return refuse_old_driver(
        v13::cudaErrorNotSupported, kName,
        is_conditional
            ? "a conditional node needs a driver of CUDA 12.3 or later"
            : "a child graph that moves into its node needs a driver of CUDA 12.9 or later");
  }
  driver::CUgraphNodeParams_st converted;
  const Status status = in_context([&] {
    const Status unready = graphs::driver_params(*params, &converted);
    return unready != 0 ? unready
                        : driver::cuGraphAddNode_v2(at.node, at.graph, at.dependencies,
                                                    to_driver(at.data), at.count, &converted);
  });
  if (status == 0 && params->type == v13::cudaGraphNodeTypeConditional) {
    params->conditional.phGraph_out = converted.conditional.phGraph_out;
  }
  return status;
}

// The node first, its edges after it: the functions per type have no edge data.
Status add_with_edge_data(const InsertionPoint& at, Wanted* wanted) {
  static OfDriver drivers{"cuGraphAddDependencies_v2"};
  const unsigned int type = wanted->params.type;
  if (!drivers.available()) return graphs::refuse_edge_data(kName);
  if (type == v13::cudaGraphNodeTypeMemAlloc || type == v13::cudaGraphNodeTypeMemFree) {
    // Could not be taken back if an edge were refused ("cudaGraphAddMemAllocNode").
    return refuse(v13::cudaErrorNotSupported, kName,
                  "this runtime has no edge data for nodes that allocate or free memory");
  }
  Node made = nullptr;
  Status status = add_by_type({&made, at.graph, nullptr, nullptr, 0}, wanted);
  if (status != 0) return status;
  for (std::size_t i = 0; i < at.count && status == 0; ++i) {
    status = driver_answer(driver::cuGraphAddDependencies_v2(at.graph, &at.dependencies[i], &made,
                                                             to_driver(&at.data[i]), 1));
  }
  if (status != 0) {
    v11::cudaGraphDestroyNode(made);
    return status;
  }
  *at.node = made;
  return 0;
}

Status add(const InsertionPoint& at, NodeParams* params) {
  Wanted wanted;
  Status status = graphs::take(params, &wanted, kName);
  if (status != 0) return status;
  static OfRuntime runtimes{"cudaGraphAddNode_v2"};
  if (runtimes.available() && !wanted.driver_only) {
    status = v12::cudaGraphAddNode_v2(at.node, at.graph, at.dependencies, at.data, at.count,
                                      view<v12::cudaGraphNodeParams>(&wanted.params));
  } else if (needs_driver(wanted.params)) {
    status = add_by_driver(at, &wanted.params);
  } else if (graphs::is_default(at.data, at.count)) {
    status = add_by_type(at, &wanted);
  } else {
    status = at.node == nullptr || at.dependencies == nullptr ? remember(v13::cudaErrorInvalidValue)
                                                              : add_with_edge_data(at, &wanted);
  }
  if (status == 0) graphs::return_outputs(wanted.params, params);
  return status;
}

}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_add_node(Node* node, Graph graph,
                                                      const Node* dependencies, std::size_t count,
                                                      v12::cudaGraphNodeParams* params) {
  return add({node, graph, dependencies, nullptr, count}, view<NodeParams>(params));
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_add_node_v2(Node* node, Graph graph,
                                                         const Node* dependencies,
                                                         const EdgeData* data, std::size_t count,
                                                         v12::cudaGraphNodeParams* params) {
  return add({node, graph, dependencies, data, count}, view<NodeParams>(params));
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_add_node_of_13(Node* node, Graph graph,
                                                            const Node* dependencies,
                                                            const EdgeData* data, std::size_t count,
                                                            NodeParams* params) {
  return add({node, graph, dependencies, data, count}, params);
}

// 12's form without edge data, on 13: its parameters are 13's with zeros in the new fields.
ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_add_node_without_data(
    Node* node, Graph graph, const Node* dependencies, std::size_t count,
    v12::cudaGraphNodeParams* params) {
  return v13::cudaGraphAddNode(node, graph, dependencies, nullptr, count, view<NodeParams>(params));
}

// A conditional node's handle belongs to a context, the thread's where the caller names none (read
// in the machine code of 13.5: an execution context goes to the driver as its context).
namespace {
Status create_handle(unsigned long long* handle, Graph graph, unsigned int value,
                     unsigned int flags) {
  static_assert(sizeof *handle == sizeof(driver::CUgraphConditionalHandle));
  return in_context([=] {
    driver::CUcontext context = nullptr;
    const Status unready = graphs::current_context(&context);
    return unready != 0 ? unready
                        : driver::cuGraphConditionalHandleCreate(
                              reinterpret_cast<driver::CUgraphConditionalHandle*>(handle), graph,
                              context, value, flags);
  });
}
}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_graph_conditional_handle(unsigned long long* handle,
                                                                Graph graph, unsigned int value,
                                                                unsigned int flags) {
  return create_handle(handle, graph, value, flags);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_conditional_handle_v2(
    unsigned long long* handle, Graph graph, v13::cudaExecutionContext_t context,
    unsigned int value, unsigned int flags) {
  if (context != nullptr) {
    return refuse(v13::cudaErrorNotSupported, "cudaGraphConditionalHandleCreate_v2",
                  "this runtime has no execution contexts");
  }
  return create_handle(handle, graph, value, flags);
}

}  // namespace anycuda
