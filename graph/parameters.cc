// SPDX-License-Identifier: Apache-2.0
#include "graph/parameters.h"

#include "graph/error.h"

namespace anycuda::graph {

CUresult one_way(const char* operand, const char* typed, const char* raw, GivenWays given) {
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

OpaqueHandle& owner_of_role(Owners* owners, OwnerRole role) {
  return (*owners)[static_cast<unsigned>(role)];
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
