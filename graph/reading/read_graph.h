// SPDX-License-Identifier: Apache-2.0

// The frame of the functions that read a graph back: *out changes only if all was read.
#pragma once

#include <utility>

#include "graph/driver_support.h"
#include "graph/graph_state.h"

namespace anycuda::graph {

// `read` gets the graph's state, which is usable, and fills a new T.
template <typename T, typename Read>
CUresult read_graph(const GraphView& graph, T* out, const Read& read) {
  return entry([&] {
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    GraphState* const state = usable(graph);
    if (state == nullptr) return CUDA_ERROR_INVALID_VALUE;
    T found{};
    const CUresult result = read(state, &found);
    if (result == CUDA_SUCCESS) *out = std::move(found);
    return result;
  });
}

}  // namespace anycuda::graph
