// SPDX-License-Identifier: Apache-2.0

// When an executable graph releases the owners that later updates have replaced.
#include <chrono>
#include <thread>

#include "graph/topics.h"
#include "graph/waiting.h"

namespace gputest {

namespace {

constexpr int kUpdates = 1000;

HostNode host(OpaqueHandle owner) {
  HostNode node;
  node.function = [](void*) {};
  node.data_owner = std::move(owner);
  return node;
}

int freed_of(const std::vector<Life>& lives) {
  int freed = 0;
  for (const Life& life : lives) freed += life.freed();
  return freed;
}

void without_a_launch() {
  Check check("executable: of 1,000 set_host without a launch the last owner stays");
  Graph graph;
  CUgraphNode node = nullptr;
  Exec exec;
  CALL(check, Graph::create(&graph));
  CALL(check, add_host(graph, {}, host(nullptr), &node));
  CALL(check, Exec::instantiate(graph, &exec));
  std::vector<Life> lives(kUpdates);
  for (Life& life : lives) CALL(check, exec.set_host(node, host(life.owner())));
  EQUAL(check, freed_of(lives), kUpdates - 1);
  EXPECT(check, lives.back().alive());
  Stream stream;
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return freed_of(lives) == kUpdates; }));
}

void children_without_a_launch() {
  Check check("executable: of 1,000 set_child without a launch the last owners stay");
  Graph parent;
  Graph child;
  CUgraphNode node = nullptr;
  Exec exec;
  CALL(check, Graph::create(&parent));
  CALL(check, Graph::create(&child));
  CALL(check, add_host(child, {}, host(nullptr), nullptr));
  CALL(check, add_child(parent, {}, child, &node));
  CALL(check, Exec::instantiate(parent, &exec));
  std::vector<Life> lives(kUpdates);
  for (Life& life : lives) {
    Graph other;
    CALL(check, Graph::create(&other));
    CALL(check, add_host(other, {}, host(life.owner()), nullptr));
    CALL(check, exec.set_child(node, other));
  }
  EXPECT(check, eventually([&] { return freed_of(lives) == kUpdates - 1; }));
  settle();
  EXPECT(check, lives.back().alive());
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return freed_of(lives) == kUpdates; }));
}

// A launch that runs uses what was set before it, and what it uses stays. What is released while it
// runs has no memory: cuMemFree may wait for the device's work, and the kernel waits for this
// thread.
void while_a_launch_runs() {
  Check check("executable: what a running launch uses stays until it has ended");
  Life of_graph;
  Life used;
  Life unused;
  Life last;
  Waiting waiting(check, &of_graph);
  const CUdeviceptr shared = scratch(0);
  Add add(0, 0, 0);
  Add next_add(0, 0, 0);
  Add last_add(0, 0, 0);
  KernelNode parameters = waiting.parameters(add, 200, &used);
  CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
  waiting.launch();
  next_add = Add(waiting.out.address(), shared, 1);
  parameters = next_add.node();
  parameters.argument_owner = unused.owner();
  CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
  parameters = waiting.parameters(last_add, 400, &last);
  CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
  parameters = KernelNode();
  EQUAL(check, unused.freed(), 1);
  settle();
  EXPECT(check, used.alive() && last.alive());
  EXPECT(check, waiting.running());
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 201));
  EXPECT(check, used.alive());                       // until the next call of this object
  CALL(check, waiting.exec.launch(waiting.stream));  // its kernel has nothing to wait for
  EQUAL(check, used.freed(), 1);
  DRIVER(check, waiting.stream.wait());
  EXPECT(check, all_are(waiting.out.address(), 401));
  CALL(check, waiting.exec.destroy());
  CALL(check, waiting.graph.destroy());
  EXPECT(check, eventually([&] { return last.freed() == 1 && of_graph.freed() == 1; }));
}

void by_the_handle() {
  Check check("executable: a launch by the raw handle finds all owners");
  Life of_graph;
  Life used;
  Life last;
  Waiting waiting(check, &of_graph);
  Add add(0, 0, 0);
  Add last_add(0, 0, 0);
  KernelNode parameters = waiting.parameters(add, 200, &used);
  CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
  waiting.spin.again();
  DRIVER(check, cuGraphLaunch(waiting.exec.get(), waiting.stream));
  EXPECT(check, waiting.spin.wait_until_running());
  parameters = waiting.parameters(last_add, 400, &last);
  CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
  parameters = KernelNode();
  settle();
  EXPECT(check, used.alive());
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 201));
  CALL(check, waiting.exec.destroy());
  EXPECT(check, eventually([&] { return used.freed() == 1 && last.freed() == 1; }));
}

