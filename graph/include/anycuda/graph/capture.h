// Stream capture with owners.
//
// Work that is captured gets no owners by itself, as in CUDA: what kernels and copies refer to is
// the caller's to keep, or is given here. Host callbacks through `call` are kept.
//
// Errors and threads are as in graph.h. Needs a driver of CUDA 11.3 or later. A null stream is the
// legacy default stream, which cannot be captured.
#pragma once

#include "anycuda/graph/graph.h"

namespace anycuda::graph {

enum class CaptureMode { global = 0, thread_local_ = 1, relaxed = 2 };  // CUstreamCaptureMode

// One capture of one stream. Move-only; on the thread and under the rules of CUDA's capture modes.
class Capture {
 public:
  Capture() = default;
  ~Capture();  // a capture that was not ended is ended, and its graph and owners are let go
  Capture(Capture&& other) noexcept;
  Capture& operator=(Capture&& other) noexcept;
  static CUresult begin(CUstream stream, CaptureMode mode, Capture* out);
  // Into a graph that is there, such as the body of a conditional node. CUDA 12.3 or later.
  static CUresult begin_to_graph(CUstream stream, const GraphView& graph, const Dependencies& after,
                                 CaptureMode mode, Capture* out);
  // A stream that has joined this capture (by waiting for an event of it: CUDA Programming Guide,
  // "Cross-stream Dependencies and Events"). It shares the primary's graph; it has no view of its
  // own and cannot be ended. CUDA_ERROR_INVALID_VALUE: the stream has not joined, or *out is this
  // capture itself, or the one that this is a fork of: it would be lost.
  CUresult fork(CUstream stream, Capture* out) const;

  // cuLaunchHostFunc, with its owners. If the call succeeds and the captured node cannot be found,
  // the owners are kept by the capture's graph as a whole, and that is success.
  // If it fails: a node cannot be taken out of a capture, so where one may have been captured the
  // owners are kept, too, and the error is returned.
  CUresult call(const HostNode& node);
  // Keeps an owner with the whole graph; or in a slot of the node that was captured last on this
  // stream, and where there is none, or several, with the whole graph, too. An empty owner is
  // success.
  CUresult keep(OpaqueHandle owner);
  CUresult keep_with_last(Slot slot, OpaqueHandle owner);

  // Ends the capture of the stream: *out owns the graph, and knows its owners. For begin_to_graph
  // use the other form: the graph is whose it was. A capture that was invalidated gives the
  // driver's error, and all its owners are let go with its graph (900, 901 on driver 580). One that
  // the driver goes on with (the call came from a wrong thread) goes on here.
  CUresult end(Graph* out);
  CUresult end();

  // The graph's definition, after end() (of a capture of its own *out of end has it, too); before,
  // and of a fork: CUDA_ERROR_INVALID_VALUE.
  CUresult view(GraphView* out) const;
  CUstream stream() const { return stream_; }

 private:
  struct State;
  void give_up() noexcept;
  CUresult end_capture() noexcept;
  CUstream stream_ = nullptr;
  bool fork_ = false;
  std::shared_ptr<State> state_;
};

}  // namespace anycuda::graph
