// SPDX-License-Identifier: Apache-2.0

// Launches of kernels on a stream, with the typed arguments and the launch attributes of kernel
// nodes (launch.h):
//
//   launch(stream, kernel, {(count + 255) / 256, 256}, buffer, 2.0f, count);
//
// **A launch keeps no owner.** As in CUDA, the caller keeps the kernel's module and the memory of
// the arguments until the launch has ended. To keep them would need an event and an allocation for
// each launch, which cost more than the launch itself. Owners are kept by Capture::launch() in a
// capture, and by kernel nodes in a graph.
//
// Errors and threads are as in graph.h: on an error nothing is launched. An error of the kernel
// itself is returned by a later call of CUDA, as always. The kernel's arguments are checked as for
// add_kernel().
#pragma once

#include "anycuda/graph/exception.h"
#include "anycuda/graph/nodes.h"

namespace anycuda::graph {

// cuLaunchKernel, or with attributes cuLaunchKernelEx (drivers of CUDA 11.8 or later). A null
// stream is the legacy default stream. Owners in `node` are not used.
[[nodiscard]] CUresult launch_kernel(CUstream stream, const KernelNode& node);

// The same with kernel_node(kernel, {grid, block}, arguments...). Throws Error, and std::bad_alloc.
template <typename... Values>
void launch(CUstream stream, const Kernel& kernel, const LaunchConfig& config,
            const Values&... arguments) {
  throw_if_failed(launch_kernel(stream, kernel_node(kernel, config, arguments...)));
}

}  // namespace anycuda::graph
