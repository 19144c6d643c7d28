// SPDX-License-Identifier: Apache-2.0
#include "graph/kernel/launch.h"

#include "anycuda/graph/stream_launch.h"
#include "graph/driver_support.h"
#include "graph/error.h"
#include "graph/kernel/attributes.h"
#include "graph/parameters.h"

namespace anycuda::graph {

CUresult launch_resolved(CUstream stream, const api::CUDA_KERNEL_NODE_PARAMS_st& parameters,
                         const LaunchAttributes& attributes) noexcept {
  const auto& is = parameters;
  api::CUlaunchAttribute_st attrs[kMostLaunchAttributes] = {};
  const unsigned count = launch_attributes(attributes, &attrs);
  if (count == 0) {
    return answered("cuLaunchKernel",
                    api::cuLaunchKernel(is.func, is.gridDimX, is.gridDimY, is.gridDimZ,
                                        is.blockDimX, is.blockDimY, is.blockDimZ, is.sharedMemBytes,
                                        stream, is.kernelParams, nullptr));
  }
  const CUresult result = need("cuLaunchKernelEx");
  if (result != CUDA_SUCCESS) return result;
  api::CUlaunchConfig_st config{};
  config.gridDimX = is.gridDimX;
  config.gridDimY = is.gridDimY;
  config.gridDimZ = is.gridDimZ;
  config.blockDimX = is.blockDimX;
  config.blockDimY = is.blockDimY;
  config.blockDimZ = is.blockDimZ;
  config.sharedMemBytes = is.sharedMemBytes;
  config.hStream = stream;
  config.attrs = attrs;
  config.numAttrs = count;
  return answered("cuLaunchKernelEx",
                  api::cuLaunchKernelEx(&config, is.func, is.kernelParams, nullptr));
}

CUresult launch_kernel(CUstream stream, const KernelNode& node) {
  return entry([&] {
    api::CUDA_KERNEL_NODE_PARAMS_st parameters{};
    Owners owners;
    const CUresult result = resolve(node, &parameters, &owners);
    if (result != CUDA_SUCCESS) return result;
    return launch_resolved(stream, parameters, node.attributes);
  });
}

}  // namespace anycuda::graph
