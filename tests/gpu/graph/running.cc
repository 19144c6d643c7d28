// Executable graphs are destroyed, and their children replaced, while a launch runs; nodes are left
// out of launches.
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
  enabled();
}

}  // namespace gputest
