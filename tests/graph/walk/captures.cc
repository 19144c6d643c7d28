// SPDX-License-Identifier: Apache-2.0

// Captures into new graphs and into existing graphs, with forks.
#include <algorithm>

#include "api/cuda_api.h"
#include "tests/graph/walk/parameters.h"

namespace walk {
namespace {

namespace api = anycuda::api;

CUresult status(unsigned result) { return static_cast<CUresult>(result); }

// The node that the stream's next node depends on; nullptr if it depends on none or on several.
CUgraphNode last_of(CUstream stream) {
  unsigned is = 0;
  unsigned long id = 0;
  unsigned long count = 0;
  CUgraph graph = nullptr;
  const CUgraphNode* nodes = nullptr;
  if (api::cuStreamGetCaptureInfo_v2(stream, &is, &id, &graph, &nodes, &count) != 0) return nullptr;
  return is == api::CU_STREAM_CAPTURE_STATUS_ACTIVE && count == 1 ? nodes[0] : nullptr;
}

}  // namespace

CaptureMode Walker::capture_mode() {
  if (chance(2)) return CaptureMode::relaxed;
  // In global mode, calls of other threads would be refused.
  return options_.threads == 1 && chance(2) ? CaptureMode::global : CaptureMode::thread_local_;
}

void Walker::join(CUstream from, CUstream to) {
  must(status(api::cuEventRecord(join_.event(), from)), "cuEventRecord");
  must(status(api::cuStreamWaitEvent(to, join_.event(), 0)), "cuStreamWaitEvent");
}

void Walker::keep_with_last(Capture* capture, ModelGraph* model, unsigned role) {
  const Token kept = token();
  const CUgraphNode last = last_of(capture->stream());
  must(capture->keep_with_last(static_cast<OwnerRole>(role), owner(kept)),
       "Capture::keep_with_last");
  for (const auto& node : model->nodes) {
    if (node->handle != last) continue;
    model->set_owner(node.get(), role, kept);
    return;
  }
  model->whole.push_back(kept);
}

// Something is captured, or happens meanwhile.
void Walker::work(Capture* capture, ModelGraph* model, bool hosts) {
  switch (any(5)) {
    case 0: {
      if (!hosts) break;
      Parameters parameters;
      fill(Kind::host, &parameters);
      must(capture->call(parameters.host), "Capture::call");
      const CUgraphNode node = last_of(capture->stream());
      expect(node != nullptr, "the stream does not wait for the callback that was captured");
      model->add(node, Kind::host).owners = parameters.owners;
      break;
    }
    case 1: {
      const Token kept = token();
      must(capture->keep(owner(kept)), "Capture::keep");
      model->whole.push_back(kept);
      break;
    }
    case 2:
      keep_with_last(capture, model, 2 + static_cast<unsigned>(any(2)));
      break;
    case 3: {
      Parameters parameters;
      fill(Kind::kernel, &parameters);
      if (chance(2)) {
        must(capture->launch(parameters.kernel), "Capture::launch");
        const CUgraphNode launched = last_of(capture->stream());
        expect(launched != nullptr, "the stream does not wait for the kernel of Capture::launch");
        model->add(launched, Kind::kernel).owners = parameters.owners;
        break;
      }
      must(status(api::cuLaunchKernel(kernel_.function(), 1, 1, 1, 1, 1, 1, 0, capture->stream(),
                                      parameters.arguments, nullptr)),
           "cuLaunchKernel");
      const CUgraphNode node = last_of(capture->stream());
      expect(node != nullptr, "the stream does not wait for the kernel that was captured");
      model->add(node, Kind::kernel);
      keep_with_last(capture, model, 1);
      break;
    }
    default:
      drain();
      break;
  }
}

// Work on the stream of a capture, and on a second one that joins it and comes back.
void Walker::capture_work(Capture* capture, ModelGraph* model, bool hosts) {
  for (std::size_t times = any(4); times != 0; --times) work(capture, model, hosts);
  if (chance(2)) return;
  const std::size_t other = 1 + any(2);
  Capture fork;
  if (chance(2)) {
    must(capture->split(streams_[other], &fork), "Capture::split");
  } else {
    join(capture->stream(), streams_[other]);
    must(capture->fork(streams_[other], &fork), "Capture::fork");
  }
  for (std::size_t times = 1 + any(3); times != 0; --times) {
    work(chance(2) ? capture : &fork, model, hosts);
  }
  GraphView none;
  must_refuse(fork.view(&none), "Capture::view of a fork");
  must_refuse(fork.end(), "Capture::end of a fork");
  if (chance(2)) {
    must(capture->join(fork), "Capture::join");
  } else {
    join(streams_[other], capture->stream());
  }
  if (chance(2)) work(capture, model, hosts);
}

bool Walker::capture() {
  if (full()) return false;
  const CaptureMode mode = capture_mode();
  Capture capture;
  must(Capture::begin(streams_[0], mode, &capture), "Capture::begin");
  strict_ = mode != CaptureMode::relaxed;
  auto model = std::make_unique<ModelGraph>();
  capture_work(&capture, model.get(), true);
  const bool spoiled = strict_ && chance(6);
  if (spoiled) {
    CUdeviceptr memory = 0;
    must_fail(api::cuMemAlloc_v2(&memory, 16), "cuMemAlloc in a capture");
  }
  strict_ = false;
  if (!spoiled && chance(6)) return true;  // never ended: the owners are released with its graph
  Graph graph;
  if (spoiled) {
    must_refuse(capture.end(&graph), "Capture::end of a capture that was invalidated");
    return true;
  }
  must(capture.end(&graph), "Capture::end");
  model->handle = graph.get();
  hold(std::move(graph), std::move(model));
  return true;
}

bool Walker::capture_into() {
  const Place at = place();
  if (at.root == nullptr || at.child || at.model->nodes.size() > 12) return false;
  const CaptureMode mode = capture_mode();
  const std::vector<CUgraphNode> after = before(*at.model);
  Capture capture;
  must(Capture::begin_to_graph(streams_[0], at.view, after, mode, &capture),
       "Capture::begin_to_graph");
  strict_ = mode != CaptureMode::relaxed;
  capture_work(&capture, at.model, !at.body);
  strict_ = false;
  Graph none;
  must_refuse(capture.end(&none), "Capture::end(&graph) of a graph that was there before");
  must(capture.end(), "Capture::end");
  GraphView view;
  must(capture.view(&view), "Capture::view");
  expect(view == at.view, "a capture into a graph gives another view");
  return true;
}

bool Walker::fork_onto_itself() {
  if (full()) return false;
  Capture capture;
  must(Capture::begin(streams_[0], CaptureMode::relaxed, &capture), "Capture::begin");
  auto model = std::make_unique<ModelGraph>();
  work(&capture, model.get(), true);
  join(streams_[0], streams_[1]);
  const CUresult forked = capture.fork(streams_[1], &capture);
  join(streams_[1], streams_[0]);
  Graph graph;
  must(capture.end(&graph), forked == CUDA_SUCCESS
                                ? "Capture::end after a fork onto itself that succeeded"
                                : "Capture::end after a fork onto itself that was refused");
  model->handle = graph.get();
  hold(std::move(graph), std::move(model));
  return true;
}

}  // namespace walk
