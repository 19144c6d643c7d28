// SPDX-License-Identifier: Apache-2.0

// What this library knows about the copy that the driver makes when it clones or embeds a graph.
#pragma once

#include "graph/graph_state.h"

namespace anycuda::graph {

// Forgets nodes of the graph, and of all graphs in it, that raw calls have destroyed, and graphs
// whose address another graph has now: the driver must not be asked about them. Releases the owners
// of forgotten nodes, except those in doubt (NodeTable::doubt_all). Throws std::bad_alloc.
CUresult prune_destroyed_nodes(GraphState* graph);

// A state without a graph, with states for the graphs in `source`. Throws std::bad_alloc.
GraphState::Pointer reserve_clone_state(const GraphState& source, GraphState::Place place);

// Fills `clone` for `copy`, which the driver has made of the source: the nodes have other
// addresses, the user objects are the same. A node without a counterpart stays unknown: its owners
// stay until the copy is destroyed. Throws std::bad_alloc; the caller then destroys the copy.
void populate_clone(GraphState* clone, const GraphState& source, CUgraph copy);

}  // namespace anycuda::graph
