// SPDX-License-Identifier: Apache-2.0

// Distinguishes a graph in a node from another graph at the same address, which raw calls may have
// put there after they destroyed the first.
#pragma once

#include "graph/graph_state.h"

namespace anycuda::graph {

// Numbers that the driver never gives out twice (cuGraphGetId, cuGraphNodeGetToolsId; CUDA 13.1 or
// later). 0 if the driver has no such numbers.
std::uint64_t id_of_graph(CUgraph graph) noexcept;
std::uint64_t id_of_node(CUgraphNode node) noexcept;

// The known graph in a child node of `parent`, if it is the one at `address`, which the driver
// reports for the node now. nullptr if no graph is known there; a known graph that is a different
// one is forgotten.
//
// Drivers before CUDA 13.1 give only the address. If the program has the parent's CUgraph, the
// graph may be another one at this address. Then the owners of its nodes are in doubt, and stay
// with the graph until it is destroyed.
GraphState::Pointer known_child(GraphState* parent, CUgraphNode node, CUgraph address) noexcept;

// Whether the node is still the conditional node whose bodies are known; if not, they are
// forgotten.
bool bodies_are_there(GraphState* parent, CUgraphNode node) noexcept;

}  // namespace anycuda::graph
