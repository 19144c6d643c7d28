// SPDX-License-Identifier: Apache-2.0

// Adding and changing nodes whose parameters are resolved (parameters.h).
#pragma once

#include "graph/graph_state.h"
#include "graph/parameters.h"

namespace anycuda::graph {

// Adds a node whose struct is resolved to the driver's `Parameters`.
template <typename Parameters, typename Node, typename Call>
CUresult add_resolved(const GraphView& graph, const Dependencies& after, const Node& node,
                      CUgraphNode* out, const Call& call) {
  return entry([&] {
    Parameters parameters{};
    Owners owners;
    const CUresult result = resolve(node, &parameters, &owners);
    if (result != CUDA_SUCCESS) return result;
    return add_node(graph, after, owners, out,
                    [&](CUgraph to, CUgraphNode* made) { return call(to, made, parameters); });
  });
}

template <typename Parameters, typename Node, typename Call>
CUresult set_resolved(const GraphView& graph, CUgraphNode node, const Node& given,
                      const Call& call) {
  return entry([&] {
    Parameters parameters{};
    Owners owners;
    const CUresult result = resolve(given, &parameters, &owners);
    if (result != CUDA_SUCCESS) return result;
    return set_node(graph, node, owners, kHelperRoles,
                    [&](CUgraphNode one) { return call(one, parameters); });
  });
}

}  // namespace anycuda::graph
