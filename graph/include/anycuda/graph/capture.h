// SPDX-License-Identifier: Apache-2.0

// Stream capture with owners.
//
// As in CUDA, captured work gets no owners by itself: the caller keeps alive what captured kernels
// and copies refer to, or gives its owners to keep() or keep_with_last(). call() captures a host
// callback together with its owners, launch() a kernel.
//
// Errors and threads are as in graph.h. Needs a driver of CUDA 11.3 or later. A null stream is the
// legacy default stream, which cannot be captured.
#pragma once

#include "anycuda/graph/graph.h"

namespace anycuda::graph {

enum class CaptureMode { global = 0, thread_local_ = 1, relaxed = 2 };  // CUstreamCaptureMode

// One capture of one stream. Move-only. The rules of CUDA's capture modes apply, those about
// threads included.
class Capture {
 public:
  Capture() = default;
  // Ends the capture if it is still active, and destroys its graph, which releases the owners. The
  // graph given to begin_to_graph() is not destroyed. Destroying a fork ends nothing.
  ~Capture();
  Capture(Capture&& other) noexcept;
  Capture& operator=(Capture&& other) noexcept;
  [[nodiscard]] static CUresult begin(CUstream stream, CaptureMode mode, Capture* out);
  // Captures into an existing graph, such as the body of a conditional node. CUDA 12.3 or later.
  [[nodiscard]] static CUresult begin_to_graph(CUstream stream, const GraphView& graph,
                                               const Dependencies& after, CaptureMode mode,
                                               Capture* out);
  // *out captures on `stream`, which has joined this capture (by waiting for an event of it: CUDA
  // Programming Guide, "Cross-stream Dependencies and Events"). A fork adds to the same graph;
  // view() and end() refuse it. CUDA_ERROR_INVALID_VALUE: the stream has not joined, or *out is the
  // capture that was begun (this one, or the one that this is a fork of): the fork would replace
  // it, and the capture could not be ended any more.
  [[nodiscard]] CUresult fork(CUstream stream, Capture* out) const;

  // Lets `stream` join this capture, behind all that this stream has captured, and gives *out as
  // fork() does. The stream must not be captured already.
  [[nodiscard]] CUresult split(CUstream stream, Capture* out) const;
  // What this stream captures next also waits for what the other stream has captured: a fork of
  // this capture, or the capture that this is a fork of. Every fork must join before end() (CUDA
  // Programming Guide, "Cross-stream Dependencies and Events"). The other stream stays in the
  // capture, and may join again.
  [[nodiscard]] CUresult join(const Capture& other);

  // cuLaunchHostFunc, with its owners. If the call succeeds and the captured node cannot be found,
  // the graph as a whole keeps the owners, and the result is CUDA_SUCCESS. If the call fails and
  // may have captured a node, the graph keeps the owners, too, since a node cannot be removed from
  // a capture; the result is the error.
  [[nodiscard]] CUresult call(const HostNode& node);
  // launch_kernel (stream_launch.h) on the captured stream, with its owners, as call() keeps them:
  // `capture.launch(kernel_node(kernel, {grid, block}, buffer, 3))`.
  [[nodiscard]] CUresult launch(const KernelNode& node);
  // keep() keeps an owner with the whole graph. keep_with_last() gives it to the node
  // that was captured last on this stream; if the stream's next node depends on several nodes or on
  // none, the whole graph keeps the owner. An empty owner is success.
  [[nodiscard]] CUresult keep(OpaqueHandle owner);
  [[nodiscard]] CUresult keep_with_last(OwnerRole role, OpaqueHandle owner);

  // Ends the capture of the stream. end(&graph): *out owns the graph and knows its owners. end():
  // for a capture begun with begin_to_graph(), whose graph keeps its former owner. For an
  // invalidated capture the result is the driver's error (900, 901 on driver 580), and the driver
  // frees the graph with all its owners. If the driver does not end the capture (the call came from
  // a wrong thread), the capture is still active.
  [[nodiscard]] CUresult end(Graph* out);
  [[nodiscard]] CUresult end();

  // A view of the captured graph, after the capture has ended; after end(&graph), of that `graph`.
  // CUDA_ERROR_INVALID_VALUE: the capture is still active, or this is a fork.
  [[nodiscard]] CUresult view(GraphView* out) const;
  CUstream stream() const { return stream_; }

 private:
  struct State;
  template <typename Add>
  [[nodiscard]] CUresult add_work(const Owners& owners, const Add& add);
  void give_up() noexcept;
  [[nodiscard]] CUresult end_capture() noexcept;
  CUstream stream_ = nullptr;
  bool fork_ = false;
  std::shared_ptr<State> state_;
};

}  // namespace anycuda::graph
