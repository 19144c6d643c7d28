// SPDX-License-Identifier: Apache-2.0

// Adding kernel nodes, and giving them new parameters.
#include <vector>

#include "graph/changing/edges.h"
#include "graph/driver_support.h"
#include "graph/kernel/attributes.h"
#include "graph/resolved.h"

namespace anycuda::graph {

CUresult add_kernel(const GraphView& graph, const Dependencies& after, const KernelNode& node,
                    CUgraphNode* out) {
  const bool programmatic = node.attributes.programmatic;
  return add_resolved<api::CUDA_KERNEL_NODE_PARAMS_st>(
      graph, after, node, out, [&](CUgraph to, CUgraphNode* made, const auto& parameters) {
        std::vector<Edge> edges;
        CUresult result = programmatic ? programmatic_edges(after, &edges) : CUDA_SUCCESS;
        if (result != CUDA_SUCCESS) return result;
        result =
            answered("cuGraphAddKernelNode",
                     api::cuGraphAddKernelNode(made, to, programmatic ? nullptr : after.nodes(),
                                               programmatic ? 0 : after.count(), &parameters));
        if (result != CUDA_SUCCESS) return result;
        for (Edge& edge : edges) edge.to = *made;
        AttributeChange attributes(*made);
        result = attributes.set_given(node.attributes);
        if (result == CUDA_SUCCESS) result = add_all_edges(to, edges.data(), edges.size());
        return result == CUDA_SUCCESS ? result : take_out(result, made);
      });
}

CUresult set_kernel(const GraphView& graph, CUgraphNode node, const KernelNode& parameters) {
  return set_resolved<api::CUDA_KERNEL_NODE_PARAMS_st>(
      graph, node, parameters, [&](CUgraphNode one, const auto& resolved) {
        // The parameters come last: the way back to the former ones would need their arguments.
        AttributeChange attributes(one);
        CUresult result = attributes.set_all(parameters.attributes);
        if (result != CUDA_SUCCESS) return result;
        result =
            answered("cuGraphKernelNodeSetParams", api::cuGraphKernelNodeSetParams(one, &resolved));
        if (result == CUDA_SUCCESS) attributes.keep();
        return result;
      });
}

}  // namespace anycuda::graph
