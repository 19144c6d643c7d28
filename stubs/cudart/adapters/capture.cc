// SPDX-License-Identifier: Apache-2.0

// Stream capture: its state, the nodes that the next captured one will depend on, and capture into
// existing graphs. 12.3 added data to edges, in functions that end in _v2 and _v3; 13
// has these under the plain names, and dropped the rest.
#include "stubs/cudart/adapters/graph_support.h"

namespace anycuda {

using graphs::EdgeData;
using graphs::to_driver;
using Graph = v13::cudaGraph_t;
using Node = v13::cudaGraphNode_t;
using Stream = v13::cudaStream_t;
using Identifier = unsigned long long;

// Callers before 13 on 13. Outputs that they do not ask for are null, as 12's runtime passes them.

ANYCUDA_ADAPTER v12::cudaError_t adapt_capture_info_short(Stream stream, unsigned int* status,
                                                          Identifier* id) {
  return v13::cudaStreamGetCaptureInfo(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_capture_info_short_ptsz(Stream stream, unsigned int* status,
                                                               Identifier* id) {
  return v13::cudaStreamGetCaptureInfo_ptsz(stream, status, id, nullptr, nullptr, nullptr, nullptr);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_capture_info_without_data(Stream stream,
                                                                 unsigned int* status,
                                                                 Identifier* id, Graph* graph,
                                                                 const Node** nodes,
                                                                 std::size_t* count) {
  return v13::cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, nullptr, count);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_capture_info_without_data_ptsz(Stream stream,
                                                                      unsigned int* status,
                                                                      Identifier* id, Graph* graph,
                                                                      const Node** nodes,
                                                                      std::size_t* count) {
  return v13::cudaStreamGetCaptureInfo_ptsz(stream, status, id, graph, nodes, nullptr, count);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_capture_update_without_data(Stream stream, Node* nodes,
                                                                   std::size_t count,
                                                                   unsigned int flags) {
  return v13::cudaStreamUpdateCaptureDependencies(stream, nodes, nullptr, count, flags);
}

ANYCUDA_ADAPTER v12::cudaError_t adapt_capture_update_without_data_ptsz(Stream stream, Node* nodes,
                                                                        std::size_t count,
                                                                        unsigned int flags) {
  return v13::cudaStreamUpdateCaptureDependencies_ptsz(stream, nodes, nullptr, count, flags);
}

// Callers that know of edge data, on runtimes that may not. Each function exists twice, for the
// legacy default stream and for per-thread ones.

namespace {

// `kRuntime` is 12's function with data, `kDriver` the driver's, `kOlder` the one of 11 without.
template <auto kRuntime, auto kDriver, auto kOlder>
Status info_with_data(OfRuntime* runtimes, OfDriver* drivers, Stream stream, unsigned int* status,
                      Identifier* id, Graph* graph, const Node** nodes, const EdgeData** data,
                      std::size_t* count) {
  if (runtimes->available()) return kRuntime(stream, status, id, graph, nodes, data, count);
  if (drivers->available()) {
    if (status == nullptr) return remember(v13::cudaErrorInvalidValue);
    static_assert(sizeof *id == sizeof(driver::cuuint64_t));
    unsigned int found = 0;
    const Status answer = in_context([&] {
      return kDriver(stream, &found, reinterpret_cast<driver::cuuint64_t*>(id), graph, nodes,
                     reinterpret_cast<const driver::CUgraphEdgeData_st**>(data), count);
    });
    if (answer == 0) *status = found;
    return answer;
  }
  // With such a driver edges have no data, which functions with a data parameter express by null.
  if (data != nullptr && nodes == nullptr) return remember(v13::cudaErrorInvalidValue);
  const Status answer = kOlder(stream, status, id, graph, nodes, count);
  if (answer == 0 && data != nullptr) *data = nullptr;
  return answer;
}

template <auto kRuntime, auto kDriver, auto kOlder>
Status update_with_data(OfRuntime* runtimes, OfDriver* drivers, Stream stream, Node* nodes,
                        const EdgeData* data, std::size_t count, unsigned int flags) {
  if (runtimes->available()) return kRuntime(stream, nodes, data, count, flags);
  if (drivers->available()) {
    return in_context([=] { return kDriver(stream, nodes, to_driver(data), count, flags); });
  }
  if (!graphs::is_default(data, count)) {
    return graphs::refuse_edge_data("cudaStreamUpdateCaptureDependencies");
  }
  return kOlder(stream, nodes, count, flags);
}

// The callback about changes in a recaptured graph gets parameters in 13's struct, with host
// functions for kernels: only 13's runtime can make them.
template <auto kDriver>
Status recapture(Stream stream, unsigned int mode, Graph graph,
                 const v13::cudaGraphRecaptureCallbackData* callback) {
  if (callback != nullptr) {
    return refuse(v13::cudaErrorNotSupported, "cudaStreamBeginRecaptureToGraph",
                  "this runtime cannot report changed nodes by a callback");
  }
  return in_context([=] { return kDriver(stream, mode, graph, nullptr, nullptr); });
}

}  // namespace

ANYCUDA_ADAPTER v13::cudaError_t adapt_capture_info_with_data(Stream stream, unsigned int* status,
                                                              Identifier* id, Graph* graph,
                                                              const Node** nodes,
                                                              const EdgeData** data,
                                                              std::size_t* count) {
  static OfRuntime runtimes{"cudaStreamGetCaptureInfo_v3"};
  static OfDriver drivers{"cuStreamGetCaptureInfo_v3"};
  return info_with_data<v12::cudaStreamGetCaptureInfo_v3, driver::cuStreamGetCaptureInfo_v3,
                        v11::cudaStreamGetCaptureInfo_v2>(&runtimes, &drivers, stream, status, id,
                                                          graph, nodes, data, count);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_capture_info_with_data_ptsz(
    Stream stream, unsigned int* status, Identifier* id, Graph* graph, const Node** nodes,
    const EdgeData** data, std::size_t* count) {
  static OfRuntime runtimes{"cudaStreamGetCaptureInfo_v3_ptsz"};
  static OfDriver drivers{"cuStreamGetCaptureInfo_v3_ptsz"};
  return info_with_data<v12::cudaStreamGetCaptureInfo_v3_ptsz,
                        driver::cuStreamGetCaptureInfo_v3_ptsz,
                        v11::cudaStreamGetCaptureInfo_v2_ptsz>(&runtimes, &drivers, stream, status,
                                                               id, graph, nodes, data, count);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_capture_update_with_data(Stream stream, Node* nodes,
                                                                const EdgeData* data,
                                                                std::size_t count,
                                                                unsigned int flags) {
  static OfRuntime runtimes{"cudaStreamUpdateCaptureDependencies_v2"};
  static OfDriver drivers{"cuStreamUpdateCaptureDependencies_v2"};
  return update_with_data<v12::cudaStreamUpdateCaptureDependencies_v2,
                          driver::cuStreamUpdateCaptureDependencies_v2,
                          v11::cudaStreamUpdateCaptureDependencies>(&runtimes, &drivers, stream,
                                                                    nodes, data, count, flags);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_capture_update_with_data_ptsz(Stream stream, Node* nodes,
                                                                     const EdgeData* data,
                                                                     std::size_t count,
                                                                     unsigned int flags) {
  static OfRuntime runtimes{"cudaStreamUpdateCaptureDependencies_v2_ptsz"};
  static OfDriver drivers{"cuStreamUpdateCaptureDependencies_v2_ptsz"};
  return update_with_data<v12::cudaStreamUpdateCaptureDependencies_v2_ptsz,
                          driver::cuStreamUpdateCaptureDependencies_v2_ptsz,
                          v11::cudaStreamUpdateCaptureDependencies_ptsz>(
      &runtimes, &drivers, stream, nodes, data, count, flags);
}

// Capture into a graph that exists, by the driver.

ANYCUDA_ADAPTER v13::cudaError_t adapt_capture_to_graph(Stream stream, Graph graph,
                                                        const Node* nodes, const EdgeData* data,
                                                        std::size_t count, unsigned int mode) {
  return in_context([=] {
    return driver::cuStreamBeginCaptureToGraph(stream, graph, nodes, to_driver(data), count, mode);
  });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_capture_to_graph_ptsz(Stream stream, Graph graph,
                                                             const Node* nodes,
                                                             const EdgeData* data,
                                                             std::size_t count, unsigned int mode) {
  return in_context([=] {
    return driver::cuStreamBeginCaptureToGraph_ptsz(stream, graph, nodes, to_driver(data), count,
                                                    mode);
  });
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_capture_again(
    Stream stream, unsigned int mode, Graph graph, v13::cudaGraphRecaptureCallbackData* callback) {
  return recapture<driver::cuStreamBeginRecaptureToGraph>(stream, mode, graph, callback);
}

ANYCUDA_ADAPTER v13::cudaError_t adapt_capture_again_ptsz(
    Stream stream, unsigned int mode, Graph graph, v13::cudaGraphRecaptureCallbackData* callback) {
  return recapture<driver::cuStreamBeginRecaptureToGraph_ptsz>(stream, mode, graph, callback);
}

}  // namespace anycuda
