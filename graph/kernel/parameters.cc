// SPDX-License-Identifier: Apache-2.0

// Kernel nodes: one way for the kernel and for its arguments, and who owns them.
#include <vector>

#include "graph/error.h"
#include "graph/kernel/arguments.h"
#include "graph/kernel/attributes.h"
#include "graph/parameters.h"

namespace anycuda::graph {
namespace {

// Drivers check this only at a launch.
CUresult check_sides(const char* what, const unsigned (&sides)[3]) {
  if (sides[0] != 0 && sides[1] != 0 && sides[2] != 0) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE,
              "kernel %s: %u x %u x %u; every side must be at least "
              "1, and at most 4294967295",
              what, sides[0], sides[1], sides[2]);
}

CUresult check_arguments(CUfunction function, const KernelNode& node) {
  if (node.values) {
    if (node.arguments == nullptr) return ArgumentCheck::run(function, node.values);
    return fail(CUDA_ERROR_INVALID_VALUE,
                "kernel arguments: both values and raw arguments are given. Give one of them");
  }
  if (node.arguments != nullptr || !takes_arguments(function)) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE,
              "kernel arguments: none are given, and the kernel takes one or more");
}

CUresult arguments_owner(const KernelNode& node, OpaqueHandle* out) {
  OpaqueHandle values = node.values.owner();
  if (node.argument_buffers.empty() && values == nullptr) {
    *out = node.argument_owner;
    return CUDA_SUCCESS;
  }
  std::vector<OpaqueHandle> all{node.argument_owner};
  for (const Buffer& buffer : node.argument_buffers) {
    if (!buffer) {
      return fail(CUDA_ERROR_INVALID_VALUE,
                  "kernel arguments: the Buffer at %zu of argument_buffers is empty or closed",
                  all.size() - 1);
    }
    all.push_back(buffer.allocation());
  }
  all.push_back(std::move(values));
  *out = all_of(std::move(all));
  return CUDA_SUCCESS;
}

}  // namespace

CUresult resolve(const KernelNode& node, api::CUDA_KERNEL_NODE_PARAMS_st* out, Owners* owners) {
  const bool typed = static_cast<bool>(node.kernel);
  CUresult result = one_way("kernel", "a Kernel", "a raw function",
                            {typed, node.function != nullptr, node.code_owner != nullptr});
  if (result == CUDA_SUCCESS) result = check_sides("grid", node.grid);
  if (result == CUDA_SUCCESS) result = check_sides("block", node.block);
  if (result == CUDA_SUCCESS && !gives_none(node.attributes)) result = check_attributes(node);
  if (result != CUDA_SUCCESS) return result;
  *out = {};
  out->func = typed ? node.kernel.function() : node.function;
  result = check_arguments(out->func, node);
  if (result != CUDA_SUCCESS) return result;
  out->gridDimX = node.grid[0];
  out->gridDimY = node.grid[1];
  out->gridDimZ = node.grid[2];
  out->blockDimX = node.block[0];
  out->blockDimY = node.block[1];
  out->blockDimZ = node.block[2];
  out->sharedMemBytes = node.shared_bytes;
  out->kernelParams = node.values ? node.values.values() : node.arguments;
  OpaqueHandle& code = owner_of_role(owners, OwnerRole::code);
  code = typed ? node.kernel.module() : node.code_owner;
  if (code == nullptr) code = loaded_module_of(out->func);
  return arguments_owner(node, &owner_of_role(owners, OwnerRole::arguments));
}

}  // namespace anycuda::graph
