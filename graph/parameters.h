// SPDX-License-Identifier: Apache-2.0

// From the structs of the public headers to the driver's: one of two ways for each operand, and who
// owns it.
#pragma once

#include "anycuda/graph/nodes.h"
#include "api/cuda_api.h"

namespace anycuda::graph {

// Each checks what it is given, and fills `out` and the roles. On an error a sentence names the
// operand. The structs are those that every driver's functions take.
CUresult resolve(const KernelNode& node, api::CUDA_KERNEL_NODE_PARAMS_st* out, Owners* owners);
CUresult resolve(const MemcpyNode& node, api::CUDA_MEMCPY3D_st* out, Owners* owners);
CUresult resolve(const MemsetNode& node, api::CUDA_MEMSET_NODE_PARAMS_st* out, Owners* owners);
// Copies the data, or moves the closure to the heap. Throws std::bad_alloc.
CUresult resolve(const HostNode& node, api::CUDA_HOST_NODE_PARAMS_st* out, Owners* owners);
CUresult resolve(const EventNode& node, CUevent* out, Owners* owners);

// The owner of the function's module if Kernel::load has loaded the module, else empty: the driver
// does not count references to modules, so this library cannot keep any other module loaded.
OpaqueHandle loaded_module_of(CUfunction function) noexcept;  // operands/operands.cc

// Destroys the event in the context that is current now. Throws std::bad_alloc, having destroyed
// it.
OpaqueHandle event_owner(CUevent event);  // operands/operands.cc

// How an operand was given. `owner` is of the raw way: a typed operand owns itself.
struct GivenWays {
  bool typed;
  bool raw;
  bool owner;
};
// An error that names the operand, unless it is given in exactly one way.
CUresult one_way(const char* operand, const char* typed, const char* raw, GivenWays given);

OpaqueHandle& owner_of_role(Owners* owners, OwnerRole role);

}  // namespace anycuda::graph
