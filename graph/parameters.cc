// SPDX-License-Identifier: Apache-2.0
#include "graph/parameters.h"

#include <vector>

#include "graph/driver_support.h"
#include "graph/error.h"

namespace anycuda::graph {
namespace {

// How an operand was given. `owner` is of the raw way: what is typed owns itself.
struct Given {
  bool typed;
  bool raw;
  bool owner;
};

CUresult one_way(const char* operand, const char* typed, const char* raw, Given given) {
  if (given.typed && given.raw) {
    return fail(CUDA_ERROR_INVALID_VALUE, "%s: both %s and %s are given", operand, typed, raw);
  }
  if (given.typed && given.owner) {
    return fail(CUDA_ERROR_INVALID_VALUE, "%s: both %s, which owns itself, and an owner are given",
                operand, typed);
  }
  if (!given.typed && !given.raw) {
    return fail(CUDA_ERROR_INVALID_VALUE, "%s: neither %s nor %s is given", operand, typed, raw);
  }
  return CUDA_SUCCESS;
}

// Drivers check this only at a launch.
CUresult check_sides(const char* what, const unsigned (&sides)[3]) {
  if (sides[0] != 0 && sides[1] != 0 && sides[2] != 0) return CUDA_SUCCESS;
  return fail(CUDA_ERROR_INVALID_VALUE, "kernel %s: %u x %u x %u; every side must be at least 1",
              what, sides[0], sides[1], sides[2]);
}

// Drivers of CUDA 12.4 or later know how many arguments a kernel takes.
bool takes_arguments(CUfunction function) {
  std::size_t offset = 0;
  std::size_t size = 0;
  return driver_version() >= 12040 &&
         api::cuFuncGetParamInfo(function, 0, &offset, &size) == api::CUDA_SUCCESS;
}

CUresult arguments_owner(const KernelNode& node, OpaqueHandle* out) {
  if (node.argument_buffers.empty()) {
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
  *out = all_of(std::move(all));
  return CUDA_SUCCESS;
}

}  // namespace

OpaqueHandle& owner_of_role(Owners* owners, OwnerRole role) {
  return (*owners)[static_cast<unsigned>(role)];
}

CUresult resolve(const KernelNode& node, api::CUDA_KERNEL_NODE_PARAMS_st* out, Owners* owners) {
  const bool typed = static_cast<bool>(node.kernel);
  CUresult result = one_way("kernel", "a Kernel", "a raw function",
                            {typed, node.function != nullptr, node.code_owner != nullptr});
  if (result == CUDA_SUCCESS) result = check_sides("grid", node.grid);
  if (result == CUDA_SUCCESS) result = check_sides("block", node.block);
  if (result != CUDA_SUCCESS) return result;
  *out = {};
  out->func = typed ? node.kernel.function() : node.function;
  if (node.arguments == nullptr && takes_arguments(out->func)) {
    return fail(CUDA_ERROR_INVALID_VALUE,
                "kernel arguments: none are given, and the kernel takes one or more");
  }
  out->gridDimX = node.grid[0];
  out->gridDimY = node.grid[1];
  out->gridDimZ = node.grid[2];
  out->blockDimX = node.block[0];
  out->blockDimY = node.block[1];
  out->blockDimZ = node.block[2];
  out->sharedMemBytes = node.shared_bytes;
  out->kernelParams = node.arguments;
  OpaqueHandle& code = owner_of_role(owners, OwnerRole::code);
  code = typed ? node.kernel.module() : node.code_owner;
  if (code == nullptr) code = loaded_module_of(out->func);
  return arguments_owner(node, &owner_of_role(owners, OwnerRole::arguments));
}

CUresult resolve(const EventNode& node, CUevent* out, Owners* owners) {
  const bool typed = static_cast<bool>(node.event);
  const CUresult result = one_way("event", "an Event", "a raw event",
                                  {typed, node.raw != nullptr, node.owner != nullptr});
  if (result != CUDA_SUCCESS) return result;
  *out = typed ? node.event.event() : node.raw;
  owner_of_role(owners, OwnerRole::event) = typed ? node.event.owner() : node.owner;
  return CUDA_SUCCESS;
}

}  // namespace anycuda::graph
