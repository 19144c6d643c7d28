#include "graph/parameters.h"

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

}  // namespace

OpaqueHandle& slot_of(Owners* owners, Slot slot) { return (*owners)[static_cast<unsigned>(slot)]; }

CUresult resolve(const KernelNode& node, api::CUDA_KERNEL_NODE_PARAMS_st* out, Owners* owners) {
  const bool typed = static_cast<bool>(node.kernel);
  const CUresult result = one_way("kernel", "a Kernel", "a raw function",
                                  {typed, node.function != nullptr, node.code_owner != nullptr});
  if (result != CUDA_SUCCESS) return result;
  *out = {};
  out->func = typed ? node.kernel.function() : node.function;
  out->gridDimX = node.grid[0];
  out->gridDimY = node.grid[1];
  out->gridDimZ = node.grid[2];
  out->blockDimX = node.block[0];
  out->blockDimY = node.block[1];
  out->blockDimZ = node.block[2];
  out->sharedMemBytes = node.shared_bytes;
  out->kernelParams = node.arguments;
  slot_of(owners, Slot::code) = typed ? node.kernel.module() : node.code_owner;
  slot_of(owners, Slot::arguments) = node.argument_owner;
  return CUDA_SUCCESS;
}

CUresult resolve(const EventNode& node, CUevent* out, Owners* owners) {
  const bool typed = static_cast<bool>(node.event);
  const CUresult result = one_way("event", "an Event", "a raw event",
                                  {typed, node.raw != nullptr, node.owner != nullptr});
  if (result != CUDA_SUCCESS) return result;
  *out = typed ? node.event.event() : node.raw;
  slot_of(owners, Slot::event) = typed ? node.event.owner() : node.owner;
  return CUDA_SUCCESS;
}

}  // namespace anycuda::graph
