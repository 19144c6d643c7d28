// SPDX-License-Identifier: Apache-2.0

// Nodes for cudaGraphAddNode and similar functions (12.2 on), filled as a program fills them.
#pragma once

#include <cstring>

#include "graph_forms.h"
#include "kernels.h"

#if CUDART_VERSION >= 12020

namespace conformance {

using NodeParams = Guarded<cudaGraphNodeParams>;

inline void start(NodeParams& params, cudaGraphNodeType type) {
  std::memset(static_cast<void*>(params.get()), 0, sizeof *params);
  params->type = type;
}

inline void kernel_node(NodeParams& params, Add& add) {
  start(params, cudaGraphNodeTypeKernel);
  const cudaKernelNodeParams old = add.node();
  params->kernel.func = old.func;
  params->kernel.gridDim = old.gridDim;
  params->kernel.blockDim = old.blockDim;
  params->kernel.kernelParams = old.kernelParams;
}

inline void memset_node(NodeParams& params, int* data, int value) {
  start(params, cudaGraphNodeTypeMemset);
  params->memset.dst = data;
  params->memset.value = static_cast<unsigned>(value);
  params->memset.elementSize = sizeof(int);
  params->memset.width = kCount;
  params->memset.height = 1;
}

inline void copy_node(NodeParams& params, int* to, int* from) {
  start(params, cudaGraphNodeTypeMemcpy);
  cudaMemcpy3DParms& copy = params->memcpy.copyParams;
  constexpr std::size_t kBytes = kCount * sizeof(int);
  copy.srcPtr = make_cudaPitchedPtr(from, kBytes, kCount, 1);
  copy.dstPtr = make_cudaPitchedPtr(to, kBytes, kCount, 1);
  copy.extent = make_cudaExtent(kBytes, 1, 1);
  copy.kind = cudaMemcpyDefault;
}

inline void host_node(NodeParams& params, cudaHostFn_t function, void* data) {
  start(params, cudaGraphNodeTypeHost);
  params->host.fn = function;
  params->host.userData = data;
}

}  // namespace conformance

#endif
