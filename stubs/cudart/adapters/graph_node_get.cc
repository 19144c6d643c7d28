// SPDX-License-Identifier: Apache-2.0

// A node's type and parameters, in one function for all types (13.2), on runtimes that have a
// function per type. Only 13 has execution contexts; they stay null.
#include "stubs/cudart/adapters/graph_params.h"

namespace anycuda {
namespace {

using graphs::NodeParams;
using Node = v13::cudaGraphNode_t;

// A handle that the runtime does not know as a host function is the driver's kernel, or its
// function.
Status get_kernel_of_driver(Node node, v13::cudaKernelNodeParamsV2* to) {
  driver::CUDA_KERNEL_NODE_PARAMS_v2_st from{};
  const Status status =
      in_context([&] { return driver::cuGraphKernelNodeGetParams_v2(node, &from); });
  if (status != 0) return status;
  if (from.kern != nullptr) {
    to->functionType = v13::cudaKernelFunctionTypeKernel;
    to->kern = from.kern;
  } else {
    to->functionType = v13::cudaKernelFunctionTypeFunction;
    to->cuFunc = from.func;
  }
  to->gridDim = {from.gridDimX, from.gridDimY, from.gridDimZ};
  to->blockDim = {from.blockDimX, from.blockDimY, from.blockDimZ};
  to->sharedMemBytes = from.sharedMemBytes;
  to->kernelParams = from.kernelParams;
  to->extra = from.extra;
  return 0;
}

Status get_kernel(Node node, v13::cudaKernelNodeParamsV2* to) {
  v11::cudaKernelNodeParams kernel{};
  static OfDriver drivers{"cuGraphKernelNodeGetParams_v2"};
  {
    const KeepLastError last_error_scope;
    if (v11::cudaGraphKernelNodeGetParams(node, &kernel) == 0) {
      graphs::copy_kernel(kernel, to);
      to->functionType = v13::cudaKernelFunctionTypeDeviceEntry;
      return 0;
    }
  }
  return drivers.available() ? get_kernel_of_driver(node, to)
                             : v11::cudaGraphKernelNodeGetParams(node, &kernel);
}

Status get_conditional(Node node, v13::cudaConditionalNodeParams* to) {
  static OfDriver drivers{"cuGraphNodeGetParams"};
  if (!drivers.available()) {
    return refuse_old_driver(v13::cudaErrorNotSupported, "cudaGraphNodeGetParams",
                             "a conditional node's parameters need a driver of CUDA 13.2 or later");
  }
  driver::CUgraphNodeParams_st from{};
  const Status status = in_context([&] { return driver::cuGraphNodeGetParams(node, &from); });
  to->handle = from.conditional.handle;
  to->type = from.conditional.type;
  to->size = from.conditional.size;
  to->phGraph_out = from.conditional.phGraph_out;
  return status;
}

// The runtime's struct of the type, filled by `get`, copied by `copy`.
template <typename Record, typename Get, typename Copy, typename To>
Status by_record(Node node, Get get, Copy copy, To* to) {
  Record record{};
  const Status status = get(node, &record);
  copy(record, to);
  return status;
}

Status get(Node node, NodeParams* to) {
  switch (to->type) {
    case v13::cudaGraphNodeTypeKernel:
      return get_kernel(node, &to->kernel);
    case v13::cudaGraphNodeTypeMemcpy:
      return v11::cudaGraphMemcpyNodeGetParams(node, &to->memcpy.copyParams);
    case v13::cudaGraphNodeTypeMemset:
      return by_record<v11::cudaMemsetParams>(
          node, v11::cudaGraphMemsetNodeGetParams,
          [](const auto& from, auto* into) { graphs::copy_memset(from, into); }, &to->memset);
    case v13::cudaGraphNodeTypeHost:
      return by_record<v11::cudaHostNodeParams>(
          node, v11::cudaGraphHostNodeGetParams,
          [](const auto& from, auto* into) { graphs::copy_host(from, into); }, &to->host);
    case v13::cudaGraphNodeTypeGraph:
      // Reported for every graph that is asked for, so that the caller does not give it away again.
      to->graph.ownership =
          static_cast<decltype(to->graph.ownership)>(v13::cudaGraphChildGraphOwnershipInvalid);
      return v11::cudaGraphChildGraphNodeGetGraph(node, &to->graph.graph);
    case v13::cudaGraphNodeTypeEmpty:
      return 0;
    case v13::cudaGraphNodeTypeWaitEvent:
      return v11::cudaGraphEventWaitNodeGetEvent(node, &to->eventWait.event);
    case v13::cudaGraphNodeTypeEventRecord:
      return v11::cudaGraphEventRecordNodeGetEvent(node, &to->eventRecord.event);
    case v13::cudaGraphNodeTypeExtSemaphoreSignal:
      return by_record<v11::cudaExternalSemaphoreSignalNodeParams>(
          node, v11::cudaGraphExternalSemaphoresSignalNodeGetParams,
          [](const auto& from, auto* into) { graphs::copy_semaphores(from, into); },
          &to->extSemSignal);
    case v13::cudaGraphNodeTypeExtSemaphoreWait:
      return by_record<v11::cudaExternalSemaphoreWaitNodeParams>(
          node, v11::cudaGraphExternalSemaphoresWaitNodeGetParams,
          [](const auto& from, auto* into) { graphs::copy_semaphores(from, into); },
          &to->extSemWait);
    case v13::cudaGraphNodeTypeMemAlloc:
      return by_record<v11::cudaMemAllocNodeParams>(
          node, v11::cudaGraphMemAllocNodeGetParams,
          [](const auto& from, auto* into) { graphs::copy_allocation(from, into); }, &to->alloc);
    case v13::cudaGraphNodeTypeMemFree:
      return v11::cudaGraphMemFreeNodeGetParams(node, &to->free.dptr);
    case v13::cudaGraphNodeTypeConditional:
      return get_conditional(node, &to->conditional);
    default:
      return refuse(v13::cudaErrorNotSupported, "cudaGraphNodeGetParams",
                    "this runtime does not know the parameters of nodes of this type");
  }
}

}  // namespace

ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_node_get(Node node, NodeParams* params) {
  if (params == nullptr) return remember(v13::cudaErrorInvalidValue);
  NodeParams found{};
  Status status = graphs::node_type(node, &found.type);
  if (status == 0) status = get(node, &found);
  if (status == 0) *params = found;
  return status;
}

// 12.9 and before answer 999 for types that are newer than those of 11, 13.5 names the driver's
// (machine code).
ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_node_type(Node node, unsigned int* type) {
  if (type == nullptr) return remember(v13::cudaErrorInvalidValue);
  unsigned int found = 0;
  const Status status = graphs::node_type(node, &found);
  if (status != 0) return status;
  // Types between them that 13's runtime has no name for either.
  if (found == driver::CU_GRAPH_NODE_TYPE_BATCH_MEM_OP || found == 15 ||
      found > v13::cudaGraphNodeTypeExternalEngine) {
    return remember(v13::cudaErrorUnknown);
  }
  *type = found;
  return 0;
}

}  // namespace anycuda