// Many launches one after another, each with different parameters: every number is right, and few
// owners are alive at the end.
void in_a_row() {
  Check check("executable: 200 launches in a row, each with new owners");
  Life of_graph;
  Waiting waiting(check, &of_graph);
  waiting.spin.release();
  std::vector<Life> lives(200);
  for (std::size_t at = 0; at < lives.size(); ++at) {
    Add add(0, 0, 0);
    KernelNode parameters = waiting.parameters(add, static_cast<int>(at), &lives[at]);
    CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
    CALL(check, waiting.exec.launch(waiting.stream));
    if (at % 50 != 49) continue;
    DRIVER(check, waiting.stream.wait());
    EXPECT(check, all_are(waiting.out.address(), static_cast<int>(at) + 1));
  }
  CALL(check, waiting.exec.launch(waiting.stream));
  EQUAL(check, freed_of(lives), static_cast<int>(lives.size()) - 1);
  DRIVER(check, waiting.stream.wait());
  CALL(check, waiting.exec.destroy());
  EXPECT(check, eventually([&] { return freed_of(lives) == static_cast<int>(lives.size()); }));
}

// CUDA's documentation does not say that a launch can be captured: driver 580 refuses it in global
// mode (900). A launch that was refused used nothing, one that was captured may be repeated.
void captured(CaptureMode mode, const char* name, bool launched_before) {
  Check check(std::string("executable: a launch in a capture, ") + name +
              (launched_before ? ", after another launch" : ""));
  Life used;
  Life unused;
  Graph graph;
  CUgraphNode node = nullptr;
  Exec exec;
  Stream stream;
  Capture capture;
  Graph outer;
  CALL(check, Graph::create(&graph));
  CALL(check, add_host(graph, {}, host(nullptr), &node));
  CALL(check, Exec::instantiate(graph, &exec));
  if (launched_before) {
    CALL(check, exec.launch(stream));
    DRIVER(check, stream.wait());
  }
  CALL(check, exec.set_host(node, host(used.owner())));
  CALL(check, Capture::begin(stream, mode, &capture));
  const CUresult launched = exec.launch(stream);
  const CUresult ended = capture.end(&outer);
  check.detail("the launch gives " + describe(launched) + ", the capture's end " + describe(ended));
  if (launched == CUDA_SUCCESS) {
    EQUAL(check, ended, CUDA_SUCCESS);
  } else {
    EQUAL(check, launched, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT(check, ended == CUDA_SUCCESS || ended == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
  EXPECT(check, used.alive());
  CALL(check, exec.set_host(node, host(unused.owner())));
  EQUAL(check, used.freed(), launched == CUDA_SUCCESS ? 0 : 1);
  CALL(check, exec.set_host(node, host(nullptr)));
  EQUAL(check, unused.freed(), 1);
  // The executable graph is as before.
  CALL(check, exec.launch(stream));
  DRIVER(check, stream.wait());
  CALL(check, outer.destroy());
  CALL(check, exec.destroy());
  EXPECT(check, eventually([&] { return used.freed() == 1; }));
}

// In the mode for that, other calls leave retired owners to drain().
void only_in_drain() {
  Check check("only drain() releases owners after set_release_mode(only_in_drain)");
  Life removed;
  Life replaced;
  Graph graph;
  Exec exec;
  CUgraphNode node = nullptr;
  CUgraphNode other = nullptr;
  settle();
  set_release_mode(ReleaseMode::only_in_drain);
  CALL(check, Graph::create(&graph));
  CALL(check, add_host(graph, {}, host(removed.owner()), &node));
  CALL(check, remove_node(graph, node));
  CALL(check, add_host(graph, {}, host(nullptr), &other));
  CALL(check, Exec::instantiate(graph, &exec));
  CALL(check, exec.set_host(other, host(replaced.owner())));
  CALL(check, exec.set_host(other, host(nullptr)));
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (pending() < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  EXPECT(check, pending() >= 2);
  const Graph calls = Graph::create();
  EXPECT(check, calls.nodes().empty());
  EXPECT(check, removed.freed() == 0 && replaced.freed() == 0);
  EXPECT(check, eventually([&] { return removed.freed() == 1 && replaced.freed() == 1; }));
  set_release_mode(ReleaseMode::any_call);
}

}  // namespace

void replacing() {
  only_in_drain();
  without_a_launch();
  children_without_a_launch();
  while_a_launch_runs();
  by_the_handle();
  in_a_row();
  for (const bool launched_before : {false, true}) {
    captured(CaptureMode::global, "global mode", launched_before);
    captured(CaptureMode::thread_local_, "mode of the thread", launched_before);
    captured(CaptureMode::relaxed, "relaxed mode", launched_before);
  }
}

}  // namespace gputest
