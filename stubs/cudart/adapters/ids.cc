// SPDX-License-Identifier: Apache-2.0

// A stream's number and device, numbers of graphs and nodes, on runtimes without these functions.
// Newer runtimes pass the call to the driver's function of the same name (read in the machine code
// of 12.9 and 13.5); handles are the driver's in every major.
#include "stubs/cudart/adapters/context.h"

namespace anycuda {
namespace {

// cuStreamGetDevice came with 12.8; every driver can report a stream's context, and that context's
// device. The runtime's device numbers are the driver's.
template <typename GetContext>
Status get_device(GetContext get_context, int* device) {
  return in_context([&]() -> Status {
    driver::CUcontext context = nullptr;
    Status status = get_context(&context);
    if (status == 0) status = driver::cuCtxPushCurrent_v2(context);
    if (status != 0) return status;
    status = driver::cuCtxGetDevice(device);
    const Status popped = driver::cuCtxPopCurrent_v2(&context);
    return status != 0 ? status : popped;
  });
}

}  // namespace

ANYCUDA_ADAPTER v12::cudaError_t adapt_stream_get_id(v12::cudaStream_t stream,
                                                     unsigned long long* id) {
  return in_context([&] { return driver::cuStreamGetId(stream, id); });
}
ANYCUDA_ADAPTER v12::cudaError_t adapt_stream_get_id_ptsz(v12::cudaStream_t stream,
                                                          unsigned long long* id) {
  return in_context([&] { return driver::cuStreamGetId_ptsz(stream, id); });
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_stream_get_device(v12::cudaStream_t stream, int* device) {
  return get_device(
      [&](driver::CUcontext* context) { return driver::cuStreamGetCtx(stream, context); }, device);
}
ANYCUDA_ADAPTER v12::cudaError_t adapt_stream_get_device_ptsz(v12::cudaStream_t stream,
                                                              int* device) {
  return get_device(
      [&](driver::CUcontext* context) { return driver::cuStreamGetCtx_ptsz(stream, context); },
      device);
}

// A caller with a graph has initialised the driver.
ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_get_id(v13::cudaGraph_t graph, unsigned* id) {
  return driver_answer(driver::cuGraphGetId(graph, id));
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_exec_get_id(v13::cudaGraphExec_t graph, unsigned* id) {
  return driver_answer(driver::cuGraphExecGetId(graph, id));
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_node_get_local_id(v13::cudaGraphNode_t node,
                                                               unsigned* id) {
  return driver_answer(driver::cuGraphNodeGetLocalId(node, id));
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_node_get_tools_id(v13::cudaGraphNode_t node,
                                                               unsigned long long* id) {
  return driver_answer(driver::cuGraphNodeGetToolsId(node, id));
}
ANYCUDA_ADAPTER v13::cudaError_t adapt_graph_node_get_containing_graph(v13::cudaGraphNode_t node,
                                                                       v13::cudaGraph_t* graph) {
  return driver_answer(driver::cuGraphNodeGetContainingGraph(node, graph));
}

}  // namespace anycuda
