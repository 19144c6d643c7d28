// SPDX-License-Identifier: Apache-2.0

// Nodes that allocate and free device memory when they run: the graph's own, with no owners.
#include "graph/driver_support.h"
#include "graph/graph_state.h"

namespace anycuda::graph {

CUresult add_mem_alloc(const GraphView& graph, const Dependencies& after, MemAllocNode* node,
                       CUgraphNode* out) {
  return entry([&] {
    if (node == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "memory allocation: node is null");
    if (node->bytes == 0) {
      return fail(CUDA_ERROR_INVALID_VALUE, "memory allocation: 0 bytes are requested");
    }
    CUresult result = need("cuGraphAddMemAllocNode");
    if (result != CUDA_SUCCESS) return result;
    api::CUDA_MEM_ALLOC_NODE_PARAMS_v1_st parameters{};
    parameters.poolProps.allocType = api::CU_MEM_ALLOCATION_TYPE_PINNED;
    parameters.poolProps.handleTypes = api::CU_MEM_HANDLE_TYPE_NONE;
    parameters.poolProps.location.type = api::CU_MEM_LOCATION_TYPE_DEVICE;
    parameters.poolProps.location.id = node->device;
    parameters.bytesize = node->bytes;
    result = add_node(graph, after, {}, out, [&](CUgraph to, CUgraphNode* made) {
      return answered(
          "cuGraphAddMemAllocNode",
          api::cuGraphAddMemAllocNode(made, to, after.nodes(), after.count(), &parameters));
    });
    if (result == CUDA_SUCCESS) node->address = parameters.dptr;
    return result;
  });
}

CUresult add_mem_free(const GraphView& graph, const Dependencies& after, CUdeviceptr address,
                      CUgraphNode* out) {
  return entry([&] {
    if (address == 0) return fail(CUDA_ERROR_INVALID_VALUE, "memory free: the address is 0");
    const CUresult result = need("cuGraphAddMemFreeNode");
    if (result != CUDA_SUCCESS) return result;
    return add_node(graph, after, {}, out, [&](CUgraph to, CUgraphNode* made) {
      return answered("cuGraphAddMemFreeNode",
                      api::cuGraphAddMemFreeNode(made, to, after.nodes(), after.count(), address));
    });
  });
}

}  // namespace anycuda::graph
