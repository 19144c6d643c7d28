// The modules that Kernel::load has loaded and that are not unloaded yet. The driver counts no
// references to a module, so a raw function's module can only be kept where it is one of these.
#pragma once

#include "anycuda/graph/cuda_types.h"
#include "anycuda/graph/owner.h"

struct CUmod_st;

namespace anycuda::graph {

// Any thread. `owner` unloads the module, having called forget_module(). Throws std::bad_alloc.
void remember_module(CUmod_st* module, const OpaqueHandle& owner);
void forget_module(CUmod_st* module) noexcept;

// The owner of the function's module; empty where that was not loaded here.
OpaqueHandle loaded_module_of(CUfunction function) noexcept;

}  // namespace anycuda::graph
