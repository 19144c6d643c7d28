// SPDX-License-Identifier: Apache-2.0

// A launch on a stream by the driver.
#pragma once

#include "anycuda/graph/nodes.h"
#include "api/cuda_api.h"

namespace anycuda::graph {

// `parameters` are resolved from a node with these attributes.
CUresult launch_resolved(CUstream stream, const api::CUDA_KERNEL_NODE_PARAMS_st& parameters,
                         const LaunchAttributes& attributes) noexcept;

}  // namespace anycuda::graph
