// What tells a graph in a node from another that gets its address, after raw calls have destroyed
// the one and made the other.
#pragma once

#include "graph/state.h"

namespace anycuda::graph {

// Numbers that the driver gives out once (cuGraphGetId, cuGraphNodeGetToolsId; CUDA 13.1 or later).
// 0 where it gives none.
std::uint64_t id_of_graph(CUgraph graph) noexcept;
std::uint64_t id_of_node(CUgraphNode node) noexcept;

// The graph that is known in a child node of `parent`, if it is the one at `address`, which the
// driver says is in the node now. nullptr where none is known; one that is gone is forgotten.
//
// Before CUDA 13.1 an address is all that there is. If the program has the parent's CUgraph, the
// graph may be another: then what its nodes have is in doubt, and stays with the graph until that
// is destroyed.
GraphState::Pointer known_child(GraphState* parent, CUgraphNode node, CUgraph address) noexcept;

// Whether the bodies that are known in a node are still those of a conditional node; if not, they
// are forgotten.
bool bodies_are_there(GraphState* parent, CUgraphNode node) noexcept;

}  // namespace anycuda::graph
