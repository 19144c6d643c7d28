// SPDX-License-Identifier: Apache-2.0

// Adding nodes of each kind except kernels, and giving them new parameters.
#include "graph/driver_support.h"
#include "graph/resolved.h"

namespace anycuda::graph {

CUresult add_empty(const GraphView& graph, const Dependencies& after, CUgraphNode* out) {
  return entry([&] {
    return add_node(graph, after, {}, out, [&](CUgraph to, CUgraphNode* made) {
      return answered("cuGraphAddEmptyNode",
                      api::cuGraphAddEmptyNode(made, to, after.nodes(), after.count()));
    });
  });
}

CUresult add_memcpy(const GraphView& graph, const Dependencies& after, const MemcpyNode& node,
                    CUgraphNode* out) {
  return add_resolved<api::CUDA_MEMCPY3D_st>(
      graph, after, node, out, [&](CUgraph to, CUgraphNode* made, const auto& parameters) {
        return answered("cuGraphAddMemcpyNode",
                        api::cuGraphAddMemcpyNode(made, to, after.nodes(), after.count(),
                                                  &parameters, context_or_current(node.context)));
      });
}

CUresult set_memcpy(const GraphView& graph, CUgraphNode node, const MemcpyNode& parameters) {
  return set_resolved<api::CUDA_MEMCPY3D_st>(
      graph, node, parameters, [](CUgraphNode one, const auto& resolved) {
        return answered("cuGraphMemcpyNodeSetParams",
                        api::cuGraphMemcpyNodeSetParams(one, &resolved));
      });
}

CUresult add_memset(const GraphView& graph, const Dependencies& after, const MemsetNode& node,
                    CUgraphNode* out) {
  return add_resolved<api::CUDA_MEMSET_NODE_PARAMS_st>(
      graph, after, node, out, [&](CUgraph to, CUgraphNode* made, const auto& parameters) {
        return answered("cuGraphAddMemsetNode",
                        api::cuGraphAddMemsetNode(made, to, after.nodes(), after.count(),
                                                  &parameters, context_or_current(node.context)));
      });
}

CUresult set_memset(const GraphView& graph, CUgraphNode node, const MemsetNode& parameters) {
  return set_resolved<api::CUDA_MEMSET_NODE_PARAMS_st>(
      graph, node, parameters, [](CUgraphNode one, const auto& resolved) {
        return answered("cuGraphMemsetNodeSetParams",
                        api::cuGraphMemsetNodeSetParams(one, &resolved));
      });
}

CUresult add_host(const GraphView& graph, const Dependencies& after, const HostNode& node,
                  CUgraphNode* out) {
  return add_resolved<api::CUDA_HOST_NODE_PARAMS_st>(
      graph, after, node, out, [&](CUgraph to, CUgraphNode* made, const auto& parameters) {
        return answered("cuGraphAddHostNode", api::cuGraphAddHostNode(made, to, after.nodes(),
                                                                      after.count(), &parameters));
      });
}

CUresult set_host(const GraphView& graph, CUgraphNode node, const HostNode& parameters) {
  return set_resolved<api::CUDA_HOST_NODE_PARAMS_st>(
      graph, node, parameters, [](CUgraphNode one, const auto& resolved) {
        return answered("cuGraphHostNodeSetParams", api::cuGraphHostNodeSetParams(one, &resolved));
      });
}

CUresult add_event_record(const GraphView& graph, const Dependencies& after, const EventNode& node,
                          CUgraphNode* out) {
  return add_resolved<CUevent>(
      graph, after, node, out, [&](CUgraph to, CUgraphNode* made, CUevent event) {
        return answered(
            "cuGraphAddEventRecordNode",
            api::cuGraphAddEventRecordNode(made, to, after.nodes(), after.count(), event));
      });
}

CUresult set_event_record(const GraphView& graph, CUgraphNode node, const EventNode& parameters) {
  return set_resolved<CUevent>(graph, node, parameters, [](CUgraphNode one, CUevent event) {
    return answered("cuGraphEventRecordNodeSetEvent",
                    api::cuGraphEventRecordNodeSetEvent(one, event));
  });
}

CUresult add_event_wait(const GraphView& graph, const Dependencies& after, const EventNode& node,
                        CUgraphNode* out) {
  return add_resolved<CUevent>(
      graph, after, node, out, [&](CUgraph to, CUgraphNode* made, CUevent event) {
        return answered(
            "cuGraphAddEventWaitNode",
            api::cuGraphAddEventWaitNode(made, to, after.nodes(), after.count(), event));
      });
}

CUresult set_event_wait(const GraphView& graph, CUgraphNode node, const EventNode& parameters) {
  return set_resolved<CUevent>(graph, node, parameters, [](CUgraphNode one, CUevent event) {
    return answered("cuGraphEventWaitNodeSetEvent", api::cuGraphEventWaitNodeSetEvent(one, event));
  });
}

}  // namespace anycuda::graph
