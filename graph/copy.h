// What is known about the copy of a graph that the driver makes when it clones or embeds one.
#pragma once

#include "graph/state.h"

namespace anycuda::graph {

// Forgets nodes that raw calls have destroyed, here and in all graphs in it, and graphs that are
// not those at their address: no driver can be asked about what is gone. Owners that the graph
// surely holds are let go. Throws std::bad_alloc.
CUresult forget_what_is_gone(GraphState* graph);

// A state with room for all that is known about `source`, and no graph yet. Throws std::bad_alloc.
GraphState::Pointer room_for_copy_of(const GraphState& source, GraphState::Place place);

// Fills it for `copy`, which the driver has made of the source: its nodes have other addresses, its
// user objects are the same. A node that cannot be found is unknown: its owners stay until the copy
// is gone.
void know_copy(GraphState* room, const GraphState& source, CUgraph copy) noexcept;

}  // namespace anycuda::graph
