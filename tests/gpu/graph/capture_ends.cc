// SPDX-License-Identifier: Apache-2.0

// Captures that end in error, and calls during a capture: nothing is lost, nothing is held.
#include <thread>

#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

HostNode closure(const OpaqueHandle& owner, std::atomic<int>* calls) {
  HostNode node;
  node.call = [owner, calls] { ++*calls; };
  return node;
}

void invalidated() {
  Check check("an invalidated capture gives the driver's error and lets its owners go");
  Life life;
  Life kept;
  std::atomic<int> calls{0};
  Stream stream;
  Capture capture;
  Graph graph;
  CALL(check, Capture::begin(stream, CaptureMode::thread_local_, &capture));
  CALL(check, capture.call(closure(life.owner(), &calls)));
  CALL(check, capture.keep(kept.owner()));
  EXPECT(check, cuStreamSynchronize(stream) != CUDA_SUCCESS);  // what a capture forbids
  const CUresult ended = capture.end(&graph);
  EQUAL(check, ended, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT(check, graph.get() == nullptr);
  EXPECT(check, eventually([&] { return life.freed() == 1 && kept.freed() == 1; }));
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  DRIVER(check, cuStreamIsCapturing(stream, &status));
  EQUAL(check, status, CU_STREAM_CAPTURE_STATUS_NONE);
  // The stream can be used again.
  CALL(check, Capture::begin(stream, CaptureMode::thread_local_, &capture));
  CALL(check, capture.end(&graph));
}

void abandoned() {
  Check check("a capture that is not ended is ended, and lets its owners go");
  Life life;
  std::atomic<int> calls{0};
  Stream stream;
  {
    Capture capture;
    CALL(check, Capture::begin(stream, CaptureMode::thread_local_, &capture));
    CALL(check, capture.call(closure(life.owner(), &calls)));
  }
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_ACTIVE;
  DRIVER(check, cuStreamIsCapturing(stream, &status));
  EQUAL(check, status, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

void failing_call() {
  Check check("a call that is refused does not end the capture");
  Life life;
  Life refused;
  std::atomic<int> calls{0};
  Stream stream;
  Capture capture;
  Graph graph;
  CALL(check, Capture::begin(stream, CaptureMode::thread_local_, &capture));
  HostNode wrong;  // no function
  wrong.data = &calls;
  wrong.data_owner = refused.owner();
  EQUAL(check, capture.call(wrong), CUDA_ERROR_INVALID_VALUE);
  wrong = HostNode();
  CALL(check, capture.call(closure(life.owner(), &calls)));
  CALL(check, capture.end(&graph));
  EQUAL(check, node_count(graph), 1U);
  EXPECT(check, life.alive());
  CALL(check, graph.destroy());
  EXPECT(check, eventually([&] { return life.freed() == 1 && refused.freed() == 1; }));
}

// An owner whose deleter frees memory, over while this thread captures in the mode that forbids it.
void drain_while_capturing() {
  Check check("drain() during a global-mode capture: deleters may call CUDA");
  Life life;
  std::atomic<int> freeing{-1};
  CUdeviceptr block = 0;
  Graph source;
  CUgraphNode node = nullptr;
  DRIVER(check, cuMemAlloc(&block, 1 << 20));
  CALL(check, Graph::create(&source));
  CALL(check, kinds()[0].add(source, life.owner_that([&] { freeing = cuMemFree(block); }), &node));
  Stream stream;
  Capture capture;
  Graph graph;
  std::atomic<int> calls{0};
  CALL(check, Capture::begin(stream, CaptureMode::global, &capture));
  CALL(check, source.destroy());
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
  EQUAL(check, freeing.load(), 0);
  CALL(check, capture.call(closure(nullptr, &calls)));
  CALL(check, capture.end(&graph));
  EQUAL(check, node_count(graph), 1U);
  // The mode of this thread is what it was: a forbidden call is forbidden still.
  CALL(check, Capture::begin(stream, CaptureMode::global, &capture));
  drain();
  CUdeviceptr other = 0;
  EXPECT(check, cuMemAlloc(&other, 1 << 20) != CUDA_SUCCESS);
  capture = Capture();
}

// A capture on another thread in the mode that concerns all threads: owners wait, or go; nothing
// breaks.
void drain_beside_a_capture() {
  Check check("drain() while another thread captures in global mode");
  Life life;
  std::atomic<int> freeing{-1};
  CUdeviceptr block = 0;
  Graph source;
  Graph graph;
  CUgraphNode node = nullptr;
  DRIVER(check, cuMemAlloc(&block, 1 << 20));
  CALL(check, Graph::create(&source));
  CALL(check, kinds()[0].add(source, life.owner_that([&] { freeing = cuMemFree(block); }), &node));
  Stream stream;
  Capture capture;
  CALL(check, Capture::begin(stream, CaptureMode::global, &capture));
  std::thread([&] {
    use_device();
    EXPECT(check, source.destroy() == CUDA_SUCCESS);
    eventually([&] { return life.freed() == 1; });
  }).join();
  EQUAL(check, life.freed(), 1);
  EQUAL(check, freeing.load(), 0);
  CALL(check, capture.end(&graph));
}

}  // namespace

void capture_ends() {
  invalidated();
  abandoned();
  failing_call();
  drain_while_capturing();
  drain_beside_a_capture();
}

}  // namespace gputest
