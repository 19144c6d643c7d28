// SPDX-License-Identifier: Apache-2.0

// A captured stream, and the facts that it returns.
#pragma once

#include "graph_forms.h"
#include "kernels.h"

namespace conformance {

// What a stream says about its capture, every place guarded. The short form of 11 fills two.
struct Info {
  Guarded<cudaStreamCaptureStatus> status;
  Guarded<unsigned long long> id;
  Guarded<cudaGraph_t> graph;
  Guarded<const Node*> nodes;
  Guarded<const EdgeData*> data;
  Guarded<std::size_t> count;

  void intact(Check& check) const {
    INTACT(check, status);
    INTACT(check, id);
    INTACT(check, graph);
    INTACT(check, nodes);
    INTACT(check, data);
    INTACT(check, count);
  }
};

#if CUDART_VERSION < 12000
constexpr const char* kInfo = "cudaStreamGetCaptureInfo_v2";
inline cudaError_t ask(cudaStream_t stream, Info& info) {
  return cudaStreamGetCaptureInfo_v2(stream, info.status.get(), info.id.get(), info.graph.get(),
                                     info.nodes.get(), info.count.get());
}
#elif CUDART_VERSION < 13000
constexpr const char* kInfo = "cudaStreamGetCaptureInfo";
inline cudaError_t ask(cudaStream_t stream, Info& info) {
  return cudaStreamGetCaptureInfo(stream, info.status.get(), info.id.get(), info.graph.get(),
                                  info.nodes.get(), info.count.get());
}
#else
constexpr const char* kInfo = "cudaStreamGetCaptureInfo";
inline cudaError_t ask(cudaStream_t stream, Info& info) {
  return cudaStreamGetCaptureInfo(stream, info.status.get(), info.id.get(), info.graph.get(),
                                  info.nodes.get(), info.data.get(), info.count.get());
}
#endif

// A stream that is being captured, with work in it; the capture ends with the scope if not before.
class Capture {
 public:
  Capture(Check& check, int* data) : stream(check), check_(check), data_(data) {
    if (check) {
      begun_ = CALL(check, cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    }
  }
  ~Capture() {
    if (begun_) cudaStreamEndCapture(stream, &graph);
  }
  void work(int amount) {
    if (!check_) return;
    add<<<1, kCount, 0, stream>>>(data_, kCount, amount);
    CALL(check_, cudaGetLastError());
  }
  void end() {
    if (begun_) CALL(check_, cudaStreamEndCapture(stream, &graph));
    begun_ = false;
  }
  void run() {
    if (!check_) return;
    Executable executable;
    CALL(check_, cudaGraphInstantiateWithFlags(&executable, graph, 0));
    if (check_) CALL(check_, cudaGraphLaunch(executable, stream));
    CALL(check_, cudaStreamSynchronize(stream));
  }
  Stream stream;
  Graph graph;

 private:
  Check& check_;
  int* data_;
  bool begun_ = false;
};

}  // namespace conformance
