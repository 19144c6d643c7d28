// SPDX-License-Identifier: Apache-2.0

// The state of a capture: this library's, and the driver's.
#pragma once

#include "anycuda/graph/capture.h"
#include "api/cuda_api.h"
#include "graph/graph_state.h"

namespace anycuda::graph {

struct CaptureInfo {
  unsigned status = api::CU_STREAM_CAPTURE_STATUS_NONE;
  unsigned long id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;  // the next node's dependencies; in the driver's memory
  std::size_t count = 0;
};

// Of one capture, shared with its forks.
struct Capture::State {
  GraphState::Pointer graph;
  unsigned long id = 0;
  bool into_body = false;  // begin_to_graph: the graph is not the capture's
  bool ended = false;

  // An error if `state` is null, the capture has ended, or the stream is not part of it.
  static CUresult ask(const State* state, CUstream stream, CaptureInfo* out) noexcept;
};

// An error if the stream is not being captured, or its capture was invalidated.
CUresult ask_active(CUstream stream, CaptureInfo* out) noexcept;

// Whether this capture of the stream still goes on.
bool is_active(CUstream stream, unsigned long id, CaptureInfo* out) noexcept;

CUresult no_capture(const char* why) noexcept;

}  // namespace anycuda::graph
