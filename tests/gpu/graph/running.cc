// SPDX-License-Identifier: Apache-2.0

// Executable graphs are destroyed, and their children replaced, while a launch runs; nodes are left
// out of launches.
#include <atomic>
#include <random>

#include "graph/topics.h"
#include "graph/waiting.h"

namespace gputest {

namespace {

void destroyed_while_running() {
  Check check("executable and graph are destroyed while a launch runs");
  Life life;
  Waiting waiting(check, &life);
  waiting.launch();
  CALL(check, waiting.graph.destroy());
  CALL(check, waiting.exec.destroy());
  settle();
  EXPECT(check, waiting.running());
  EXPECT(check, life.alive());
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 101));
  EXPECT(check, eventually([&] { return life.freed() == 1; }));
}

void updated_then_destroyed_while_running() {
  Check check("executable: updated, launched, and destroyed while that runs");
  Life old;
  Life newer;
  Waiting waiting(check, &old);
  Add add(0, 0, 0);
  KernelNode parameters = waiting.parameters(add, 200, &newer);
  CALL(check, waiting.exec.set_kernel(waiting.node, parameters));
  parameters = KernelNode();
  waiting.launch();
  CALL(check, waiting.graph.destroy());
  CALL(check, waiting.exec.destroy());
  settle();
  EXPECT(check, waiting.running());
  EXPECT(check, newer.alive());
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 201));
  EXPECT(check, eventually([&] { return old.freed() == 1 && newer.freed() == 1; }));
}

void child_while_running() {
  Check check("executable: set_child while a launch of the former child runs");
  Life old;
  Life newer;
  Waiting waiting(check, &old);
  Graph parent;
  Graph other;
  Exec exec;
  CUgraphNode child = nullptr;
  CUgraphNode node = nullptr;
  CALL(check, Graph::create(&parent));
  CALL(check, add_child(parent, {}, waiting.graph, &child));
  CALL(check, Exec::instantiate(parent, &exec));
  CALL(check, Graph::create(&other));
  CALL(check, add_kernel(other, {}, waiting.spin.node(), &node));
  Add add(0, 0, 0);
  CALL(check, add_kernel(other, {node}, waiting.parameters(add, 200, &newer), &node));
  CALL(check, waiting.exec.destroy());
  waiting.exec = std::move(exec);
  waiting.launch();
  CALL(check, waiting.exec.set_child(child, other));
  CALL(check, other.destroy());
  CALL(check, parent.destroy());
  CALL(check, waiting.graph.destroy());
  settle();
  EXPECT(check, waiting.running());
  EXPECT(check, old.alive() && newer.alive());
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 101));
  waiting.launch();
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 201));
  CALL(check, waiting.exec.destroy());
  EXPECT(check, eventually([&] { return old.freed() == 1 && newer.freed() == 1; }));
}

// Host and memset nodes in a random order, each after up to two others; the first has the owner.
// Returns the number of host nodes.
std::size_t fill(Check& check, const Graph& graph, OpaqueHandle owner,
                 std::atomic<std::size_t>* called, std::mt19937* random) {
  std::vector<CUgraphNode> nodes;
  std::size_t hosts = 0;
  while (nodes.size() < 40) {
    std::vector<CUgraphNode> after;
    for (CUgraphNode node : nodes) {
      if (after.size() < 2 && (*random)() % 4 == 0) after.push_back(node);
    }
    CUgraphNode node = nullptr;
    if ((*random)() % 2 == 0) {
      HostNode call;
      call.call = [called] { ++*called; };
      CALL(check, add_host(graph, after, call, &node));
      ++hosts;
    } else {
      MemsetNode fill;
      fill.destination.address = scratch(0);
      fill.width = 64;
      CALL(check, add_memset(graph, after, fill, &node));
    }
    nodes.push_back(node);
  }
  CALL(check, graph_set_owner(graph, nodes.front(), OwnerRole::extra, std::move(owner)));
  return hosts;
}

// Driver 580 damages memory here if such executable graphs are destroyed at once (docs/graph.md):
// not every time, so there are many of them, with several launches at a time.
void with_host_nodes() {
  Check check("executable: many with host nodes are destroyed while their launches run");
  std::mt19937 random(1);
  std::atomic<std::size_t> called{0};
  std::size_t expected = 0;
  Life life;
  int owners = 0;
  Stream streams[3];
  Graph graphs[6];
  std::size_t hosts[6] = {};
  struct Made {
    Exec exec;
    std::size_t hosts;
  };
  std::vector<Made> made;
  std::size_t launches = 0;  // since a stream was waited for
  std::size_t destroyed = 0;
  const std::size_t most = quick() ? 1000 : 16000;
  while (destroyed < most) {
    const std::size_t at = random() % 6;
    const CUstream stream = streams[random() % 3];
    switch (random() % 16) {
      case 0:
        CALL(check, Graph::create(&graphs[at]));
        hosts[at] = fill(check, graphs[at], life.owner(), &called, &random);
        ++owners;
        break;
      case 1:
      case 2:
      case 3:
        DRIVER(check, cuStreamSynchronize(stream));
        launches = 0;
        break;
      case 4:
      case 5:
      case 6:
      case 7:
        if (graphs[at].get() == nullptr || made.size() >= 6) break;
        made.push_back({Exec(), hosts[at]});
        CALL(check, Exec::instantiate(graphs[at], &made.back().exec));
        break;
      case 8:
      case 9:
      case 10:
        if (made.empty()) break;
        std::swap(made[random() % made.size()], made.back());
        CALL(check, made.back().exec.destroy());
        made.pop_back();
        ++destroyed;
        break;
      default:
        if (made.empty() || launches == 9) break;
        ++launches;
        Made& one = made[random() % made.size()];
        CALL(check, one.exec.launch(stream));
        expected += one.hosts;
    }
  }
  for (Stream& stream : streams) DRIVER(check, stream.wait());
  EXPECT(check, called == expected);
  made.clear();
  for (Graph& graph : graphs) graph = Graph();
  EXPECT(check, eventually([&] { return life.freed() == owners && pending() == 0; }));
  check.detail(show(destroyed) + " executable graphs");
}

void enabled() {
  Check check("executable: nodes are left out and taken in again");
  Life life;
  Waiting waiting(check, &life);
  bool is = false;
  CALL(check, waiting.exec.enabled(waiting.node, &is));
  EXPECT(check, is);
  CALL(check, waiting.exec.set_enabled(waiting.node, false));
  CALL(check, waiting.exec.enabled(waiting.node, &is));
  EXPECT(check, !is);
  waiting.launch();
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 0));
  EXPECT(check, life.alive());
  CALL(check, waiting.exec.set_enabled(waiting.node, true));
  waiting.launch();
  waiting.finish();
  EXPECT(check, all_are(waiting.out.address(), 101));
}

}  // namespace

void running() {
  destroyed_while_running();
  updated_then_destroyed_while_running();
  child_while_running();
  with_host_nodes();
  enabled();
}

}  // namespace gputest
