// SPDX-License-Identifier: Apache-2.0

// Stream capture, and the streams and events that it needs.
#include <algorithm>

#include "model.h"

namespace {

thread_local unsigned thread_mode = api::CU_STREAM_CAPTURE_MODE_GLOBAL;
// The capture that this thread has begun, if it is one that forbids unsafe calls.
thread_local CUstream_st* strict = nullptr;

unsigned begin(CUstream_st* stream, CUgraph_st* graph, unsigned mode, bool own) {
  if (stream == nullptr || stream->capture != nullptr) return 900;
  Capture* const capture = &fake::world().captures.emplace_back();
  capture->id = ++fake::world().last_capture;
  capture->graph = graph;
  capture->primary = stream;
  capture->mode = mode;
  capture->own_graph = own;
  graph->capturing = true;
  stream->capture = capture;
  stream->last.clear();
  if (mode != api::CU_STREAM_CAPTURE_MODE_RELAXED) strict = stream;
  return 0;
}

// Ends the capture for all of its streams, including those that joined it.
void forget(const Capture* capture) {
  fake::World& all = fake::world();
  for (CUstream_st& stream : all.streams) {
    if (stream.capture == capture) stream.capture = nullptr;
  }
  for (auto at = all.recorded.begin(); at != all.recorded.end();) {
    at = at->second.capture == capture ? all.recorded.erase(at) : std::next(at);
  }
  all.captures.remove_if([&](const Capture& one) { return &one == capture; });
}

// A node that the stream's next one waits for.
CUgraphNode_st* captured(CUstream_st* stream, unsigned type) {
  CUgraphNode_st* const node = fake::new_node(stream->capture->graph, type);
  for (CUgraphNode_st* before : stream->last) fake::depend(node, before);
  stream->last = {node};
  return node;
}

}  // namespace

unsigned fake::unsafe_call() {
  if (strict == nullptr || thread_mode == api::CU_STREAM_CAPTURE_MODE_RELAXED) return 0;
  fake_control()->invalidate(strict);
  strict = nullptr;
  return 900;
}

namespace anycuda::api {
extern "C" {

unsigned cuThreadExchangeStreamCaptureMode(unsigned* mode) {
  FAULT;
  std::swap(*mode, thread_mode);
  return 0;
}

unsigned cuStreamBeginCapture_v2(::CUstream_st* stream, unsigned mode) {
  FAULT;
  if (stream == nullptr) return 1;  // the legacy stream
  if (stream->capture != nullptr) return 900;
  return begin(stream, fake::new_graph(), mode, true);
}

unsigned cuStreamBeginCaptureToGraph(::CUstream_st* stream, ::CUgraph_st* graph,
                                     ::CUgraphNode_st* const* after, const CUgraphEdgeData_st*,
                                     unsigned long count, unsigned mode) {
  FAULT;
  if (fake::living(graph) == nullptr) return 1;
  const unsigned result = begin(stream, graph, mode, false);
  if (result == 0) stream->last.assign(after, after + count);
  return result;
}

unsigned cuStreamIsCapturing(::CUstream_st* stream, unsigned* status) {
  FAULT;
  const Capture* const capture = stream == nullptr ? nullptr : stream->capture;
  *status = capture == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE : capture->status;
  return 0;
}

unsigned cuStreamEndCapture(::CUstream_st* stream, ::CUgraph_st** out) {
  FAULT;
  Capture* const capture = stream->capture;
  if (capture == nullptr) return 401;
  if (capture->primary != stream) return 903;
  *out = nullptr;
  if (strict == stream) strict = nullptr;
  const bool active = capture->status == CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (active || !capture->own_graph) capture->graph->capturing = false;
  if (active) *out = capture->graph;
  forget(capture);
  return active ? 0 : 901;
}

unsigned cuStreamGetCaptureInfo_v3(::CUstream_st* stream, unsigned* status, unsigned long* id,
                                   ::CUgraph_st** graph, ::CUgraphNode_st* const** nodes,
                                   const CUgraphEdgeData_st** edges, unsigned long* count) {
  FAULT;
  const Capture* const capture = stream->capture;
  *status = capture == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE : capture->status;
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return 0;
  *id = capture->id;
  *graph = capture->graph;
  *nodes = stream->last.data();
  *edges = nullptr;
  *count = stream->last.size();
  return 0;
}

unsigned cuStreamGetCaptureInfo_v2(::CUstream_st* stream, unsigned* status, unsigned long* id,
                                   ::CUgraph_st** graph, ::CUgraphNode_st* const** nodes,
                                   unsigned long* count) {
  const CUgraphEdgeData_st* edges = nullptr;
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, nodes, &edges, count);
}

unsigned cuLaunchHostFunc(::CUstream_st* stream, Function<void, void*>* function, void* data) {
  FAULT;
  const Capture* const capture = stream->capture;
  if (capture == nullptr) return 1;
  if (capture->status != CU_STREAM_CAPTURE_STATUS_ACTIVE) return 901;
  captured(stream, CU_GRAPH_NODE_TYPE_HOST)->host = {function, data};
  if (fake::world().capture_two) {
    stream->last.push_back(fake::new_node(capture->graph, CU_GRAPH_NODE_TYPE_EMPTY));
  }
  return fake::world().capture_then_fail;
}

unsigned cuStreamCreate(::CUstream_st** out, unsigned) {
  *out = static_cast<::CUstream_st*>(fake_control()->new_stream());
  return 0;
}
unsigned cuStreamDestroy_v2(::CUstream_st*) { return 0; }
unsigned cuStreamSynchronize(::CUstream_st* stream) {
  if (stream != nullptr) fake::finish_launches(stream);
  return 0;
}

unsigned cuEventRecord(::CUevent_st* event, ::CUstream_st* stream) {
  FAULT;
  const auto made = fake::world().events.find(event);
  if (made != fake::world().events.end() && made->second != fake::context_of(stream)) {
    return CUDA_ERROR_INVALID_HANDLE;
  }
  fake::world().waits_for[event] = fake::running_before(stream);
  fake::world().recorded.erase(event);
  if (stream != nullptr && stream->capture != nullptr) fake::world().recorded[event] = *stream;
  return 0;
}

// Joins the capture that the event was recorded in.
unsigned cuStreamWaitEvent(::CUstream_st* stream, ::CUevent_st* event, unsigned) {
  FAULT;
  const auto recorded = fake::world().recorded.find(event);
  if (recorded == fake::world().recorded.end()) return 0;
  const ::CUstream_st& from = recorded->second;
  if (stream->capture != from.capture) {
    if (stream->capture != nullptr) return 905;  // of another capture
    stream->capture = from.capture;
    stream->last.clear();
  }
  for (::CUgraphNode_st* node : from.last) {
    const auto end = stream->last.end();
    if (std::find(stream->last.begin(), end, node) == end) stream->last.push_back(node);
  }
  return 0;
}

}  // extern "C"
}  // namespace anycuda::api
