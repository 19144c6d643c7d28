// SPDX-License-Identifier: Apache-2.0

// Nodes that allocate and free memory when they run: the graph's own, with no owners.
#include <utility>
#include <vector>

#include "graph/driver_support.h"
#include "graph/graph_state.h"

namespace anycuda::graph {
namespace {

struct Location {
  MemoryKind kind;
  unsigned allocation;
  unsigned location;
};
constexpr Location kLocations[] = {
    {MemoryKind::device, api::CU_MEM_ALLOCATION_TYPE_PINNED, api::CU_MEM_LOCATION_TYPE_DEVICE},
    {MemoryKind::host, api::CU_MEM_ALLOCATION_TYPE_PINNED, api::CU_MEM_LOCATION_TYPE_HOST},
    {MemoryKind::host_numa, api::CU_MEM_ALLOCATION_TYPE_PINNED,
     api::CU_MEM_LOCATION_TYPE_HOST_NUMA},
    {MemoryKind::managed, api::CU_MEM_ALLOCATION_TYPE_MANAGED, api::CU_MEM_LOCATION_TYPE_DEVICE},
};

// False for a number that is not a MemoryKind.
bool locate(const MemAllocNode& node, api::CUmemPoolProps_st* out) {
  for (const Location& one : kLocations) {
    if (one.kind != node.kind) continue;
    out->allocType = one.allocation;
    out->location.type = one.location;
    out->location.id = node.kind == MemoryKind::host ? 0 : node.device;
    return true;
  }
  return false;
}

// A location of a raw call that MemoryKind lacks is read as `device`.
MemoryKind kind_of(const api::CUmemPoolProps_st& properties) {
  for (const Location& one : kLocations) {
    if (one.allocation == properties.allocType && one.location == properties.location.type) {
      return one.kind;
    }
  }
  return MemoryKind::device;
}

CUresult check_read(const GraphView& graph, CUgraphNode node, const void* out) {
  if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
  GraphState* const state = usable(graph);
  return state == nullptr ? CUDA_ERROR_INVALID_VALUE : check_node(state, node);
}

}  // namespace

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
    parameters.poolProps.handleTypes = api::CU_MEM_HANDLE_TYPE_NONE;
    if (!locate(*node, &parameters.poolProps)) {
      return fail(
          CUDA_ERROR_INVALID_VALUE,
          "memory allocation: %u is not a MemoryKind; use device, host, host_numa or managed",
          static_cast<unsigned>(node->kind));
    }
    std::vector<api::CUmemAccessDesc_st> access(node->access.size());
    for (std::size_t at = 0; at < access.size(); ++at) {
      access[at].location.type = api::CU_MEM_LOCATION_TYPE_DEVICE;
      access[at].location.id = node->access[at];
      access[at].flags = api::CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    }
    parameters.accessDescs = access.data();
    parameters.accessDescCount = access.size();
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

CUresult get_mem_alloc(const GraphView& graph, CUgraphNode node, MemAllocNode* out) {
  return entry([&] {
    CUresult result = check_read(graph, node, out);
    if (result == CUDA_SUCCESS) result = need("cuGraphAddMemAllocNode");
    if (result != CUDA_SUCCESS) return result;
    api::CUDA_MEM_ALLOC_NODE_PARAMS_v1_st parameters{};
    result = answered("cuGraphMemAllocNodeGetParams",
                      api::cuGraphMemAllocNodeGetParams(node, &parameters));
    if (result != CUDA_SUCCESS) return result;
    MemAllocNode found;
    found.bytes = parameters.bytesize;
    found.address = parameters.dptr;
    found.device = parameters.poolProps.location.id;
    found.kind = kind_of(parameters.poolProps);
    for (std::size_t at = 0; at < parameters.accessDescCount; ++at) {
      found.access.push_back(parameters.accessDescs[at].location.id);
    }
    *out = std::move(found);
    return CUDA_SUCCESS;
  });
}

CUresult get_mem_free(const GraphView& graph, CUgraphNode node, CUdeviceptr* out) {
  return entry([&] {
    CUresult result = check_read(graph, node, out);
    if (result == CUDA_SUCCESS) result = need("cuGraphAddMemFreeNode");
    if (result != CUDA_SUCCESS) return result;
    CUdeviceptr address = 0;
    result =
        answered("cuGraphMemFreeNodeGetParams", api::cuGraphMemFreeNodeGetParams(node, &address));
    if (result == CUDA_SUCCESS) *out = address;
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
