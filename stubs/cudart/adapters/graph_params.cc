// SPDX-License-Identifier: Apache-2.0
#include "stubs/cudart/adapters/graph_params.h"

namespace anycuda::graphs {
namespace {

// The facts about a type: the size of its parameters in 13, and the execution context that 13 added
// to most. `size` is 0 with `known` false for types without a number here.
struct Shape {
  bool known;
  std::size_t size;
  const void* context;
};

Shape shape_of(const NodeParams& p) {
  switch (p.type) {
    case v13::cudaGraphNodeTypeKernel:
      return {true, sizeof p.kernel, p.kernel.ctx};
    case v13::cudaGraphNodeTypeMemcpy:
      return {true, sizeof p.memcpy, p.memcpy.ctx};
    case v13::cudaGraphNodeTypeMemset:
      return {true, sizeof p.memset, p.memset.ctx};
    case v13::cudaGraphNodeTypeHost:
      return {true, sizeof p.host, p.host.ctx};
    case v13::cudaGraphNodeTypeGraph:
      return {true, sizeof p.graph, nullptr};
    case v13::cudaGraphNodeTypeEmpty:
      return {true, 0, nullptr};
    case v13::cudaGraphNodeTypeWaitEvent:
      return {true, sizeof p.eventWait, nullptr};
    case v13::cudaGraphNodeTypeEventRecord:
      return {true, sizeof p.eventRecord, p.eventRecord.ctx};
    case v13::cudaGraphNodeTypeExtSemaphoreSignal:
      return {true, sizeof p.extSemSignal, p.extSemSignal.ctx};
    case v13::cudaGraphNodeTypeExtSemaphoreWait:
      return {true, sizeof p.extSemWait, p.extSemWait.ctx};
    case v13::cudaGraphNodeTypeMemAlloc:
      return {true, sizeof p.alloc, nullptr};
    case v13::cudaGraphNodeTypeMemFree:
      return {true, sizeof p.free, nullptr};
    case v13::cudaGraphNodeTypeConditional:
      return {true, sizeof p.conditional, p.conditional.ctx};
    default:
      return {false, 0, nullptr};
  }
}

// "cudaGraphAddNode": all bytes past the type's own must be zero. The runtimes check it (read in
// the machine code of 12.9 and 13.5), so a field of a later release is never overlooked.
bool unused_bytes_are_zero(const NodeParams& p, std::size_t size) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(&p);
  const std::size_t begin = __builtin_offsetof(NodeParams, kernel);
  for (std::size_t i = sizeof p.type; i < sizeof p; ++i) {
    if ((i < begin || i >= begin + size) && bytes[i] != 0) return false;
  }
  return p.type != v13::cudaGraphNodeTypeMemcpy || (p.memcpy.flags == 0 && p.memcpy.reserved == 0);
}

Status take_kernel(Wanted* wanted, const char* function) {
  auto& kernel = wanted->params.kernel;
  wanted->handle = kernel.functionType;
  kernel.functionType = v13::cudaKernelFunctionTypeUnspecified;
  switch (wanted->handle) {
    case v13::cudaKernelFunctionTypeUnspecified:
    case v13::cudaKernelFunctionTypeDeviceEntry:
      return 0;
    case v13::cudaKernelFunctionTypeKernel:
      // If the runtime knows kernels only by their host functions, the handle is the host function.
      wanted->driver_only = !is_host_function(kernel.func);
      return 0;
    case v13::cudaKernelFunctionTypeFunction:
      wanted->driver_only = true;
      return 0;
    default:
      return refuse(v13::cudaErrorNotSupported, function,
                    "the functionType of the kernel node has an unknown value");
  }
}

}  // namespace

Status take(const NodeParams* params, Wanted* wanted, const char* function) {
  if (params == nullptr) return remember(v13::cudaErrorInvalidValue);
  if (params->type == v13::cudaGraphNodeTypeMemcpyBatch) {
    return refuse(v13::cudaErrorNotSupported, function, "this runtime has no batch copy nodes");
  }
  const Shape shape = shape_of(*params);
  if (!shape.known) return remember(v13::cudaErrorInvalidValue);
  if (!unused_bytes_are_zero(*params, shape.size)) {
    return refuse(v13::cudaErrorInvalidValue, function,
                  "the unused bytes of the node parameters must be zero");
  }
  if (shape.context != nullptr) {
    return refuse(v13::cudaErrorNotSupported, function, "this runtime has no execution contexts");
  }
  wanted->params = *params;
  if (params->type == v13::cudaGraphNodeTypeKernel) return take_kernel(wanted, function);
  if (params->type == v13::cudaGraphNodeTypeHost) {
    constexpr unsigned int kBlocking = 0, kSpinWait = 1;  // cudaHostTaskSyncMode
    if (params->host.syncMode > kSpinWait) {
      return refuse(v13::cudaErrorNotSupported, function,
                    "the syncMode of the host node has an unknown value");
    }
    // How the driver waits is a hint: the node does the same.
    wanted->params.host.syncMode = kBlocking;
  }
  return 0;
}

void return_outputs(const NodeParams& made, NodeParams* params) {
  if (made.type == v13::cudaGraphNodeTypeMemAlloc) params->alloc.dptr = made.alloc.dptr;
  if (made.type == v13::cudaGraphNodeTypeConditional) {
    params->conditional.phGraph_out = made.conditional.phGraph_out;
  }
}

driver::CUDA_KERNEL_NODE_PARAMS_v2_st driver_kernel(const Wanted& wanted) {
  const auto& from = wanted.params.kernel;
  driver::CUDA_KERNEL_NODE_PARAMS_v2_st to{};
  if (wanted.handle == v13::cudaKernelFunctionTypeFunction) {
    to.func = from.cuFunc;
  } else {
    to.kern = from.kern;
  }
  to.gridDimX = from.gridDim.x;
  to.gridDimY = from.gridDim.y;
  to.gridDimZ = from.gridDim.z;
  to.blockDimX = from.blockDim.x;
  to.blockDimY = from.blockDim.y;
  to.blockDimZ = from.blockDim.z;
  to.sharedMemBytes = from.sharedMemBytes;
  to.kernelParams = from.kernelParams;
  to.extra = from.extra;
  return to;
}

Status driver_params(const NodeParams& params, driver::CUgraphNodeParams_st* to) {
  using Driver = driver::CUgraphNodeParams_st;
  static_assert(sizeof(NodeParams) == sizeof(Driver));
  static_assert(__builtin_offsetof(NodeParams, graph) == __builtin_offsetof(Driver, graph));
  static_assert(sizeof params.graph == sizeof to->graph);
  static_assert(sizeof params.alloc == sizeof to->alloc);
  static_assert(sizeof params.free == sizeof to->free);
  static_assert(sizeof params.conditional == sizeof to->conditional);
  std::memcpy(to, &params, sizeof *to);
  return params.type == v13::cudaGraphNodeTypeConditional ? current_context(&to->conditional.ctx)
                                                          : 0;
}

Status current_context(driver::CUcontext* context) {
  *context = nullptr;
  const Status status = driver::cuCtxGetCurrent(context);
  return status == 0 && *context == nullptr ? driver::CUDA_ERROR_INVALID_CONTEXT : status;
}

Status node_type(v13::cudaGraphNode_t node, unsigned int* type) {
  return in_context([=] { return driver::cuGraphNodeGetType(node, type); });
}

bool is_host_function(const void* handle) {
  const KeepLastError last_error_scope;
  v11::cudaFunction_t function = nullptr;
  return v11::cudaGetFuncBySymbol(&function, handle) == 0;
}

}  // namespace anycuda::graphs
