// SPDX-License-Identifier: Apache-2.0

// The driver's list of a graph's edges.
#pragma once

#include <vector>

#include "anycuda/graph/reading.h"

namespace anycuda::graph {

// Throws std::bad_alloc.
CUresult edges_of(CUgraph graph, std::vector<Edge>* out);
// Whether one of the edges to the node is programmatic. Throws std::bad_alloc.
CUresult has_programmatic_edge(CUgraphNode node, bool* out);

}  // namespace anycuda::graph
