// SPDX-License-Identifier: Apache-2.0

// Capturing a stream into a graph: the capture's state, and the work captured so far.
#include "capture.h"
#include "topics.h"

namespace conformance {

namespace {

void not_captured() {
  Check check("capture.info_when_not_captured");
  Stream stream(check);
  Info info;
  if (!check || !check.call(kInfo, ask(stream, info))) return;
  info.intact(check);
  EQUAL(check, *info.status, cudaStreamCaptureStatusNone);
  // The call returns nothing else then; what it leaves in the places is part of the contract.
  check.value("id_untouched", info.id.untouched());
  check.value("graph_untouched", info.graph.untouched());
  check.value("nodes_untouched", info.nodes.untouched());
  check.value("count_untouched", info.count.untouched());
  check.status("default_stream", kInfo, ask(nullptr, info));
}

template <typename Ask>
void captured(const char* name, const char* text, Ask ask_it) {
  Check check(name);
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  Capture capture(check, data.get());
  capture.work(1);
  Info info;
  if (!check || !check.call(text, ask_it(capture.stream, info))) return;
  info.intact(check);
  EQUAL(check, *info.status, cudaStreamCaptureStatusActive);
  if (!info.count.untouched()) {
    EQUAL(check, *info.count, 1U);
    cudaGraphNodeType type = cudaGraphNodeTypeEmpty;
    CALL(check, cudaGraphNodeGetType(**info.nodes, &type));
    EQUAL(check, type, cudaGraphNodeTypeKernel);
    std::size_t nodes = 0;
    CALL(check, cudaGraphGetNodes(*info.graph, nullptr, &nodes));
    EQUAL(check, nodes, 1U);
  }
  capture.work(2);
  capture.end();
  capture.run();
  data.expect("after the captured graph", 3);
}

void infos() {
  captured("capture.info", kInfo, ask);
  captured("capture.info_status_only", kInfo, [](cudaStream_t stream, Info& info) {
#if CUDART_VERSION < 12000
    return cudaStreamGetCaptureInfo_v2(stream, info.status.get());
#else
    return cudaStreamGetCaptureInfo(stream, info.status.get());
#endif
  });
#if CUDART_VERSION < 12000
  captured("capture.info_short", "cudaStreamGetCaptureInfo", [](cudaStream_t stream, Info& info) {
    return cudaStreamGetCaptureInfo(stream, info.status.get(), info.id.get());
  });
#elif CUDART_VERSION >= 12030 && CUDART_VERSION < 13000
  captured("capture.info_with_data", "cudaStreamGetCaptureInfo_v3",
           [](cudaStream_t stream, Info& info) {
             return cudaStreamGetCaptureInfo_v3(stream, info.status.get(), info.id.get(),
                                                info.graph.get(), info.nodes.get(), info.data.get(),
                                                info.count.get());
           });
  captured("capture.info_with_data_for_nobody", "cudaStreamGetCaptureInfo_v3",
           [](cudaStream_t stream, Info& info) {
             return cudaStreamGetCaptureInfo_v3(stream, info.status.get(), info.id.get(),
                                                info.graph.get(), info.nodes.get(), nullptr,
                                                info.count.get());
           });
#endif
}

// The ids of two captures are not the same.
void ids() {
  Check check("capture.ids");
  DeviceArray<int> data(check, kCount);
  if (!check) return;
  unsigned long long seen[2] = {};
  for (auto& id : seen) {
    Capture capture(check, data.get());
    Info info;
    if (!check || !check.call(kInfo, ask(capture.stream, info))) return;
    id = *info.id;
    EQUAL(check, info.count.untouched(), false);
    EQUAL(check, *info.count, 0U);
  }
  EXPECT(check, seen[0] != seen[1]);
}

#if defined(CONFORMANCE_EDGE_DATA)
void to_graph() {
  Check check("capture.to_graph");
  DeviceArray<int> data(check, kCount);
  Stream stream(check);
  Graph graph;
  CALL(check, cudaGraphCreate(&graph, 0));
  if (!check) return;
  Add one(data.get(), 1);
  const cudaKernelNodeParams params = one.node();
  Node first = nullptr;
  CALL(check, cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params));
  if (!check || !CALL(check, cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1,
                                                           cudaStreamCaptureModeThreadLocal))) {
    return;
  }
  add<<<1, kCount, 0, stream>>>(data.get(), kCount, 2);
  CALL(check, cudaGetLastError());
  cudaGraph_t ended = nullptr;
  CALL(check, cudaStreamEndCapture(stream, &ended));
  EQUAL(check, ended, static_cast<cudaGraph_t>(graph));
  Executable executable;
  CALL(check, cudaGraphInstantiateWithFlags(&executable, graph, 0));
  if (check) CALL(check, cudaGraphLaunch(executable, stream));
  CALL(check, cudaStreamSynchronize(stream));
  data.expect("after the graph", 3);
}
#endif

}  // namespace

void capture() {
  not_captured();
  infos();
  ids();
#if defined(CONFORMANCE_EDGE_DATA)
  to_graph();
#endif
}

}  // namespace conformance
