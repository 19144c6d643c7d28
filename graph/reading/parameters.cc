// SPDX-License-Identifier: Apache-2.0

// From the driver's structs back to those of the public headers, with the owners of the node.
#include "graph/parameters.h"

#include <type_traits>

#include "graph/kernel/attributes.h"
#include "graph/reading/edges.h"
#include "graph/reading/read_graph.h"

namespace anycuda::graph {
namespace {

// `convert` fills the node from the driver's parameters and the owners. It may return a status.
template <typename Parameters, typename Node, typename Ask, typename Convert>
CUresult get_resolved(const GraphView& graph, CUgraphNode node, Node* out, const char* function,
                      const Ask& ask, const Convert& convert) {
  return read_graph(graph, out, [&](GraphState* state, Node* made) {
    CUresult result = check_node(state, node);
    if (result != CUDA_SUCCESS) return result;
    Parameters parameters{};
    result = answered(function, ask(node, &parameters));
    if (result != CUDA_SUCCESS) return result;
    Owners owners;
    const Attachment* const attachment = state->table.find(node);
    if (attachment != nullptr) owners = attachment->owners();
    if constexpr (std::is_void_v<decltype(convert(parameters, owners, made))>) {
      convert(parameters, owners, made);
      return CUDA_SUCCESS;
    } else {
      return convert(parameters, owners, made);
    }
  });
}

const OpaqueHandle& in(const Owners& owners, OwnerRole role) {
  return owners[static_cast<unsigned>(role)];
}

MemoryOperand operand(unsigned type, const void* host, CUdeviceptr device, CUarray array) {
  MemoryOperand made;
  if (type == api::CU_MEMORYTYPE_HOST) {
    made.host = const_cast<void*>(host);
  } else if (type == api::CU_MEMORYTYPE_ARRAY) {
    made.array = array;
  } else {
    made.address = device;
  }
  return made;
}

void read_event(CUevent from, const Owners& owners, EventNode* to) {
  to->raw = from;
  to->owner = in(owners, OwnerRole::event);
}

}  // namespace

CUresult get_kernel(const GraphView& graph, CUgraphNode node, KernelNode* out) {
  using Parameters = api::CUDA_KERNEL_NODE_PARAMS_st;
  return get_resolved<Parameters>(
      graph, node, out, "cuGraphKernelNodeGetParams", api::cuGraphKernelNodeGetParams,
      [&](const Parameters& from, const Owners& owners, KernelNode* to) {
        to->function = from.func;
        to->code_owner = in(owners, OwnerRole::code);
        to->grid = {from.gridDimX, from.gridDimY, from.gridDimZ};
        to->block = {from.blockDimX, from.blockDimY, from.blockDimZ};
        to->shared_bytes = from.sharedMemBytes;
        to->arguments = from.kernelParams;
        to->argument_owner = in(owners, OwnerRole::arguments);
        to->attributes = attributes_of(node);
        return has_programmatic_edge(node, &to->attributes.programmatic);
      });
}

CUresult get_memcpy(const GraphView& graph, CUgraphNode node, MemcpyNode* out) {
  using Parameters = api::CUDA_MEMCPY3D_st;
  return get_resolved<Parameters>(
      graph, node, out, "cuGraphMemcpyNodeGetParams", api::cuGraphMemcpyNodeGetParams,
      [](const Parameters& from, const Owners& owners, MemcpyNode* to) {
        to->destination = operand(from.dstMemoryType, from.dstHost, from.dstDevice, from.dstArray);
        to->destination.owner = in(owners, OwnerRole::destination);
        to->destination.offset = from.dstXInBytes;
        to->destination.row = from.dstY;
        to->destination.layer = from.dstZ;
        to->destination.pitch = from.dstPitch;
        to->destination.height = from.dstHeight;
        to->source = operand(from.srcMemoryType, from.srcHost, from.srcDevice, from.srcArray);
        to->source.owner = in(owners, OwnerRole::source);
        to->source.offset = from.srcXInBytes;
        to->source.row = from.srcY;
        to->source.layer = from.srcZ;
        to->source.pitch = from.srcPitch;
        to->source.height = from.srcHeight;
        to->width = from.WidthInBytes;
        to->rows = from.Height;
        to->layers = from.Depth;
      });
}

CUresult get_memset(const GraphView& graph, CUgraphNode node, MemsetNode* out) {
  using Parameters = api::CUDA_MEMSET_NODE_PARAMS_st;
  return get_resolved<Parameters>(graph, node, out, "cuGraphMemsetNodeGetParams",
                                  api::cuGraphMemsetNodeGetParams,
                                  [](const Parameters& from, const Owners& owners, MemsetNode* to) {
                                    to->destination.address = from.dst;
                                    to->destination.owner = in(owners, OwnerRole::destination);
                                    to->destination.pitch = from.pitch;
                                    to->value = from.value;
                                    to->element_bytes = from.elementSize;
                                    to->width = from.width;
                                    to->rows = from.height;
                                  });
}

CUresult get_host(const GraphView& graph, CUgraphNode node, HostNode* out) {
  using Parameters = api::CUDA_HOST_NODE_PARAMS_st;
  return get_resolved<Parameters>(graph, node, out, "cuGraphHostNodeGetParams",
                                  api::cuGraphHostNodeGetParams,
                                  [](const Parameters& from, const Owners& owners, HostNode* to) {
                                    to->function = from.fn;
                                    to->function_owner = in(owners, OwnerRole::callback);
                                    to->data = from.userData;
                                    to->data_owner = in(owners, OwnerRole::data);
                                  });
}

CUresult graph_node_kind(const GraphView& graph, CUgraphNode node, NodeKind* out) {
  return get_resolved<unsigned>(
      graph, node, out, "cuGraphNodeGetType", api::cuGraphNodeGetType,
      [](unsigned from, const Owners&, NodeKind* to) { *to = static_cast<NodeKind>(from); });
}

CUresult get_event_record(const GraphView& graph, CUgraphNode node, EventNode* out) {
  return get_resolved<CUevent>(graph, node, out, "cuGraphEventRecordNodeGetEvent",
                               api::cuGraphEventRecordNodeGetEvent, read_event);
}

CUresult get_event_wait(const GraphView& graph, CUgraphNode node, EventNode* out) {
  return get_resolved<CUevent>(graph, node, out, "cuGraphEventWaitNodeGetEvent",
                               api::cuGraphEventWaitNodeGetEvent, read_event);
}

}  // namespace anycuda::graph
