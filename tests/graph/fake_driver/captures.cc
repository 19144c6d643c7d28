// Stream capture.
#include "model.h"

namespace {

thread_local unsigned thread_mode = api::CU_STREAM_CAPTURE_MODE_GLOBAL;
// The capture that this thread has begun, if it is one that forbids unsafe calls.
thread_local CUstream_st* strict = nullptr;

unsigned begin(CUstream_st* stream, CUgraph_st* graph, unsigned mode, bool own) {
  if (stream == nullptr || stream->capture != nullptr) return 900;
  Capture* const capture = &fake::world().captures.emplace_back();
  capture->id = fake::world().captures.size();
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
                                     ::CUgraphNode_st* const*, const CUgraphEdgeData_st*,
                                     unsigned long, unsigned mode) {
  FAULT;
  if (fake::living(graph) == nullptr) return 1;
  return begin(stream, graph, mode, false);
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
  stream->capture = nullptr;
  if (strict == stream) strict = nullptr;
  if (capture->status == CU_STREAM_CAPTURE_STATUS_INVALIDATED) return 901;
  capture->graph->capturing = false;
  *out = capture->graph;
  return 0;
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
  ::CUgraphNode_st* const node = fake::new_node(capture->graph, CU_GRAPH_NODE_TYPE_HOST);
  node->host = {function, data};
  stream->last = {node};
  if (fake::world().capture_two) {
    stream->last.push_back(fake::new_node(capture->graph, CU_GRAPH_NODE_TYPE_EMPTY));
  }
  return fake::world().capture_then_fail;
}

}  // extern "C"
}  // namespace anycuda::api
