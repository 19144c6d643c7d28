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

// Driver 580 crashes, hangs or damages memory here if such graphs are destroyed at once; not every
// time: so there are many, of random shapes, with several launches running at a time.
void with_host_nodes() {
  Check check("executable: many with host nodes are destroyed while their launches run");
  constexpr std::size_t kNodes = 40;
  constexpr std::size_t kMost = 5;
  std::mt19937 random(1);
  std::atomic<std::size_t> called{0};
  std::size_t expected = 0;
  Stream streams[3];
  const std::size_t rounds = quick() ? 100 : 400;
  for (std::size_t round = 0; round < rounds; ++round) {
    Graph graph;
    CALL(check, Graph::create(&graph));
    std::vector<CUgraphNode> nodes;
    std::size_t hosts = 0;
    while (nodes.size() < kNodes) {
      std::vector<CUgraphNode> after;
      for (CUgraphNode node : nodes) {
        if (after.size() < 2 && random() % 4 == 0) after.push_back(node);
      }
      CUgraphNode node = nullptr;
      if (random() % 2 == 0) {
        HostNode call;
        call.call = [&called] { ++called; };
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
    for (std::size_t made = 0; made < kMost; ++made) {
      Exec exec;
      CALL(check, Exec::instantiate(graph, &exec));
      for (std::size_t times = 1 + random() % 2; times != 0; --times) {
        CALL(check, exec.launch(streams[random() % 3]));
        expected += hosts;
      }
      CALL(check, exec.destroy());
    }
    if (round % 4 == 0) DRIVER(check, streams[random() % 3].wait());
  }
  for (Stream& stream : streams) DRIVER(check, stream.wait());
  EXPECT(check, called == expected);
  check.detail(show(rounds * kMost) + " executable graphs");
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
