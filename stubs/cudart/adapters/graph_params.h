// SPDX-License-Identifier: Apache-2.0

// Node parameters of 12.2 and later, one struct with a type, for runtimes that have a function per
// node type instead. The struct of 13 serves callers of 12, too: 13's new fields are in bytes that
// must be zero in 12.
#pragma once

#include "stubs/cudart/adapters/graph_support.h"

namespace anycuda::graphs {

using NodeParams = v13::cudaGraphNodeParams;

// The part of a caller's parameters that an older runtime can take.
struct Wanted {
  NodeParams params{};       // a copy, without the fields that 13 added
  unsigned int handle = 0;   // of a kernel node: the type of its handle, a cudaKernelFunctionType
  bool driver_only = false;  // only the driver knows that handle
};

// Takes the caller's parameters, or refuses what older runtimes cannot express. `function` is the
// name for messages.
Status take(const NodeParams* params, Wanted* wanted, const char* function);

// Copies the call's outputs in the parameters to the caller's (12.9 and 13.5 return these two).
void return_outputs(const NodeParams& made, NodeParams* params);

// A kernel node's parameters with a handle of the driver's own.
driver::CUDA_KERNEL_NODE_PARAMS_v2_st driver_kernel(const Wanted& wanted);

// Between 13's parameters of a type and those of the runtime's functions for that type, either way.
template <typename From, typename To>
void copy_kernel(const From& from, To* to) {
  to->func = from.func;
  to->gridDim = from.gridDim;
  to->blockDim = from.blockDim;
  to->sharedMemBytes = from.sharedMemBytes;
  to->kernelParams = from.kernelParams;
  to->extra = from.extra;
}
template <typename From, typename To>
void copy_memset(const From& from, To* to) {
  to->dst = from.dst;
  to->pitch = from.pitch;
  to->value = from.value;
  to->elementSize = from.elementSize;
  to->width = from.width;
  to->height = from.height;
}
template <typename From, typename To>
void copy_host(const From& from, To* to) {
  to->fn = from.fn;
  to->userData = from.userData;
}
template <typename From, typename To>
void copy_semaphores(const From& from, To* to) {
  to->extSemArray = from.extSemArray;
  to->paramsArray = from.paramsArray;
  to->numExtSems = from.numExtSems;
}
// The same bytes in all majors, and handed to the driver as they are (machine code of 11.8, 12.9).
template <typename From, typename To>
void copy_allocation(const From& from, To* to) {
  static_assert(sizeof from == sizeof *to);
  static_assert(__builtin_offsetof(From, dptr) == __builtin_offsetof(To, dptr));
  std::memcpy(to, &from, sizeof *to);
}

// For types whose parameters are the same bytes in the driver: child graphs, conditional nodes,
// allocation and free nodes. A conditional node gets the thread's context, as from the runtime;
// call this within in_context, which makes a context if needed.
Status driver_params(const NodeParams& params, driver::CUgraphNodeParams_st* to);

// The thread's context, for a call within in_context.
Status current_context(driver::CUcontext* context);

// The type, also where the runtime has no number for it.
Status node_type(v13::cudaGraphNode_t node, unsigned int* type);

// Is it a __global__ function of the program?
bool is_host_function(const void* handle);

}  // namespace anycuda::graphs
