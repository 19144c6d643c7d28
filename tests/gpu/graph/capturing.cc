// SPDX-License-Identifier: Apache-2.0

// Stream capture: callbacks are kept, forks share the primary's graph, bodies are captured into.
#include "graph/kinds.h"
#include "graph/topics.h"

namespace gputest {

namespace {

HostNode closure(const OpaqueHandle& owner, std::atomic<int>* calls) {
  HostNode node;
  node.call = [owner, calls] { ++*calls; };
  return node;
}

void launch(Check& check, const Exec& exec) {
  Stream stream;
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
}

void callbacks() {
  Check check("callbacks that are captured are kept, and called");
  for (const CaptureMode mode :
       {CaptureMode::global, CaptureMode::thread_local_, CaptureMode::relaxed}) {
    Life life;
    std::atomic<int> calls{0};
    Stream stream;
    Capture capture;
    Graph graph;
    CALL(check, Capture::begin(stream, mode, &capture));
    CALL(check, capture.call(closure(life.owner(), &calls)));
    EXPECT(check, life.alive());
    CALL(check, capture.end(&graph));
    settle();
    EXPECT(check, life.alive());
    EQUAL(check, calls.load(), 0);
    Exec exec;
    Graph clone;
    CALL(check, graph.clone(&clone));
    CALL(check, Exec::instantiate(graph, &exec));
    CALL(check, graph.destroy());
    if (!check) return;
    launch(check, exec);
    EQUAL(check, calls.load(), 1);
    CALL(check, exec.destroy());
    settle();
    EXPECT(check, life.alive());
    CALL(check, clone.destroy());
    EXPECT(check, eventually([&] { return life.freed() == 1; }));
  }
}

// A captured node belongs to a graph that is known: it can be changed and removed later.
void captured_node_is_known() {
  Check check("a captured callback's owner goes with its node");
  Life life;
  std::atomic<int> calls{0};
  Stream stream;
  Capture capture;
  Graph graph;
  CALL(check, Capture::begin(stream, CaptureMode::thread_local_, &capture));
  CALL(check, capture.call(closure(life.owner(), &calls)));
  CALL(check, capture.end(&graph));
  GraphView view;
  CALL(check, capture.view(&view));
  EXPECT(check, view == graph.view());
  std::size_t count = 1;
  CUgraphNode node = nullptr;
  DRIVER(check, cuGraphGetNodes(graph.get(), &node, &count));
  EQUAL(check, count, 1U);
  EXPECT(check, graph_get_owner(graph, node, OwnerRole::callback) != nullptr);
  CALL(check, remove_node(graph, node));
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

void kept_with_last_and_whole() {
  Check check("owners of other captured work, if they are given");
  Life of_node;
  Life of_graph;
  Stream stream;
  Capture capture;
  Graph graph;
  Buffer buffer = filled(0);
  const CUdeviceptr address = buffer.address();
  CALL(check, Capture::begin(stream, CaptureMode::thread_local_, &capture));
  CALL(check, capture.keep(of_graph.owner()));
  DRIVER(check, cuMemsetD32Async(address, 6, kCount, stream));
  CALL(check, capture.keep_with_last(OwnerRole::destination, of_node.owner(buffer.allocation())));
  CALL(check, capture.end(&graph));
  buffer.close();
  settle();
  EXPECT(check, of_node.alive() && of_graph.alive());
  Exec exec;
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, graph.destroy());
  if (!check) return;
  launch(check, exec);
  expect_all(check, address, 6);
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return of_node.freed() == 1 && of_graph.freed() == 1; }));
}

void forks() {
  Check check("forks share the primary's graph and have no view");
  Life lives[2];
  std::atomic<int> calls{0};
  Stream primary;
  Stream other;
  Capture capture;
  Capture fork;
  Graph graph;
  Event split;
  Event join;
  CALL(check, Event::create(CU_EVENT_DISABLE_TIMING, &split));
  CALL(check, Event::create(CU_EVENT_DISABLE_TIMING, &join));
  CALL(check, Capture::begin(primary, CaptureMode::thread_local_, &capture));
  CALL(check, capture.call(closure(lives[0].owner(), &calls)));
  EXPECT(check, capture.fork(other, &fork) != CUDA_SUCCESS);  // it has not joined yet
  DRIVER(check, cuEventRecord(split.event(), primary));
  DRIVER(check, cuStreamWaitEvent(other, split.event(), 0));
  EQUAL(check, capture.fork(other, &capture), CUDA_ERROR_INVALID_VALUE);  // it would be lost
  CALL(check, capture.fork(other, &fork));
  CALL(check, fork.call(closure(lives[1].owner(), &calls)));
  GraphView view;
  EQUAL(check, fork.view(&view), CUDA_ERROR_INVALID_VALUE);
  Graph not_its;
  EXPECT(check, fork.end(&not_its) != CUDA_SUCCESS);
  EXPECT(check, not_its.get() == nullptr);
  DRIVER(check, cuEventRecord(join.event(), other));
  DRIVER(check, cuStreamWaitEvent(primary, join.event(), 0));
  CALL(check, capture.end(&graph));
  EQUAL(check, fork.view(&view), CUDA_ERROR_INVALID_VALUE);
  fork = Capture();
  EQUAL(check, node_count(graph), 2U);
  settle();
  EXPECT(check, lives[0].alive() && lives[1].alive());
  Exec exec;
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, graph.destroy());
  if (!check) return;
  launch(check, exec);
  EQUAL(check, calls.load(), 2);
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return lives[0].freed() == 1 && lives[1].freed() == 1; }));
}

void into_a_body() {
  Check check("capture into the body of a conditional node");
  Life life;
  Buffer buffer = filled(0);
  const CUdeviceptr address = buffer.address();
  Stream stream;
  Graph graph;
  Conditional conditional;
  CALL(check, Graph::create(&graph));
  CALL(check, add_conditional(graph, ConditionalKind::if_else, 1, 1, &conditional));
  if (!check) return;
  Capture capture;
  CALL(check, Capture::begin_to_graph(stream, conditional.bodies[0], {}, CaptureMode::thread_local_,
                                      &capture));
  GraphView view;
  EQUAL(check, capture.view(&view), CUDA_ERROR_INVALID_VALUE);
  DRIVER(check, cuMemsetD32Async(address, 9, kCount, stream));
  CALL(check, capture.keep_with_last(OwnerRole::destination, life.owner(buffer.allocation())));
  CALL(check, capture.end());
  CALL(check, capture.view(&view));
  EXPECT(check, view == conditional.bodies[0]);
  buffer.close();
  EQUAL(check, node_count(conditional.bodies[0]), 1U);
  Exec exec;
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, graph.destroy());
  EXPECT(check, !view.valid());
  settle();
  EXPECT(check, life.alive());
  if (!check) return;
  launch(check, exec);
  expect_all(check, address, 9);
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

}  // namespace

void capturing() {
  callbacks();
  captured_node_is_known();
  kept_with_last_and_whole();
  forks();
  into_a_body();
}

}  // namespace gputest
