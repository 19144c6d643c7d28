// SPDX-License-Identifier: Apache-2.0

// Beginning and ending a capture; its forks and views.
#include "graph/capture/capture_state.h"

#include "graph/driver_support.h"
#include "graph/failures/releases.h"
#include "graph/scopes.h"

namespace anycuda::graph {
namespace {

// Ends a capture that cannot be used, or that the program did not end.
void abandon(CUstream stream, bool into_body) noexcept {
  CUgraph graph = nullptr;
  const unsigned result = api::cuStreamEndCapture(stream, &graph);
  if (result == api::CUDA_SUCCESS && graph != nullptr && !into_body) api::cuGraphDestroy(graph);
}

CUresult out_is_primary() noexcept {
  return fail(CUDA_ERROR_INVALID_VALUE,
              "out is the capture that the stream has joined: the fork would replace it, and it "
              "could never end. Pass another Capture");
}

CUresult check_free(CUstream stream) noexcept {
  unsigned status = api::CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result =
      answered("cuStreamIsCapturing", api::cuStreamIsCapturing(stream, &status));
  if (result != CUDA_SUCCESS || status == api::CU_STREAM_CAPTURE_STATUS_NONE) return result;
  return no_capture("split needs a stream that is not captured");
}

// By an event that nothing needs after the call.
CUresult wait_for(CUstream later, CUstream earlier) noexcept {
  const RelaxedCaptureScope mode;
  CUevent event = nullptr;
  CUresult result = answered("cuEventCreate", api::cuEventCreate(&event, kDisableTiming));
  if (result != CUDA_SUCCESS) return result;
  result = answered("cuEventRecord", api::cuEventRecord(event, earlier));
  if (result == CUDA_SUCCESS) {
    result = answered("cuStreamWaitEvent", api::cuStreamWaitEvent(later, event, 0));
  }
  check_release("cuEventDestroy_v2", api::cuEventDestroy_v2(event));
  return result;
}

}  // namespace

Capture::~Capture() { give_up(); }

void Capture::give_up() noexcept {
  if (state_ != nullptr && !fork_ && !state_->ended) {
    abandon(stream_, state_->into_body);
    state_->ended = true;
    if (!state_->into_body) state_->graph->invalidate();
  }
  state_ = nullptr;
}

Capture::Capture(Capture&& other) noexcept
    : stream_(other.stream_), fork_(other.fork_), state_(std::move(other.state_)) {
  other.state_ = nullptr;
}

Capture& Capture::operator=(Capture&& other) noexcept {
  if (this != &other) {
    give_up();
    stream_ = other.stream_;
    fork_ = other.fork_;
    state_ = std::move(other.state_);
    other.state_ = nullptr;
  }
  return *this;
}

CUresult Capture::begin(CUstream stream, CaptureMode mode, Capture* out) {
  return entry([&] {
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    CUresult result = need("cuStreamGetCaptureInfo_v2");
    if (result != CUDA_SUCCESS) return result;
    auto state = std::make_shared<State>();
    state->graph = std::make_shared<GraphState>(nullptr);
    result = answered("cuStreamBeginCapture_v2",
                      api::cuStreamBeginCapture_v2(stream, static_cast<unsigned>(mode)));
    if (result != CUDA_SUCCESS) return result;
    CaptureInfo info;
    result = ask_active(stream, &info);
    if (result != CUDA_SUCCESS) {
      abandon(stream, false);
      return result;
    }
    state->id = info.id;
    state->graph->graph.store(info.graph);
    state->graph->handed_out = true;
    Capture made;
    made.stream_ = stream;
    made.state_ = std::move(state);
    *out = std::move(made);
    return CUDA_SUCCESS;
  });
}

CUresult Capture::begin_to_graph(CUstream stream, const GraphView& graph, const Dependencies& after,
                                 CaptureMode mode, Capture* out) {
  return entry([&] {
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    GraphState* const into = usable(graph);
    if (into == nullptr) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = need("cuStreamBeginCaptureToGraph");
    if (result == CUDA_SUCCESS) result = check_nodes(into, after);
    if (result != CUDA_SUCCESS) return result;
    into->handed_out = true;
    auto state = std::make_shared<State>();
    state->graph = GraphState::of(graph);
    state->into_body = true;
    result = answered(
        "cuStreamBeginCaptureToGraph",
        api::cuStreamBeginCaptureToGraph(stream, into->graph.load(), after.nodes(), nullptr,
                                         after.count(), static_cast<unsigned>(mode)));
    if (result != CUDA_SUCCESS) return result;
    CaptureInfo info;
    result = ask_active(stream, &info);
    if (result != CUDA_SUCCESS) {
      abandon(stream, true);
      return result;
    }
    state->id = info.id;
    Capture made;
    made.stream_ = stream;
    made.state_ = std::move(state);
    *out = std::move(made);
    return CUDA_SUCCESS;
  });
}

CUresult Capture::fork(CUstream stream, Capture* out) const {
  return entry([&] {
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    CaptureInfo info;
    const CUresult result = State::ask(state_.get(), stream, &info);
    if (result != CUDA_SUCCESS) return result;
    if (out->state_ == state_ && !out->fork_) return out_is_primary();
    Capture made;
    made.stream_ = stream;
    made.fork_ = true;
    made.state_ = state_;
    *out = std::move(made);
    return CUDA_SUCCESS;
  });
}

CUresult Capture::split(CUstream stream, Capture* out) const {
  return entry([&] {
    CaptureInfo info;
    CUresult result = State::ask(state_.get(), stream_, &info);
    if (result != CUDA_SUCCESS) return result;
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    if (stream == nullptr) return no_capture("split needs a stream that is not null");
    result = check_free(stream);
    if (result != CUDA_SUCCESS) return result;
    if (out->state_ == state_ && !out->fork_) return out_is_primary();
    result = wait_for(stream, stream_);
    return result == CUDA_SUCCESS ? fork(stream, out) : result;
  });
}

CUresult Capture::join(const Capture& other) {
  return entry([&] {
    CaptureInfo info;
    CUresult result = State::ask(state_.get(), stream_, &info);
    if (result != CUDA_SUCCESS) return result;
    if (other.stream_ == stream_ || other.state_ != state_) {
      return no_capture("only another stream of the same capture can join it");
    }
    result = State::ask(state_.get(), other.stream_, &info);
    return result == CUDA_SUCCESS ? wait_for(stream_, other.stream_) : result;
  });
}

// Ends the capture of the stream. A capture that makes a graph then has the graph that the driver
// returns.
CUresult Capture::end_capture() noexcept {
  CUgraph graph = nullptr;
  const CUresult result = answered("cuStreamEndCapture", api::cuStreamEndCapture(stream_, &graph));
  GraphState* const known = state_->graph.get();
  if (result != CUDA_SUCCESS) {
    // The capture may still be active: the call came from a wrong thread or named a
    // wrong stream.
    CaptureInfo info;
    if (is_active(stream_, state_->id, &info)) return result;
    state_->ended = true;
    if (!state_->into_body) known->invalidate();
    return result;
  }
  state_->ended = true;
  if (!state_->into_body && graph != known->graph.load()) {
    known->invalidate();
    known->graph.store(graph);
  }
  return result;
}

CUresult Capture::end(Graph* out) {
  return entry([&] {
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    if (state_ == nullptr || state_->ended) return no_capture("the Capture is empty or has ended");
    if (fork_) return no_capture("a fork ends with the capture that it has joined");
    if (state_->into_body)
      return no_capture("the caller owns the graph of this capture: use end()");
    const CUresult result = end_capture();
    if (result == CUDA_SUCCESS) *out = GraphState::own(state_->graph);
    return result;
  });
}

CUresult Capture::end() {
  return entry([&] {
    if (state_ == nullptr || state_->ended) return no_capture("the Capture is empty or has ended");
    if (fork_) return no_capture("a fork ends with the capture that it has joined");
    if (!state_->into_body)
      return no_capture("this capture creates its own graph: use end(&graph)");
    return end_capture();
  });
}

CUresult Capture::view(GraphView* out) const {
  return entry([&] {
    if (out == nullptr) return fail(CUDA_ERROR_INVALID_VALUE, "out is null");
    if (state_ == nullptr) return no_capture("the Capture is empty");
    if (fork_) return no_capture("a fork has no graph: use that of the capture that it has joined");
    if (!state_->ended) return no_capture("the graph is not complete before the capture has ended");
    GraphView view = GraphState::view(state_->graph);
    if (usable(view) == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *out = std::move(view);
    return CUDA_SUCCESS;
  });
}

}  // namespace anycuda::graph
