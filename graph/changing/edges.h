// SPDX-License-Identifier: Apache-2.0

// Adding edges by the driver.
#pragma once

#include <cstddef>

#include "anycuda/graph/edges.h"

namespace anycuda::graph {

// Adds all of the edges, or, on an error, removes those that it has added. The nodes are checked.
CUresult add_all_edges(CUgraph graph, const Edge* edges, std::size_t count) noexcept;

}  // namespace anycuda::graph
