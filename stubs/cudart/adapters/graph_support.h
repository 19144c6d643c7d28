// SPDX-License-Identifier: Apache-2.0

// Common parts of the adapters of graphs and of stream capture. Graphs, nodes, executable graphs
// and streams are the driver's objects in every runtime (CUDA Runtime API, "Interactions with the
// CUDA Driver API"; read in the machine code of 11.8, 12.9 and 13.5: handles are passed to the
// driver unchanged), so the driver's function can replace one that a runtime lacks.
#pragma once

#include "stubs/cudart/adapters/context.h"

namespace anycuda::graphs {

// The data of edges, which came with CUDA 12.3.
using EdgeData = v13::cudaGraphEdgeData;

// The same to the driver.
inline const driver::CUgraphEdgeData_st* to_driver(const EdgeData* data) {
  using Driver = driver::CUgraphEdgeData_st;
  static_assert(sizeof(EdgeData) == sizeof(Driver));
  static_assert(__builtin_offsetof(EdgeData, from_port) == __builtin_offsetof(Driver, from_port));
  static_assert(__builtin_offsetof(EdgeData, to_port) == __builtin_offsetof(Driver, to_port));
  static_assert(__builtin_offsetof(EdgeData, type) == __builtin_offsetof(Driver, type));
  return reinterpret_cast<const Driver*>(data);
}
inline driver::CUgraphEdgeData_st* to_driver(EdgeData* data) {
  return const_cast<driver::CUgraphEdgeData_st*>(to_driver(static_cast<const EdgeData*>(data)));
}

// Zero is the default, and equal to an edge without data ("cudaGraphAddDependencies").
inline bool is_default(const EdgeData* data, std::size_t count) {
  constexpr EdgeData kDefault{};
  for (std::size_t i = 0; data != nullptr && i < count; ++i) {
    if (std::memcmp(&data[i], &kDefault, sizeof kDefault) != 0) return false;
  }
  return true;
}

inline Status refuse_edge_data(const char* function) {
  return refuse_old_driver(v13::cudaErrorNotSupported, function,
                           "non-zero edge data needs a driver of CUDA 12.3 or later");
}

}  // namespace anycuda::graphs
