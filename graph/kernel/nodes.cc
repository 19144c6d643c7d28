// SPDX-License-Identifier: Apache-2.0

// Adding kernel nodes, and giving them new parameters.
#include <string>
#include <vector>

#include "graph/changing/edges.h"
#include "graph/driver_support.h"
#include "graph/error.h"
#include "graph/kernel/arguments.h"
#include "graph/kernel/attributes.h"
#include "graph/resolved.h"

namespace anycuda::graph {

namespace {

using Parameters = api::CUDA_KERNEL_NODE_PARAMS_st;

CUresult add(CUgraph graph, CUgraphNode* out, const CUgraphNode* after, std::size_t count,
             const Parameters& parameters) noexcept {
  return answered("cuGraphAddKernelNode",
                  api::cuGraphAddKernelNode(out, graph, after, count, &parameters));
}

CUresult add_with_attributes(CUgraph graph, CUgraphNode* out, const Dependencies& after,
                             const Parameters& parameters, const LaunchAttributes& given) {
  std::vector<Edge> edges;
  CUresult result = given.programmatic ? programmatic_edges(after, &edges) : CUDA_SUCCESS;
  if (result != CUDA_SUCCESS) return result;
  result = given.programmatic ? add(graph, out, nullptr, 0, parameters)
                              : add(graph, out, after.nodes(), after.count(), parameters);
  if (result != CUDA_SUCCESS) return result;
  for (Edge& edge : edges) edge.to = *out;
  AttributeChange attributes(*out);
  result = attributes.set_given(given);
  if (result == CUDA_SUCCESS) result = add_all_edges(graph, edges.data(), edges.size());
  return result == CUDA_SUCCESS ? result : take_out(result, out);
}

CUresult set(CUgraphNode node, const Parameters& parameters) noexcept {
  return answered("cuGraphKernelNodeSetParams", api::cuGraphKernelNodeSetParams(node, &parameters));
}

// The parameters that a node has, with a copy of its arguments: the driver's copy ends when the
// node gets other parameters.
class FormerParameters {
 public:
  CUresult read(CUgraphNode node) {
    CUresult result =
        answered("cuGraphKernelNodeGetParams", api::cuGraphKernelNodeGetParams(node, &is_));
    if (result == CUDA_SUCCESS && is_.kernelParams != nullptr) result = need("cuFuncGetParamInfo");
    if (result != CUDA_SUCCESS || is_.kernelParams == nullptr) return result;
    std::size_t size = 0;
    for (std::size_t at = 0; parameter_size(is_.func, at, &size); ++at) {
      values_.emplace_back(static_cast<const char*>(is_.kernelParams[at]), size);
    }
    for (std::string& value : values_) pointers_.push_back(value.data());
    is_.kernelParams = pointers_.data();
    return CUDA_SUCCESS;
  }
  void restore(CUgraphNode node) const noexcept {
    const LastErrorScope sentence;
    static_cast<void>(set(node, is_));
  }

 private:
  Parameters is_{};
  std::vector<std::string> values_;
  std::vector<void*> pointers_;
};

// The driver refuses a cluster that does not fit the node's grid, and a grid that the node's
// cluster does not fit (CUDA_ERROR_INVALID_CLUSTER_SIZE; measured with driver 580).
CUresult set_cluster_after(CUgraphNode node, const Parameters& parameters,
                           const LaunchAttributes& wanted) {
  FormerParameters former;
  CUresult result = former.read(node);
  if (result != CUDA_SUCCESS) return result;
  LaunchAttributes others = wanted;
  others.cluster = {};
  AttributeChange attributes(node);
  result = attributes.set_all(others);
  if (result == CUDA_SUCCESS) result = set(node, parameters);
  if (result != CUDA_SUCCESS) return result;
  result = attributes.set_all(wanted);
  if (result == CUDA_SUCCESS) {
    attributes.keep();
  } else {
    former.restore(node);
  }
  return result;
}

// The parameters come last: the way back to the former ones would need their arguments.
CUresult set_attributes_before(CUgraphNode node, const Parameters& parameters,
                               const LaunchAttributes& wanted) noexcept {
  AttributeChange attributes(node);
  CUresult result = attributes.set_all(wanted);
  if (result == CUDA_SUCCESS) result = set(node, parameters);
  if (result == CUDA_SUCCESS) attributes.keep();
  return result;
}

bool fits_the_grid_of(CUgraphNode node, const Dim3& cluster) noexcept {
  Parameters is{};
  if (api::cuGraphKernelNodeGetParams(node, &is) != api::CUDA_SUCCESS) return true;
  return fits(cluster, {is.gridDimX, is.gridDimY, is.gridDimZ});
}

}  // namespace

CUresult add_kernel(const GraphView& graph, const Dependencies& after, const KernelNode& node,
                    CUgraphNode* out) {
  return add_resolved<Parameters>(
      graph, after, node, out, [&](CUgraph to, CUgraphNode* made, const Parameters& parameters) {
        if (gives_none(node.attributes)) {
          return add(to, made, after.nodes(), after.count(), parameters);
        }
        return add_with_attributes(to, made, after, parameters, node.attributes);
      });
}

CUresult set_kernel(const GraphView& graph, CUgraphNode node, const KernelNode& parameters) {
  return set_resolved<Parameters>(
      graph, node, parameters, [&](CUgraphNode one, const Parameters& resolved) {
        const LaunchAttributes& wanted = parameters.attributes;
        if (has_cluster(wanted) && !fits_the_grid_of(one, wanted.cluster)) {
          return set_cluster_after(one, resolved, wanted);
        }
        return set_attributes_before(one, resolved, wanted);
      });
}

}  // namespace anycuda::graph
