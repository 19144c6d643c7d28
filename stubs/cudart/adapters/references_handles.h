// SPDX-License-Identifier: Apache-2.0

// From the address of a reference in the program to the driver's reference in the current context.
// Nothing in here makes an error the last one: callers differ in that.
#pragma once

#include "cudart_adapters.h"
#include "stubs/cudart/adapters/references_registry.h"

namespace anycuda::references {

// The runtime initialises itself, as 11.8's does first in every call that is about references.
inline Status ready() { return v11::cudaFree(nullptr); }

// The driver's handle in the current context. Where this device has no code with that reference,
// the reference is an invalid one.
Status texture_of(const Reference& reference, driver::CUtexref* texture);
Status surface_of(const Reference& reference, driver::CUsurfref* surface);

// cudaArray_t is the driver's own handle (CUDA Runtime API, "Interactions with the CUDA Driver
// API").
inline driver::CUarray handle_of(v11::cudaArray_const_t array) {
  return reinterpret_cast<driver::CUarray>(const_cast<v11::cudaArray_t>(array));
}
inline driver::CUmipmappedArray handle_of(v11::cudaMipmappedArray_const_t array) {
  return reinterpret_cast<driver::CUmipmappedArray>(const_cast<v11::cudaMipmappedArray_t>(array));
}

}  // namespace anycuda::references
